"""What an OpenAPI document says of the operations: parameters, bodies, answers, by pointer."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mockserver.scenario.grammar.value_tests import value_at
from mockserver.scenario.reading.tree import ABSENT, read_json_path

Schema = Mapping[str, Any]
_DEEPEST = 8
_METHODS = frozenset({"get", "post", "put", "patch", "delete"})


class Member(NamedTuple):
    """A parameter, or a member of a body."""

    types: frozenset[str]
    values: frozenset[str]
    """All that it may be; none where other values are possible, too."""
    is_required: bool
    is_deprecated: bool
    is_open: bool
    """Whether it is an object or a list of which the document does not say what is in it."""
    is_row: bool
    """Whether it is a resource, which the operations of that resource describe."""


class Operation(NamedTuple):
    """An operation of a document."""

    title: str
    """Method and path."""
    operation_id: str
    summary: str
    is_deprecated: bool
    parameters: Mapping[str, Member]
    """By place and name: `query limit`."""
    body: Mapping[str, Member]
    """By JSON pointer; `*` is any entry of a list."""
    statuses: frozenset[str]
    """Those of success."""
    answer: Mapping[str, Member]
    """Of the first of them, by JSON pointer."""


Operations = dict[tuple[str, str], Operation]
"""By method and path with the path of the document's server, parameters as `{}`."""


def read_document(document: Any) -> Operations:
    """The operations of a document, in its order. ValueError for what is none."""
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        raise ValueError("it has no object `paths`")
    server: Schema = next(iter(document.get("servers", ())), {})
    prefix = urlsplit(server.get("url", "")).path.rstrip("/")
    found = {}
    for path, item in document["paths"].items():
        for method in (name for name in item if name in _METHODS):
            title = f"{method.upper()} {prefix}{path}"
            key = (method, re.sub(r"\{[^}]*\}", "{}", prefix + path))
            found[key] = _read_operation(document, title, item, item[method])
    return found


@cache
def served_document() -> Schema:
    """The document of the public API, as this server shows it."""
    from mockserver.server.assembly import ROUTES
    from mockserver.server.openapi import document

    return document(ROUTES.endpoints, control=False)


@cache
def enums_of(operation: str) -> Mapping[str, Collection[str]]:
    """The values of the members of an operation's answer that has some only, by pointer.

    Nothing for what is not of the public API.
    """
    served = _served_by_id().get(operation)
    return {} if served is None else {at: each.values for at, each in served.answer.items() if each.values}


@cache
def _served_by_id() -> Mapping[str, Operation]:
    return {each.operation_id: each for each in read_document(served_document()).values()}


def _read_operation(document: Schema, title: str, item: Schema, operation: Schema) -> Operation:
    parameters = [
        _resolve(document, each) for each in (*item.get("parameters", ()), *operation.get("parameters", ()))
    ]
    answers = {
        status: _resolve(document, answer)
        for status, answer in operation.get("responses", {}).items()
        if status.startswith("2")
    }
    return Operation(
        title=title,
        operation_id=operation.get("operationId", ""),
        summary=operation.get("summary", ""),
        is_deprecated=operation.get("deprecated", False),
        parameters={
            f"{each['in']} {each['name']}": _member(
                document, [each.get("schema", {})], is_required=each.get("required", False)
            )
            for each in parameters
            if each["in"] == "query"
        },
        body=_read_body(document, _resolve(document, operation.get("requestBody", {}))),
        statuses=frozenset(answers),
        answer=_read_body(document, next(iter(answers.values()), {})),
    )


def _read_body(document: Schema, holder: Schema) -> dict[str, Member]:
    """What a body of JSON has, itself included; nothing where there is none."""
    content = holder.get("content", {}).get("application/json")
    if content is None:
        return {}
    schema = content.get("schema", {})
    # Whether it is needed follows from its members: documents often do not say it.
    whole = _member(document, [schema], is_required=False)
    return {"": whole, **dict(_members(document, schema, "", 0))}


def _members(document: Schema, schema: Schema, pointer: str, depth: int) -> Iterator[tuple[str, Member]]:
    """What is in a schema, at every depth; a member of several variants is all that it is in them."""
    declared: dict[str, list[Schema]] = {}
    required: set[str] = set()
    for variant, is_choice in _variants(document, schema) if depth < _DEEPEST else ():
        inner = dict(variant.get("properties", {}))
        if "items" in variant:
            inner["*"] = variant["items"]
        for name, member in inner.items():
            declared.setdefault(name, []).append(member)
        required.update(() if is_choice else variant.get("required", ()))
    for name, members in declared.items():
        yield f"{pointer}/{name}", _member(document, members, is_required=name in required)
        yield from _members(document, {"anyOf": members}, f"{pointer}/{name}", depth + 1)


def _member(document: Schema, schemas: list[Schema], *, is_required: bool) -> Member:
    variants = [variant for schema in schemas for variant, _ in _variants(document, schema)]
    kinds = [(each, set(_types(each))) for each in variants]
    values = [_values(each) for each, types in kinds if "string" in types]
    inner = [each for each, types in kinds if types & {"object", "array"}]
    names = {name for each in inner for name in each.get("properties", {})}
    return Member(
        types=frozenset(name for _, types in kinds for name in types),
        values=frozenset().union(*values) if all(values) else frozenset(),
        is_required=is_required,
        is_deprecated=any(each.get("deprecated") for each in variants),
        is_open=not names and not any("items" in each for each in inner),
        is_row={"id", "object"} <= names,
    )


def _types(schema: Schema) -> Iterator[str]:
    """The types of JSON; `integer` counts as `number`, and null as nothing, as documents disagree on both."""
    listed = schema.get("type", ())
    if not listed and _values(schema):
        listed = "string"
    for name in [listed] if isinstance(listed, str) else listed:
        if name != "null":
            yield "number" if name == "integer" else name


def _values(schema: Schema) -> frozenset[str]:
    values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
    return frozenset(each for each in values if isinstance(each, str))


def _variants(
    document: Schema, schema: Schema, above: tuple[Schema, ...] = (), *, is_choice: bool = False
) -> Iterator[tuple[Schema, bool]]:
    """What a schema may be, references followed, each with whether there are others to choose."""
    schema = _resolve(document, schema)
    if any(schema is each for each in above):
        # It is a variant of itself, which adds nothing.
        return
    yield schema, is_choice
    above = (*above, schema)
    for each in schema.get("allOf", ()):
        yield from _variants(document, each, above, is_choice=is_choice)
    for word in ("anyOf", "oneOf"):
        choices = [each for each in schema.get(word, ()) if each.get("type") != "null"]
        for each in choices:
            yield from _variants(document, each, above, is_choice=is_choice or len(choices) > 1)


def _resolve(document: Schema, schema: Schema) -> Schema:
    followed: list[str] = []
    while "$ref" in schema:
        reference = schema["$ref"]
        if reference in followed:
            raise ValueError(f"{reference} refers to itself")
        followed.append(reference)
        schema = value_at(document, read_json_path(reference.removeprefix("#")))
        if schema is ABSENT:
            raise ValueError(f"it has no {reference}")
    return schema
