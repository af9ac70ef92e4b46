"""cvc5, given one question as SMT-LIB 2 text."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from theory.errors import TheoryError

RLIMIT: Final = 500_000
"""cvc5's budget of one question in its own resource units, fifty times what most questions need."""

Answer = Literal["sat", "unsat", "unknown"]

_ANSWERS: Final[dict[str, Answer]] = {"sat": "sat", "unsat": "unsat"}


class MissingSolverError(TheoryError):
    """The second solver is not installed."""


def require_cvc5() -> None:
    """Refuse to go on without cvc5.

    Raises
    ------
    MissingSolverError
    """
    if find_spec("cvc5") is None:
        raise MissingSolverError(
            "a second opinion needs cvc5, which is not installed",
            "--cross",
            "run: pip install 'staleproof[cross]'",
        )


def version() -> str:
    """Name and version of the second solver."""
    import cvc5

    return f"cvc5 {cvc5.__version__}"


def answer(text: str, rlimit: int = RLIMIT) -> tuple[Answer, str]:
    """Ask cvc5.

    Parameters
    ----------
    text : str
        SMT-LIB 2 with one ``(check-sat)``.
    rlimit : int
        Budget in cvc5's resource units, so that the answer depends on no clock.

    Returns
    -------
    str
        ``"sat"``, ``"unsat"`` or ``"unknown"``.
    str
        cvc5's reason where unknown, else empty; a text that it cannot read is unknown too.

    Examples
    --------
    >>> answer("(set-logic ALL)(declare-fun x () Int)(assert (< (* x x) 0))(check-sat)")
    ('unsat', '')
    >>> answer("(set-logic ALL)(assert (= 1))(check-sat)")[0]
    'unknown'
    """
    import cvc5

    solver = _solver(rlimit)
    try:
        said = _replies(solver, cvc5.InputParser(solver), text)
    except RuntimeError as error:
        return "unknown", " ".join(str(error).split())
    if len(said) != 1:
        return "unknown", f"{len(said)} answers to one question"
    return _ANSWERS.get(said[0], "unknown"), "" if said[0] in _ANSWERS else said[0]


def proof(text: str, rlimit: int = RLIMIT) -> str:
    """cvc5's proof that a question has no model, as `ethos` reads it (CPC); "" if it has none.

    Examples
    --------
    >>> absurd = "(set-logic ALL)(declare-fun x () Int)(assert (< x x))(check-sat)"
    >>> " false :rule " in proof(absurd).splitlines()[-1], proof(absurd.replace("x x", "x 0"))
    (True, '')
    """
    import cvc5

    solver = _solver(rlimit)
    solver.setOption("produce-proofs", "true")
    try:
        if _replies(solver, cvc5.InputParser(solver), text) != ["unsat"]:
            return ""
        return "\n".join(_written(solver, one) for one in solver.getProof())
    except RuntimeError:
        return ""


def _written(solver: Any, proof: Any) -> str:
    said = solver.proofToString(proof)
    text = (said.decode() if isinstance(said, bytes) else str(said)).strip()
    return text.removeprefix("(\n").removesuffix("\n)") if text.startswith("(\n") else text


def ethos(question: Path, proof: Path, signature: Path) -> bool:
    """Whether `ethos`, a checker that shares no code with cvc5, accepts a proof whole.

    Parameters
    ----------
    question, proof : path
        What was asked, as SMT-LIB 2, and the proof that it has no model.
    signature : path
        cvc5's list of the rules of its proofs: ``proofs/eo/cpc/Cpc.eo`` of its sources.
    """
    options = [f"--include={signature}", f"--reference={question}", "--require-proof-of-false"]
    command = ["ethos", *options, str(proof)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0 and ended.stdout.strip() == "correct"


def _solver(rlimit: int) -> Any:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(rlimit))
    solver.setOption("seed", "0")
    return solver


def _replies(solver: Any, parser: Any, text: str) -> list[str]:
    """What cvc5 says to the commands of a text; most say nothing."""
    import cvc5

    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    symbols, said = parser.getSymbolManager(), []
    while not (command := parser.nextCommand()).isNull():
        reply = command.invoke(solver, symbols).strip()
        said += [reply] if reply else []
    return said
