"""Which members the bodies of operations have: the API overlooks others, a scenario does not."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_core import InitErrorDetails

from mockserver.api.wire import adapter
from mockserver.scenario.parts import KEY, at, unknown

Schema = Mapping[str, Any]
"""What a validator is made of (`pydantic_core.core_schema`); it is there without being generated."""

JsonPath = tuple[str, ...]
"""A place in a JSON body: `calls[0].to` is `("calls", "0", "to")`."""

_WITHOUT_MEMBERS = ("bool", "float", "int", "list", "literal", "none", "str", "tuple")


def unknown_members(value: Any, shape: Any, part: str) -> Iterator[InitErrorDetails]:
    """An error for every member that a step's body or query has and its operation does not know."""

    def look(value: Any, schemas: Iterable[Schema], *loc: int | str) -> Iterator[InitErrorDetails]:
        variants = [*schemas]
        if isinstance(value, list):
            for index, entry in enumerate(value):
                yield from look(entry, _items(variants), *loc, index)
        members = _members(variants)
        if members is None or not isinstance(value, dict):
            return
        for name, member in value.items():
            if name in members:
                yield from look(member, members[name], *loc, name)
            else:
                yield at(unknown(f"part of this {part}", name, members, KEY), *loc, name)

    return look(value, _variants(adapter(shape).core_schema), part)


def knows(shape: Any, path: JsonPath) -> bool:
    """Whether a body may have something at a path."""
    schemas = [*_variants(adapter(shape).core_schema)]
    for part in path:
        inner = [*_items(schemas)] if part.isdecimal() else []
        members = _members(schemas) if not inner else {}
        if members is None:
            return True
        schemas = inner or members.get(part, [])
        if not schemas:
            return False
    return True


def _members(variants: Iterable[Schema]) -> dict[str, list[Schema]] | None:
    """The members of objects, with what each may be; None where there is none, or one with any member."""
    members: dict[str, list[Schema]] = {}
    for schema in variants:
        if schema["type"] == "dataclass-args":
            fields = {field["name"]: field["schema"] for field in schema["fields"]}
        elif schema["type"] in _WITHOUT_MEMBERS:
            continue
        else:
            return None
        for name, member in fields.items():
            members.setdefault(name, []).extend(_variants(member))
    return members or None


def _items(variants: Iterable[Schema]) -> Iterator[Schema]:
    for schema in variants:
        if schema["type"] == "list":
            yield from _variants(schema.get("items_schema", {"type": "any"}))


def _variants(schema: Any) -> Iterator[Schema]:
    """A schema, or the ones it chooses from, without what only converts or checks."""
    match schema:
        case {"type": "union", "choices": list(choices)}:
            for choice in choices:
                yield from _variants(choice[0] if isinstance(choice, tuple) else choice)
        case {"schema": inner}:
            yield from _variants(inner)
        case _:
            yield schema
