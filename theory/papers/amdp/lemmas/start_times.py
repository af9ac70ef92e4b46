"""When one AMDP pipeline starts its forwards and backwards, as data.

Four laws, by what the rule admits; minibatch m = nq + r, i = p − 1 − s stages behind stage s:

- every stage s < p admits min(n, p − s), or n ≤ 2 and only stage 0 is bounded: for all F, B > 0,

  - B(s, m) starts at (F + B)(pq + r) + pF + iB,
  - F(s, m) at (F + B)(pq + r) + sF, but at (s + m)F if m < n and m ≤ i;

- only stage 0 is bounded and n ≤ p: the same, except that stage s > 0 goes on with forwards until
  its first backward, with 2i + 1 of them if F = B. With the order of F = B it starts F(s, m) for
  m < n at (s + m)F if m ≤ 2i and as B(s, m − 2i − 1) ends otherwise, for all B ≥ F;
- only stage 0 is bounded, n ≥ p and F = B: stages soon do a forward and a backward in turn.

A law for integers and for solver terms alike; what generates it is proved in `greedy`. Its formulas
are text, read by `theory.smt.notation`: p, n, s, i, q and r are as above, ``pq`` is the product.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import z3

from schedules.actions import Kind
from theory.papers.amdp.lemmas.durations import ANY, EQUAL, Cone, Time
from theory.papers.amdp.lemmas.minibatches import Minibatch, Number, Pipeline
from theory.smt.notation import terms
from theory.smt.solver import Term

_FIRST: Final = Minibatch(0, 0, 0)


def letters(line: Pipeline, s: Number, m: Minibatch = _FIRST) -> dict[str, Any]:
    """What the letters of a law mean for a stage and a minibatch."""
    names = {"p": line.p, "n": line.n, "s": s, "i": line.p - 1 - s}
    larger = {"If": line.choose, "larger": lambda a, b: line.choose(a >= b, a, b)}
    return {**names, "q": m.round, "r": m.place, "pq": m.product, **larger}


@dataclass(frozen=True)
class Law:
    """Start times of one pipeline, and the rule that generates them.

    Attributes
    ----------
    name, says : str
        What the rule admits, in words.
    forward, backward : pair of str
        So many F and so many B are the time at which F and B of a stage and a minibatch start.
    cap, capped : str
        Most minibatches between F and B at stage s, and whether it has a cap.
    domain : str
        Hypotheses on p and n.
    cone : sequence of rays
        Durations for which the rule generates these times.
    rounds : bool
        Whether its minibatches are numbered by rounds.
    """

    name: str
    says: str
    forward: tuple[str, str]
    backward: tuple[str, str]
    cap: str
    capped: str
    domain: str
    cone: Cone
    rounds: bool = True

    def start(self, kind: Kind, line: Pipeline, s: Number, m: Minibatch) -> Time:
        """When the action starts."""
        times = self.forward if kind is Kind.F else self.backward
        return Time(*terms(", ".join(times), letters(line, s, m)))

    def end(self, kind: Kind, line: Pipeline, s: Number, m: Minibatch) -> Time:
        """When the action is over."""
        return self.start(kind, line, s, m).after(kind)

    def admits(self, line: Pipeline, s: Number) -> tuple[Number, Any]:
        """The cap of stage s, and whether it has one."""
        cap, capped = terms(f"{self.cap}, {self.capped}", letters(line, s))
        return cap, capped

    def somewhere(self, *names: str) -> tuple[Any, ...]:
        """A pipeline, a stage and minibatches of these names, as symbols."""
        return Pipeline.symbolic(self.rounds), z3.Int("s"), *map(Minibatch.named, names)

    def allows(self, line: Pipeline) -> tuple[Term, ...]:
        """The hypotheses on p and n."""
        return terms(self.domain, letters(line, 0))

    def inside(self, line: Pipeline, s: Number, *known: Minibatch) -> tuple[Term, ...]:
        """What is true of a stage and minibatches."""
        return (*self.allows(line), s >= 0, s < line.p, *line.are_minibatches(*known))


# The first round comes as fast as it can, as long as the cap admits it.
_AT_ONCE: Final = "(r if q == 0 else p) <= i"

CAPPED: Final = Law(
    name="every stage is bounded",
    says="stage s admits min(n, d − s), n ≤ d",
    forward=(f"s + r if {_AT_ONCE} else pq + r + s", f"0 if {_AT_ONCE} else pq + r"),
    backward=("pq + r + p", "pq + r + i"),
    cap="n if n < p - s else p - s",
    capped="s >= 0",
    domain="p >= 1, n >= 1, n <= p",
    cone=ANY,
)

TWO: Final = replace(
    CAPPED,
    name="only stage 0 is bounded, n ≤ 2",
    says="only stage 0 is bounded, by n ≤ 2, n ≤ d",
    cap="n",
    capped="s == 0",
    domain=f"{CAPPED.domain}, n <= 2",
)

# The first round comes as fast as it can, until the first backward does; then in turn with those.
FREE: Final = replace(
    TWO,
    name="only stage 0 is bounded",
    says="only stage 0 is bounded, n ≤ d",
    forward=(
        "(s + r if r <= 2*i else r - 2*i - 1 + p) if q == 0 else pq + r + s",
        "(0 if r <= 2*i else r - i) if q == 0 else pq + r",
    ),
    domain=CAPPED.domain,
    cone=EQUAL,
)

# More admitted than there are stages; only with F = B, so that all is counted as forwards.
CROWDED: Final = replace(
    FREE,
    name="only stage 0 is bounded, n ≥ d",
    says="only stage 0 is bounded, n ≥ d",
    forward=("s + larger(r if r <= 2*i else 2*r - 2*i, 0 if r < n else 2*(r - n) + 2*p)", "0"),
    domain="p >= 1, n >= p",
    rounds=False,
)

LAWS: Final = (CAPPED, TWO, FREE, CROWDED)


def before(
    law: Law, line: Pipeline, s: Number, one: tuple[Kind, Minibatch], two: tuple[Kind, Minibatch]
) -> Any:
    """Whether the first of two actions of a stage is over when the second starts, if F = B.

    One of two is, so this is the stage's order: `greedy` proves that it is that of all durations.
    """
    ends, starts = law.end(one[0], line, s, one[1]), law.start(two[0], line, s, two[1])
    return ends.forwards + ends.backwards <= starts.forwards + starts.backwards
