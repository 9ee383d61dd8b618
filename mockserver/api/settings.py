"""Validation errors of settings, by the setting and its members."""

import re
from dataclasses import fields

from pydantic import ValidationError

from mockserver.api.wire import field_path, findings
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.state.settings import ChainSettings, Settings, TokenSettings

SETTINGS = tuple(field.name for field in fields(Settings))

ENTRIES: dict[str, type[ChainSettings] | type[TokenSettings]] = {
    "chains": ChainSettings,
    "tokens": TokenSettings,
}
"""The settings that are mappings, and the model of their entries."""

_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,77}")
_KEYS = {
    "chains": "is not a chain id in decimal digits",
    "tokens": "is not an address in lower case: 0x and 40 hexadecimal digits",
}


def exact_number(value: object) -> object:
    """A whole number that came as a text, because JSON clients cannot hold it, as the number."""
    return int(value) if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value) else value


def setting_findings(error: ValidationError) -> dict[str, dict[str, object]]:
    """What is wrong with each setting, by its path, as `findings` has it."""
    found = findings(error)
    for entry in error.errors():
        name, *rest = (str(part) for part in entry["loc"])
        if rest and rest[-1] == "[key]" and name in _KEYS:
            found[field_path((name, rest[0]))]["message"] = _KEYS[name]
        elif entry["type"] == "unexpected_keyword_argument" and name in ENTRIES:
            known = [field.name for field in fields(ENTRIES[name])]
            hint = did_you_mean(nearest(rest[-1], known)) or f"; there are {', '.join(known)}"
            found[field_path((name, *rest))]["message"] = f"is not a member of {name}{hint}"
    return found
