"""Names that follow from tests."""

from hashlib import blake2b
from re import sub
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def name_of_test(node: "pytest.Item | pytest.Collector") -> str:
    """A name for the project and the files of a test, class or module.

    The same in every run, bounded, and safe in a path.
    """
    location = getattr(node, "location", None)
    path, _, name = (node.nodeid, 0, node.name) if location is None else location
    digest = blake2b(f"{path}::{name}".encode(), digest_size=6).hexdigest()
    return f"{sub('[^A-Za-z0-9]+', '-', name)[:80].strip('-') or 'session'}-{digest}"
