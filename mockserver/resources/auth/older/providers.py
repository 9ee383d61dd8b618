"""Social and third-party providers of the older sign-in."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, Access, Scheme, any_scheme
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Query, Text
from mockserver.domain.identity.social.consent import LIFETIME_MS, find_authorization, new_state
from mockserver.domain.identity.social.profiles import profile_of_token
from mockserver.domain.identity.social.providers import require_provider
from mockserver.domain.identity.social.sign_in import sign_in_social, unlink_identity
from mockserver.domain.identity.social.third_party import TOKEN_ERRORS, TokenType, link_token, user_of_token
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secrecy, Secret, Token
from mockserver.resources.auth.consent import (
    CallbackQuery,
    ask_for_consent,
    exchange_code,
    project_of_callback,
    return_to_application,
)
from mockserver.resources.auth.links import require_trusted
from mockserver.resources.auth.older.answers import (
    PLAYER,
    VISITOR,
    PlayerSession,
    caller_answer,
    player_session,
    replaced_by,
    sign_in_player,
)
from mockserver.resources.auth.sign_in import caller_of, sign_in
from mockserver.responses.auth_players import AuthPlayerAnswer, auth_player_answer
from mockserver.state.existence import note_dropped
from mockserver.state.identity import ConsentRequest, ProviderTokens, Session
from mockserver.state.project import Project

older_providers = Group("Sign-in (older): providers")

ProviderToken = Annotated[Token, Field(min_length=1, max_length=16_384)]
Parameters = Annotated[dict[Text, Text], Field(max_length=100)]

_WITH_TOKEN: Access = any_scheme(Scheme.PUBLISHABLE_KEY, Scheme.THIRD_PARTY)
_CALLBACK = replaced_by("the callbackURL of POST /iam/v2/auth/sign-in/social")
_INIT_ERRORS = (errors.IAM_INVALID_REDIRECT_URL, errors.IAM_PROVIDER_DISABLED, errors.IAM_PROVIDER_NOT_FOUND)


class OAuthOptions(Body):
    """Where the browser goes afterwards, and what the provider is asked for."""

    redirectTo: Text | None = None
    """The URL that the browser returns to, with `access_token`, `refresh_token` and `player_id`."""
    callbackTo: Text | None = None
    """The URL of the application's own to which the provider sends the browser, with `state` and `code`."""
    scopes: Text | None = None
    """What the provider is asked for, separated by spaces."""
    queryParams: Parameters | None = None
    """Members for the query of the consent page; `login_hint` preselects its user."""


class InitOAuth(Body):
    """Which provider, and how the application learns of the session."""

    provider: Text
    options: OAuthOptions | None = None
    """Where the browser goes afterwards, and what the provider is asked for."""
    usePooling: bool = False
    """Whether the application asks for the session by its `key`, because no browser returns to it."""


class OAuthKey(Query):
    """The key of a sign-in by a consent page."""

    key: Annotated[Text, Secrecy.SECRET]


class GrantOAuth(Body):
    """What the provider sent to the application's own URL."""

    code: Annotated[Secret, Field(max_length=64)]
    """The authorization code of the provider."""
    state: Text


class PlayerToken(Body):
    """A token of a provider."""

    provider: Text
    token: ProviderToken
    """The provider's token."""


class PlayerProviderToken(PlayerToken):
    """A token of a third-party provider."""

    tokenType: TokenType | None = None


class LinkedProviderToken(PlayerToken):
    """A token of a third-party provider, to link."""

    tokenType: TokenType


class UnlinkProvider(Body):
    """The provider whose identity is unlinked."""

    provider: Text


class OAuthBegun(TypedDict):
    """Where to send the browser, and the key to ask for the session with."""

    url: str
    """Where to send the browser."""
    key: Secret
    """The key to ask for the session with, if that was wanted."""


class OAuthGranted(TypedDict):
    """A session that was exchanged for an authorization code."""

    accessToken: Token
    """An access token, which the project's key set verifies."""
    refreshToken: Token
    """The token of the session, for the next access token."""
    playerId: str
    """The player who is signed in."""


