"""Bodies cut to what tells something, for the report of a failed test."""

import json
from collections.abc import Mapping
from typing import Any

_LISTED = 3
"""So many entries of a list are shown."""
_MEMBERS = 16
_LONGEST_TEXT = 120
_SHOWN_TEXT = 48
_LONGEST = 700
_CUT = "…"
TELLING = frozenset({"code", "error", "errors", "id", "message", "param", "reason", "status", "type"})
"""Members that are shown however many others there are."""


def abridge(body: Any) -> str:
    """A body as one line of JSON: long lists, texts and ABIs cut, and how much of them was left out."""
    text = json.dumps(_cut(body), ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}{_CUT} ({len(text)} characters)"


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return _cut_text(value)
    if isinstance(value, list):
        return _cut_list(value)
    if isinstance(value, Mapping):
        return _cut_members(value)
    return value


def _cut_text(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[:_SHOWN_TEXT]}{_CUT} ({len(text)} characters)"


def _cut_list(entries: list[Any]) -> Any:
    if _is_abi(entries):
        return f"{_CUT} (ABI of {len(entries)} entries)"
    shown = [_cut(entry) for entry in entries[:_LISTED]]
    left_out = len(entries) - len(shown)
    return [*shown, f"{_CUT} ({left_out} more)"] if left_out else shown


def _is_abi(entries: list[Any]) -> bool:
    kinds = ("constructor", "error", "event", "fallback", "function", "receive")
    return bool(entries) and all(
        isinstance(entry, Mapping) and entry.get("type") in kinds for entry in entries
    )


def _cut_members(members: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict.fromkeys(name for name in members if name in TELLING)
    kept |= dict.fromkeys([name for name in members if name not in kept][: max(0, _MEMBERS - len(kept))])
    shown = {name: _cut(value) for name, value in members.items() if name in kept}
    left_out = len(members) - len(shown)
    return {**shown, _CUT: f"{left_out} more"} if left_out else shown
