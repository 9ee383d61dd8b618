"""Access tokens: ES256 JWTs that are verified with the project's key set."""

from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.crypto.tokens import BadToken, peek, read_es256, sign_es256
from mockserver.domain.identity.sessions import find_session, renew_session
from mockserver.kernel.timestamps import format_iso
from mockserver.state.existence import note_dropped
from mockserver.state.identity import Session, TokenKey, User
from mockserver.state.project import Project
from mockserver.state.world import World

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey


class ValidToken(NamedTuple):
    """What a valid token says: its user, session and validity in seconds since the Unix epoch."""

    user: User
    session: Session
    issued_s: int
    expires_s: int


class Signer(NamedTuple):
    """A key that signs access tokens, and its row."""

    key: "EllipticCurvePrivateKey"
    row: TokenKey


def signer(project: Project) -> Signer:
    """The current signing key of the project's access tokens."""
    rows = list(project.identity.token_keys)
    if rows:
        return Signer(_key(project, rows[-1].number), rows[-1])
    key = _key(project, 0)
    created_ms = project.created_as[0].now_ms
    return Signer(key, TokenKey(_jwk(key)["kid"], number=0, created_ms=created_ms, needed_until_ms=0))


def rotate_keys(project: Project) -> Signer:
    """Sign with a new key. Tokens of the former key stay valid until they expire."""
    number = signer(project).row.number + 1
    key = _key(project, number)
    row = TokenKey(_jwk(key)["kid"], number=number, created_ms=project.clock.now_ms, needed_until_ms=0)
    return Signer(key, project.identity.token_keys.insert(row))


def verifying_keys(project: Project) -> list[TokenKey]:
    """The keys that verify the project's access tokens, newest first.

    They are the current one, and those with a token that has not expired.
    """
    current = signer(project).row
    now_ms = project.clock.now_ms
    older = [
        row for row in project.identity.token_keys if row.id != current.id and row.needed_until_ms > now_ms
    ]
    return [current, *reversed(older)]


def key_set(project: Project) -> list[dict[str, str]]:
    """The public keys that verify the project's access tokens (RFC 7517), newest first."""
    return [_jwk(_key(project, row.number)) for row in verifying_keys(project)]


def _key(project: Project, number: int) -> "EllipticCurvePrivateKey":
    from mockserver.crypto import p256

    name = f"access_token_key/{number}" if number else "access_token_key"
    return p256.private_key_from_seed(project.entropy.derive(name, 48))


def _jwk(key: "EllipticCurvePrivateKey") -> dict[str, str]:
    from mockserver.crypto import p256

    return p256.jwk(key.public_key())


def issue(project: Project, user: User, session: Session) -> str:
    """Issue an access token of a user, valid for its lifetime, but no longer than the session."""
    key, row = signer(project)
    settings, clock = project.settings, project.clock
    expires_ms = session.expires_ms
    if settings.access_token_lifetime_ms is not None:
        expires_ms = min(expires_ms, clock.now_ms + settings.access_token_lifetime_ms)
    # Write only when it changes: every read of a session may issue a token.
    if expires_ms > row.needed_until_ms:
        project.identity.token_keys.put(row._replace(needed_until_ms=expires_ms))
    claims = {
        "iss": settings.access_token_issuer,
        "aud": audience(project),
        "sub": user.id,
        "sid": session.id,
        "iat": clock.now_s,
        "exp": expires_ms // 1000,
    }
    return sign_es256(key, claims, kid=row.id)


def audience(project: Project) -> str:
    """Whom the project's access tokens are for (`aud`)."""
    return project.settings.access_token_audience or project.id


def project_of_token(world: World, token: str) -> Project | None:
    """The project that an access token names by its session and audience, unverified; None without one."""
    try:
        claims = peek(token)[1]
    except BadToken:
        return None
    session_id = str(claims.get("sid"))
    issuers = world.may_have_issued(session_id)
    named = [project for project in issuers if audience(project) == claims.get("aud")]
    return next(
        (project for project in named if session_id in project.identity.sessions), next(iter(named), None)
    )


def read_token(project: Project, token: str) -> ValidToken | None:
    """What a session token or an access token says; None when it is invalid or expired."""
    if token.count(".") == 2:
        return _read_access_token(project, token)
    found = find_session(project, token)
    if found is None:
        return None
    user, session = found
    return ValidToken(user, session, session.created_ms // 1000, session.expires_ms // 1000)


def note_ended(project: Project, token: str) -> str:
    """The note of an error about a token that `read_token` does not take: when it expired, if it did."""
    claims = read_claims(project, token) if token.count(".") == 2 else None
    session = project.identity.sessions.first("token", token.partition(".")[0])
    ended_ms = claims["exp"] * 1000 if claims else session.expires_ms if session else None
    now_ms = project.clock.now_ms
    if ended_ms is None or ended_ms > now_ms:
        return note_dropped(project.identity.sessions)
    return f"The token expired at {format_iso(ended_ms)}, and the project's clock is at {format_iso(now_ms)}."


def read_claims(project: Project, token: str) -> dict[str, Any] | None:
    """The claims of an access token of the project, whatever became of its session; None of another text."""
    try:
        named = peek(token)[0].get("kid")
        row = next((row for row in verifying_keys(project) if row.id == named), None)
        return None if row is None else read_es256(token, _key(project, row.number).public_key())
    except BadToken:
        return None


def _read_access_token(project: Project, token: str) -> ValidToken | None:
    claims = read_claims(project, token)
    if claims is None:
        return None
    if (claims["iss"], claims["aud"]) != (project.settings.access_token_issuer, audience(project)):
        return None
    session = project.identity.sessions.get(claims["sid"])
    if session is None or claims["exp"] * 1000 <= project.clock.now_ms:
        return None
    found = find_session(project, session.token)
    return None if found is None else ValidToken(*found, claims["iat"], claims["exp"])


def use_token(project: Project, token: str) -> tuple[User, Session] | None:
    """Authenticate a token and renew its session when that is due; None when the token is invalid."""
    found = read_token(project, token)
    return None if found is None else (found.user, renew_session(project, found.session))
