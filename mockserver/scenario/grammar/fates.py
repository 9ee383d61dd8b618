"""Fates as scenarios spell them: `after: 5s` for `after_ms: 5000`, and `count: all` for every transaction."""

from typing import Annotated, Any, NamedTuple

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from mockserver.domain.transactions.fate_options import SELECTORS, FateSpec
from mockserver.scenario.grammar.parts import (
    DURATION_SCHEMA,
    KEY,
    ShortFor,
    at,
    read_duration_ms,
    rewrap,
    unknown,
    validate,
)

_ALL = "all"


class _Spelling(NamedTuple):
    """Reads a fate as scenarios spell it. Only where fates wait for transactions may one say for which."""

    selecting: bool

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        described = handler(schema)
        for variant in described["oneOf"]:
            members = handler.resolve_ref_schema(variant)["properties"]
            if "after_ms" in members:
                members["after"] = DURATION_SCHEMA | {"description": "When, since it was sent."}
                del members["after_ms"]
            choices = members["count"]["anyOf"]
            members["count"]["anyOf"] = [*choices, *([] if {"const": _ALL} in choices else [{"const": _ALL}])]
        return described if self.selecting else described | {"propertyNames": {"not": {"enum": [*SELECTORS]}}}

    def _read(self, fate: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        members = dict(fate) if isinstance(fate, dict) else {"outcome": fate}
        wrong: list[InitErrorDetails] = []
        misplaced = [
            name for name in members if name == "after_ms" or (not self.selecting and name in SELECTORS)
        ]
        for name in misplaced:
            del members[name]
            wrong.append(at(unknown("part of this fate", name, ["after"], KEY), name))
        if members.get("count") == _ALL:
            members["count"] = None
        if "after" in members:
            try:
                members["after_ms"] = read_duration_ms(members.pop("after"))
            except PydanticCustomError as error:
                wrong.append(at(error, "after"))
        return validate(members, handler, wrong, _respell)


def _respell(entry: ErrorDetails) -> InitErrorDetails:
    """An error in the words of scenarios."""
    loc = tuple("after" if part == "after_ms" else part for part in entry["loc"])
    context = {
        name: value.replace("after_ms", "after") if isinstance(value, str) else value
        for name, value in entry.get("ctx", {}).items()
    }
    return rewrap({**entry, "ctx": context}, loc)


CallFate = Annotated[FateSpec, _Spelling(selecting=False), ShortFor("outcome")]
"""A fate of the transaction that a call creates."""

WaitingFate = Annotated[FateSpec, _Spelling(selecting=True), ShortFor("outcome")]
"""A fate that waits for a transaction."""
