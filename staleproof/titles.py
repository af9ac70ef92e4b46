"""What papers are called, and their setting: what the README beside their claims says of them."""

import re
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

_HEADING: Final = re.compile(r"#\s+(?P<title>.*?)(?:\s+\((?P<where>[^()]*\b\d{4})\))?\s*")
_SOURCE: Final = re.compile(r"After (?P<source>.*?\(\d{4}\)[^.]*)\.", re.DOTALL)
_SETTING: Final = re.compile(r"^Setting: (?P<says>.+?)\s*(?:^\s*$|\Z)", re.DOTALL | re.MULTILINE)
PLACE: Final = "theory.papers"
OURS: Final = {
    "kernel": "Lemmas and rules of the proof kernel",
    "schedules": "Invariants of schedule families, for every size",
}
"""Titles of what is no paper, unless the folder has a README."""


def with_titles(ledger: Mapping[str, Any], folder: str | None = None) -> dict[str, Any]:
    """The ledger, and under ``papers`` title, source and setting of each, where a README says them.

    What is no paper of ours has the name of its folder too, which commands have to be given.

    Parameters
    ----------
    ledger : mapping
    folder : str, optional
        Of a user's claims, whose README names what is no paper of ours.
    """
    names = dict.fromkeys(row["paper"] for row in ledger["claims"])
    found = dict(ledger.get("papers", {}))
    for name in names:
        entry = title_in(place / "README.md" for place in _folders(name))
        if not entry and name in OURS:
            entry = {"title": OURS[name], "reference": "staleproof's own"}
        if not entry and folder is not None:
            own = Path(folder)
            entry = {**title_in([own / "README.md"]), "folder": own.resolve().name}
        if entry:
            found[name] = entry | found.get(name, {})
    return {**ledger, "papers": found} if found else dict(ledger)


def _folders(name: str) -> Iterable[Path]:
    spec = find_spec(PLACE)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        yield Path(place) / name


def title_in(files: Iterable[Path]) -> dict[str, str]:
    r"""Title, source and setting in the first of these files that is there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "README.md")
    ...     _ = file.write_text(
    ...         "# Old news (ICML)\n\nAfter Doe (2020). Ours.\n\nSetting: p\nranks."
    ...     )
    ...     title_in([file])
    {'title': 'Old news (ICML)', 'reference': 'after Doe (2020)', 'setting': 'p ranks.'}
    """
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        heading = _HEADING.fullmatch(text.partition("\n")[0])
        if heading is not None:
            source = _SOURCE.search(text)
            said = [heading["where"] or ""]
            said += [f"after {' '.join(source['source'].split())}"] if source else []
            setting = _SETTING.search(text)
            says = {"setting": " ".join(setting["says"].split())} if setting else {}
            return {"title": heading["title"], "reference": "; ".join(filter(None, said)), **says}
    return {}