@older_providers.endpoint(
    "POST /iam/v1/oauth/init",
    "InitOAuth",
    VISITOR,
    status=201,
    errors=_INIT_ERRORS,
    leniency=replaced_by("POST /iam/v2/auth/sign-in/social"),
)
def init_oauth(call: Call[InitOAuth]) -> OAuthBegun:
    """Begin to sign in at a social provider, by its consent page."""
    return _begin(call, None)


@older_providers.endpoint(
    "POST /iam/v1/oauth/init_link",
    "LinkOAuth",
    PLAYER,
    status=201,
    errors=_INIT_ERRORS,
    leniency=replaced_by("POST /iam/v2/auth/link-social"),
)
def init_link(call: Call[InitOAuth]) -> OAuthBegun:
    """Begin to link an identity at a social provider, by its consent page."""
    # A user of a third-party provider has none, and the way back from the page needs one.
    return _begin(call, call.caller.session or sign_in(call, caller_of(call)))


def _begin(call: Call[InitOAuth], session: Session | None) -> OAuthBegun:
    """Ask the provider for consent; with a session, to link an identity to its user."""
    body, project = call.body, call.project
    options = body.options or OAuthOptions()
    for url in (options.redirectTo, options.callbackTo):
        require_trusted(call, url, errors.IAM_INVALID_REDIRECT_URL)
    provider = require_provider(project, body.provider)
    more = dict(options.queryParams or {})
    key = project.new_token("oauth_key")
    request = ConsentRequest(
        id=new_state(project),
        provider=provider.id,
        created_ms=call.now_ms,
        expires_ms=call.now_ms + LIFETIME_MS,
        callback_url=options.redirectTo or "/",
        scopes=tuple((options.scopes or "").split()) or provider.scopes,
        error_callback_url=options.redirectTo or None,
        request_sign_up=True,
        login_hint=more.pop("login_hint", None),
        caller_id=session.user_id if session else None,
        session_id=session.id if session else None,
        links=session is not None,
        polling_key=key if body.usePooling else None,
        is_older=True,
        provider_returns_to=options.callbackTo or None,
    )
    return {"url": ask_for_consent(call, request, more), "key": key}


@older_providers.endpoint(
    "GET /iam/v1/oauth/callback/{provider}",
    "CallbackOAuth",
    NO_CREDENTIALS,
    status=302,
    project_of=project_of_callback,
    leniency=_CALLBACK,
)
def follow_older_callback(call: Call[None, CallbackQuery, Project | None]) -> Reply:
    """Handle a provider's callback: redirect to `redirectTo` with a session, or with `error`."""
    return return_to_application(call, call.path["provider"])


@older_providers.endpoint(
    "GET /iam/v1/oauth/callback",
    "DeprecatedCallbackOAuth",
    NO_CREDENTIALS,
    status=302,
    project_of=project_of_callback,
    leniency=_CALLBACK,
    deprecated=True,
)
def follow_callback_of_any_provider(call: Call[None, CallbackQuery, Project | None]) -> Reply:
    """Handle the callback of the provider that the `state` was for."""
    return return_to_application(call, None)


@older_providers.endpoint(
    "POST /iam/v1/oauth/grant/{provider}",
    "GrantOAuth",
    VISITOR,
    errors=(
        errors.OAUTH_CODE_INVALID,
        errors.IAM_PROVIDER_NOT_FOUND,
        errors.IAM_USER_EMAIL_NOT_FOUND,
        errors.IAM_ACCOUNT_NOT_LINKED,
        errors.IAM_LINKING_NOT_ALLOWED,
        errors.IAM_DIFFERENT_EMAILS,
        errors.IAM_IDENTITY_TAKEN,
    ),
    leniency=_CALLBACK,
)
def grant_oauth(call: Call[GrantOAuth]) -> OAuthGranted:
    """Exchange the `code` and `state` that a provider sent to `callbackTo` for a session."""
    requests = call.project.identity.consent_requests
    request = find_authorization(call.project, call.body.state, call.path["provider"])
    if request is None or not request.is_older:
        raise ApiError(errors.OAUTH_CODE_INVALID, note=note_dropped(requests))
    session = exchange_code(call, request, call.body.code).session
    requests.destroy(request.id)
    made = player_session(call, call.project.identity.users[session.user_id], session)
    return {
        "accessToken": made["token"],
        "refreshToken": made["refreshToken"],
        "playerId": made["player"]["id"],
    }


