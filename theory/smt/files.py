"""The questions of claims as SMT-LIB 2 files, for any solver that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from theory.smt.queries import Query


def smt_files(asked: Mapping[str, Sequence[Query]]) -> dict[str, bytes]:
    r"""One file for every distinct question, numbered in the order of the claims.

    Parameters
    ----------
    asked : mapping of str to sequence of Query
        By the id of a claim, what z3 was asked for it.

    Returns
    -------
    dict of str to bytes
        By file name. Comments name the claims that rest on the question, and z3's answer.

    Examples
    --------
    >>> text = "(set-logic ALL)\n(assert false)\n(check-sat)\n"
    >>> files = smt_files({"a.one": [Query("nothing", text, "unsat", 9)]})
    >>> print(files["0001.smt2"].decode(), end="")
    ; claim: a.one
    ; asks: nothing
    ; z3 answers: unsat
    (set-logic ALL)
    (assert false)
    (check-sat)
    """
    claims: dict[Query, dict[str, None]] = {}
    for name, queries in asked.items():
        for query in queries:
            claims.setdefault(query, {})[name] = None
    width = max(4, len(str(len(claims))))
    return {
        f"{number:0{width}}.smt2": _content(query, list(names)).encode()
        for number, (query, names) in enumerate(claims.items(), start=1)
    }


def _content(query: Query, names: Sequence[str]) -> str:
    comments = [*(f"; claim: {name}" for name in names)]
    comments += [f"; asks: {query.asks}", f"; z3 answers: {query.answer}"]
    return "\n".join(comments) + "\n" + query.text
