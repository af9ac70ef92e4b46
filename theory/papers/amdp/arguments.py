"""What the AMDP rows rest on in words: the arguments that put checked steps together.

Names in quotation marks inside an argument are those of its checked statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ARGUMENTS: Final[Mapping[str, str]] = {
    "greedy": """\
A rule generates a law's start times. Suppose it does not, and look at the first time t at which
some action starts in the run but not in the law, or the other way round. Before t both agree,
so whatever is over by t in one of them is over in the other. Call action Z of a stage due if it
is the stage's first in the law that has not started before t, and X the next action of the
other kind.
- Z starts at t in the law. Its stage is free then and all that Z waits for is over ("order",
  "exclusive", "causal"). X is not chosen in its place: it still waits for something that ends
  after t, or the rule prefers Z ("choice"). So Z starts at t in the run too.
- Z starts later in the law, and Z or X starts at t in the run. But until Z starts in the law
  the stage is busy, or Z waits for an action that is not over ("tight"), and so does X
  ("patience").
Each is a statement about start times, without time or run. Any M is covered: `last` is M − 1.
The same statements but "choice" and "patience" establish the times of the static order.
""",
    "order": """\
An update follows every backward, and both kinds run in the order of minibatches. So if k
backwards of the stage are over when F(s, m) starts, and the others start after it, m − k
updates fall between F(s, m) and B(s, m). Order alone decides that (schedules.static-staleness).
""",
    "counters": """\
A free run is a sequence of events: a stage starts or ends a forward or a backward. Each event
has a guard; durations and message delays only make a guard hold later. What holds at the
beginning and is kept by every event therefore holds in every run, whatever p, M, durations and
delays, and whatever else keeps a rank busy. Kept are: stage s + 1 has no more minibatches under
way than stage s, and stage 0 no more than it admits. So no stage has more than n under way, by
induction over stages. Of those one is the minibatch whose forward starts, so at most n − 1
backwards of the stage come between its forward and its backward.
""",
    "cone": """\
Times are x·F + y·B with integers x and y. The durations at which a law is stated are all
positive combinations of a few rays (F, B). A linear form is nowhere negative on them iff it is
not on any ray, so a comparison at all durations is one comparison a ray.
""",
    "long run": """\
The order is that of F = B. With F > B its start times have no simple form, but they are at most
those of the law `FREE` and nF more: times at which no action has to wait ("feasible"). And
minibatch m + n starts at stage 0 when m is back, d(F + B) after it started at the earliest
("supported"). So minibatch nq + r is back between (F + B)d(q + 1) and (F + B)(d(q + 1) + r) +
nF.
""",
    "period": """\
A stage that starts F and B of minibatch m + n one period after those of minibatch m, for every
m from n on, does n forwards and n backwards in each period: n(F + B) of d(F + B) units of time.
A run of M = nq + r + 1 minibatches ends with the last backward of stage 0, at (F + B)(d(q + 1)
+ r), and a rank works M(F + B) of it.
""",
    "rotation": """\
Stage s is on rank s in even pipelines and on rank d − 1 − s in odd ones; no F or B is
interrupted. At most d minibatches are under way and each is on one rank at a time. So if all d
ranks work from some time on, all d minibatches do so without ever waiting, and where one ends
the next of its pipeline begins at once: each is a token on a fixed round of length P = d(F +
B), and only its phase is free. On the ranks of an even pipeline F of stage s starts at phase +
s·F and B at phase + d·F + (d − 1 − s)·B, all modulo P; an odd pipeline runs stage s on rank d −
1 − s. Let F < B; time reversed, F > B is the same.
1. Two tokens of one direction are whole multiples of F + B apart, or a forward of one meets a
   backward of the other on some rank.
2. Tokens of opposite directions are at most (d − 1)F apart, for the same reason.
3. And they are whole multiples of 2F and of 2B apart, or forwards, or backwards, meet.
4. So any two upward tokens are 2F·y = 2B·x = (F + B)·z apart with integers x < y and z; then
   2xy = (x + y)z, which needs y ≥ 6.
