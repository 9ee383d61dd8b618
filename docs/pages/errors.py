"""The catalogue of errors, and the scopes of keys."""

from collections import defaultdict
from collections.abc import Iterable

from docs.pages.markdown import codes, page, table
from mockserver import errors
from mockserver.api.common_errors import EVERYWHERE
from mockserver.errors import ErrorRow
from mockserver.server.assembly import ENDPOINTS


def scopes_page() -> str:
    """Every scope and the operations that need it."""
    by_scope: dict[str, list[str]] = defaultdict(list)
    for endpoint in ENDPOINTS:
        if endpoint.access.scope:
            by_scope[endpoint.access.scope].append(f"`{endpoint.operation}`")
    rows = ((f"`{name}`", ", ".join(operations)) for name, operations in sorted(by_scope.items()))
    lines = [
        "# Scopes",
        "",
        "A secret key without scopes may call every operation. A key with scopes may call the operations",
        "of these scopes, and those that need no scope. Declare such a key in a scenario (`keys`), or when",
        "creating a project through the control API (`scopes`).",
        "",
        *table(("scope", "operations"), rows),
    ]
    return page(lines)


def errors_page() -> str:
    """The catalogue of errors."""
    raised_by: dict[ErrorRow, list[str]] = defaultdict(list)
    for endpoint in ENDPOINTS:
        for row in endpoint.errors:
            raised_by[row].append(endpoint.operation)
    rows = list(dict.fromkeys(errors.catalogue()))
    lines = [
        "# Errors",
        "",
        "When several errors apply to a call, the first in this order is answered: a scenario's answer,",
        "authentication and scope, rate limit, validation of the request, existence, state, policy.",
        "",
        "The API's errors come as `{error: {type, message, code, param?, details?}}`, those under",
        "`/iam/v2/auth` as `{code, message}`. Names in braces are replaced with values of the call.",
        "",
        f"Any call may be answered with {codes(row.code for row in EVERYWHERE)}.",
        "",
        "## Errors of the API",
        "",
        *_errors_table(row for row in rows if not row.mock_only),
        "",
        "## Errors of the mock server itself",
        "",
        "They come as `application/problem+json` (RFC 9457). The `type` is `urn:mockserver:` and the code,",
        "with hyphens for underscores.",
        "",
        *_errors_table(row for row in rows if row.mock_only),
    ]
    return page(lines)


def _errors_table(rows: Iterable[ErrorRow]) -> list[str]:
    return table(("code", "status", "message"), ((f"`{row[0]}`", str(row[1]), row[2]) for row in rows))
