"""Rate limits of the sign-in endpoints, for projects with the setting `rate_limits`.

The windows are those of the reference implementation: a window starts again with each allowed call, and
a rejected call neither counts nor extends it.
"""

from collections.abc import Mapping
from ipaddress import ip_address

from mockserver import errors
from mockserver.domain.time.rate_windows import Limit, count
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.requests import RateWindow

PREFIX = "/iam/v2/auth"


CODES = Limit(60_000, 3)
PHONE = Limit(60_000, 10)
CREDENTIALS = Limit(10_000, 3)
OTHERS = Limit(10_000, 100)

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
        return CODES
    if path.startswith("/phone-number"):
        return PHONE
    return CREDENTIALS if path.startswith(_CREDENTIAL_PATHS) else OTHERS


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
    limit, row_id = limit_of(place), f"{address}{place}"
    windows = project.requests.rate_windows
    window, allowance = count(limit, windows.get(row_id) or RateWindow(row_id), project.clock.now_ms)
    if not allowance.is_allowed:
        rule = f"rate_limits: {limit.max_calls} in {limit.window_ms // 1000} s"
        headers = {"x-retry-after": str(allowance.reset_s), "x-mockserver-rule": rule}
        raise ApiError(errors.RATE_LIMITED, headers=headers)
    # `spend`, so that the count survives the rollback of a call that is rejected later.
    windows.put(window)
    windows.spend(window)
