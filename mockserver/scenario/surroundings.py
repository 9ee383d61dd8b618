"""What a scenario says of the project itself: its clock, its keys and its settings."""

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ValidationError

from mockserver.api.endpoint import Routes
from mockserver.api.settings import SETTINGS, setting_findings
from mockserver.api.wire import adapter
from mockserver.kernel import timestamps
from mockserver.kernel.spelling import nearest
from mockserver.scenario import fields
from mockserver.scenario.calls import public
from mockserver.scenario.findings import Findings, shown
from mockserver.scenario.schema import ClockWish, DeclaredKey
from mockserver.scenario.tree import Node
from mockserver.state.api_keys import ApiKey
from mockserver.state.settings import Settings

_MODES = ("frozen", "ticking")
_FASTEST = 1e6
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,77}")


def read_clock(node: Node, findings: Findings) -> ClockWish | None:
    """`frozen`, `ticking`, a time to be frozen at, or a mapping of mode, at and rate."""
    if not isinstance(node.value, dict):
        text = fields.text(node, findings, "clock")
        if text == "ticking":
            return ClockWish("ticking")
        if text == "frozen":
            return ClockWish("frozen")
        at_ms = _moment_ms(node, findings, "the clock, which is frozen, ticking or a time")
        return ClockWish("frozen", at_ms)
    found = fields.members(node, findings, "clock", ("mode", "at", "rate"))
    mode: Literal["frozen", "ticking"] = "frozen"
    if "mode" in found:
        text = fields.text(found["mode"], findings, "mode")
        if text == "ticking":
            mode = "ticking"
        elif text and text != "frozen":
            findings.add_unknown(found["mode"].place, "a mode of the clock", text, _MODES)
    at_ms = _moment_ms(found["at"], findings, "a time") if "at" in found else None
    rate = found["rate"].value if "rate" in found else 1
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate <= _FASTEST:
        findings.add(found["rate"].place, f"rate is a number above 0 and up to {_FASTEST:.0f}")
        rate = 1
    elif "rate" in found and mode == "frozen":
        findings.add(found["rate"].place, "a frozen clock has no rate")
    return ClockWish(mode, at_ms, float(rate))


def _moment_ms(node: Node, findings: Findings, what: str) -> int | None:
    text = fields.text(node, findings, what)
    try:
        return timestamps.parse_iso(text)
    except timestamps.TimestampOutOfRange as error:
        findings.add(node.place, f"{shown(text)} {error}")
    except ValueError:
        if text:
            message = f"{shown(text)} is not {what}, such as 2026-01-31T12:00:00Z"
            findings.add(node.place, message, nearest(text, _MODES))
    return None


def read_keys(node: Node, routes: Routes, findings: Findings) -> tuple[DeclaredKey, ...]:
    """The keys a project is to have. Scopes are those that the operations ask for."""
    scopes = {endpoint.access.scope for endpoint in public(routes).values()}
    known = sorted(scope for scope in scopes if scope)
    found: dict[ApiKey, DeclaredKey] = {}
    for entry in fields.items(node, findings, "keys"):
        declared = _declared(entry, known, findings)
        if declared is None:
            continue
        first = found.get(declared.key)
        if first is not None:
            findings.add(declared.place, f"the key is declared twice, first in line {first.place.line}")
        found[declared.key] = declared
    return tuple(found.values())


def _declared(node: Node, known_scopes: list[str], findings: Findings) -> DeclaredKey | None:
    """A key, or a mapping of a key and its scopes."""
    found = {"key": node}
    if isinstance(node.value, dict):
        found = fields.members(node, findings, "a declared key", ("key", "scopes"))
    if "key" not in found:
        findings.add(node.place, "a declared key has a key")
        return None
    try:
        key = ApiKey.parse(fields.text(found["key"], findings, "a key"))
    except ValueError as error:
        findings.add(found["key"].place, str(error))
        return None
    scopes = []
    for entry in fields.items(found["scopes"], findings, "scopes") if "scopes" in found else ():
        scope = fields.text(entry, findings, "a scope")
        if scope and scope not in known_scopes:
            findings.add_unknown(entry.place, "a scope that any operation asks for", scope, known_scopes)
        scopes.append(scope)
    if "scopes" in found and key.kind == "pk":
        findings.add(found["scopes"].place, "a publishable key has no scopes")
    elif "scopes" in found and not scopes:
        findings.add(
            found["scopes"].place, "without scopes a key may do everything; leave the empty list out"
        )
    return DeclaredKey(key, frozenset(scopes), node.place)


def read_settings(node: Node, findings: Findings) -> Mapping[str, Any]:
    """The settings that are to be otherwise, each valid by itself."""
    found = fields.members(node, findings, "settings", SETTINGS)
    return {name: _setting(name, member, findings) for name, member in found.items()}


def _setting(name: str, node: Node, findings: Findings) -> Any:
    value = node.plain()
    try:
        return _validated(name, value)
    except ValidationError as error:
        # A whole number that JSON clients cannot hold is text until a setting wants a number.
        if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
            try:
                return _validated(name, int(value))
            except ValidationError:
                pass
        for path, finding in setting_findings(error).items():
            findings.add(node.at(path.removeprefix(name)).place, f"{path}: {finding['message']}")
    return None


def _validated(name: str, value: Any) -> Any:
    return getattr(adapter(Settings).validate_json(json.dumps({name: value}), strict=True), name)
