"""Filters by all of several values, and the parts of names that they are for."""

from typing import NamedTuple

from mockserver.kernel.indexes import AllOf, trigrams
from mockserver.kernel.schema import Schema
from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo
from tests.tables import cases


class Named(NamedTuple):
    """A row."""

    id: str
    name: str


@cases(
    "part, ids",
    ("LOVE", ["1", "2"]),
    ("ovel", ["1", "2"]),
    ("lovelace", ["1"]),
    ("nemo", []),
    ("ad", ["1", "2", "3"]),
)
def test_rows_with_all_parts_are_found(part: str, ids: list[str]) -> None:
    table = Table(Undo(), Schema(Named, parts=lambda row: trigrams(row.name)))
    for number, name in enumerate(["Ada Lovelace", "A lovely one", "Lo"], start=1):
        table.insert(Named(str(number), name))
    page = table.page(limit=9, order="asc", where={"parts": AllOf(trigrams(part))})
    assert [row.id for row in page.rows] == ids
