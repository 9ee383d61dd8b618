"""Names that follow from tests."""

from hashlib import blake2b
from re import sub
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def name_of_test(item: "pytest.Item") -> str:
    """A name for a test's project and its files: the same in every run, bounded, and safe in a path."""
    path, _, name = item.location
    digest = blake2b(f"{path}::{name}".encode(), digest_size=6).hexdigest()
    return f"{sub('[^A-Za-z0-9]+', '-', name)[:80].strip('-')}-{digest}"
