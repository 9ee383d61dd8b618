"""The errors that follow from an endpoint's declaration; it lists its specific ones itself."""

from collections.abc import Iterator

from mockserver import errors
from mockserver.api.access import USERS
from mockserver.api.endpoint import Endpoint
from mockserver.errors import ErrorRow

EVERYWHERE = (
    errors.METHOD_NOT_ALLOWED,
    errors.IAM_METHOD_NOT_ALLOWED,
    errors.BODY_TOO_LARGE,
    errors.URL_TOO_LONG,
    errors.HEADERS_TOO_LARGE,
    errors.TOO_MANY_HEADERS,
    errors.HTTPS_REQUIRED,
    errors.KEY_MALFORMED,
    errors.KEY_UNKNOWN,
    errors.LIVE_KEY_UNDECLARED,
    errors.SESSION_INVALID,
    errors.PLAYER_TOKEN_INVALID,
    errors.PROVIDER_UNKNOWN,
    errors.PROVIDER_OFF,
    errors.NOT_IN_SPECIFICATION,
    errors.INTERRUPTED,
    errors.INTERNAL,
    errors.CONTROL_NOT_READY,
)
"""What any call may get: before its endpoint is found, or because of its credentials."""


_OF_KEYS = frozenset(
    {errors.KEY_MALFORMED, errors.KEY_UNKNOWN, errors.LIVE_KEY_UNDECLARED, errors.SESSION_INVALID}
)
_OF_USERS = frozenset({errors.PLAYER_TOKEN_INVALID, errors.PROVIDER_UNKNOWN})
_OF_CLIENTS = frozenset({errors.HTTPS_REQUIRED, errors.INTERRUPTED})


def possible_errors(endpoint: Endpoint) -> Iterator[ErrorRow]:
    """Every error that an endpoint may answer with once its path and method are found."""
    impossible = _impossible(endpoint)
    yield from (row for row in EVERYWHERE if row not in impossible)
    yield from common_errors(endpoint)
    yield from endpoint.errors


def _impossible(endpoint: Endpoint) -> set[ErrorRow]:
    """The errors of any call that this endpoint does not answer with."""
    found = {errors.METHOD_NOT_ALLOWED, errors.IAM_METHOD_NOT_ALLOWED}
    if not endpoint.access.schemes & USERS:
        found |= _OF_USERS
    if not endpoint.family.is_journaled:
        found |= _OF_CLIENTS
    if not endpoint.family.public:
        found.add(errors.NOT_IN_SPECIFICATION)
        if "p" not in endpoint.parameters:
            found |= _OF_KEYS
    return found


def common_errors(endpoint: Endpoint) -> Iterator[ErrorRow]:
    """The errors of everything the endpoint declares, in the order of the checks."""
    if "p" in endpoint.parameters:
        yield errors.KEY_MISSING
        yield errors.CONTROL_UNKNOWN_PROJECT
    yield from _of_access(endpoint)
    if endpoint.on_behalf:
        yield errors.PROJECT_NOT_AUTHORIZED
    if endpoint.query is not None or endpoint.body is not None or not endpoint.family.public:
        yield endpoint.family.invalid_parameters
    if endpoint.method != "GET" and endpoint.family.public and not endpoint.family.is_rpc:
        yield errors.IDEMPOTENCY_KEY_INVALID
        yield errors.IDEMPOTENCY_KEY_REUSED
        yield errors.IDEMPOTENCY_KEY_IN_USE
    if endpoint.body is not None:
        yield endpoint.family.invalid_json
        if endpoint.family.unsupported_media_type is not None:
            yield endpoint.family.unsupported_media_type


def _of_access(endpoint: Endpoint) -> Iterator[ErrorRow]:
    access = endpoint.access
    if not endpoint.family.public:
        yield from control_errors(endpoint)
        return
    if endpoint.path.startswith("/iam/v2/auth/"):
        yield errors.IAM_MISSING_ORIGIN
        yield errors.IAM_INVALID_ORIGIN
        yield errors.RATE_LIMITED
    if access.open:
        return
    yield errors.KEY_MISSING
    yield errors.SCHEME_NOT_ALLOWED
    if access.session_required:
        yield errors.IAM_UNAUTHORIZED
    if access.scope:
        yield errors.SCOPE_MISSING


def control_errors(endpoint: Endpoint) -> Iterator[ErrorRow]:
    """The errors of the checks of the control API."""
    if not endpoint.access.open:
        yield errors.CONTROL_TOKEN_MISSING
        yield errors.CONTROL_TOKEN_INVALID
        yield errors.CONTROL_TOKEN_UNSET
        yield errors.CONTROL_CONTENT_TYPE
    if not endpoint.access.open or endpoint.access.own_site:
        yield errors.CONTROL_HOST_REFUSED
    if not endpoint.access.open or endpoint.access.own_site or endpoint.method != "GET":
        yield errors.CONTROL_ORIGIN_REFUSED
        yield errors.CONTROL_SITE_REFUSED
