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
    return _name(path, name)


def name_of_node_id(node_id: str) -> str:
    """The same for a test of which only the id is known."""
    path, _, rest = node_id.partition("::")
    name, bracket, parameters = rest.partition("[")
    return _name(path, f"{name.replace('::', '.')}{bracket}{parameters}")


def name_of_id(test_id: str) -> str:
    """The same for the id of a test case of `unittest`, the end of which says most."""
    return f"{_plain(test_id)[-80:].strip('-')}-{_digest(test_id)}"


def _name(path: str, name: str) -> str:
    return f"{_plain(name)[:80].strip('-') or 'session'}-{_digest(f'{path}::{name}')}"


def _plain(text: str) -> str:
    return sub("[^A-Za-z0-9]+", "-", text)


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
