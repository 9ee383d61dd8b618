"""Signing in with a social provider, by id token or by its consent page, and linking one."""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, PROJECT, SESSION
from mockserver.api.call import Call, Headers, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Text
from mockserver.domain.identity.sessions import sign_cookie
from mockserver.domain.identity.social.consent import LIFETIME_MS, new_state
from mockserver.domain.identity.social.profiles import profile_of_token
from mockserver.domain.identity.social.providers import Provider, require_provider
from mockserver.domain.identity.social.sign_in import link_social, sign_in_social
from mockserver.domain.transactions.account_changes.removal import merge_guest
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Token
from mockserver.resources.auth.consent import (
    CallbackQuery,
    ask_for_consent,
    project_of_callback,
    return_to_application,
)
from mockserver.resources.auth.links import require_trusted
from mockserver.resources.auth.sign_in import caller_of, session_headers, sign_in
from mockserver.responses.auth import SessionUser, session_user
from mockserver.state.identity import ConsentRequest, ProviderProfile, ProviderTokens
from mockserver.state.project import Project

social = Group("Authentication: social providers")

ProviderToken = Annotated[Token, Field(max_length=16_384)]
Scopes = Annotated[list[Text], Field(max_length=100)]

_FIRST_MS = 10**11
"""A time below this is in seconds: as milliseconds it would be before 1973."""


class IdToken(Body):
    """An id token that the app got from the provider, and the tokens with it."""

    token: ProviderToken
    """The id token."""
    nonce: Text | None = None
    """The nonce that the id token must have."""
    accessToken: ProviderToken | None = None
    """The access token that came with it."""
    refreshToken: ProviderToken | None = None
    """The refresh token that came with it."""


class SignInIdToken(IdToken):
    """`expiresAt` is the end of the access token: milliseconds, or seconds, since the Unix epoch."""

    expiresAt: float | None = None
    """When the access token expires, in seconds or milliseconds since 1970."""


class LinkIdToken(IdToken):
    """`scopes` are those that the access token is good for."""

    scopes: Scopes | None = None


class ToProvider(Body):
    """Which provider, and where the browser is sent afterwards."""

    provider: Text
    callbackURL: Text | None = None
    errorCallbackURL: Text | None = None
    disableRedirect: bool | None = None
    requestSignUp: bool | None = None
    scopes: Scopes | None = None


class SignInSocial(ToProvider):
    """With `idToken` the user is signed in at once; without, `url` leads to the provider."""

    newUserCallbackURL: Text | None = None
    idToken: SignInIdToken | None = None
    loginHint: Text | None = None


class LinkSocial(ToProvider):
    """With `idToken` the identity is linked at once; without, `url` leads to the provider."""

    idToken: LinkIdToken | None = None


class SignedInSocially(TypedDict):
    """A session."""

    redirect: bool
    token: Token
    url: str | None
    """Null: there is nowhere to go."""
    user: SessionUser


class SentToProvider(TypedDict):
    """Where to send the browser; `redirect` is whether the app wants to be redirected."""

    url: str
    """Where to send the browser."""
    redirect: bool


class SocialLinked(TypedDict):
    """That the identity is linked, or where to send the browser first."""

    url: str
    """Where to send the browser; empty when the identity is linked."""
    redirect: bool
    status: NotRequired[bool]


@social.endpoint(
    "POST /iam/v2/auth/sign-in/social",
    "socialSignIn",
    PROJECT,
    errors=(
        errors.IAM_INVALID_CALLBACK_URL,
        errors.IAM_INVALID_ERROR_CALLBACK_URL,
        errors.IAM_INVALID_NEW_USER_CALLBACK_URL,
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_PROVIDER_NOT_FOUND,
        errors.IAM_ID_TOKEN_NOT_SUPPORTED,
        errors.IAM_ID_TOKEN_INVALID,
        errors.IAM_USER_EMAIL_NOT_FOUND,
        errors.IAM_ACCOUNT_NOT_LINKED,
        errors.IAM_SIGN_UP_DISABLED,
    ),
)
def sign_in_socially(call: Call[SignInSocial]) -> SignedInSocially | SentToProvider | Reply:
    """Sign in with a provider's id token, or get the URL of its consent page."""
    body, project = call.body, call.project
    require_trusted(call, body.newUserCallbackURL, errors.IAM_INVALID_NEW_USER_CALLBACK_URL)
    provider = _provider(call, body)
    if body.idToken is None:
        return _redirect_to_provider(
            call, provider, hint=body.loginHint, new_user_url=body.newUserCallbackURL
        )
    profile, tokens = _read(project, provider, body.idToken, _moment_ms(body.idToken.expiresAt), ())
    entered = sign_in_social(project, profile, tokens, request_sign_up=bool(body.requestSignUp))
    session = sign_in(call, entered.user)
    merge_guest(project, call.caller.user, entered.user)
    answer: SignedInSocially = {
        "redirect": False,
        "token": session.token,
        "url": None,
        "user": session_user(entered.user),
    }
    return Reply(answer, headers=session_headers(call, session))


