"""The examples of the OpenAPI documents: calls that were made, and what was answered.

`examples.jsonl` is written by `python docs/generate.py`, which plays the calls of `tests/regression`.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class CallExample(NamedTuple):
    """A successful call of an operation."""

    path: dict[str, str]
    """The values of the parameters in its path."""
    request: Any
    """Its body: JSON, or a text where the operation reads one; None without any."""
    response: Any
    """The body of the answer."""


class Examples(NamedTuple):
    """The examples of both documents."""

    calls: dict[str, CallExample]
    """By operation."""
    errors: dict[str, Any]
    """The bodies of errors, by envelope, status and code: `ApiErrorBody.404.account_not_found`."""


@cache
def read_examples() -> Examples:
    """The examples that come with the package."""
    text = files(__package__).joinpath("examples.jsonl").read_text(encoding="utf-8")
    entries = [json.loads(line) for line in text.splitlines()]
    return Examples(
        {
            entry["operation"]: CallExample(entry["path"], entry["request"], entry["response"])
            for entry in entries
            if "operation" in entry
        },
        {entry["error"]: entry["response"] for entry in entries if "error" in entry},
    )
