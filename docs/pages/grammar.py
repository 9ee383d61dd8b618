"""The grammar of scenario files."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from docs.pages.markdown import as_json, member, page, table
from mockserver.scenario.checking.json_schema import scenario_schema
from mockserver.scenario.reading.references import REFERENCE_SCHEMA
from mockserver.server.assembly import ROUTES

Schema = Mapping[str, Any]

_TEXT = ["string", "number", "boolean"]
_ELSEWHERE = ("ChainSettings", "TokenSettings")
"""What the page of the settings describes."""
_FEWEST = 4
"""How many members mappings share before the page names them once."""


def grammar_page() -> str:
    """Every part of a scenario, and every mapping in it, with its members."""
    schema = scenario_schema(ROUTES)
    lines = [
        "# Grammar of scenarios",
        "",
        "A scenario is a YAML file, and each of its members is optional. Members in bold are required",
        "within their mapping. A time span is written `250ms`, `1.5s`, `10s`, `2m`, `1h` or `7d`. In rules",
        "and fates a reference such as `${token.id}` may stand in the place of any value.",
        "[Scenarios](../guides/scenarios.md) explains all of it, and `mockserver schema` prints the same as",
        "JSON Schema.",
        "",
        *_members(schema, {}),
    ]
    definitions = _definitions(schema)
    for name, definition in definitions.items():
        base = _find_base(definition, definitions)
        lines += ["", f"## {name}", "", *_paragraph(definition, base)]
        lines += _members(definition, definitions[base]["properties"] if base else {})
    return page(lines)


def _definitions(schema: Schema) -> dict[str, Schema]:
    """The mappings in a scenario, in the order in which they are first named."""
    found: dict[str, Schema] = {}
    waiting = [*_names(schema["properties"])]
    while waiting:
        name = waiting.pop(0)
        definition = schema["$defs"][name]
        if name not in found and name not in _ELSEWHERE and "properties" in definition:
            found[name] = definition
            waiting = [*_names(definition["properties"]), *waiting]
    return found


def _names(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for entry in schema:
            yield from _names(entry)
    elif isinstance(schema, dict):
        for name, value in schema.items():
            if name == "$ref":
                yield value.rpartition("/")[2]
            else:
                yield from _names(value)


def _find_base(definition: Schema, definitions: Mapping[str, Schema]) -> str | None:
    """The largest mapping whose members a mapping has, too, besides others."""
    members = definition["properties"]
    found = [
        name
        for name, other in definitions.items()
        if _FEWEST <= len(other["properties"]) < len(members)
        and all(
            members.get(key) == value or (key in members and _is_constant(value))
            for key, value in other["properties"].items()
        )
    ]
    return max(found, key=lambda name: len(definitions[name]["properties"]), default=None)


def _is_constant(schema: Schema) -> bool:
    return "const" in schema or any("const" in each for each in schema.get("anyOf", ()))


def _paragraph(definition: Schema, base: str | None) -> list[str]:
    text = " ".join(str(definition.get("description", "")).split())
    more = f"It has the members of [{base}](#{base.lower()}), and:" if base else ""
    return [" ".join(filter(None, (text, more))), ""] if text or more else []


def _members(definition: Schema, known: Schema) -> list[str]:
    required = definition.get("required", ())
    rows = (
        (member(name, name in required), _shape(schema), _meaning(schema))
        for name, schema in definition["properties"].items()
        if known.get(name) != schema
    )
    return table(("member", "value", "meaning"), rows)


def _meaning(schema: Schema) -> str:
    return " ".join(str(schema.get("description", "")).split())


def _shape(schema: Schema) -> str:
    """A value in a few words; a mapping by the name of its section."""
    return " or ".join(dict.fromkeys(_shapes(schema))) or "anything"


def _shapes(schema: Schema) -> Iterator[str]:
    if schema == REFERENCE_SCHEMA or schema.get("type") == "null":
        return
    if "$ref" in schema:
        yield _name(schema["$ref"].rpartition("/")[2])
    elif "allOf" in schema:
        yield _shape(schema["allOf"][0])
    elif "anyOf" in schema or "oneOf" in schema:
        for each in schema.get("anyOf", schema.get("oneOf", ())):
            yield from _shapes(each)
    else:
        yield _plain(schema)


def _name(name: str) -> str:
    if name.endswith("operation"):
        return "an operation id"
    return f"[{name}](settings.md)" if name in _ELSEWHERE else f"[{name}](#{name.lower()})"


def _plain(schema: Schema) -> str:
    kind = schema.get("type")
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{_word(value)}`" for value in schema.get("enum", [schema.get("const")]))
    if kind == "array":
        return f"list of {_shape(schema.get('items', {}))}"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"mapping to {_shape(values)}" if isinstance(values, dict) and values else "mapping"
    if "pattern" in schema:
        return _pattern(schema["pattern"])
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return "text" if kind == _TEXT else names.get(str(kind), "anything") + _bounds(schema)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def _pattern(pattern: str) -> str:
    known = {"ms|s|m": "time span", "A-Z]+) +/": "a method and a path"}
    return next((words for part, words in known.items() if part in pattern), f"text like `{pattern}`")


def _bounds(schema: Schema) -> str:
    bounds: Iterable[tuple[str, str]] = (
        ("minimum", "from"),
        ("exclusiveMinimum", "above"),
        ("maximum", "to"),
    )
    return "".join(f" {word} {schema[name]:,}" for name, word in bounds if name in schema)
