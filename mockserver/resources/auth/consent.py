"""The way to a provider's consent page, and what the browser brings back from it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from mockserver import errors
from mockserver.api.call import AnyCall, Call, Reply, Request, has_project
from mockserver.api.wire import Query, Text
from mockserver.domain.identity.access_tokens import issue
from mockserver.domain.identity.social.consent import LIFETIME_MS, find_authorization, project_of_state
from mockserver.domain.identity.social.provider_configs import client_id
from mockserver.domain.identity.social.provider_tokens import issue_tokens
from mockserver.domain.identity.social.providers import provider_of
from mockserver.domain.identity.social.sign_in import link_social, sign_in_social
from mockserver.domain.identity.verifications import issue_verification
from mockserver.domain.transactions.account_changes.removal import merge_guest
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel.secrecy import Secrecy
from mockserver.resources.auth.links import auth_url, query_value, redirect, server_url
from mockserver.resources.auth.sign_in import session_headers, sign_in
from mockserver.state.identity import ConsentRequest, ProviderProfile, ProviderTokens, Session
from mockserver.state.project import Project
from mockserver.state.world import World

_NOTHING: Mapping[str, str] = MappingProxyType({})

_CALLBACK_ERRORS: Mapping[ErrorRow, str] = {
    errors.OAUTH_CODE_INVALID: "invalid_code",
    errors.IAM_PROVIDER_NOT_FOUND: "oauth_provider_not_found",
    errors.IAM_USER_EMAIL_NOT_FOUND: "email_not_found",
    errors.IAM_ACCOUNT_NOT_LINKED: "account_not_linked",
    errors.IAM_SIGN_UP_DISABLED: "signup_disabled",
    errors.IAM_LINKING_NOT_ALLOWED: "unable_to_link_account",
    errors.IAM_DIFFERENT_EMAILS: "email_doesn't_match",
    errors.IAM_IDENTITY_TAKEN: "account_already_linked_to_different_user",
}
"""The `error` that a callback passes on for an ApiError."""


class CallbackQuery(Query):
    """The parameters that the provider adds to the callback."""

    state: Text | None = None
    code: Annotated[Text, Secrecy.SECRET] | None = None
    """The authorization code of the provider."""
    error: Text | None = None
    """Why the provider refused."""


class Consented(NamedTuple):
    """The session of a user who has consented, and whether the user is new."""

    session: Session
    is_new: bool


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


def project_of_callback(world: World, request: Request, path: Mapping[str, str]) -> Project | None:
    """The project whose `state` the query of a callback has."""
    return project_of_state(world, query_value(request, "state"))


def return_to_application(call: Call[None, CallbackQuery, Project | None], provider: str | None) -> Reply:
    """Redirect from a provider's callback to the application, with a session or with `error`.

    Without a provider it is the one of the `state`.
    """
    if not call.query.state:
        return _redirect_with_error(call, None, "state_not_found")
    if not has_project(call):
        return _redirect_with_error(call, None, "please_restart_the_process")
    consent = find_authorization(call.project, call.query.state, provider)
    if consent is None:
        return _redirect_with_error(call, None, "please_restart_the_process")
    call.project.identity.consent_requests.destroy(consent.id)
    if call.query.error:
        return _redirect_with_error(call, consent, call.query.error)
    if not call.query.code:
        return _redirect_with_error(call, consent, "no_code")
    try:
        made = exchange_code(call, consent, call.query.code)
    except ApiError as rejected:
        return _redirect_with_error(call, consent, _CALLBACK_ERRORS[rejected.row])
    url = (consent.new_user_callback_url if made.is_new else None) or consent.callback_url
    reply = redirect(call, url, **_session_members(call, consent, made.session))
    cookies = () if consent.links else session_headers(call, made.session)
    return reply._replace(headers=(*reply.headers, *cookies))


def _redirect_with_error(call: AnyCall, consent: ConsentRequest | None, error: str) -> Reply:
    url = consent.error_callback_url if consent else None
    return redirect(call, url or f"{auth_url(call)}/error", error=error)


def exchange_code(call: Call[Any, Any], request: ConsentRequest, code: str) -> Consented:
    """Sign in the user who has consented, or link their identity. ApiError for a wrong code, too."""
    project, identity = call.project, call.project.identity
    profile = identity.profiles.get(request.profile_id)
    if profile is None or code != request.code:
        raise ApiError(errors.OAUTH_CODE_INVALID)
    provider = provider_of(project, request.provider)
    if provider is None:
        raise ApiError(errors.IAM_PROVIDER_NOT_FOUND)
    tokens = issue_tokens(project, provider, profile, request.scopes)
    if request.links:
        return Consented(_link(call, request, profile, tokens), is_new=False)
    entered = sign_in_social(project, profile, tokens, request_sign_up=request.request_sign_up)
    session = sign_in(call, entered.user)
    merge_guest(project, identity.users.get(request.caller_id), entered.user)
    if request.polling_key is not None:
        issue_verification(project, "oauth-key", request.polling_key, session.id, LIFETIME_MS)
    return Consented(session, entered.is_new)


def _link(
    call: Call[Any, Any], request: ConsentRequest, profile: ProviderProfile, tokens: ProviderTokens
) -> Session:
    """Link an identity to the user who asked for it. ApiError if the session that did so has ended."""
    identity = call.project.identity
    user = identity.users.get(request.caller_id)
    session = identity.sessions.get(request.session_id)
    if user is None or session is None or session.expires_ms <= call.now_ms:
        raise ApiError(errors.IAM_LINKING_NOT_ALLOWED)
    link_social(call.project, user, profile, tokens)
    return session


def _session_members(call: Call[Any, Any], request: ConsentRequest, session: Session) -> dict[str, str]:
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
