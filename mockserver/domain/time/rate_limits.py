"""Rate limits of the sign-in endpoints, for projects with the setting `rate_limits`.

The windows are those of the reference implementation: a window starts again with each allowed call, and
a rejected call neither counts nor extends it.
"""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.requests import ClientWindow

PREFIX = "/iam/v2/auth"


class Limit(NamedTuple):
    """The most calls in a window."""

    window_ms: int
    max_calls: int


_CODES = Limit(60_000, 3)
_PHONE = Limit(60_000, 10)
_CREDENTIALS = Limit(10_000, 3)
_OTHERS = Limit(10_000, 100)

_CODE_PATHS = frozenset(
    {
        "/email-otp/send-verification-otp",
        "/email-otp/check-verification-otp",
        "/email-otp/verify-email",
        "/sign-in/email-otp",
    }
)
_CREDENTIAL_PATHS = ("/sign-in", "/sign-up", "/change-password", "/change-email")


def limit_of(path: str) -> Limit:
    """The limit of a path below `/iam/v2/auth`."""
    if path in _CODE_PATHS:
        return _CODES
    if path.startswith("/phone-number"):
        return _PHONE
    return _CREDENTIALS if path.startswith(_CREDENTIAL_PATHS) else _OTHERS


def first_hop(forwarded_for: str) -> str:
    """The first valid IP address in an `X-Forwarded-For`, or an empty string."""
    for hop in forwarded_for.split(","):
        try:
            return str(ip_address(hop.strip()))
        except ValueError:
            continue
    return ""


def count_call(project: Project, path: str, headers: Mapping[str, str], client: str) -> None:
    """Count a call, even if it is rejected later. ApiError with 429 when the client made too many.

    The client is the first address of `X-Forwarded-For`, or else of the connection; without an address
    there is no limit. Other paths have no limits.
    """
    if not project.settings.rate_limits or not path.startswith(f"{PREFIX}/"):
        return
    address = first_hop(headers.get("x-forwarded-for", "")) or client
    if not address:
        return
    place = path.removeprefix(PREFIX).rstrip("/")
    limit, now_ms = limit_of(place), project.clock.now_ms
    windows = project.requests.client_windows
    row_id = f"{address}{place}"
    window = windows.get(row_id)
    if window is None:
        window = windows.insert(ClientWindow(row_id, calls=0, last_call_ms=now_ms))
    since_ms = now_ms - window.last_call_ms
    if since_ms >= limit.window_ms:
        window = window._replace(calls=0)
    elif window.calls >= limit.max_calls:
        raise _rate_limit_error(limit, limit.window_ms - since_ms)
    windows.spend(window._replace(calls=window.calls + 1, last_call_ms=now_ms))


def _rate_limit_error(limit: Limit, wait_ms: int) -> ApiError:
    rule = f"rate_limits: {limit.max_calls} in {limit.window_ms // 1000} s"
    headers = {"x-retry-after": str(-(-wait_ms // 1000)), "x-mockserver-rule": rule}
    return ApiError(errors.RATE_LIMITED, headers=headers)
