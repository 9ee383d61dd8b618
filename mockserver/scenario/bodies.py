"""Which members the bodies of operations have: the API overlooks others, a scenario does not."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from mockserver.api.wire import adapter
from mockserver.scenario.findings import Findings
from mockserver.scenario.schema import JsonPath
from mockserver.scenario.tree import Node

Schema = Mapping[str, Any]

_VARIANTS = ("anyOf", "oneOf", "allOf")
_UNLIMITED = ("patternProperties", "additionalProperties")


def note_unknown_members(node: Node, shape: Any, what: str, findings: Findings) -> None:
    """Note every member that a body or a query has and its operation does not know."""
    _Notes(_schema(shape), what, findings).note(node, [_schema(shape)])


def knows(body: Any, path: JsonPath) -> bool:
    """Whether a body may have something at a path."""
    whole = _schema(body)
    schemas = list(_variants(whole, whole))
    for part in path:
        inner = list(_items(schemas)) if part.isdecimal() else []
        members = _members(schemas) if not inner else {}
        if members is None:
            return True
        inner = inner or members.get(part, [])
        if not inner:
            return False
        schemas = [variant for schema in inner for variant in _variants(schema, whole)]
    return True


@cache
def _schema(body: Any) -> Schema:
    return adapter(body).json_schema()


class _Notes(NamedTuple):
    whole: Schema
    what: str
    findings: Findings

    def note(self, node: Node, schemas: Iterable[Schema]) -> None:
        """Note what is unknown in a value that may be any of the schemas."""
        variants = [variant for schema in schemas for variant in _variants(schema, self.whole)]
        if isinstance(node.value, list):
            for entry in node.value:
                self.note(entry, list(_items(variants)))
        elif isinstance(node.value, dict):
            members = _members(variants)
            if members is None:
                return
            for name, member in node.value.items():
                if name in members:
                    self.note(member, members[name])
                else:
                    self.findings.add_unknown(node.keys[name], f"part of this {self.what}", name, members)


def _members(schemas: Iterable[Schema]) -> dict[str, list[Schema]] | None:
    """The members of objects, with what each may be; None where there is none, or one with any member."""
    members: dict[str, list[Schema]] = {}
    for schema in schemas:
        if not schema.keys() & {"type", "properties", "enum", "const"} or any(map(schema.get, _UNLIMITED)):
            return None
        if schema.get("type") == "object" and "properties" not in schema:
            return None
        for name, member in schema.get("properties", {}).items():
            members.setdefault(name, []).append(member)
    return members or None


def _items(schemas: Iterable[Schema]) -> Iterator[Schema]:
    for schema in schemas:
        if isinstance(schema.get("items"), dict):
            yield schema["items"]


def _variants(schema: Schema, whole: Schema) -> Iterator[Schema]:
    """A schema, or the ones it chooses from, with references followed."""
    if "$ref" in schema:
        yield from _variants(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
        return
    chosen = [inner for word in _VARIANTS for inner in schema.get(word, ())]
    for inner in chosen:
        yield from _variants(inner, whole)
    if not chosen:
        yield schema
