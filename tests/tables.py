"""Tests that are run with each row of a table."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

Ids = Iterable[str | int] | Callable[[Any], object] | None


def cases(names: str, *rows: Any, ids: Ids = None) -> pytest.MarkDecorator:
    """`pytest.mark.parametrize`: the names of what differs, and a row for each run."""
    return pytest.mark.parametrize(names, rows, ids=ids)
