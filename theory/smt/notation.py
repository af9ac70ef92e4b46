"""Statements about integers as one writes them: ``"0 <= x < n"`` implies ``"x + 1 <= n"``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from types import CodeType
from typing import Any, Final

import z3

from theory.errors import UnsupportedFormError
from theory.smt.solver import Statement, Term

_WORDS: Final = {"And": z3.And, "Or": z3.Or, "Not": z3.Not, "If": z3.If, "implies": z3.Implies}


class _Names(dict[str, Any]):
    """What names mean; those that nobody says are integers."""

    def __missing__(self, name: str) -> Term:
        return z3.Int(name)


class _OnTerms(ast.NodeTransformer):
    """Python's connectives, which ask for truth, as those of terms."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        name = "And" if isinstance(node.op, ast.And) else "Or"
        return _call(name, *(self.visit(one) for one in node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        inner = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return _call("Not", inner)
        return ast.UnaryOp(node.op, inner)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return _call("If", *(self.visit(one) for one in (node.test, node.body, node.orelse)))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        sides = [self.visit(one) for one in (node.left, *node.comparators)]
        pairs = zip(sides, node.ops, sides[1:], strict=False)
        parts = [ast.Compare(left, [how], [right]) for left, how, right in pairs]
        return parts[0] if len(parts) == 1 else _call("And", *parts)


def _call(name: str, *parts: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(parts), [])


def terms(text: str, known: Mapping[str, Any] | None = None) -> tuple[Term, ...]:
    """Terms separated by commas; ``and``, ``or``, ``not``, ``a if c else b``, ``implies(a, b)``.

    Parameters
    ----------
    text : str
        As trusted as the file in which it stands.
    known : mapping of str to term, number or function, optional
        What names mean that are no integers of the statement.

    Raises
    ------
    UnsupportedFormError
        What is no formula.

    Examples
    --------
    >>> terms("0 <= x < 2*n, x if a > 0 and b > 0 else 0")
    (And(x >= 0, x < 2*n), If(And(a > 0, b > 0), x, 0))
    """
    names = _Names({**_WORDS, **(known or {})})
    return tuple(eval(_read(text), {"__builtins__": {}}, names))


@cache
def _read(text: str) -> CodeType:
    try:
        whole = f"({text},)" if text else "()"
        read = ast.fix_missing_locations(_OnTerms().visit(ast.parse(whole, mode="eval")))
    except SyntaxError as error:
        raise UnsupportedFormError(
            f"a statement is made of formulas separated by commas, found {text!r:.80}",
            "theory.smt.notation",
            "write comparisons, and, or, not, a if c else b, implies(a, b)",
        ) from error
    return compile(read, text, "eval")


def stated(name: str, says: str, given: str, goal: str, **known: Any) -> Statement:
    """A statement for all integers that it names.

    Examples
    --------
    >>> from theory.smt.solver import decide
    >>> decide(stated("next", "no gap", "0 <= x < n", "x + 1 <= n")).verdict.name
    'PROVED'
    """
    facts = (fact for one in terms(given, known) for fact in _parts(one))
    parts = terms(goal, known)
    return Statement(name, says, tuple(facts), parts[0] if len(parts) == 1 else z3.And(parts))


def _parts(fact: Term) -> list[Term]:
    """A chain of comparisons is as many facts."""
    return list(fact.children()) if z3.is_and(fact) else [fact]
