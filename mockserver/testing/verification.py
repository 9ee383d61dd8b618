"""Verification of calls, as assertions."""

from collections.abc import Mapping
from typing import Any

from mockserver.testing.connection import TIMEOUT_S, ControlApiError, ProjectClient

__tracebackhide__ = True

Call = str | Mapping[str, Any]
"""An operation id, or a method and path; or a mapping of `call`, `headers`, `query` and `body`."""

_ASSERTIONS = ("urn:mockserver:verification-failed", "urn:mockserver:journal-incomplete")
_LONGEST_WAIT_S = 366 * 86_400


def verify(client: ProjectClient, path: str, members: Mapping[str, Any], within: str | None) -> int:
    """Ask a server to verify; how many calls it found. AssertionError if they are not as expected."""
    asked = dict(members) if within is None else {**members, "within": within}
    timeout_s = TIMEOUT_S if within is None else _LONGEST_WAIT_S
    try:
        found: int = client.call("POST", path, json=asked, timeout_s=timeout_s)["found"]
    except ControlApiError as error:
        if error.problem.get("type") not in _ASSERTIONS:
            raise
        raise AssertionError(_explain(error.problem)) from None
    return found


def _explain(problem: Mapping[str, Any]) -> str:
    """What was expected and found, and a line for each call to look at."""
    calls = problem.get("errors") or {}
    lines = [f"  {name}: {entry['message']}" for name, entry in calls.items()]
    return "\n".join([problem["detail"], *lines])
