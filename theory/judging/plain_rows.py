"""`row`: a claim from its formulas, the grounds on which they hold, and what breaks the printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theory.account import (
    Account,
    Case,
    Decision,
    Finding,
    Ground,
    Grounds,
    Line,
    Readings,
    Refutation,
    Repair,
)
from theory.claims import Claim, Formulas
from theory.kernel.theorem import Theorem
from theory.ledger import Evidence, FindingKind, Origin


def row(
    id: str,
    where: str,
    statement: str,
    latex: str,
    core: Formulas,
    grounds: Callable[[Formulas], Grounds],
    *,
    printed: Formulas | None = None,
    fails: Callable[[Formulas], Refutation | None] | None = None,
    kind: FindingKind = "false",
    says: str = "",
    repaired: str = "",
    cases: Callable[[Formulas], tuple[Case, ...]] | None = None,
    holding: tuple[str, ...] = (),
    assumes: tuple[str, ...] = (),
    findings: tuple[Callable[[], Finding], ...] = (),
    evidence: tuple[Callable[[], Evidence], ...] = (),
    steps: Callable[[], tuple[Line | Ground, ...]] = tuple,
    account: Callable[[Formulas], Account] | None = None,
    deeper: Callable[[Formulas], tuple[Evidence, ...]] | None = None,
    arguments: tuple[str, ...] = (),
    depends: tuple[str, ...] = (),
    weakened: Mapping[str, Callable[[], Grounds]] | None = None,
    cost: float = 1.0,
    shares: str = "",
    origin: Origin = "printed",
) -> Claim:
    """A claim that holds on grounds, or fails at a witness and has a repair that holds on them.

    Parameters
    ----------
    core : mapping of str to sympy expression
        The formulas that the grounds prove; mutants of them must fail.
    grounds : callable
        What shows that given formulas hold.
    printed : mapping of str to sympy expression, optional
        The formulas as printed, where they are not the core.
    fails : callable, optional
        A refutation of printed formulas.
    kind, says, repaired : str
        The finding that goes with a refutation: its kind, what is wrong, what holds instead.
    cases : callable, optional
        Parts of what the source leaves open, for printed formulas.
    holding : tuple of str
        The cases in which the statement holds, where it does not hold in all of them.
    findings, evidence : tuple of callable
        Made when the claim is judged.
    steps : callable
        Lines on which the grounds rest, beside the grounds themselves, or grounds that make a line.
    account, deeper : callable, optional
        What is known of printed formulas, where it takes more than the above says; see `Claim`.

    Examples
    --------
    >>> import sympy
    >>> from theory.account import Compared
    >>> from theory.judging.decide import decided
    >>> p = sympy.Symbol("p")
    >>> def same(formulas):
    ...     return (Compared("2p", "sympy", formulas["twice"] == 2 * p),)
    >>> claim = row("mine.twice", "(1)", "Twice p is 2p.", "2p", {"twice": 2 * p}, same)
    >>> decided(claim.account(claim.printed)).verdict.name
    'PROVED'
    """
    stated = core if printed is None else printed

    def plain(formulas: Formulas) -> Account:
        known = tuple(grounds(formulas if printed is None else core))
        broken = fails(formulas) if fails else None
        decision = Readings(holding) if holding else Decision(() if fails else known, broken)
        found = (_finding(broken.witness, known),) if broken else ()
        return Account(
            decision,
            cases=cases(formulas) if cases else (),
            assumes=assumes,
            steps=tuple(map(_line, (*known, *steps()))),
            findings=(*found, *(make() for make in findings)),
            evidence=tuple(make() for make in evidence),
            arguments=arguments,
        )

    def _finding(witness: Mapping[str, Any], known: tuple[Ground, ...]) -> Finding:
        return Finding(kind, where, says, witness, repaired=Repair(repaired, known))

    return Claim(
        id=id,
        where=where,
        statement=statement,
        latex=latex,
        account=account or plain,
        printed=stated,
        core=core,
        holds=grounds,
        weakened=weakened or {},
        depends=depends,
        deeper=deeper,
        cost=cost,
        shares=shares,
        origin=origin,
    )


def _line(ground: Ground | Line) -> Line:
    """A ground as a line of our own proof."""
    if isinstance(ground, Line):
        return ground
    if isinstance(ground, Theorem):
        return Line("ours", ground.statement, "kernel", Decision((ground,)))
    rule = getattr(ground, "note", "") or getattr(ground, "code", "") or "all of them"
    return Line("ours", str(getattr(ground, "says", ground)), rule, Decision((ground,)))
