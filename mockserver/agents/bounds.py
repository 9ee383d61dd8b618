"""What a tool answers is bounded: a model reads all of it, and has to remember it."""

import json
from collections.abc import Mapping
from typing import Any

MOST_BYTES = 20_000
"""How many bytes the answer of a tool has at most, in UTF-8."""
_STEPS = ((MOST_BYTES, 1_000), (2_000, 100), (600, 40), (200, 20), (80, 8), (40, 3), (20, 1))
"""The longest text and the most members that are shown, as few as are needed."""


def fit(value: object) -> str:
    """A value as JSON of at most `MOST_BYTES`, a text as it is; what is cut ends with how much it had."""
    if isinstance(value, str):
        most = MOST_BYTES // 4 if len(value.encode("utf-8", "replace")) > MOST_BYTES else MOST_BYTES
        return str(_cut(value, most, 0))
    shown = ""
    for longest, most in _STEPS:
        shown = json.dumps(_cut(value, longest, most), ensure_ascii=False)
        if len(shown.encode("utf-8", "replace")) <= MOST_BYTES:
            return shown
    return shown.encode("utf-8", "replace")[: MOST_BYTES - 4].decode("utf-8", "ignore") + "…"


def _cut(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}… ({len(value)} characters)"
    if isinstance(value, Mapping):
        shown = {name: _cut(member, longest, most) for name, member in [*value.items()][:most]}
        return shown if len(value) <= most else {**shown, "…": f"{len(value) - most} more members"}
    if isinstance(value, (list, tuple)):
        found = [_cut(member, longest, most) for member in value[:most]]
        return found if len(value) <= most else [*found, f"… {len(value) - most} more"]
    return value
