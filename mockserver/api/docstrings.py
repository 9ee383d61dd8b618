"""The docstrings below the attributes of classes, which Python itself does not keep."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from linecache import getlines
from typing import Any


def attribute_docs(kind: type) -> dict[str, str]:
    """The docstrings below the attributes of a class and of its parents, by attribute."""
    found: dict[str, str] = {}
    for parent in _lineage(kind):
        if parent.__module__.startswith("mockserver."):
            found |= _docs_in(parent.__module__).get(parent.__name__, {})
    return found


def _lineage(kind: type) -> Iterator[type]:
    """A class after all its parents. Typed dictionaries have theirs in `__orig_bases__` only."""
    for base in getattr(kind, "__orig_bases__", kind.__bases__):
        if isinstance(base, type) and base is not object:
            yield from _lineage(base)
    yield kind


@cache
def _docs_in(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings below the attributes of a module's classes, by class and attribute."""
    # The module itself is not asked for: pytest takes those away that a test run in it has imported.
    spec: Any = find_spec(module)
    lines = getlines(spec.origin, {"__name__": module, "__loader__": spec.loader})
    tree = ast.parse("".join(lines))
    return {node.name: dict(_docs_of(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _docs_of(tree: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for pair in pairwise(tree.body):
        match pair:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
