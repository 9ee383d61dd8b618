"""The common parts of the OpenAPI documents: security schemes, headers, what a document says of its API."""

from typing import Any

from mockserver.api.access import Scheme
from mockserver.server.answering.control_token import TOKEN_HEADER
from mockserver.version import __version__

Schema = dict[str, Any]

_LICENSE: Schema = {"name": "MIT", "identifier": "MIT"}

PUBLIC_INFO: Schema = {
    "title": "Mock server: public API",
    # The version of the API that is imitated (specification, Versioning).
    "version": "1.0.0",
    "x-mockserver-version": __version__,
    "license": _LICENSE,
    "description": (
        "Identity, accounts and wallets, session keys, transactions, policies and gas sponsorship, "
        "answered by a test double. No request leaves the server.\n\n"
        "A secret key (`sk_test_...`) or a publishable key (`pk_test_...`) names the project; a well-formed "
        "test key that nothing declares opens its project on first use. Operations under `/iam/v2/auth` "
        "take `x-project-key`.\n\n"
        "Errors are `{error: {type, message, code, param?, details?}}`, and `{code, message}` under "
        "`/iam/v2`. Errors that only a test double has are `application/problem+json` (RFC 9457), with "
        "those members as well. A scenario may answer any operation with anything: such an answer has the "
        "header `x-mockserver-rule`.\n\n"
        "The control API under `/_mock/` has a document of its own, `/_mock/openapi.json?api=control`."
    ),
}

CONTROL_INFO: Schema = {
    "title": "Mock server: control API",
    "version": __version__,
    "license": _LICENSE,
    "description": (
        "How a test inspects and controls the mock server: projects, clocks, journals, outboxes, snapshots, "
        "scenarios, fates, settings. The real service has no such thing.\n\n"
        "`{p}` is the id of a project, or `-` for the project of the API key in `Authorization`. A member "
        "that an operation does not know is an error. Errors are `application/problem+json` (RFC 9457).\n\n"
        "The API that is imitated has a document of its own, `/_mock/openapi.json`."
    ),
}

SECURITY_SCHEMES: Schema = {
    "secretKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "A secret key of the project, `sk_test_...` or `sk_live_...`. "
        "It may have scopes; without any it may do everything.",
    },
    "secretKeyBasic": {
        "type": "http",
        "scheme": "basic",
        "description": "The secret key as user name, with an empty password.",
    },
    "publishableKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "A publishable key of the project, `pk_test_...` or `pk_live_...`.",
    },
    "sessionToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token of a user's session, which signing in answers.",
    },
    "projectKey": {
        "type": "apiKey",
        "in": "header",
        "name": "x-project-key",
        "description": "The project's publishable key.",
    },
    "playerToken": {
        "type": "apiKey",
        "in": "header",
        "name": "x-player-token",
        "description": "A user's access token, or with `x-auth-provider` that provider's token.",
    },
    "authProvider": {
        "type": "apiKey",
        "in": "header",
        "name": "x-auth-provider",
        "description": "The third-party provider that issued the token, such as `firebase`.",
    },
    "walletAuth": {
        "type": "apiKey",
        "in": "header",
        "name": "x-wallet-auth",
        "description": "An ES256 JWT over the request, signed with the project's wallet secret.",
    },
}

CONTROL_SECURITY_SCHEMES: Schema = {
    "secretKey": SECURITY_SCHEMES["secretKey"],
    "publishableKey": SECURITY_SCHEMES["publishableKey"],
    "controlToken": {
        "type": "apiKey",
        "in": "header",
        "name": TOKEN_HEADER,
        "description": "The server's control token. A server on loopback has none, unless one is set.",
    },
}

SHOWN_BY: dict[Scheme, tuple[tuple[str, ...], ...]] = {
    Scheme.SECRET_KEY: (("secretKey",), ("secretKeyBasic",)),
    Scheme.PUBLISHABLE_KEY: (("publishableKey",),),
    Scheme.ACCESS_TOKEN: (("publishableKey", "playerToken"),),
    Scheme.THIRD_PARTY: (("publishableKey", "playerToken", "authProvider"),),
    Scheme.AUTH_TOKEN: (("sessionToken", "projectKey"),),
    Scheme.PROJECT_KEY: (("projectKey",),),
}
"""The ways to send the credentials of a scheme, each with the headers that it takes."""

PARAMETERS: Schema = {
    "IdempotencyKey": {
        "name": "X-Idempotency-Key",
        "in": "header",
        "description": "The same request with the same key again gets the first answer again.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    },
    "BehalfOfProject": {
        "name": "X-Behalf-Of-Project",
        "in": "header",
        "description": "The project to act for, which must have authorized the caller's.",
        "schema": {"type": "string"},
    },
}

_TEXT: Schema = {"type": "string"}

HEADERS: Schema = {
    "RequestId": {
        "description": "The `x-request-id` of the request, if it has one of up to 128 plain characters.",
        "schema": _TEXT,
    },
    "Rule": {
        "description": "The rule of a scenario that answered, or changed the answer.",
        "schema": _TEXT,
    },
    "Hint": {
        "description": "What was accepted although the specification does not grant it.",
        "schema": _TEXT,
    },
    "RetryAfter": {"description": "Seconds until the next attempt.", "schema": _TEXT},
    "Location": {"description": "Where to go on, with the outcome in its query.", "schema": _TEXT},
}
"""The headers of answers, by the names that the documents refer to."""
