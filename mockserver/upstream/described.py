"""OpenAPI documents as flat tables: which members answers and requests have, by operation or by object."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

Document = Mapping[str, Any]
_DEEPEST = 8
_METHODS = frozenset({"get", "put", "post", "delete", "patch", "head", "options"})


class Member(NamedTuple):
    """A member of a request or an answer."""

    pointer: str
    """A JSON pointer with `*` for any entry of a list."""
    schema: Mapping[str, Any]
    """What it may be, without references."""
    is_required: bool


class Served(NamedTuple):
    """An operation of a document."""

    method: str
    path: str
    item: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The id, or method and path of one without."""
        return self.item.get("operationId") or f"{self.method.upper()} {self.path}"


def operations_of(document: Document) -> Iterator[Served]:
    """The operations of a document, in its order."""
    for path, methods in document.get("paths", {}).items():
        for method, item in methods.items():
            if method in _METHODS:
                yield Served(method, path, item)


def members_of(document: Document, schema: Mapping[str, Any], pointer: str = "") -> Iterator[Member]:
    """The members of what a schema describes, nested ones included; those of a circle once."""
    yield from _members(document, schema, pointer, ())


def _members(
    document: Document, schema: Mapping[str, Any], pointer: str, around: tuple[int, ...]
) -> Iterator[Member]:
    for each in variants(document, schema):
        if id(each) in around or len(around) > _DEEPEST:
            continue
        inside = (*around, id(each))
        required = each.get("required", ())
        for name, inner in each.get("properties", {}).items():
            at = f"{pointer}/{name}"
            yield Member(at, merged(document, inner), name in required)
            yield from _members(document, inner, at, inside)
        if "items" in each:
            yield Member(f"{pointer}/*", merged(document, each["items"]), True)
            yield from _members(document, each["items"], f"{pointer}/*", inside)


def variants(document: Document, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a schema may be: its own, and all of `allOf`, `anyOf` and `oneOf`, references followed."""
    while "$ref" in schema:
        schema = _resolve(document, schema["$ref"])
    yield schema
    for word in ("allOf", "anyOf", "oneOf"):
        for each in schema.get(word, ()):
            yield from variants(document, each)


def merged(document: Document, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The kinds and the values that a schema allows, over all of its variants."""
    found: dict[str, Any] = {"deprecated": False}
    for each in variants(document, schema):
        values = [*each.get("enum", ()), *([each["const"]] if "const" in each else ())]
        found["enum"] = [*found.get("enum", ()), *values]
        kinds = each.get("type", ())
        found["type"] = {*found.get("type", ()), *([kinds] if isinstance(kinds, str) else kinds)}
        found["deprecated"] |= bool(each.get("deprecated"))
        if not values and kinds and kinds != "null":
            found["is_open"] = True
    return found


def _resolve(document: Document, reference: str) -> Mapping[str, Any]:
    found: Any = document
    for part in reference.removeprefix("#/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found  # type: ignore[no-any-return]


def answer_schema(document: Document, item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of the JSON that an operation answers when all is well."""
    for status, answer in item.get("responses", {}).items():
        if status.startswith("2"):
            found = next(variants(document, answer))
            return json_schema(found)
    return None


def json_schema(content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of the JSON in a request body or an answer."""
    given: Mapping[str, Any] | None = content.get("content", {}).get("application/json", {}).get("schema")
    return given


@cache
def served_document() -> Document:
    """The OpenAPI document of the public API that the mock serves."""
    from mockserver.server.assembly import ROUTES
    from mockserver.server.openapi import document

    return document(ROUTES.endpoints, False)


@cache
def enums_of(operation: str) -> Mapping[str, Collection[str]]:
    """The values that the mock knows of the members of an operation's answer, by pointer."""
    document = served_document()
    for served in operations_of(document):
        schema = answer_schema(document, served.item) if served.name == operation else None
        if schema is not None:
            members = members_of(document, schema)
            return {
                each.pointer: frozenset(each.schema["enum"]) for each in members if each.schema.get("enum")
            }
    return {}