@social.endpoint(
    "POST /iam/v2/auth/link-social",
    "linkSocialAccount",
    SESSION,
    errors=(
        errors.IAM_INVALID_CALLBACK_URL,
        errors.IAM_INVALID_ERROR_CALLBACK_URL,
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_PROVIDER_NOT_FOUND,
        errors.IAM_ID_TOKEN_NOT_SUPPORTED,
        errors.IAM_ID_TOKEN_INVALID,
        errors.IAM_USER_EMAIL_NOT_FOUND,
        errors.IAM_LINKING_NOT_ALLOWED,
        errors.IAM_DIFFERENT_EMAILS,
        errors.IAM_IDENTITY_TAKEN,
    ),
)
def link_social_identity(call: Call[LinkSocial]) -> SocialLinked | Reply:
    """Link a social identity to the signed-in user, or get the URL of its consent page."""
    body = call.body
    provider = _provider(call, body)
    if body.idToken is None:
        return _redirect_to_provider(call, provider, links=True)
    scopes = tuple(body.idToken.scopes or ())
    link_social(call.project, caller_of(call), *_read(call.project, provider, body.idToken, None, scopes))
    return {"url": "", "status": True, "redirect": False}


def _provider(call: Call[Any], body: ToProvider) -> Provider:
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    require_trusted(call, body.errorCallbackURL, errors.IAM_INVALID_ERROR_CALLBACK_URL)
    return require_provider(call.project, body.provider)


def _read(
    project: Project, provider: Provider, given: IdToken, ends_ms: int | None, scopes: tuple[str, ...]
) -> tuple[ProviderProfile, ProviderTokens]:
    """The profile in an id token, and the tokens sent with it."""
    profile = profile_of_token(project, provider, given.token, given.nonce)
    tokens = ProviderTokens(
        access_token=given.accessToken or "",
        refresh_token=given.refreshToken,
        id_token=given.token,
        access_expires_ms=ends_ms,
        scopes=scopes,
    )
    return profile, tokens


def _moment_ms(moment: float | None) -> int | None:
    if moment is None:
        return None
    moment_ms = moment if moment >= _FIRST_MS else moment * 1000
    return int(moment_ms) if 0 <= moment_ms <= timestamps.LAST_MS else None


def _redirect_to_provider(
    call: Call[Any],
    provider: Provider,
    *,
    hint: str | None = None,
    new_user_url: str | None = None,
    links: bool = False,
) -> Reply:
    """Redirect to the provider's consent page, which the mock serves."""
    body: ToProvider = call.body
    state = new_state(call.project)
    url = ask_for_consent(
        call,
        ConsentRequest(
            id=state,
            provider=provider.id,
            created_ms=call.now_ms,
            expires_ms=call.now_ms + LIFETIME_MS,
            callback_url=body.callbackURL or "/",
            scopes=tuple(body.scopes or provider.scopes),
            error_callback_url=body.errorCallbackURL or None,
            new_user_callback_url=new_user_url or None,
            request_sign_up=bool(body.requestSignUp),
            login_hint=hint,
            caller_id=call.caller.user.id if call.caller.user else None,
            session_id=call.caller.session.id if call.caller.session else None,
            links=links,
        ),
    )
    answer: SentToProvider = {"url": url, "redirect": not body.disableRedirect}
    return Reply(answer, headers=_state_cookie(call, state))


def _state_cookie(call: Call[Any], state: str) -> Headers:
    """The state cookie of the reference implementation.

    It is not checked: browsers do not store it for a cross-origin fetch.
    """
    secure = "; Secure" if call.request.is_secure else ""
    name = f"{'__Secure-' if secure else ''}better-auth.state"
    attributes = (
        f"; Max-Age={LIFETIME_MS // 1000}; Path={call.request.cookie_path}; HttpOnly; SameSite=Lax{secure}"
    )
    return (("set-cookie", f"{name}={sign_cookie(call.project, state)}{attributes}"),)


@social.endpoint(
    "GET /iam/v2/auth/callback/{provider}",
    "socialCallback",
    NO_CREDENTIALS,
    status=302,
    project_of=project_of_callback,
)
def follow_callback(call: Call[None, CallbackQuery, Project | None]) -> Reply:
    """Handle a provider's callback: redirect to `callbackURL` with a session token, or with `error`."""
    return return_to_application(call, call.path["provider"])
