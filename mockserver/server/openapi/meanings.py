"""What the members of bodies, queries and answers mean.

A member's meaning is the docstring below it, or else what its name means everywhere (`vocabulary.yaml`).
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from mockserver.api.docstrings import attribute_docs
from mockserver.server.openapi.components import Schema
from mockserver.yaml_files import read_yaml


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
    found: Mapping[str, str] = read_yaml(text)
    return found
