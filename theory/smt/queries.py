"""The questions that z3 is asked while something is judged, as SMT-LIB 2 text.

Nothing is kept unless somebody listens, and a listener hears its own context only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Any, Final, ParamSpec, TypeVar

import z3

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Query:
    """One question and the answer that z3 gave.

    Attributes
    ----------
    asks : str
        What the question is about, in one line.
    text : str
        SMT-LIB 2: logic, declarations, assertions, ``(check-sat)``.
    answer : str
        ``"sat"``, ``"unsat"`` or ``"unknown"``.
    rlimit : int
        z3's budget, in its resource units.
    digest : str
        Of what is asserted and of the answer, without a name.
    """

    asks: str
    text: str
    answer: str
    rlimit: int
    digest: str = ""


@dataclass(frozen=True)
class _Listener:
    """Who listens, and whether the text of a question is wanted: that takes longer to write."""

    queries: list[Query]
    texts: bool


_LISTENER: Final[ContextVar[_Listener | None]] = ContextVar("listener", default=None)


@contextmanager
def recording(texts: bool = True) -> Iterator[list[Query]]:
    """Collect the queries of a block of code, in their order; an outer recording pauses.

    Parameters
    ----------
    texts : bool
        Keep the text of a question besides its digest.

    Examples
    --------
    >>> from theory.smt.solver import Statement, decide
    >>> x = z3.Int("x")
    >>> with recording() as queries:
    ...     outcome = decide(Statement("square", "x > 1 implies x > 0", (x > 1,), x > 0))
    >>> [(query.asks, query.answer) for query in queries]
    [('square: x > 1 implies x > 0', 'unsat'), ('square: its hypotheses alone', 'sat')]
    """
    queries: list[Query] = []
    token = _LISTENER.set(_Listener(queries, texts))
    try:
        yield queries
    finally:
        _LISTENER.reset(token)


def record(asks: str, assertions: Iterable[Any], answer: str, rlimit: int) -> None:
    """Tell the listener, if there is one, what z3 was asked and what it said.

    Parameters
    ----------
    asks : str
    assertions : iterable of z3 expressions or bool
        Whether they have a model together was the question.
    answer : str
    rlimit : int
    """
    listener = _LISTENER.get()
    if listener is not None:
        given = list(assertions)
        text = _smtlib(given) if listener.texts else ""
        query = Query(" ".join(asks.split()), text, answer, rlimit, _digest(given, answer))
        listener.queries.append(query)


def _digest(assertions: Iterable[Any], answer: str) -> str:
    told = (one.sexpr() if z3.is_ast(one) else str(one) for one in assertions)
    return sha256("\n".join([answer, *told]).encode()).hexdigest()


def digest_of(queries: Iterable[Query]) -> str:
    """One digest of all that was asked, in whatever order and however often; "" of nothing.

    Examples
    --------
    >>> one, other = Query("", "", "sat", 9, "1"), Query("", "", "unsat", 9, "2")
    >>> digest_of([one, other]) == digest_of([other, one, one]) != digest_of([one])
    True
    """
    every = sorted({query.digest for query in queries})
    return sha256(" ".join(every).encode()).hexdigest() if every else ""


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """`functools.cache` for what asks the solver: a later caller's record has the queries as well.

    Parameters
    ----------
    function : callable
        Its arguments can be hashed.
    """
    kept: dict[Any, tuple[T, tuple[Query, ...] | None]] = {}

    @wraps(function)
    def again(*args: P.args, **kwargs: P.kwargs) -> T:
        key = (args, tuple(sorted(kwargs.items())))
        listener = _LISTENER.get()
        if listener is None:
            if key not in kept:
                kept[key] = function(*args, **kwargs), None
            return kept[key][0]
        value, queries = kept.get(key, (None, None))
        if queries is None or (listener.texts and not all(one.text for one in queries)):
            with recording(listener.texts) as asked:
                value = function(*args, **kwargs)
            queries = tuple(asked)
            kept[key] = value, queries
        listener.queries.extend(queries)
        return kept[key][0]

    return again


def _smtlib(assertions: Iterable[Any]) -> str:
    """The question as text; z3's own comment and its empty status line are left out."""
    given, solver = z3.Solver(), z3.Solver()
    given.add(*assertions)
    solver.add(*(_standard(term) for term in given.assertions()))
    lines = solver.to_smt2().splitlines()
    kept = [line for line in lines if not line.startswith((";", "(set-info :status"))]
    return f"(set-logic {_logic(solver.assertions())})\n" + "\n".join(kept) + "\n"


def _standard(term: Any) -> Any:
    """The term without sums and products of one part: z3 writes those, SMT-LIB has none."""
    while single := [part for part in _parts([term]) if _is_single(part)]:
        term = z3.substitute(term, *((part, part.arg(0)) for part in single))
    return term


def _is_single(term: Any) -> bool:
    return bool(z3.is_app(term) and term.num_args() == 1 and (z3.is_add(term) or z3.is_mul(term)))


def _parts(terms: Iterable[Any]) -> Iterator[Any]:
    """Every subterm once."""
    seen: set[int] = set()
    open_ends = list(terms)
    while open_ends:
        term = open_ends.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            yield term
            open_ends.extend(term.children())


def _logic(assertions: Iterable[Any]) -> str:
    """``QF_NRA`` for real arithmetic, where other solvers then use their complete method."""
    return "QF_NRA" if all(map(_is_real, _parts(assertions))) else "ALL"


def _is_real(term: Any) -> bool:
    if not z3.is_app(term) or not (z3.is_bool(term) or z3.is_real(term)):
        return False
    return not term.children() or term.decl().kind() != z3.Z3_OP_UNINTERPRETED