5. There are at least 2⌊d/4⌋ ≥ 2 of them within 2(d − 1)F: too little room.
""",
    "rotation, F = B": """\
Let F = B, and let a token that never waits be on a round of 2d slots of length F. Give the
downward tokens phases 2F·a with a in a set A of residues modulo d, as many as there are, and
the upward ones those with a in the complement of A + d/2; so many are left. On a rank two
actions meet only if the gap of their starts is a multiple of 2d slots. A forward and a backward
of one direction, two forwards of opposite directions, and two backwards, are an odd number of
slots apart, d being even. Two forwards, or two backwards, of one direction are 2(a − a') apart
with different residues a and a'. A forward and a backward of opposite directions are 2(a − a' ±
d/2) apart, and no residue of the upward tokens is one of A + d/2. So no two meet, and d tokens
with two actions a rank fill its 2d slots. Any order of the actions is allowed, so that a start-
up may wait until these phases are reached.
""",
    "rotation, Chimera": """\
All tokens have phase 0 or 2F: those of pipelines 2j and 2j + 1 start at ranks 4j and 4j − 1
together, and each takes a round of 2d slots without waiting. On rank 4R + ρ pipeline 2j has its
stage 4i + ρ with i + j = R modulo d/4, and pipeline 2j + 1 its stage d − 1 − 4i − ρ. So the
stages there differ by multiples of 4 in one direction, and the phases by 2: no two actions of a
rank fall on the same of the 2d slots, which d tokens fill with two each. Any order of the
actions is allowed, so that a start-up may wait until these phases are reached.
""",
    "every play": """\
Durations are integers and one queue a rank is served in units of time, so that a play is a walk
in a finite graph: a state is what waits for how long, what runs for how long yet, and which
kind a stage did last, with minibatches counted from the first under way. Numbers only matter to
ties, and a tie rule compares them within what is under way. Under a tie rule a play that comes
to a state again repeats all since; the part of the time in which ranks work is counted over
such a period. Without a tie rule all successors are followed: some play fills all ranks for
ever iff the states that can be reached have a cycle on which all ranks work in every step.
""",
    "windows": """\
At one stage, backwards of all pipelines are counted, and after every W of them the stage
updates. Whoever is between forward and backward then sees the update. Backwards so far are
written W·u + rest, u the updates so far, so that a mismatch is a difference of two such u.
Those of a window with a mismatch are among its first d − 1 by their forwards. For let x be one
of them and U the first update after its forward; x's backward starts behind U, so U comes
before the window. A member y of the window whose forward is no later than x's has its forward
before U and its backward behind U ("under way"). So y is one of the at most d minibatches
between forward and backward at U, and not the one that closes it ("affected"): at most d − 1
such y, x among them. Not all of them need have a mismatch: a stage runs on several ranks, and
y's backward may start before U and end behind it.
""",
    "one pipeline": """\
In one pipeline a stage runs forwards in the order of minibatches, and backwards too: who comes
first is served first. So between F and B of minibatch m at a stage there are the backwards of
those before it that are under way there, at most n − 1, and no others. With windows of n − 1 or
more that is one update at most, and n − 1 is the least such window.
""",
    "queue": """\
Stage s is on rank s in even pipelines and on rank d − 1 − s in odd ones, a rank serves all that
is ready first come first served, and windows are whole multiples of d. Each of the d
minibatches under way is a token; where one ends the next of its pipeline goes on as the same
token, one generation later.
1. Count an upward pipeline's actions from d on, modulo 2d: its F of stage s is visit d + s, its
   B is visit d − 1 − s; downward they are visits s and 2d − 1 − s. So all tokens go through the
   same 2d visits again and again, and visit v is on rank v or 2d − 1 − v ("visits").
2. Who reaches visit v has left visit v − 1, which is on one rank, so no two reach it at the
   same time ("arrivals"); they leave in the order in which they came ("in order"). Ties settle
   only the order of the p downward tokens that wait for visit 0 at the start, and of the q = d
   − p upward ones that wait for visit d; these came before all others.
