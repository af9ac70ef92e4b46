"""``staleproof verify``: prove or refute published claims.

Decides claims of papers as printed: PROVED covers every value of the stated domain, REFUTED has an
exact witness, UNKNOWN is never a pass. Exit code 1 if a --require falls short or two solvers
disagree, else 0 whatever the verdicts are. A file of your own has to be PROVED. A claim whose
prover breaks down has no row, and the exit code is 2.
"""

from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from staleproof.arguments import Parser, add_json, one_of, positive, whole_number
from staleproof.commands.command import Command
from staleproof.errors import BAD_INPUT, UsageError
from staleproof.kept_results import keep, kept, key, may_be_file
from staleproof.ledgers import collected, proved_rows, require_writable, usable_cores, written
from staleproof.output import described, note, put, put_error, put_json
from staleproof.reviews import Review
from staleproof.rows import put_rows

if TYPE_CHECKING:
    from theory.errors import TheoryError

REQUIRE: Final = "--require"
EXPECT: Final = "--expect"
ROCQ: Final = "rocq"
"""Required in place of a verdict: that Rocq accepts each step, and all that is cited."""
REQUIRED_OF_FILES: Final = "PROVED"
"""What is required of the claims of a user's file when no ``--require`` speaks of them."""


@dataclass(frozen=True)
class Requirement:
    """A least verdict and the ids of the claims it is required of; None: of all selected."""

    verdict: str
    names: tuple[str, ...] | None


@dataclass(frozen=True)
class Named:
    """A claim's id, and the user's file that it is from."""

    id: str
    source: str | None


def configure(parser: Parser) -> None:
    """Add the arguments of ``verify``."""
    parser.takes(
        f"""
        names* PAPER|CLAIM|FILE|DIR  papers, claim ids or their beginnings up to a dot, Python
            files that define CLAIM or CLAIMS, or folders of such files (default: all papers)
        --require VERDICT[:ID,…]...  exit with 1 unless these claims (default: all selected) have
            at least this verdict, or, for {ROCQ}:ID, unless Rocq accepts every step of the proof;
            may be repeated; claims of files that none speaks of have to be {REQUIRED_OF_FILES}
        --expect VERDICT[:ID,…]...  exit with 1 unless these claims have exactly this verdict, so
            that a false statement can be a test; nothing else is required of them; may be repeated
        -j N  processes to judge in (default: one a core); no verdict depends on it
        """,
        require=requirement,
        expect=requirement,
        j=positive("-j"),
    )
    parser.add_argument(
        "--controls",
        choices=("sample", "all"),
        default="sample",
        help="how many mutants of each proved statement to try (default: about ten)",
    )
    parser.takes(
        """
        --deep  also gather evidence that takes minutes
        --tightness  also compare bounds with worst cases: of a file's theorem, what part of each
            term of the right side is needed at a few numbers, by semidefinite programs in floating
            point
        --attack PERCENT  how long to look for a counterexample to what is not proved, as a
            percentage of the tries that are usual (default: 100, about a minute for a large
            theorem; 0: not at all)
        --cross  put every question that z3 answered to cvc5 too; exit with 1 if they disagree
        --smt DIR  write what z3 was asked into this folder, as SMT-LIB 2 files
        --no-cache  prove again what was proved with the same sources, versions and options before
        --report DIR  also write a report into this folder
        """,
        attack=lambda text: whole_number(text, "--attack", minimum=0),
    )
    add_json(parser)


def requirement(text: str) -> Requirement:
    """Read ``VERDICT[:id,…]``.

    Examples
    --------
    >>> requirement("PROVED:mine.lemma,mine.theorem").names
    ('mine.lemma', 'mine.theorem')
    """
    verdict, colon, names = text.partition(":")
    return Requirement(verdict, tuple(names.split(",")) if colon else None)


def run(arguments: Namespace) -> int:
    """Verify, print, report; 1 if a requirement falls short."""
    by_rocq = [one for one in arguments.require if one.verdict == ROCQ]
    verdicts = [one for one in arguments.require if one.verdict != ROCQ]
    refuse_unknown_verdicts(verdicts, REQUIRE)
    refuse_unknown_verdicts(arguments.expect, EXPECT)
    for directory in (arguments.report, arguments.smt):
        if directory is not None:
            require_writable(directory)
    review = Review(arguments.cross) if arguments.cross or arguments.smt is not None else None
    every, name = arguments.controls == "all", None
    longer = arguments.deep or arguments.tightness or arguments.attack is not None
    if arguments.from_shell and not (arguments.no_cache or longer or review is not None):
        name = key(arguments.names, every)
    before = kept(name)
    if before is None:
        _begin_importing(arguments.names, arguments.j)
        from theory.judging.verify import select
        from theory.judging.workers import read_elsewhere

        chosen = select(arguments.names, read_elsewhere)
        claims = [Named(claim.id, claim.source) for claim in chosen]
    else:
        note("staleproof: kept from a run with these sources and options; --no-cache proves again")
        claims = [Named(row["id"], None) for row in before["claims"]]
    expected = [(one.verdict, _ids(one, claims, EXPECT)) for one in arguments.expect]
    told = {one for _, ids in expected for one in ids}
    required = requirements(verdicts, claims, told)
    for_rocq = {name for one in by_rocq for name in _ids(one, claims, REQUIRE)}
    unjudged: list[TheoryError] = []
    if before is None:
        rows = proved_rows(
            chosen,
            arguments.j,
            arguments.deep,
            arguments.tightness,
            review,
            every,
            arguments.attack,
            unjudged,
        )
        if unjudged and not rows:
            raise unjudged[0]
        result = collected(rows)
        if not unjudged:
            keep(name, name and key(arguments.names, every), result)
    else:
        result = before
    short = unaccepted(for_rocq, result["claims"], arguments.names)
    files = written(result, arguments.report) if arguments.report is not None else []
    if review is not None and arguments.smt is not None:
        files += review.written(arguments.smt)
    if arguments.json:
        put_json(result | ({"error": described(unjudged[0])} if unjudged else {}))
    else:
        put_rows(result["claims"], {claim.id for claim in claims if claim.source is not None})
        put(*files)
    reached = {row["id"]: row["verdict"] for row in result["claims"]}
    short += [line for verdict, ids in required for line in shortfalls(verdict, ids, reached)]
    short += [line for verdict, ids in expected for line in surprises(verdict, ids, reached)]
    if review is not None:
        short += [f"staleproof: {line}" for line in review.contradictions]
    for line in short:
        note(line)
    for error in unjudged:
        put_error(error, as_json=False)
    return BAD_INPUT if unjudged else 1 if short else 0


