"""Readers and writers of schedule files.

Examples
--------
>>> from schedules import build
>>> document = Document(build("gpipe", 2, 1))
>>> print(FORMATS["csv"].write(document), end="")
0F0,0B0
1F0,1B0
"""

from schedules.formats.reading import format_of_name, read_document, sniff
from schedules.formats.registry import FORMATS, Document, Format, get_format
from schedules.formats.schemas import published_schema

__all__ = [
    "FORMATS",
    "Document",
    "Format",
    "format_of_name",
    "get_format",
    "published_schema",
    "read_document",
    "sniff",
]