3. So by induction every visit sees the tokens in rounds of d, in the same order: the downward
   ones first at visits below d, the upward ones first from d on ("places").
4. At a stage all d backwards of a generation end before one of the next starts: those of a
   direction share a visit. And the next downward generation has its F on visit d − 1 − s, where
   the upward ones do their backwards, behind these; upward likewise ("generations").
5. Generation g ≥ 1 has its forward behind its token's previous backward, so that d(g − 1) + 1
   backwards of the stage are over by then at least, and dg + d − 1 at most when its own starts.
   That is one update of a window of kd, and none unless k divides g ("one update", "others").
6. So of a window's k generations, all but the first have no mismatch. Its d minibatches come
   first by their backwards and by their numbers ("numbers"); by forwards see `window_laws`.
""",
    "overtaking": """\
All that is ready waits in one queue a rank, first come first served; F and B take some time
each, messages none. Let x be a minibatch between the start of its F and that of its B at stage
s: it goes through the visits s + 1, …, 2d − 1 − s of its path. Take another token y and a visit
of x to rank r, from when x comes to when its action there ends. While x's action runs, y runs
nothing on r. While x waits, only what came before x, or at the same time, is served before it.
So y passes r at most once in that time, and only if y was at r already when x came: where it
passed r it comes back later, and then behind x. All else y may do, whatever durations and ties
are. So the visits that y can have made by the end of each visit of x are those of a finite
walk: on until the next visit to r, or, if y was at r when x came, until the one after. At the
start of x's F, y may be anywhere but does not finish a visit to the rank on which x runs. The
most backwards of stage s on such walks is counted for every y; their sum bounds the backwards
of s between F and B of x. A window of at least so many is closed once at most in between.
""",
    "runs": """\
A refutation is one run of the rules named with it: durations, placement, queue and tie rule
leave nothing open, so that the run can be repeated. Its counts are the backwards of the stage
that were over when the forward and when the backward of the named minibatch started; the
updates in between are the difference of the two counts' whole multiples of the window.
""",
    "second moments": """\
On f = Lx²/2 with noise of variance σ² and x̂_t = x_{t−1}, let a = ηL < 1. The second moments m₀
= E x_t² and m₁ = E x_t x_{t−1} tend to the solution of m₀ = m₀ + a²m₀ − 2a m₁ + η²σ² and m₁ =
m₀ − a m₁, without delay to that of m₀ = (1 − a)²m₀ + η²σ². The difference of L²m₀ has the order
η² as η → 0: the added term cannot be of a higher order.
""",
    "mixed chain": """\
Stage 0 maps its weight w to h(w) with h′(w) = 1 + A(w − 1)², stage 1 turns a into f(h⁻¹(a))
with f(w) = w²/2: as a function of w the loss is f, 1-smooth, with minimum 0, without noise. The
backward gets w_F/h′(w_F) at the weight that the forward read and multiplies it by h′ at the
newest. The third weight is a polynomial of degree one in A, so that A can be taken so large
that the average of ∇f² over T ≥ 3 updates is above any bound made of L, Δ, σ, η and T.
""",
}
"""By name, in full."""

ROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "amdp.mismatch": ("greedy", "cone", "order", "counters"),
    "amdp.one-step": ("counters", "greedy", "cone", "order"),
    "amdp.active-ratio": ("greedy", "cone", "period", "long run"),
    "amdp.saturation": ("rotation", "rotation, F = B", "rotation, Chimera", "every play"),
    "amdp.accumulation": (
        "windows",
        "one pipeline",
        "queue",
        "overtaking",
        "every play",
        "runs",
    ),
    "amdp.eta2": ("second moments", "mixed chain"),
    "amdp.eta2-synchronous": (),
    "amdp.eta2-mixed": (),
    "amdp.eta2-stash": (),
}
"""By row, the arguments that its verdict and cases use; those with none are the kernel's alone."""
