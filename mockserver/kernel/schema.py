"""What the tables of one kind of row have in common, in every project."""

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from mockserver.kernel.indexes import values_getter
from mockserver.kernel.retention import Retention


class Row(Protocol):
    """Anything with an id that is never mutated."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Row)


class Schema(Generic[R]):
    """There is an index for each of `attributes`, and for each function by its name."""

    __slots__ = ("index_names", "index_values", "internal", "retention", "row_class")

    def __init__(
        self,
        row_class: type[R],
        *attributes: str,
        retention: Retention[R] | None = None,
        internal: bool = False,
        **index_of: Callable[[R], Hashable],
    ) -> None:
        if retention is not None:
            index_of |= retention.index_of()
        self.row_class = row_class
        self.index_names = (*attributes, *index_of)
        self.index_values = values_getter(attributes, tuple(index_of.values()))
        """The value of a row in each index."""
        self.retention = retention
        self.internal = internal
        """Whether the rows are records of the mock server itself, which a user of the API has no use for."""