@older_providers.endpoint(
    "POST /iam/v1/oauth/pool",
    "PoolOAuth",
    VISITOR,
    errors=(errors.OAUTH_NOT_FINISHED,),
    leniency=_CALLBACK,
)
def pool_oauth(call: Call[None, OAuthKey]) -> PlayerSession:
    """Ask for the session of a sign-in by a consent page, which is given once."""
    identity = call.project.identity
    row = identity.verifications.first("identifier", ("oauth-key", call.query.key))
    session = identity.sessions.get(row.value) if row else None
    if row is None or session is None or row.expires_ms <= call.now_ms:
        note = note_dropped(identity.verifications)
        raise ApiError(errors.OAUTH_NOT_FINISHED, param="key", note=note)
    identity.verifications.destroy(row.id)
    return player_session(call, identity.users[session.user_id], session)


@older_providers.endpoint(
    "POST /iam/v1/oauth/login_id_token",
    "LoginWithIdToken",
    _WITH_TOKEN,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_PROVIDER_NOT_FOUND,
        errors.IAM_ID_TOKEN_NOT_SUPPORTED,
        errors.IAM_ID_TOKEN_INVALID,
        errors.IAM_USER_EMAIL_NOT_FOUND,
        errors.IAM_ACCOUNT_NOT_LINKED,
    ),
    leniency=replaced_by("POST /iam/v2/auth/sign-in/social"),
)
def log_in_with_id_token(call: Call[PlayerToken]) -> PlayerSession:
    """Sign in with a social provider's id token."""
    body, project = call.body, call.project
    profile = profile_of_token(project, require_provider(project, body.provider), body.token, None)
    tokens = ProviderTokens(id_token=body.token)
    return sign_in_player(call, sign_in_social(project, profile, tokens, request_sign_up=True).user)


@older_providers.endpoint(
    "POST /iam/v1/oauth/third_party",
    "ThirdParty",
    _WITH_TOKEN,
    errors=TOKEN_ERRORS,
    leniency=replaced_by("POST /iam/v2/user/third_party"),
)
def find_third_party_player(call: Call[PlayerProviderToken]) -> AuthPlayerAnswer:
    """Retrieve the user of a third-party provider's token; created on first use."""
    body, project = call.body, call.project
    return auth_player_answer(project, user_of_token(project, body.provider, body.token, body.tokenType))


@older_providers.endpoint(
    "POST /iam/v1/oauth/link",
    "LinkThirdParty",
    PLAYER,
    status=201,
    errors=(*TOKEN_ERRORS, errors.IAM_IDENTITY_TAKEN),
    leniency=replaced_by("POST /iam/v2/auth/link-social"),
)
def link_third_party(call: Call[LinkedProviderToken]) -> AuthPlayerAnswer:
    """Link the identity of a third-party provider's token to the user."""
    body = call.body
    link_token(call.project, caller_of(call), body.provider, body.token, body.tokenType)
    return caller_answer(call)


@older_providers.endpoint(
    "POST /iam/v1/oauth/unlink",
    "UnlinkOAuth",
    PLAYER,
    errors=(errors.IAM_ACCOUNT_NOT_FOUND, errors.IAM_LAST_ACCOUNT),
    leniency=replaced_by("POST /iam/v2/auth/unlink-account"),
)
def unlink_oauth(call: Call[UnlinkProvider]) -> AuthPlayerAnswer:
    """Unlink the identity at a provider, unless it is the user's last way to sign in."""
    unlink_identity(call.project, caller_of(call), call.body.provider)
    return caller_answer(call)
