"""The common parts of the OpenAPI documents: the security schemes."""

from typing import Any

from mockserver.api.access import Scheme
from mockserver.server.control_token import TOKEN_HEADER

Schema = dict[str, Any]

SECURITY_SCHEMES: Schema = {
    "secretKey": {"type": "http", "scheme": "bearer", "description": "A secret key, `sk_...`."},
    "publishableKey": {"type": "http", "scheme": "bearer", "description": "A publishable key, `pk_...`."},
    "sessionToken": {"type": "http", "scheme": "bearer", "description": "A signed-in user's session token."},
    "projectKey": {"type": "apiKey", "in": "header", "name": "x-project-key"},
    "playerToken": {"type": "apiKey", "in": "header", "name": "x-player-token"},
    "authProvider": {"type": "apiKey", "in": "header", "name": "x-auth-provider"},
    "walletAuth": {
        "type": "apiKey",
        "in": "header",
        "name": "x-wallet-auth",
        "description": "A JWT over the request, signed with the project's wallet secret.",
    },
}

CONTROL_SECURITY_SCHEMES: Schema = {
    "controlToken": {
        "type": "apiKey",
        "in": "header",
        "name": TOKEN_HEADER,
        "description": "The server's control token. A server on loopback has none, unless one is set.",
    },
}

SHOWN_BY: dict[Scheme, tuple[str, ...]] = {
    Scheme.SECRET_KEY: ("secretKey",),
    Scheme.PUBLISHABLE_KEY: ("publishableKey",),
    Scheme.ACCESS_TOKEN: ("publishableKey", "playerToken"),
    Scheme.THIRD_PARTY: ("publishableKey", "playerToken", "authProvider"),
    Scheme.AUTH_TOKEN: ("sessionToken", "projectKey"),
    Scheme.PROJECT_KEY: ("projectKey",),
    Scheme.CONTROL_TOKEN: ("controlToken",),
}
"""The headers with credentials, by scheme."""

HEADERS: Schema = {
    "IdempotencyKey": {
        "name": "X-Idempotency-Key",
        "in": "header",
        "description": "The same request again gets the first answer again.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    },
    "BehalfOfProject": {
        "name": "X-Behalf-Of-Project",
        "in": "header",
        "description": "The project to act for, which must have authorized the caller's.",
        "schema": {"type": "string"},
    },
}
