"""How long, large or many each member of a request, or a setting, may be: files in `data` list all of it.

A bound is written once in the code, and the OpenAPI document and the pages read it there, so only a list that
is written by hand notices that it changed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document
from mockserver.state.settings import Settings
from mockserver.yaml_files import read_yaml_file
from tests.specification.lines import DATA
from tests.tables import cases

Schema = Mapping[str, Any]

BOUNDS = (
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "pattern",
)
Bounds = Iterator[tuple[str, str]]


def of_settings() -> Bounds:
    described = TypeAdapter(Settings).json_schema()
    return of_member("", described, described["$defs"], ())


def of_requests(control: bool) -> Bounds:
    described = document(ENDPOINTS, control)
    for path in described["paths"].values():
        for operation in path.values():
            yield from of_request(operation, described["components"])


@cases(
    "file, described",
    ("bounds.yaml", lambda: of_requests(control=False)),
    ("control_bounds.yaml", lambda: of_requests(control=True)),
    ("settings_bounds.yaml", of_settings),
)
def test_members_have_the_bounds_that_are_listed(file: str, described: Callable[[], Bounds]) -> None:
    written = read_yaml_file(DATA / file)
    assert gathered(described()) == {
        member: {bound} if isinstance(bound, str) else set(bound) for member, bound in written.items()
    }


def gathered(bounds: Bounds) -> dict[str, set[str]]:
    """The bounds of each member, written `1..128 characters`, of the operations in which it has some."""
    found: dict[str, set[str]] = defaultdict(set)
    for member, bound in bounds:
        found[member].add(bound)
    return dict(found)


def of_request(operation: Schema, components: Schema) -> Bounds:
    shapes = components["schemas"]
    for entry in operation.get("parameters", ()):
        parameter = components["parameters"][name_of(entry)] if "$ref" in entry else entry
        yield from of_member(f"{parameter['in']} {parameter['name']}", parameter["schema"], shapes, ())
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        yield from of_member("", body["schema"], shapes, ())


def of_member(name: str, shape: Schema, shapes: Schema, inside: tuple[str, ...]) -> Bounds:
    reference = name_of(shape)
    if reference and reference not in inside:
        yield from of_member(name, shapes[reference], shapes, (*inside, reference))
    if any(bound in shape for bound in BOUNDS):
        yield name, in_words(shape)
    for choice in ("anyOf", "oneOf", "allOf"):
        for member in shape.get(choice, ()):
            yield from of_member(name, member, shapes, inside)
    for member, inner in shape.get("properties", {}).items():
        yield from of_member(f"{name}.{member}".lstrip("."), inner, shapes, inside)
    if "items" in shape:
        yield from of_member(f"{name}[]", shape["items"], shapes, inside)
    for pattern, inner in shape.get("patternProperties", {}).items():
        yield f"{name}{{name}}", pattern
        yield from of_member(f"{name}{{}}", inner, shapes, inside)
    if isinstance(shape.get("additionalProperties"), dict):
        yield from of_member(f"{name}{{}}", shape["additionalProperties"], shapes, inside)


def name_of(shape: Schema) -> str:
    """What a shape refers to, or an empty text."""
    return str(shape.get("$ref", "")).rpartition("/")[2]


def in_words(shape: Schema) -> str:
    if "pattern" in shape:
        return str(shape["pattern"])
    unit = {"L": " characters", "I": " items", "P": " members"}
    kind = next(unit.get(bound[3], "") for bound in BOUNDS if bound in shape)
    return f"{edge(shape, 'min', '>')}..{edge(shape, 'max', '<')}{kind}"


def edge(shape: Schema, end: str, exclusive: str) -> str:
    """A bound; with a sign before it if it is itself out of bounds."""
    for bound in BOUNDS:
        if bound in shape and bound.startswith(end):
            return str(shape[bound])
        if bound in shape and bound.startswith(f"exclusive{end.title()}"):
            return f"{exclusive}{shape[bound]}"
    return ""
