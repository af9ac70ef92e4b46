"""Which functions of a rule may be read with symbols: those that are formulas, by their code.

A function that tells a symbol from a number, remembers, or catches the refusal to decide a question
about a symbol may say other things of a size that nobody runs. What functions are made of is listed
here, and those of this package that are made of more.
"""

from __future__ import annotations

import builtins
import dis
import operator
import sys
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

from schedules.actions import Kind
from schedules.families.family import Family
from schedules.rules import GreedyRule
from schedules.stamps import At, Shape, StampedOrder
from theory.errors import UnsupportedFormError
from theory.laws.delays.symbols import Times

_OURS: Final = (
    # what a user's function is wrapped in: it gives what that gives, or an error
    *("schedules.families.own._explained.<locals>.call", "schedules.families.own.<lambda>"),
    *("schedules.families.own._counting.<locals>.bound",),
    *("schedules.families.own._accepting.<locals>.accept",),
    # tables of blocks: they loop over names and blocks, of which there are as many of symbols
    *("schedules.families.dualpipe.<lambda>", "schedules.families.dualpipev.<lambda>"),
    *("schedules.families.dualpipe.stamped.<locals>.<lambda>",),
    *("schedules.families.zbv._stamp.<locals>.stamp",),
    # formulas that were guessed and proved; they loop over their terms, or numbers of a stamp
    *("theory.laws.delays.start_times.slots_as_stamps.<locals>.slot",),
    *("theory.laws.round_delays._forward",),
    *("theory.laws.stamp_terms.untied.<locals>.apart.<locals>.stamp",),
    *("theory.laws.own_orders.turned.<locals>.down.<locals>.<lambda>",),
    *("theory.laws.stamped_families.spoiled.<locals>.<lambda>",),
)
"""Functions of this package that are taken as they are. Of these alone: what else it has may tell
a number from a term, as whatever checks a type does, and a user's rule may call it.
"""

