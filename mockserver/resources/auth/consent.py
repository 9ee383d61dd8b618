"""The way to a provider's consent page, and what the browser brings back from it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from mockserver.api.call import Call
from mockserver.domain.identity.access_tokens import issue
from mockserver.domain.identity.social.provider_configs import client_id
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.resources.auth.links import server_url
from mockserver.state.identity import ConsentRequest, Session

_NOTHING: Mapping[str, str] = MappingProxyType({})


def ask_for_consent(call: Call[Any, Any], request: ConsentRequest, more: Mapping[str, str] = _NOTHING) -> str:
    """Store an authorization request; returns the URL of its consent page, which the mock serves.

    `more` are members for the query of the URL.
    """
    project = call.project
    project.identity.consent_requests.insert(request)
    application = client_id(project, request.provider)
    query = {
        **more,
        "state": request.id,
        "scope": " ".join(request.scopes),
        **({"client_id": application} if application else {}),
        **({"login_hint": request.login_hint} if request.login_hint else {}),
    }
    path = f"/_mock/projects/{project.id}/consent/{request.provider}"
    return f"{server_url(call)}{path}?{urlencode(query)}"


def session_members(call: Call[Any, Any], request: ConsentRequest, session: Session) -> dict[str, str]:
    """The members with a session that are added to the URL to which the browser returns."""
    if not request.is_older:
        return {"access_token": session.token, "user_id": session.user_id}
    project = call.project
    user = project.identity.users[session.user_id]
    return {
        "access_token": issue(project, user, session),
        "refresh_token": session.token,
        "player_id": wallet_of_user(project, user).id,
    }
