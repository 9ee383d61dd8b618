"""Which members the bodies of operations have: the API overlooks others, a scenario does not."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, reduce
from operator import getitem
from typing import Any, NamedTuple

from pydantic_core import InitErrorDetails

from mockserver.api.wire import adapter
from mockserver.scenario.grammar.parts import KEY, at, unknown

Schema = Mapping[str, Any]
"""What a validator is made of (`pydantic_core.core_schema`); it is there without being generated."""

JsonPath = tuple[str, ...]
"""A place in a JSON body: `calls[0].to` is `("calls", "0", "to")`."""

_JSON_TYPES = {
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "str": "text",
    "list": "a list",
    "tuple": "a list",
    "dataclass-args": "an object",
    "dict": "an object",
    "typed-dict": "an object",
    "none": "null",
}
"""What the JSON is called that a schema takes. A schema that is not here may take anything."""

_WITHOUT_MEMBERS = (*_JSON_TYPES.keys() - {"dataclass-args", "dict", "typed-dict"}, "literal")


class PathSchema(NamedTuple):
    """What may be at a path of a body."""

    known: bool
    """Whether the body may have anything there."""
    part: int = 0
    """The number of the part that no body has, if it may not."""
    members: tuple[str, ...] = ()
    """The names that this part may have."""
    is_list: bool = False
    """Whether this part is asked of a list, whose entries have numbers."""
    types: frozenset[str] | None = None
    """The types of JSON that may be there, in words; None for anything."""
    choices: tuple[Any, ...] = ()
    """The only values, where there are only some."""
    within: tuple[Schema, ...] = ()
    """What the entries of a list or the members of an object are checked by."""


def unknown_members(value: Any, shape: Any, part: str) -> Iterator[InitErrorDetails]:
    """An error for every member that a step's body or query has and its operation does not know."""

    def look(value: Any, schemas: Iterable[Schema], *loc: int | str) -> Iterator[InitErrorDetails]:
        variants = [*schemas]
        if isinstance(value, list):
            for index, entry in enumerate(value):
                yield from look(entry, _items(variants), *loc, index)
        members = _members(variants)
        if not members or not isinstance(value, dict):
            return
        for name, member in value.items():
            if name in members:
                yield from look(member, members[name], *loc, name)
            else:
                yield at(unknown(f"part of this {part}", name, members, KEY), *loc, name)

    return look(value, _variants(adapter(shape).core_schema), part)


def without_unknown_members(value: Any, shape: Any) -> Any:
    """A body or a query without the members that its operation does not know, and does nothing with."""
    unknown_places = [error["loc"] for error in unknown_members(value, shape, "body")]
    for _, *outer, name in unknown_places:
        del reduce(getitem, outer, value)[name]
    return value


@lru_cache(maxsize=4096)
def find_schema(shape: Any, path: JsonPath) -> PathSchema:
    """What may be at a path of a body of this shape."""
    return find_below((adapter(shape).core_schema,), path)


def find_below(schemas: Iterable[Schema], path: JsonPath) -> PathSchema:
    """What may be at a path below what schemas take."""
    variants = [variant for schema in schemas for variant in _variants(schema)]
    for number, part in enumerate(path):
        inner = [*_items(variants)] if part.isdecimal() else []
        members = _members(variants)
        is_list = any(schema["type"] == "list" for schema in variants)
        if members is None:
            return PathSchema(known=True)
        variants = inner + members.get(part, [])
        if not variants:
            return PathSchema(known=False, part=number, members=tuple(members), is_list=is_list)
    types = [_JSON_TYPES.get(schema["type"]) for schema in variants]
    literals = [schema["expected"] for schema in variants if schema["type"] == "literal"]
    if len(literals) == len(variants):
        return PathSchema(known=True, choices=tuple(value for each in literals for value in each))
    return PathSchema(
        known=True,
        types=None if None in types else frozenset(name for name in types if name),
        within=tuple(variants),
    )


def entry_of(place: PathSchema) -> PathSchema:
    """What the entries of a list may be that is at a place."""
    found = [*_items(place.within)]
    return find_below(found, ()) if found else PathSchema(known=True)


def _members(variants: Iterable[Schema]) -> dict[str, list[Schema]] | None:
    """The members of objects, with what each may be; None where there may be any member."""
    members: dict[str, list[Schema]] = {}
    for schema in variants:
        if schema["type"] == "dataclass-args":
            fields = {field["name"]: field["schema"] for field in schema["fields"]}
        elif schema["type"] == "typed-dict":
            fields = {name: field["schema"] for name, field in schema["fields"].items()}
        elif schema["type"] in _WITHOUT_MEMBERS:
            continue
        else:
            return None
        for name, member in fields.items():
            members.setdefault(name, []).extend(_variants(member))
    return members


def _items(variants: Iterable[Schema]) -> Iterator[Schema]:
    for schema in variants:
        if schema["type"] == "list":
            yield from _variants(schema.get("items_schema", {"type": "any"}))


def _variants(schema: Any) -> Iterator[Schema]:
    """A schema, or the ones it chooses from, without what only converts or checks."""
    match schema:
        case {"type": "typed-dict"}:
            yield schema
        case {"type": "function-before", "schema": {"type": str(kind)}} if kind != "int":
            # It may make anything of anything; what is before a number only refuses.
            yield {"type": "any"}
        case {"type": "union" | "tagged-union", "choices": choices}:
            for choice in choices.values() if isinstance(choices, dict) else choices:
                yield from _variants(choice[0] if isinstance(choice, tuple) else choice)
        case {"schema": inner}:
            yield from _variants(inner)
        case _:
            yield schema
