"""Rate limits of rules: what they count by, whether they let a call through, and what headers tell."""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from mockserver import errors
from mockserver.domain.time.rate_limits import first_hop
from mockserver.domain.time.rate_windows import Allowance, Limit, count
from mockserver.errors import ApiError
from mockserver.scenario.grammar.limits import By, LimitSpec, Style
from mockserver.scenario.grammar.schema import LoadedRule
from mockserver.scenario.running.request_view import RequestView
from mockserver.state.project import Project
from mockserver.state.requests import RateWindow

NameCaller = Callable[[By], str | None]
"""Names the key or the user of a call; None for a call without one."""


class Counted(NamedTuple):
    """A call that was counted against the limit of a rule."""

    rule: str
    limit: Limit
    style: Style
    allowance: Allowance
    now_ms: int


def count_call(
    project: Project, rule: LoadedRule, spec: LimitSpec, view: RequestView, name_caller: NameCaller
) -> Counted | None:
    """Count a call against the limit of a rule, for good; None if it has nothing to count it by."""
    names = [_name(by, view, name_caller) for by in spec.counted_by]
    if None in names:
        return None
    # Digests, because keys are secret and a row is shown.
    digest = hashlib.sha256("\n".join(map(str, names)).encode()).hexdigest()[:32]
    windows, row_id = project.requests.rate_windows, f"{rule.id} {digest}"
    limit, now_ms = spec.limit, project.clock.now_ms
    window, allowance = count(limit, windows.get(row_id) or RateWindow(row_id, rule.id), now_ms)
    windows.put(window)
    return Counted(rule.name, limit, spec.style, allowance, now_ms)


def _name(by: By, view: RequestView, name_caller: NameCaller) -> str | None:
    request = view.request
    match by:
        case "project":
            return ""
        case "operation":
            return view.endpoint.operation
        case "address":
            return first_hop(request.headers.get("x-forwarded-for", "")) or request.client or None
        case _:
            return name_caller(by)


def make_refusal(counted: Counted) -> ApiError:
    """The error of a call beyond a limit."""
    wait_s = str(counted.allowance.reset_s)
    return ApiError(errors.RATE_LIMITED, headers={"retry-after": wait_s, "x-retry-after": wait_s})


# --- headers --------------------------------------------------------------------------------------------


def show_limits(counted: list[Counted]) -> dict[str, str]:
    """The headers about the limits that a call was counted against.

    Where one header tells of one limit only, it is the one with the fewest calls left.
    """
    headers: dict[str, str] = {}
    drafted = [each for each in counted if each.style == "draft"]
    if drafted:
        headers["ratelimit-policy"] = ", ".join(map(_policy, drafted))
        headers["ratelimit"] = ", ".join(map(_remaining, drafted))
    for style, prefix in (("draft-06", "ratelimit-"), ("x-ratelimit", "x-ratelimit-")):
        styled = [each for each in counted if each.style == style]
        if styled:
            tightest = min(styled, key=lambda each: each.allowance.remaining)
            headers |= {f"{prefix}{name}": value for name, value in _numbers(tightest).items()}
    return headers


def _policy(counted: Counted) -> str:
    """An item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10, 3)."""
    limit = counted.limit
    return f"{_quoted(counted.rule)};q={limit.max_calls};w={-(-limit.window_ms // 1000)}"


def _remaining(counted: Counted) -> str:
    """An item of `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10, 4)."""
    allowance = counted.allowance
    return f"{_quoted(counted.rule)};r={allowance.remaining};t={allowance.reset_s}"


def _quoted(name: str) -> str:
    """A name as a string of a structured field (RFC 9651, 3.3.3)."""
    text = name.encode("ascii", "replace").decode().replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _numbers(counted: Counted) -> dict[str, str]:
    allowance = counted.allowance
    reset_s = allowance.reset_s
    if counted.style == "x-ratelimit":
        # A time and no span, as the services send it that made this header known.
        reset_s = -(-(counted.now_ms + allowance.reset_ms) // 1000)
    return {
        "limit": str(counted.limit.max_calls),
        "remaining": str(allowance.remaining),
        "reset": str(reset_s),
    }
