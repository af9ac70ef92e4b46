"""What second checkers have accepted, kept in a file: it counts for the very same only.

The key of an entry is a digest of the theorem, of all that it cites and of the programs that write
it out; whatever is edited, what was accepted before no longer counts. For a claim that is no
theorem there is a digest of all that z3 was asked, and how many answers each checker came to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.claims import Claim
from theory.kernel.theorem import Theorem
from theory.rocq.compiling import LIBRARY

RECORD: Final = LIBRARY.with_name("accepted.json")
SCHEMA: Final = "staleproof-accepted-1"
WORDS: Final = frozenset(
    {"file", "problem", "among", "says", "where", "statement", "latex", "assumes", "everywhere"}
)
"""What is written out as a comment, or not at all."""
ASKING: Final = ("lemmas.py", "questions.py")
"""What says how questions to z3 read in Rocq; how they are proved is `coqc`'s to judge."""


def record(claims: Iterable[Claim], good: Iterable[str]) -> None:
    """Keep which theorems are accepted; those that are not are forgotten."""
    known = _read()
    chosen = set(good)
    for claim in claims:
        known.pop(claim.id, None)
        if claim.id in chosen and claim.theorem is not None and claim.source is None:
            known[claim.id] = key(claim.theorem)
    _write(known, _read("questions"))


def is_recorded(claim: Claim) -> bool:
    """Whether the theorem of a claim, as it is now, has been accepted."""
    if claim.theorem is None or claim.source is not None:
        return False
    known = _read().get(claim.id)
    return known is not None and known == key(claim.theorem)


def _read(part: str = "accepted") -> dict[str, Any]:
    try:
        data = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        return {}
    found = data.get(part)
    return {str(k): v for k, v in found.items()} if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Answers:
    """What second checkers say to the questions that z3 answered for a claim.

    Attributes
    ----------
    count : int
        Different questions.
    rocq, cvc5 : int
        How many of them each answers alike.
    logged, size : int
        Of how many that Rocq does not prove cvc5 wrote a proof, and its characters altogether.
    log : str
        A digest of these proofs.
    ethos : int
        How many of them a checker that is not cvc5 accepts.
    """

    count: int
    rocq: int
    cvc5: int
    logged: int = 0
    size: int = 0
    log: str = ""
    ethos: int = 0

    @property
    def checkers(self) -> tuple[str, ...]:
        """Who answers all of them alike."""
        return tuple(name for name in ("rocq", "cvc5") if getattr(self, name) == self.count > 0)

    @property
    def says(self) -> str:
        """The numbers in words.

        Examples
        --------
        >>> Answers(9, 7, 9, logged=2, ethos=1).says[40:]
        'cvc5 confirms 9 and wrote proofs of 2 of the others, of which ethos accepts 1'
        """
        logged = f" and wrote proofs of {self.logged} of the others" * (self.logged > 0)
        kept = f", of which ethos accepts {self.ethos}" * (self.ethos > 0)
        return (
            f"z3 answered {self.count} questions: Rocq proves {self.rocq}, "
            f"cvc5 confirms {self.cvc5}{logged}{kept}"
        )

    @property
    def data(self) -> dict[str, Any]:
        """The numbers; those of proofs where there are any."""
        found = {"questions": self.count, "rocq": self.rocq, "cvc5": self.cvc5}
        proofs = {"logged": self.logged, "ethos": self.ethos, "size": self.size, "log": self.log}
        return found | (proofs if self.logged else {})


def record_answers(answers: Mapping[str, tuple[str, Answers]]) -> None:
    """Keep what is said of the questions of claims, each with the digest of all that was asked."""
    known = _read("questions")
    for claim, (asked, found) in answers.items():
        known[claim] = {"asked": _asked(asked), **asdict(found)}
    _write(_read(), known)


def answers(claim: str, asked: str) -> Answers | None:
    """What is on record for a claim of which the very same was asked."""
    found = _read("questions").get(claim)
    if not asked or not isinstance(found, dict) or found.get("asked") != _asked(asked):
        return None
    return Answers(**{one.name: found[one.name] for one in fields(Answers) if one.name in found})


def _asked(digest: str) -> str:
    """With the programs that write questions out."""
    sources = (Path(__file__).with_name(name) for name in ASKING)
    told = " ".join(sha256(path.read_bytes()).hexdigest() for path in sources)
    return sha256(f"{told} {digest}".encode()).hexdigest()


def _write(accepted: Mapping[str, Any], questions: Mapping[str, Any]) -> None:
    parts = {
        "accepted": dict(sorted(accepted.items())),
        "questions": dict(sorted(questions.items())),
    }
    RECORD.write_text(json.dumps({"schema": SCHEMA, **parts}, indent=1) + "\n", encoding="utf-8")


@cache
def key(theorem: Theorem) -> str:
    """A digest of a theorem, its proof, what it cites, and of what writes it out.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel.lemmas import JENSEN, YOUNG
    >>> key(YOUNG) == key(replace(YOUNG)), key(YOUNG) == key(JENSEN)
    (True, False)
    """
    return sha256(f"{_programs()} {_told(theorem)}".encode()).hexdigest()


@lru_cache(maxsize=1)
def _programs() -> str:
    others = {*ASKING, "asked.py", "tableau.py", Path(__file__).name}
    own = (path for path in Path(__file__).parent.glob("*.py") if path.name not in others)
    sources = [*sorted(own), LIBRARY]
    if not LIBRARY.is_file():
        return "no library"
    return " ".join(sha256(path.read_bytes()).hexdigest() for path in sources)


def _told(one: Any) -> str:
    """Everything in a theorem as text: formulas with the domains of their symbols."""
    if isinstance(one, sympy.Basic):
        return _formula(one)
    if isinstance(one, Theorem):
        told = (_field(one, f.name) for f in fields(one) if f.name not in WORDS)
        return f"Theorem({', '.join(told)})"
    if is_dataclass(one) and not isinstance(one, type):
        inner = (_field(one, f.name) for f in fields(one) if f.name not in WORDS)
        return f"{type(one).__name__}({', '.join(inner)})"
    if isinstance(one, Mapping):
        return f"{{{', '.join(f'{_told(k)}: {_told(v)}' for k, v in one.items())}}}"
    if isinstance(one, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_told, one)))}}}"
    if isinstance(one, (list, tuple)):
        return f"[{', '.join(map(_told, one))}]"
    return repr(one) if not isinstance(one, type) else one.__name__


def _formula(one: Any) -> str:
    """An expression with the domains of what it names; sympy's order of terms does not count."""
    if not one.args:
        return str(sympy.srepr(one))
    parts = [_told(part) for part in one.args]
    if isinstance(one, (sympy.Add, sympy.Mul, sympy.Max, sympy.Min)):
        parts.sort()
    known = f"{one.is_integer} {one.is_nonnegative}" if isinstance(one, AppliedUndef) else ""
    return f"{type(one).__name__}[{known}]({', '.join(parts)})"


def _field(one: Any, name: str) -> str:
    value = getattr(one, name)
    if name == "cites":
        return f"cites={[key(cited) for cited in value]}"
    return f"{name}={_told(value)}"
