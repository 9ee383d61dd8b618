"""Groups of tables, in which each table is declared by the rows that it has."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar

from mockserver.kernel.retention import Retention
from mockserver.kernel.schema import R, Schema
from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo


class Tables:
    """Those that the members of a class declare by `table`."""

    schemas: ClassVar[Mapping[str, Schema[Any]]]

    def __init_subclass__(cls) -> None:
        cls.schemas = {name: each for name, each in vars(cls).items() if isinstance(each, Schema)}
        for name in cls.schemas:
            # A member of the class would make that of an object slower to read.
            delattr(cls, name)

    def __init__(self, undo: Undo) -> None:
        for name, schema in self.schemas.items():
            setattr(self, name, Table(undo, schema))


def table(
    row_class: type[R],
    *attributes: str,
    retention: Retention[R] | None = None,
    internal: bool = False,
    **index_of: Callable[[R], Hashable],
) -> Table[R]:
    """Declares a table by its schema: each object of the class has such a table as this member."""
    declared: Any = Schema(row_class, *attributes, retention=retention, internal=internal, **index_of)
    return declared  # type: ignore[no-any-return]
