"""The operations of the public API."""

from collections import defaultdict
from collections.abc import Iterable

from docs.pages.markdown import operation_link, page, table
from mockserver.api.access import NO_CREDENTIALS, PROJECT, SESSION, USERS, Access, Scheme
from mockserver.api.endpoint import Endpoint
from mockserver.server.assembly import ENDPOINTS

_SCHEMES = {
    Scheme.SECRET_KEY: "secret key",
    Scheme.PUBLISHABLE_KEY: "publishable key",
    Scheme.ACCESS_TOKEN: "publishable key and access token",
    Scheme.THIRD_PARTY: "publishable key and third-party token",
    Scheme.AUTH_TOKEN: "session token and project key",
    Scheme.PROJECT_KEY: "project key",
}


def operations_page() -> str:
    """Every operation of the public API: its path, its credentials, whether it is implemented."""
    public = [endpoint for endpoint in ENDPOINTS if endpoint.family.public]
    built = sum(endpoint.handler is not None for endpoint in public)
    lines = [
        "# Operations",
        "",
        f"{len(public)} operations are declared, {built} of them are implemented. The others answer 501",
        "with their operation id. A scenario names an operation by its id.",
        "",
        "Every operation that needs a key answers 401 without one (`api_key_missing`) or with one of the",
        "wrong kind (`scheme_not_allowed`), and 403 when the key lacks the scope (`scope_missing`). One that",
        "takes a body or a query answers 400 when it is not valid. The page of an operation has its request,",
        "its answer, an example and its errors. See also [errors](errors.md), [scopes](scopes.md) and the",
        "[objects](objects.md) of the answers.",
    ]
    for tag, endpoints in by_tag(public).items():
        lines += ["", f"## {tag}", ""]
        lines += table(
            ("operation", "call", "credentials", "scope", "implemented"),
            (_operation_row(endpoint) for endpoint in endpoints),
        )
    return page(lines)


def by_tag(endpoints: Iterable[Endpoint]) -> dict[str, list[Endpoint]]:
    """The endpoints under one heading each, also where several modules declare them."""
    found: dict[str, list[Endpoint]] = defaultdict(list)
    for endpoint in endpoints:
        found[endpoint.tag].append(endpoint)
    return found


def _operation_row(endpoint: Endpoint) -> tuple[str, ...]:
    scope = f"`{endpoint.access.scope}`" if endpoint.access.scope else ""
    return (
        operation_link(endpoint),
        f"`{endpoint.method} {endpoint.path}`",
        callers(endpoint.access),
        scope,
        _implemented(endpoint),
    )


def _implemented(endpoint: Endpoint) -> str:
    if endpoint.handler is None:
        return "no (501)"
    return "yes, deprecated" if endpoint.deprecated else "yes"


def callers(access: Access) -> str:
    """The credentials that an endpoint takes, in words."""
    if access == NO_CREDENTIALS:
        return "none"
    if access == PROJECT:
        return "any key of the project"
    if access == SESSION:
        return "session of a user"
    schemes = set(access.schemes)
    found = []
    if schemes >= USERS:
        schemes -= USERS
        found = ["session of a user"]
    found = [words for scheme, words in _SCHEMES.items() if scheme in schemes] + found
    text = " or ".join(found)
    return f"{text}, signed with the wallet secret" if access.wallet_auth else text
