"""What the members of bodies, queries and answers mean.

A member's meaning is the docstring below it, or else what its name means everywhere (`vocabulary.yaml`).
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import yaml

from mockserver.server.openapi.components import Schema


def with_meanings(schema: Schema, kind: type | None) -> Schema:
    """The schema of an object with a description of each member, and without its name, which is its key."""
    docs = attribute_docs(kind) if kind is not None else {}
    members = {}
    for name, member in schema.get("properties", {}).items():
        meaning = member.get("description") or docs.get(name) or meaning_of(name, member)
        members[name] = {**member, "description": meaning} if meaning else member
    named = {name: value for name, value in schema.items() if name != "title"}
    return {**named, "properties": members}


def meaning_of(name: str, schema: Schema) -> str | None:
    """What a member means everywhere, by its name; a time is given with its unit."""
    meaning = _vocabulary().get(name)
    if meaning is not None and (name == "at" or name.endswith(("At", "_at"))):
        kinds = {each.get("type") for each in [schema, *schema.get("anyOf", ())]}
        unit = "in ISO 8601" if "string" in kinds else "in seconds since 1970"
        return f"{meaning[:-1]}, {unit}."
    return meaning


@cache
def _vocabulary() -> Mapping[str, str]:
    text = files(__package__).joinpath("vocabulary.yaml").read_text(encoding="utf-8")
    found: Mapping[str, str] = yaml.safe_load(text)
    return found


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
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: dict(_docs_of(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _docs_of(tree: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, after in pairwise(tree.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = _text_of(after)
            if text is not None:
                yield statement.target.id, " ".join(text.split())


def _text_of(statement: ast.stmt) -> Any:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value
    return None
