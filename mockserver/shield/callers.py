"""Who asks the share service, by the headers that its client sends."""

from typing import Any, cast, get_args
from urllib.parse import quote

from mockserver import errors
from mockserver.api.call import Call
from mockserver.crypto.tokens import BadToken
from mockserver.domain.identity.access_tokens import use_token
from mockserver.domain.identity.social.provider_configs import read_claims, subject_of
from mockserver.domain.identity.social.third_party import TOKEN_ERRORS, TokenType, user_of_token
from mockserver.domain.wallets.wallets import find_owner
from mockserver.errors import ApiError

OF_TOKEN = (errors.SHIELD_CREDENTIAL_WRONG, *TOKEN_ERRORS)
"""The errors of `owner_signed_in`."""
OF_SECRET = (errors.SHIELD_CREDENTIAL_WRONG,)
"""The errors of `require_secret`."""


def require_header(call: Call[Any, Any], name: str) -> str:
    """The value of a header. ApiError with 401 without it."""
    value = call.request.headers.get(name, "")
    if not value:
        raise _wrong(name, "is missing")
    return value


def require_secret(call: Call[Any, Any]) -> None:
    """Refuse with 401 a caller without the key of the service and its secret; any will do."""
    require_header(call, "x-api-key")
    require_header(call, "x-api-secret")


def owner_named(call: Call[Any, Any]) -> str:
    """The owner whom the developer's backend names: a user or a wallet, or an id of its own."""
    require_secret(call)
    named = require_header(call, "x-user-id")
    if _provider(call) == "custom":
        return _custom(named)
    wallet = find_owner(call.project, named, "x-user-id")
    return wallet.user_id or wallet.id


def owner_signed_in(call: Call[Any, Any]) -> str:
    """The owner who is signed in, here or at a provider, by their token. ApiError with 401."""
    require_header(call, "x-api-key")
    project, headers = call.project, call.request.headers
    token = require_header(call, "authorization").removeprefix("Bearer ")
    third_party = headers.get("x-openfort-provider")
    try:
        if _provider(call) == "custom":
            is_jwt = token.count(".") == 2
            return _custom(subject_of(read_claims(project, "custom", token), "sub") if is_jwt else token)
        if third_party is not None:
            kind = headers.get("x-openfort-token-type")
            if kind not in (None, *get_args(TokenType)):
                raise _wrong("x-openfort-token-type", f"must be {' or '.join(get_args(TokenType))}")
            return user_of_token(project, third_party, token, cast("TokenType | None", kind)).id
    except BadToken as error:
        raise _wrong("authorization", f"has no token of a user: {error}") from None
    found = use_token(project, token)
    if found is None:
        raise _wrong("authorization", "has no token of a user who is signed in")
    return found[0].id


def _provider(call: Call[Any, Any]) -> str:
    provider = require_header(call, "x-auth-provider")
    if provider not in ("openfort", "custom"):
        raise _wrong("x-auth-provider", "must be openfort or custom")
    return provider


def _custom(named: str) -> str:
    """The owner with an id of the developer's own, whose slashes are not those of other ids."""
    return f"custom/{quote(named, safe='')}"


def _wrong(header: str, problem: str) -> ApiError:
    return ApiError(errors.SHIELD_CREDENTIAL_WRONG, param=header, header=header, problem=problem)
