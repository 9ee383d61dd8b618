"""Who is calling: from headers to a project and a caller (specification, Authentication)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import parse_qs

from mockserver import errors
from mockserver.api.access import SCHEME_WORDS, Scheme
from mockserver.api.call import ANONYMOUS_CALLER, Caller, Identified, Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import IAM
from mockserver.domain.identity.access_tokens import note_ended, project_of_token, read_token
from mockserver.domain.identity.sessions import renew_session
from mockserver.domain.identity.social.third_party import user_of_token
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.state.api_keys import KEY_PREFIXES, LIVE_KEY_PREFIXES, KeyKind
from mockserver.state.project import Project
from mockserver.state.world import KnownKey, UnknownKey, World

_caller_with_key = lru_cache(maxsize=64)(Caller)
_SCHEMES: Mapping[KeyKind, Scheme] = {"sk": Scheme.SECRET_KEY, "pk": Scheme.PUBLISHABLE_KEY}


def identify(world: World, headers: Mapping[str, str]) -> Identified | None:
    """Whose request this is; None when it carries no credentials. ApiError for an unknown key."""
    authorization = headers.get("authorization")
    text = None if authorization is None else _credential_of(authorization)
    if "x-api-key" in headers:
        api_key = headers["x-api-key"].rpartition(" ")[2]
        if text is not None:
            _refuse_live_key_beside(world, api_key)
        elif api_key.startswith(KEY_PREFIXES):
            text = api_key
    if text is None:
        key_text = headers.get("x-project-key")
        if key_text is None:
            return None
        return _with_key(_find_key(world, key_text), key_text, Scheme.PROJECT_KEY, headers)
    if "x-project-key" in headers:
        _refuse_live_key_beside(world, headers["x-project-key"])
    if text.startswith(KEY_PREFIXES):
        key = _find_key(world, text)
        return _with_key(key, text, _SCHEMES[key.kind], headers)
    return _with_session(world, text, headers)


def _credential_of(authorization: str) -> str:
    kind, _, text = authorization.partition(" ")
    if kind != "Bearer":
        kind = kind.lower()
        if kind == "basic":
            text = _basic_user(text)
        elif kind != "bearer":
            text = authorization
    return text.strip()


def _with_key(key: KnownKey, text: str, scheme: Scheme, headers: Mapping[str, str]) -> Identified:
    token = headers.get("x-player-token")
    if token is None or scheme is not Scheme.PUBLISHABLE_KEY:
        return Identified(key.project, scheme, key.scopes, None, None, token, text)
    provider = headers.get("x-auth-provider")
    scheme = Scheme.ACCESS_TOKEN if provider is None else Scheme.THIRD_PARTY
    return Identified(key.project, scheme, key.scopes, token, provider, key=text)


def _with_session(world: World, token: str, headers: Mapping[str, str]) -> Identified:
    key_text = headers.get("x-project-key")
    if key_text is not None:
        key = _find_key(world, key_text)
        return Identified(key.project, Scheme.AUTH_TOKEN, frozenset(), token, key=key_text)
    meant = project_of_token(world, token)
    if meant is not None:
        return Identified(meant, Scheme.AUTH_TOKEN, frozenset(), token)
    project = project_of_session(world, token)
    if project is None:
        raise _no_session(world.may_have_issued(token), token)
    return Identified(project, Scheme.AUTH_TOKEN, frozenset(), token)


def _no_session(projects: Iterable[Project], token: str) -> ApiError:
    """The error for a token without a session in the projects that may have issued it."""
    if not token:
        return ApiError(errors.KEY_MISSING)
    notes = (note_ended(project, token) for project in projects)
    return ApiError(errors.SESSION_INVALID, note=next(filter(None, notes), ""))


def project_of_session(world: World, token: str) -> Project | None:
    """The project of a session, by its token: raw, or signed as itself, a dot and the signature."""
    raw = token.partition(".")[0]
    for project in world.may_have_issued(raw):
        if project.identity.sessions.first("token", raw) is not None:
            return project
    return None


def _find_key(world: World, text: str) -> KnownKey:
    try:
        return world.key(text)
    except UnknownKey as error:
        rows = {
            "malformed": errors.KEY_MALFORMED,
            "undeclared": errors.KEY_UNKNOWN,
            "undeclared_live": errors.LIVE_KEY_UNDECLARED,
        }
        raise ApiError(rows[error.reason]) from None


def _refuse_live_key_beside(world: World, beside: str) -> None:
    """Clients send a project key beside a secret key; an undeclared live one must not reach the journal."""
    if beside.startswith(LIVE_KEY_PREFIXES) and not world.is_taken(beside):
        raise ApiError(errors.LIVE_KEY_UNDECLARED)


def _basic_user(text: str) -> str:
    """The key that HTTP basic authentication carries as its user name (RFC 7617)."""
    # Imported on first use: few clients send it.
    from mockserver.kernel.codec import read_base64

    try:
        user = read_base64(text).decode().partition(":")[0]
    except ValueError:
        user = ""
    if not user.startswith(KEY_PREFIXES):
        raise ApiError(errors.KEY_MALFORMED)
    return user


def find_project(world: World, name: str, headers: Mapping[str, str]) -> Project:
    """The project that a path of the control API names: by its id, or `-` for the one of the caller's key.

    A test key opens its project; ApiError with 404 for an unknown id and 401 without a key.
    """
    if name != "-":
        project = world.get(name)
        if project is None:
            raise ApiError(errors.CONTROL_UNKNOWN_PROJECT, id=shorten(name))
        return project
    identified = identify(world, headers)
    if identified is None:
        raise ApiError(errors.KEY_MISSING)
    return identified.project


def find_named(world: World, request: Request, path: Mapping[str, str]) -> Project | None:
    """The project that the path of a node or the share service names: by its id or publishable key."""
    name = path["p"]
    if name.startswith("pk_"):
        identified = identify(world, {"authorization": f"Bearer {name}"})
        return identified.project if identified else None
    return find_project(world, name, request.headers)


def admit(endpoint: Endpoint, identified: Identified | None, request: Request) -> Caller:
    """The caller, if the endpoint takes it. ApiError with 401, or 403 for a missing scope.

    This renews the caller's session when it is due, unless the query says `disableRefresh=true`.
    """
    access = endpoint.access
    if not access.schemes:
        return ANONYMOUS_CALLER
    if identified is None:
        raise ApiError(errors.KEY_MISSING)
    if identified.scheme not in access.schemes:
        raise ApiError(
            errors.SCHEME_NOT_ALLOWED,
            operation=endpoint.operation,
            scheme=SCHEME_WORDS[identified.scheme],
            accepted=" or ".join(words for scheme, words in SCHEME_WORDS.items() if scheme in access.schemes),
        )
    if identified.token is None:
        return _with_scopes(endpoint, identified, request)
    caller = _require_session(endpoint, identified, identified.token, request)
    if caller.session is None or parse_qs(request.query).get("disableRefresh") == ["true"]:
        return caller
    session = renew_session(identified.project, caller.session)
    return caller._replace(session=session, renewed=session is not caller.session)


def name_caller(identified: Identified, by: str) -> str | None:
    """The text of the caller's key, or the id of the user; None for a caller without one."""
    # Only rules ask for it, and to import what they are written in takes as long as all the rest.
    from mockserver.scenario.grammar.callers import find_user_id

    return identified.key if by == "key" else find_user_id(identified)