def _begin_importing(names: Sequence[str], jobs: int | None) -> None:
    """Let the process of which others are copies import what they need while this one does."""
    from theory.judging.starting import every_paper, get_ready

    if any(map(may_be_file, names)):
        get_ready()
    elif not names and (jobs or usable_cores()) > 1:
        get_ready(every_paper())


def refuse_unknown_verdicts(required: Sequence[Requirement], option: str) -> None:
    """Raise for a requirement whose verdict is none."""
    if not required:
        return
    from theory.verdicts import Verdict

    words = [verdict.name for verdict in Verdict]
    for entry in required:
        one_of(entry.verdict, words, "a verdict is one of", option)


def requirements(
    required: Sequence[Requirement], claims: Sequence[Named], told: Collection[str] = ()
) -> list[tuple[str, set[str]]]:
    """Least verdicts, each with the ids of the claims that it is required of.

    Of claims of files of which nothing is `told`, by this or by what is expected, PROVED is.

    Raises
    ------
    UsageError
        One of them is not among the claims to be verified.
    theory.errors.UnknownClaimError
        There is no such claim.
    """
    found = [(entry.verdict, _ids(entry, claims, REQUIRE)) for entry in required]
    spoken_of = {name for _, ids in found for name in ids}.union(told)
    silent = {claim.id for claim in claims if claim.source is not None} - spoken_of
    return [*found, (REQUIRED_OF_FILES, silent)]


def _ids(entry: Requirement, claims: Sequence[Named], option: str) -> set[str]:
    """The claims that an option speaks of."""
    chosen = {claim.id for claim in claims}
    if entry.names is None:
        return chosen
    if "" in entry.names:
        raise UsageError(
            "an id is needed after ':' and after every ','",
            option,
            f"write {entry.verdict}:id or {entry.verdict} alone",
        )
    by_name = {
        name: {c.id for c in claims if f"{c.id}.".startswith(f"{name}.")} for name in entry.names
    }
    absent = [name for name in entry.names if not by_name[name]]
    if absent:
        _refuse_unknown(absent, chosen, option)
        said = "required" if option == REQUIRE else "expected"
        raise UsageError(
            f"{', '.join(absent)} is {said} but not selected",
            option,
            "name it among the claims to verify, or name none to verify all",
        )
    return set().union(*by_name.values())


def _refuse_unknown(names: Sequence[str], chosen: set[str], option: str) -> None:
    """Raise for a name that means nothing anywhere."""
    from theory.judging.catalogue import called, unknown

    for name in names:
        if not called(name):
            raise unknown(name, option, chosen)


def shortfalls(required: str, ids: set[str], reached: Mapping[str, str]) -> list[str]:
    """A line for every claim below the verdict required of it."""
    if not ids:
        return []
    from theory.verdicts import Verdict

    return [
        f"staleproof: {name}: the verdict is {verdict}, {required} is required"
        for name, verdict in reached.items()
        if name in ids and Verdict[verdict] < Verdict[required]
    ]


def unaccepted(ids: set[str], rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[str]:
    """A line for every claim of these that Rocq does not accept whole, by the record or now."""
    open_ones = {row["id"]: row for row in rows if row["id"] in ids}
    found = [
        f"staleproof: {name}: the row rests on {', '.join(row['rests_on'])}, and {row['verdict']} "
        "by the kernel's rules alone, or by z3's answers alone, is required for rocq"
        for name, row in open_ones.items()
        if row["verdict"] != "PROVED" or row["rests_on"] not in (["kernel"], ["solver"])
    ]
    told = {line.split(": ")[1] for line in found}
    left = [n for n, row in open_ones.items() if n not in told and ROCQ not in row["checked_by"]]
    if not left:
        return found
    from staleproof.commands.export import checked_now

    said = checked_now(left, names)
    for name in left:
        if said[name]:
            found.append(f"staleproof: {name}: not accepted by Rocq: {said[name]}")
        else:
            open_ones[name]["checked_by"].append(ROCQ)
    return found


def surprises(expected: str, ids: set[str], reached: Mapping[str, str]) -> list[str]:
    """A line for every claim with another verdict than the one expected of it."""
    return [
        f"staleproof: {name}: the verdict is {verdict}, {expected} is expected"
        for name, verdict in reached.items()
        if name in ids and verdict != expected
    ]


COMMAND: Final = Command.of(__doc__, configure, run)