_INSTRUCTIONS: Final = (
    *("LOAD_FAST*", "LOAD_CONST", "LOAD_SMALL_INT", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLOSURE"),
    *("LOAD_ATTR", "LOAD_METHOD", "STORE_FAST*", "BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"),
    *("UNARY_NEGATIVE", "UNARY_NOT", "CALL", "CALL_KW", "PRECALL", "KW_NAMES", "PUSH_NULL"),
    *("BUILD_TUPLE", "UNPACK_SEQUENCE", "RETURN_*", "RESUME", "COPY", "SWAP", "POP_TOP", "NOP"),
    *("POP_JUMP*", "JUMP_FORWARD", "JUMP_IF_*", "TO_BOOL", "NOT_TAKEN", "EXTENDED_ARG", "CACHE"),
    *("MAKE_FUNCTION", "MAKE_CELL", "COPY_FREE_VARS", "SET_FUNCTION_ATTRIBUTE"),
)
_MAPS: Final = ("BUILD_MAP", "BUILD_CONST_KEY_MAP")
_OPERATORS: Final = ("+", "-", "*", "%", "//", "+=", "-=", "*=", "%=", "//=", "[]")
_ATTRIBUTES: Final = {*At.__dataclass_fields__, "most", "number"}
_CALLED: Final = ("choose", "divide")  # which are others of symbols, as a comparison would tell
_BUILTIN: Final[tuple[Any, ...]] = (
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(operator.add, operator.sub, operator.mul, operator.mod, operator.floordiv),
    *(operator.neg, abs, min, max),
)
_HELD: Final = (str, Shape, StampedOrder, Times)  # by `_OURS`, beside functions


def require_plain(function: Any) -> None:
    """Raise for a function that is no formula of what it is given.

    Parameters
    ----------
    function : callable
        Of a rule.

    Raises
    ------
    UnsupportedFormError
        With what it does that no formula does.

    Examples
    --------
    >>> require_plain(lambda p: 2 * p)
    >>> require_plain(lambda p: 2 * p if isinstance(p, int) else p)
    Traceback (most recent call last):
    theory.errors.UnsupportedFormError: rule: isinstance is no formula of numbers; write + - * //...
    """
    waiting, seen = [function], set[int]()
    while waiting:
        one = waiting.pop(0)
        if id(one) not in seen:
            seen.add(id(one))
            waiting += _parts(one)


def require_plain_family(family: Family) -> None:
    """Raise for a family with a function that is no formula, whether a proof reads it or not.

    What is called beside the others, such as `stages`, could change what these use.

    Raises
    ------
    UnsupportedFormError
        With what it does that no formula does.
    """

    def required(function: Callable[..., Any]) -> Callable[..., Any]:
        require_plain(function)
        return function

    if isinstance(family.rule, StampedOrder):
        family.rule.mapped(required)
    if isinstance(family.rule, GreedyRule):
        require_plain(family.rule.finished)
    for function in (family.admission, family.in_flight):
        require_plain(function)
    try:
        require_plain_accept(family.stages)  # It may look parameters up, as no proof reads it.
    except UnsupportedFormError:
        require_plain(family.stages)


def require_plain_accept(function: Any) -> None:
    """Raise for an `accept` that could change what other functions use, or gives more each time.

    It may calculate with what it is given, look it up and give a dict; it loads no other name.

    Raises
    ------
    UnsupportedFormError
        With what it does besides.

    Examples
    --------
    >>> require_plain_accept(lambda name, p, M, values: {"K": values.get("K", 2 * p)})
    >>> require_plain_accept(lambda name, p, M, values: {"K": len(name)})
    Traceback (most recent call last):
    theory.errors.UnsupportedFormError: rule: `accept` with LOAD_GLOBAL len is no formula of ...
    """
    while type(function) is FunctionType and _is_ours(function):
        names = function.__code__.co_freevars
        held = dict(zip(names, map(_held, function.__closure__ or ()), strict=True))
        function = held.get("explained") or held.get("function")
    if type(function) is not FunctionType or function.__closure__ or function.__defaults__:
        raise _refusal("`accept` that holds more than its code")
    for one in dis.get_instructions(function.__code__):
        known = any(fnmatchcase(one.opname, name) for name in (*_INSTRUCTIONS, *_MAPS))
        other = one.opname in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLOSURE", "MAKE_FUNCTION")
        named = one.opname in ("LOAD_ATTR", "LOAD_METHOD") and one.argval != "get"
        changed = one.opname == "BINARY_OP" and one.argrepr not in _OPERATORS
        if not known or other or named or changed:
            raise _refusal(f"`accept` with {one.opname} {one.argval}")


def _parts(one: Any) -> Iterator[Any]:
    """What a function uses that has to be plain too."""
    if type(one) is partial:
        yield from (one.func, *one.args, *one.keywords.values(), *vars(one).values())
    elif type(one) is FunctionType:
        held = [_held(cell) for cell in one.__closure__ or ()]
        yield from vars(one).values()
        if _is_ours(one):
            yield from (value for value in held if type(value) not in _HELD)
        else:
            yield from held
            yield from (*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values())
            yield from _loaded(one, one.__code__)
    elif type(one) is tuple:
        yield from one
    elif not (one is None or type(one) in (int, bool, Kind) or _built_in(one)):
        raise _refusal(getattr(one, "__name__", type(one).__name__))


def _is_ours(one: FunctionType) -> bool:
    """Whether it is one of `_OURS`, by its code: anything can be given the name of such a one."""
    name = str(one.__globals__.get("__name__"))
    module = sys.modules.get(name)
    named = f"{name}.{one.__code__.co_qualname}" in _OURS
    inside = module and vars(module) is one.__globals__
    return bool(named and inside and (one.__code__.co_qualname, one.__code__) in _codes(name))


@cache
def _codes(module: str) -> frozenset[tuple[str, CodeType]]:
    """What a file of this package defines, by name."""
    file = Path(__file__).parents[2].joinpath(*module.split(".")).with_suffix(".py")
    found = [compile(file.read_bytes(), str(file), "exec", dont_inherit=True)]
    for code in found:  # grows on the way
        found += (one for one in code.co_consts if type(one) is CodeType)
    return frozenset((code.co_qualname, code) for code in found)


def _built_in(one: Any) -> bool:
    return any(one is known for known in _BUILTIN)


def _held(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing yet
        return None


def _loaded(function: Any, code: CodeType) -> Iterator[Any]:
    """Look at every instruction, and give what is found under the names that they load."""
    if code.co_exceptiontable:
        raise _refusal("what catches errors")
    known = function.__globals__
    if type(known) is not dict or function.__builtins__ is not vars(builtins):
        raise _refusal("a function with names of its own making")
    module: Any = None
    following = [*dis.get_instructions(code)]
    for this, after in zip(following, [*following[1:], None], strict=True):
        said, value, owner = this.opname, this.argval, module
        module = None
        if not any(fnmatchcase(said, one) for one in _INSTRUCTIONS):
            raise _refusal(said)
        if owner:  # what a module gives on request may be another thing each time
            if said not in ("LOAD_ATTR", "LOAD_METHOD") or value not in vars(owner):
                raise _refusal(f"{value} of {getattr(owner, '__name__', 'an order')}")
            yield vars(owner)[value]
        elif said == "LOAD_GLOBAL":
            found = known.get(value, vars(builtins).get(value))
            module = found if type(found) in (ModuleType, StampedOrder) else None
            yield None if module else found
        elif said in ("LOAD_ATTR", "LOAD_METHOD") and value not in _ATTRIBUTES:
            hint = "; write values['name'], with its default in `defaults`" * (value == "get")
            raise _refusal(f".{value}", hint)
        elif said == "LOAD_ATTR" and value in _CALLED and "NULL" not in this.argrepr:
            raise _refusal(f".{value} that is not called")
        elif said == "BINARY_OP" and this.argrepr not in _OPERATORS:
            raise _refusal(this.argrepr)
        elif said == "LOAD_CONST" and type(value) is CodeType:
            yield from _loaded(function, value)
        elif said == "LOAD_CONST" and not (after and _names(after)):
            yield value


def _names(after: dis.Instruction) -> bool:
    """Whether the constant before is the name of a parameter, or names of arguments."""
    looked_up = after.opname == "BINARY_OP" and after.argrepr == "[]"
    return looked_up or after.opname in ("BINARY_SUBSCR", "CALL_KW")


def _refusal(what: str, hint: str = "") -> UnsupportedFormError:
    return UnsupportedFormError(
        f"{what} is no formula of numbers{hint}",
        "rule",
        "write + - * // %, comparisons, at.choose and at.divide alone",
    )
