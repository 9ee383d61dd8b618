"""Session keys: keys that may act for an account within limits (specification, Session keys)."""

from mockserver.api.access import USERS, Scheme, secret_key
from mockserver.api.endpoint import Group

session_keys = Group("Session keys")

_WRITERS = secret_key("sessions:write", *USERS)

session_keys.planned("GET", "/v1/sessions", "GetPlayerSessions", secret_key("sessions:read"))
session_keys.planned("POST", "/v1/sessions", "CreateSession", _WRITERS)
session_keys.planned("POST", "/v1/sessions/revoke", "RevokeSession", _WRITERS)
session_keys.planned(
    "POST",
    "/v1/sessions/{id}/signature",
    "SignatureSession",
    secret_key("sessions:write", Scheme.PUBLISHABLE_KEY, Scheme.AUTH_TOKEN),
)
session_keys.planned("GET", "/v1/sessions/{id}", "GetSession", secret_key("sessions:read"))
