"""The JSON Schema of scenario files, for editors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from mockserver.api.docstrings import attribute_docs
from mockserver.api.endpoint import Routes
from mockserver.api.wire import adapter
from mockserver.scenario.grammar.calls import OPERATIONS
from mockserver.scenario.grammar.parts import SHORT_FOR, Part
from mockserver.scenario.grammar.schema import WITH_REFERENCES, Grammar
from mockserver.scenario.reading.references import REFERENCE_SCHEMA

_METHOD_AND_PATH = {"type": "string", "pattern": r"^(\*|[A-Z]+) +/"}


@lru_cache(maxsize=4)
def scenario_schema(routes: Routes) -> JsonSchemaValue:
    """The JSON Schema (draft 2020-12) of scenario files, with the ids of the operations.

    It does not know what bodies the operations take, nor what excludes what: `read` finds those.
    """
    described = adapter(Grammar).json_schema()
    _describe_members({"Grammar": described, **described["$defs"]})
    described = _write_short_forms(described, described["$defs"])
    members, definitions = described["properties"], described["$defs"]
    for name in _find_definitions([members[part] for part in WITH_REFERENCES], definitions):
        definitions[name] = _allow_references(definitions[name])
    for part in WITH_REFERENCES:
        members[part] = _or_reference(members[part])
    described = _name_operations(described)
    for name, operations in OPERATIONS.items():
        described["$defs"][name] = {"enum": sorted(operations(routes))}
    return {"$schema": GenerateJsonSchema.schema_dialect, **described}


def schema_text(routes: Routes) -> str:
    """The JSON Schema as it is published."""
    return json.dumps(scenario_schema(routes), indent=2) + "\n"


def _describe_members(schemas: Mapping[str, JsonSchemaValue]) -> None:
    """Put the docstrings of members into the schemas of the parts of the grammar, by the parts' names."""
    kinds = {kind.__name__: kind for kind in _descendants(Part)}
    for name, schema in schemas.items():
        docs = attribute_docs(kinds[name]) if name in kinds else {}
        for attribute, text in docs.items():
            member = schema.get("properties", {}).get(attribute.removesuffix("_"))
            if member is not None:
                member["description"] = text


def _descendants(kind: type) -> Iterator[type]:
    below: type
    for below in kind.__subclasses__():
        yield below
        yield from _descendants(below)


def _write_short_forms(schema: Any, definitions: JsonSchemaValue) -> Any:
    """A schema in which short forms are alternatives, and without the titles that pydantic makes of names."""
    if isinstance(schema, list):
        return [_write_short_forms(entry, definitions) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    written = {
        name: _write_short_forms(value, definitions)
        for name, value in schema.items()
        if name != "title" or isinstance(value, dict)
    }
    member = written.pop(SHORT_FOR, None)
    if member is not None:
        (full,) = schema["anyOf"]
        kinds = [definitions[_name_of(each)] for each in full.get("oneOf", [full])]
        short = [_write_short_forms(kind["properties"][member], definitions) for kind in kinds]
        written["anyOf"] = [
            *({"allOf": [each, {"not": {"type": "object"}}]} for each in short),
            *written["anyOf"],
        ]
    return written


def _name_of(schema: JsonSchemaValue) -> str:
    """The name of the definition that a schema refers to, or an empty text."""
    return str(schema.get("$ref", "")).removeprefix("#/$defs/")


def _find_definitions(schemas: Sequence[JsonSchemaValue], definitions: JsonSchemaValue) -> set[str]:
    """The names of the definitions that schemas refer to, directly or not."""
    found: set[str] = set()
    waiting: list[Any] = [*schemas]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, list):
            waiting += schema
        elif isinstance(schema, dict):
            waiting += schema.values()
            name = _name_of(schema)
            if name in definitions and name not in found:
                found.add(name)
                waiting.append(definitions[name])
    return found


def _allow_references(schema: JsonSchemaValue) -> JsonSchemaValue:
    """A schema with a reference allowed in the place of every member and entry."""
    changed = dict(schema)
    for name in ("anyOf", "oneOf", "allOf"):
        if name in schema:
            # Of alternatives that differ in a member, several fit when it is a reference.
            changed.pop(name)
            changed["anyOf" if name == "oneOf" else name] = [*map(_allow_references, schema[name])]
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            changed[name] = _or_reference(schema[name])
    if "properties" in schema:
        changed["properties"] = {name: _or_reference(each) for name, each in schema["properties"].items()}
    return changed


def _or_reference(schema: JsonSchemaValue) -> JsonSchemaValue:
    """A schema, or a reference to something that fits it."""
    described = {name: schema[name] for name in ("description",) if name in schema}
    return {"anyOf": [_allow_references(schema), REFERENCE_SCHEMA], **described}


def _name_operations(schema: Any) -> Any:
    """A schema in which what names calls is an operation id, or a method and a path."""
    if isinstance(schema, list):
        return [_name_operations(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") in OPERATIONS:
        others = {name: value for name, value in schema.items() if name not in ("type", "format")}
        return {"anyOf": [{"$ref": f"#/$defs/{schema['format']}"}, _METHOD_AND_PATH], **others}
    return {name: _name_operations(value) for name, value in schema.items()}
