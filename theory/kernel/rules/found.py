"""A certificate that a search has found and kept in a data file beside the claim."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theory.errors import NotExactError, TheoryError
from theory.kernel.plain import plain
from theory.kernel.relations import Relation
from theory.kernel.rules.algebra import Combine
from theory.kernel.stored import Entry, entries_of, formula, key_of, names_of, vector_from
from theory.kernel.theorem import Checked, Given, Theorem
from theory.verdicts import Verdict


@dataclass(frozen=True, init=False)
class Found(Combine):
    """A `Combine` whose numbers ``staleproof certify`` has found.

    It stands where a `Combine` stands. When its theorem is made, the certificate is taken from
    ``NAME.certificates.json`` beside the file NAME.py in which it is written; from then on it is
    that `Combine`, for mutants of the theorem as well. Without one nothing is proved.

    Attributes
    ----------
    facts, squares, plus, domain
        As in `Combine`, once there is a certificate.
    among : tuple of str
        Facts that a search may use; none means all.
    file : str
        Where it is written.
    problem : str
        Why there is no certificate, else ``""``.

    Examples
    --------
    >>> Found("smooth", "start").among
    ('smooth', 'start')
    """

    among: tuple[str, ...] = ()
    file: str = ""
    problem: str = "no certificate is stored"

    def __init__(self, *names: str, facts: tuple[str, ...] = ()) -> None:
        where = sys._getframe(1).f_globals.get("__file__") or ""
        nothing: dict[str, Any] = {"facts": {}, "squares": (), "plus": (), "domain": ()}
        self._set(**nothing, among=(*names, *facts), file=str(where), problem=type(self).problem)

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def uses(self) -> tuple[str, ...]:
        """The facts of its certificate, or those that it may use."""
        return self.among if self.problem else super().uses

    @property
    def path(self) -> Path:
        """Its data file."""
        return Path(self.file).with_suffix(".certificates.json")

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether the certificate proves the goal."""
        if self.problem:
            return Checked(Verdict.UNKNOWN, self.problem)
        return super().check(goal, given)

    def filled(
        self, theorem: Theorem, step: str, goal: Relation, facts: Mapping[str, Relation]
    ) -> Found:
        """The same rule with the certificate that is stored for this goal, if there is one.

        One that is there stays where no other is stored: a mutant keeps that of its original.
        """
        try:
            data, problem = self._stored(theorem, step, goal, facts)
        except TheoryError as error:
            data, problem = None, f"{error.where}: {error.what}; {error.fix}"
        if data is None and not self.problem:
            return self
        told = f"run: staleproof certify {self._argument(theorem)}, which says what it lacks"
        return self._with(data or {}, f"{problem}; {told}")

    def _stored(
        self, theorem: Theorem, step: str, goal: Relation, facts: Mapping[str, Relation]
    ) -> tuple[dict[str, Any] | None, str]:
        entries = entries_of(self.path, theorem.id, step) if self.file else []
        for entry in entries:
            uses = (*entry["facts"], *entry["domain"])
            allowed = set(self.among or facts) & set(facts)
            if not set(uses) <= allowed:
                continue
            used = {name: facts[name] for name in uses}
            if key_of(goal, used) == entry["key"]:
                return parts_of(entry, goal, used, f"{theorem.id}: {step}"), ""
        stale = f"the stored certificate of {step!r} is for another formula or other facts"
        return None, stale if entries else f"no certificate is stored for {step!r}"

    def _with(self, parts: Mapping[str, Any], problem: str) -> Found:
        fresh = Found(facts=self.among)
        for name, value in {
            **parts,
            "file": self.file,
            "problem": "" if parts else problem,
        }.items():
            object.__setattr__(fresh, name, value)
        return fresh

    def _argument(self, theorem: Theorem) -> str:
        """What ``staleproof certify`` is called with: the file, or the id of a claim of ours."""
        inside = "papers" in Path(self.file).parts[:-1]
        return theorem.id if inside or not self.file else self.file


def parts_of(
    entry: Entry, goal: Relation, used: Mapping[str, Relation], where: str
) -> dict[str, Any]:
    """The parts of a certificate from data, of the kernel's own classes.

    Raises
    ------
    TheoryError
        Something in it is no formula of what the goal and the facts name.
    """
    names = names_of((goal, *used.values()))
    try:
        parts = {
            "facts": {name: formula(text, names) for name, text in entry["facts"].items()},
            "squares": tuple(
                (formula(c, names), _squared(one, names)) for c, one in entry["squares"]
            ),
            "plus": tuple(formula(text, names) for text in entry["plus"]),
            "domain": tuple(entry["domain"]),
        }
        return {name: plain(part, where) for name, part in parts.items()}
    except (ValueError, TypeError, ArithmeticError, MemoryError, RecursionError) as error:
        reason = str(error)
    except SyntaxError as error:
        reason = error.msg
    except NotExactError as error:
        reason = error.what
    raise TheoryError(
        f"the stored certificate cannot be read: {reason:.120}", where, "certify again"
    )


def _squared(one: Any, names: Mapping[str, Any]) -> Any:
    return formula(one, names) if isinstance(one, str) else vector_from(one, names)
