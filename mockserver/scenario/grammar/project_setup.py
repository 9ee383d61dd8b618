"""What a scenario says of the project itself: its clock, its keys and its settings."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, InitErrorDetails

from mockserver.api.endpoint import Routes
from mockserver.api.settings import SETTINGS, exact_number, setting_findings
from mockserver.api.wire import adapter
from mockserver.scenario.grammar.calls import public_operations
from mockserver.scenario.grammar.parts import (
    KEY,
    Part,
    Says,
    ShortFor,
    Text,
    at,
    misfit,
    read_text,
    read_time_ms,
    routes_of,
    unknown,
)
from mockserver.scenario.reading.findings import MAX_FINDINGS
from mockserver.scenario.reading.tree import split_path
from mockserver.state.api_keys import ApiKey
from mockserver.state.settings import Settings

_MODES = ("frozen", "ticking")
_FASTEST = 1e6

# --- the clock ------------------------------------------------------------------------------------------


def _read_mode(value: Any) -> str:
    text = read_text(value)
    if text not in _MODES:
        raise unknown("a mode of the clock", text, _MODES)
    return text


class ClockSpec(Part):
    """How the project's clock is to stand or go. It is frozen where only a time is said."""

    what = "clock"

    mode: Annotated[
        Literal["frozen", "ticking"], PlainValidator(_read_mode), WithJsonSchema({"enum": [*_MODES]})
    ] = "frozen"
    at: Annotated[int, PlainValidator(read_time_ms), WithJsonSchema({"type": "string"})] | None = None
    """A time (ISO 8601); as it is when nothing is said."""
    rate: Annotated[
        float, Field(gt=0, le=_FASTEST, strict=True), Says(f"is a number above 0 and up to {_FASTEST:.0f}")
    ] = 1.0
    """How many times as fast as real time a ticking clock goes."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """Only a clock that ticks has a rate."""
        if "rate" in members and members.get("mode", "frozen") == "frozen":
            yield at(misfit("a frozen clock has no rate"), "rate")


class _ModeOrTime(ShortFor):
    """Makes a text stand for the mode or the time that it is."""

    def in_full(self, value: Any) -> Any:
        """The mapping that a value stands for."""
        if isinstance(value, dict) or value in _MODES:
            return value if isinstance(value, dict) else {"mode": value}
        read_time_ms(value, "the clock, which is frozen, ticking or a time", _MODES)
        return super().in_full(value)


Clock = Annotated[ClockSpec, _ModeOrTime("at")]

# --- keys -----------------------------------------------------------------------------------------------


def _read_key(value: Any) -> ApiKey:
    text = read_text(value)
    try:
        return ApiKey.parse(text)
    except ValueError as error:
        raise misfit(str(error)) from None


@lru_cache(maxsize=4)
def _known_scopes(routes: Routes) -> tuple[str, ...]:
    scopes = {endpoint.access.scope for endpoint in public_operations(routes).values()}
    return tuple(sorted(known for known in scopes if known))


def check_scope(scope: str, info: ValidationInfo) -> str:
    """Scopes are those that the operations ask for."""
    known = _known_scopes(routes_of(info))
    if scope not in known:
        raise unknown("a scope that any operation asks for", scope, known)
    return scope


class DeclaredKey(Part):
    """An API key the project is to have; one without scopes may do everything."""

    what = "a declared key"

    key: Annotated[ApiKey, PlainValidator(_read_key), WithJsonSchema({"type": "string"})]
    scopes: tuple[Annotated[Text, AfterValidator(check_scope)], ...] = ()

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """Only a secret key has scopes, and then at least one."""
        if "scopes" in members and str(members.get("key", "")).startswith("pk_"):
            yield at(misfit("a publishable key has no scopes"), "scopes")
        elif members.get("scopes") == []:
            yield at(misfit("without scopes a key may do everything; leave the empty list out"), "scopes")


Keys = tuple[Annotated[DeclaredKey, ShortFor("key")], ...]

# --- settings -------------------------------------------------------------------------------------------


def _read_settings(value: Any) -> Mapping[str, Any]:
    """The settings that are to be otherwise, each valid by itself."""
    if not isinstance(value, dict):
        raise misfit(f"settings is a mapping of {', '.join(SETTINGS)}")
    # More would not be listed, and finding the nearest names takes its time.
    misspelt = [name for name in value if name not in SETTINGS][:MAX_FINDINGS]
    wrong = [at(unknown("part of settings", name, SETTINGS, KEY), name) for name in misspelt]
    settings = {}
    for name in value.keys() & set(SETTINGS):
        try:
            settings[name] = _read_setting(name, value[name])
        except ValidationError as error:
            for path, finding in setting_findings(error).items():
                wrong.append(at(misfit(f"{path}: {finding['message']}"), *split_path(path)))
    if wrong:
        raise ValidationError.from_exception_data("settings", wrong)
    return settings


def _read_setting(name: str, value: Any) -> Any:
    def read(value: Any) -> Any:
        return getattr(adapter(Settings).validate_json(json.dumps({name: value}), strict=True), name)

    try:
        return read(value)
    except ValidationError:
        # It is a text until a setting wants a number.
        number = exact_number(value)
        if number is not value:
            with suppress(ValidationError):
                return read(number)
        raise


class _AsSettings:
    """Describes settings as those of a project, which are built only for that."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        described = handler(adapter(Settings).core_schema)
        return {**handler.resolve_ref_schema(described), "additionalProperties": False}


SettingsSpec = Annotated[Mapping[str, Any], PlainValidator(_read_settings), _AsSettings()]