def _with_scopes(endpoint: Endpoint, identified: Identified, request: Request) -> Caller:
    access = endpoint.access
    scope, scopes = access.scope, identified.scopes
    if scope and scopes and scope not in scopes and identified.scheme is Scheme.SECRET_KEY:
        raise ApiError(errors.SCOPE_MISSING, scope=scope)
    if access.aal2:
        _require_aal2(endpoint, identified)
    if access.session_required:
        raise _unauthorized(endpoint, request)
    return _caller_with_key(identified.scheme, identified.scopes)


def _unauthorized(endpoint: Endpoint, request: Request, note: str = "") -> ApiError:
    """That there is no session. ApiError for a body that is wrong, which the reference looks at before."""
    # It links no wallets: these operations have a family of their own.
    if endpoint.family is IAM:
        endpoint.read_body(request.body, request.headers.get("content-type", ""))
    return ApiError(errors.IAM_UNAUTHORIZED, note=note)


def _require_aal2(endpoint: Endpoint, identified: Identified) -> None:
    """Refuse with 403 what needs multi-factor authentication, where neither session nor project has it."""
    valid = read_token(identified.project, identified.beside) if identified.beside else None
    if not identified.project.settings.aal2 and not (valid and valid.session.aal2):
        raise ApiError(errors.AAL2_REQUIRED, operation=endpoint.operation)


def _require_session(endpoint: Endpoint, identified: Identified, token: str, request: Request) -> Caller:
    if identified.scheme is Scheme.THIRD_PARTY:
        user = user_of_token(identified.project, identified.provider or "", token)
        return Caller(identified.scheme, user=user)
    valid = read_token(identified.project, token)
    if valid is not None:
        return Caller(identified.scheme, user=valid.user, session=valid.session)
    if endpoint.family.forgives_tokens:
        note = note_ended(identified.project, token)
        if endpoint.access.session_required:
            raise _unauthorized(endpoint, request, note)
        return Caller(identified.scheme, note=note)
    raise _no_session([identified.project], token)


def check_wallet_auth(endpoint: Endpoint, project: Project, request: Request) -> None:
    """Refuse a request with 401 that should be signed with the wallet secret and is not."""
    if not endpoint.access.wallet_auth:
        return
    from mockserver.domain.wallets import wallet_auth

    token = request.headers.get("x-wallet-auth")
    if token is None:
        raise ApiError(errors.WALLET_AUTH_MISSING, param=wallet_auth.HEADER, operation=endpoint.operation)
    wallet_auth.verify_header(project, token, request)


def find_target_project(world: World, project: Project, request: Request) -> Project:
    """The project a request acts on: the caller's, or the one named by `X-Behalf-Of-Project`.

    That project must be of the same mode and have authorized the caller's; otherwise the error
    carries the `authorizationCode` that stands for the consent that is missing.
    """
    named = request.headers.get("x-behalf-of-project")
    if not named or named == project.id:
        return project
    target = world.get(named)
    if target is None or target.livemode != project.livemode or project.id not in target.settings.ecosystems:
        code = project.entropy.derive(f"authorization_code/{named}", 16).hex()
        raise ApiError(errors.PROJECT_NOT_AUTHORIZED, project=shorten(named), authorization_code=code)
    return target
