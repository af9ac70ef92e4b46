"""What z3 was asked for claims that are no theorems, as files of Rocq, and what `coqc` says."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from theory.rocq.compiling import Progress, compiled
from theory.rocq.lemmas import lemma
from theory.rocq.names import identifier
from theory.rocq.recorded import Answers
from theory.rocq.tableau import HEAD
from theory.rocq.text import UnsupportedError, comment
from theory.smt import cvc5
from theory.smt.queries import Query, digest_of

TOGETHER: Final = 150_000
"""Characters that one process reads, if there is more than one question."""


class Asked:
    """Claims by what z3 was asked for them; each question is proved once.

    Attributes
    ----------
    queries : dict of str to tuple of Query
        By claim.
    lemmas : dict of str to str
        By the digest of a question, a lemma with its proof.
    refused : dict of str to str
        By the digest, why there is none.
    proofs : dict of str to str
        By the digest, cvc5's proof of a question that Rocq does not prove.
    kept : set of str
        Digests of those whose proof `ethos` accepts.
    """

    def __init__(self) -> None:
        self.queries: dict[str, tuple[Query, ...]] = {}
        self.lemmas: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.proofs: dict[str, str] = {}
        self.kept: set[str] = set()

    def add(self, claim: str, queries: Sequence[Query]) -> None:
        """Write the questions of a claim."""
        own = tuple({query.digest: query for query in queries}.values())
        self.queries[claim] = own
        for query in own:
            if query.digest not in self.lemmas and query.digest not in self.refused:
                try:
                    self.lemmas[query.digest] = lemma(_name(query), query)
                except UnsupportedError as error:
                    self.refused[query.digest] = error.what

    def save(self, directory: Path) -> dict[str, Path]:
        """Write a file for each claim; their paths by the claims."""
        found = {}
        for claim, queries in self.queries.items():
            found[claim] = directory / f"{identifier(claim)}.v"
            parts = [f"(* What z3 was asked for {claim}. *)\n{HEAD}"]
            for query in queries:
                why = self.refused.get(query.digest)
                told = self.lemmas.get(query.digest) or comment(f"not written: {why}")
                parts.append(f"{comment(query.asks)}\n{told}\n")
            found[claim].write_text("\n".join(parts), encoding="utf-8")
        return found

    def accepted(self, jobs: int, progress: Progress = lambda name: None) -> set[str]:
        """Digests of the questions whose lemmas `coqc` accepts."""
        groups: list[list[str]] = []
        size = TOGETHER
        for digest, told in self.lemmas.items():
            if size >= TOGETHER:
                groups.append([])
                size = 0
            groups[-1].append(digest)
            size += len(told)
        with TemporaryDirectory() as path, ThreadPoolExecutor(jobs) as pool:
            folder = Path(path)

            def good(group: Sequence[str]) -> set[str]:
                progress(f"{len(group)} question{'s' * (len(group) != 1)}")
                return _accepted(folder, {one: self.lemmas[one] for one in group})

            return set().union(*pool.map(good, groups))

    def log(self, proved: Collection[str], directory: Path, signature: Path | None = None) -> None:
        """Write what Rocq does not prove as SMT-LIB 2, each with cvc5's proof that it is absurd.

        Parameters
        ----------
        signature : path, optional
            The rules of such proofs; `ethos` is asked whether each keeps to them.
        """
        every = {query.digest: query for own in self.queries.values() for query in own}
        for query in every.values():
            if query.answer == "unsat" and query.digest not in proved:
                found = cvc5.proof(query.text) if find_spec("cvc5") is not None else ""
                if found:
                    self.proofs[query.digest] = found
                    asked, told = (directory / f"{_name(query)}.{end}" for end in ("smt2", "cpc"))
                    asked.write_text(query.text, encoding="utf-8")
                    told.write_text(found, encoding="utf-8")
                    if signature is not None and cvc5.ethos(asked, told, signature):
                        self.kept.add(query.digest)

    def judged(self, proved: Collection[str]) -> tuple[list[str], dict[str, str]]:
        """Claims of which every question is proved, and what is missing of the others."""
        missing = {
            claim: [query for query in queries if query.digest not in proved]
            for claim, queries in self.queries.items()
        }
        short = {
            claim: f"{len(left)} of {len(self.queries[claim])} questions are not proved: "
            + (self.refused.get(left[0].digest) or f"coqc refuses {left[0].asks}")
            + "".join(f"; cvc5's proof is {_name(q)}.cpc" for q in left if q.digest in self.proofs)
            for claim, left in missing.items()
            if left
        }
        return [claim for claim, left in missing.items() if not left], short

    def answers(self, proved: Collection[str]) -> dict[str, tuple[str, Answers]]:
        """For the record, by claim: the digest of all that was asked, and who answers it alike."""
        alike = {
            query.digest: cvc5.answer(query.text)[0] == query.answer
            for query in {q.digest: q for own in self.queries.values() for q in own}.values()
            if find_spec("cvc5") is not None
        }
        return {
            claim: (
                digest_of(own),
                Answers(
                    len(own),
                    sum(query.digest in proved for query in own),
                    sum(alike.get(query.digest, False) for query in own),
                    *self._logged(own),
                    len(self.kept & {query.digest for query in own}),
                ),
            )
            for claim, own in self.queries.items()
        }

    def _logged(self, own: Sequence[Query]) -> tuple[int, int, str]:
        """Of how many questions there are proofs by cvc5, their size and their digest."""
        found = [self.proofs[query.digest] for query in own if query.digest in self.proofs]
        each = sorted(sha256(one.encode()).hexdigest() for one in found)
        whole = sha256(" ".join(each).encode()).hexdigest() if each else ""
        return len(found), sum(map(len, found)), whole


def _accepted(folder: Path, lemmas: Mapping[str, str]) -> set[str]:
    """Those that coqc accepts; what stands before and after one that it refuses is tried again."""
    names = list(lemmas)
    module = f"Asked_{names[0][:20]}_{len(names)}"
    every = ", ".join(f"q_{name[:20]}" for name in names)
    closing = f"Definition together := ({every}).\nPrint Assumptions together.\n"
    parts = [HEAD, *lemmas.values()]
    (folder / f"{module}.v").write_text("\n".join([*parts, closing]), encoding="utf-8")
    said = compiled(folder, module)
    if not said:
        return set(names)
    if len(names) == 1:
        return set()
    line = re.search(r", line (\d+),", said)
    ends = list(accumulate(part.count("\n") + 1 for part in parts))
    bad = bisect_left(ends, int(line[1])) - 1 if line else len(names)
    cut = [names[:bad], names[bad + 1 :]]
    if not 0 <= bad < len(names):
        cut = [names[: len(names) // 2], names[len(names) // 2 :]]
    return set().union(*(_accepted(folder, {n: lemmas[n] for n in part}) for part in cut if part))


def _name(query: Query) -> str:
    return f"q_{query.digest[:20]}"
