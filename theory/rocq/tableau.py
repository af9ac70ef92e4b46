"""Proofs that facts about whole numbers are absurd: case by case, each closed by `lia`.

z3 says which cases to take and which facts a case needs; `coqc` checks what comes of it. Left alone
`lia` goes through all combinations of all cases of all facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import z3

from theory.rocq.questions import leaves
from theory.rocq.text import UnsupportedError

CASES: Final = 600
"""Most cases of one proof."""
FEW: Final = 6
"""So many combinations of cases are left to `lia`."""
CLOSED: Final = "first [timeout 60 lia | timeout 60 nia]"
RLIMIT: Final = 4_000_000
"""What z3 may spend on one case."""
BUDGET: Final = 40_000_000
"""What it may spend on all of them, some ten seconds: three times what the largest proof took."""

Facts = Mapping[str, Any]


@dataclass
class Search:
    """A proof while it is looked for; every fact has a name in Rocq and an indicator in z3."""

    solver: Any = field(default_factory=z3.Solver)
    cases: int = 0
    spent: int = 0
    _known: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.solver.set("rlimit", RLIMIT)
        self.solver.set("core.minimize", True)
        self.solver.set("random_seed", 0)

    def core(self, facts: Facts) -> list[str] | None:
        """Names of facts that are absurd together; None if z3 does not say that they are.

        Raises
        ------
        UnsupportedError
            z3 has spent what it may.
        """
        if self.spent > BUDGET:
            raise UnsupportedError("a question too large to be taken case by case")
        asked = {str(self._indicator(fact)): name for name, fact in facts.items()}
        before = _spent(self.solver)
        answer = self.solver.check(*map(z3.Bool, asked))
        self.spent += _spent(self.solver) - before
        if answer != z3.unsat:
            return None
        core = set(map(str, self.solver.unsat_core()))
        return [name for one, name in asked.items() if one in core]

    def _indicator(self, fact: Any) -> Any:
        key = fact.get_id()
        if key not in self._known:
            self._known[key] = fact, z3.Bool(f"fact {len(self._known)}")
            self.solver.add(z3.Implies(self._known[key][1], fact))
        return self._known[key][1]

    def script(self, facts: Facts) -> list[str]:
        """Tactics that close a goal from facts with these names.

        Raises
        ------
        UnsupportedError
            They are not absurd for z3, or there are too many cases.
        """
        core = self.core(facts)
        if core is None:
            raise UnsupportedError("a question that z3 does not settle again")
        needed = {name: facts[name] for name in core}
        plain = {name: one for name, one in needed.items() if not z3.is_or(one)}
        split = {name: one for name, one in needed.items() if z3.is_or(one)}
        count = 1
        for one in split.values():
            count *= one.num_args()
        if count <= FEW:
            self.cases += 1
            if self.cases > CASES:
                raise UnsupportedError(f"a question with more than {CASES} cases")
            return [f"{_only(core)}{CLOSED}."]
        name = min(split, key=lambda one: (self._open(plain, split[one]), one))
        lines = [f"destruct {name} as {_bracket(name, split[name].num_args())}."]
        rest = {one: fact for one, fact in needed.items() if one != name}
        for part in split[name].children():
            told, opened = _told(name, part)
            lines += ["{ " + opened, *self.script({**rest, **told}), "}"]
        return lines

    def _open(self, plain: Facts, one: Any) -> int:
        """How many cases are not absurd right away."""
        return sum(self.core({**plain, "": part}) is None for part in one.children())


def _spent(solver: Any) -> int:
    """Units that z3 has spent so far, on whatever it was asked."""
    return int(solver.statistics().get_key_value("rlimit count"))


def _only(names: Sequence[str]) -> str:
    return f"clear - {' '.join(names)}; " if names else ""


def _bracket(name: str, count: int) -> str:
    return f"[{name}|" * (count - 1) + name + "]" * (count - 1)


def _told(name: str, part: Any) -> tuple[dict[str, Any], str]:
    """What a case says, fact by fact, and the tactic that takes it apart."""
    parts = list(leaves(part, z3.Z3_OP_AND))
    if len(parts) == 1:
        return {name: part}, ""
    names = [f"{name}_{place}" for place in range(len(parts))]
    return dict(zip(names, parts, strict=True)), f"destruct {name} as ({' & '.join(names)})."


def refutation(facts: Sequence[Any], bound: Sequence[str] = ()) -> str:
    """A proof that facts, which are the premises of the goal in this order, are absurd.

    Raises
    ------
    UnsupportedError
        None is found.
    """
    names = [f"H{place}" for place in range(len(facts))]
    known: dict[str, Any] = {}
    lines = [f"intros {' '.join((*bound, *names))}."]
    for name, fact in zip(names, facts, strict=True):
        told, opened = _told(name, fact)
        known |= told
        lines += [opened] if opened else []
    return "\n  ".join([*lines, *Search().script(known)])
