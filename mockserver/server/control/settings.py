"""What a project lets its owner choose."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import ValidationError

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.api.settings import SETTINGS, setting_findings
from mockserver.api.wire import adapter, summary
from mockserver.domain.transactions import scheduling
from mockserver.errors import ApiError
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.server.control_call import ControlCall
from mockserver.server.render import to_json
from mockserver.state.settings import Settings

settings = Group("Settings")


@settings.endpoint("GET", "/_mock/projects/{p}/settings", "GetSettings", ANYBODY)
def get_settings(call: ControlCall) -> Settings:
    """What the project is set to."""
    return call.project.settings


@settings.endpoint(
    "PUT", "/_mock/projects/{p}/settings", "ChangeSettings", ANYBODY, errors=(errors.CONTROL_INVALID,)
)
def change_settings(call: ControlCall[dict[str, Any]]) -> Settings:
    """Change some settings; those that are not named stay."""
    scheduling.change_settings(call.project, merged(call.project.settings, call.body))
    return call.project.settings


def merged(current: Settings, changes: Mapping[str, Any], path: str = "") -> Settings:
    """The settings with some changed. Refused with 400 for a name or a value that is none.

    `path` is where the changes stand in the body, for the refusal.
    """
    found: dict[str, dict[str, object]] = {
        name: {"message": _unknown(name)} for name in changes if name not in SETTINGS
    }
    named = {name: value for name, value in changes.items() if name in SETTINGS}
    whole = {**asdict(current), **named}
    try:
        # By way of JSON, where strict checking still takes a list for a tuple.
        checked: Settings = adapter(Settings).validate_json(to_json(whole), strict=True)
    except ValidationError as error:
        found.update(setting_findings(error))
    if found:
        placed = {f"{path}.{name}" if path else name: finding for name, finding in found.items()}
        raise ApiError(
            errors.CONTROL_INVALID, summary=summary(placed), param=next(iter(placed)), details=placed
        )
    return checked


def _unknown(name: str) -> str:
    return f"is not a setting{did_you_mean(nearest(name, SETTINGS))}"
