"""Access tokens: ES256 JWTs that anyone can verify with the project's key set."""

from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.crypto import p256
from mockserver.crypto.tokens import BadToken, peek, read_es256, sign_es256
from mockserver.domain.sessions import find_session, renew_session
from mockserver.state.identity import Session, User
from mockserver.state.project import Project

ISSUER = "openfort.xyz"


class Reading(NamedTuple):
    """Who a token stands for, and from when to when, in seconds since the Unix epoch."""

    user: User
    session: Session
    issued_s: int
    expires_s: int


def signing_key(project: Project) -> EllipticCurvePrivateKey:
    """The key that signs the project's access tokens."""
    return p256.private_key_from_seed(project.entropy.derive("access_token_key", 48))


def key_set(project: Project) -> list[dict[str, str]]:
    """The public keys that verify the project's access tokens (RFC 7517)."""
    return [p256.jwk(signing_key(project).public_key())]


def issue(project: Project, user: User, session: Session) -> str:
    """A token that says who is signed in, for as long as the session lasts."""
    key = signing_key(project)
    claims = {
        "iss": ISSUER,
        "aud": project.id,
        "sub": user.id,
        "sid": session.id,
        "iat": project.clock.now_s,
        "exp": session.expires_ms // 1000,
    }
    return sign_es256(key, claims, kid=p256.jwk(key.public_key())["kid"])


def audience(token: str) -> str | None:
    """The id of the project an access token is meant for, nothing verified; None when it says none."""
    try:
        named = peek(token)[1].get("aud")
    except BadToken:
        return None
    return named if isinstance(named, str) else None


def read_token(project: Project, token: str) -> Reading | None:
    """What a session token or an access token says; None when it is neither, or no longer holds."""
    if token.count(".") == 2:
        return _read_access_token(project, token)
    found = find_session(project, token)
    if found is None:
        return None
    user, session = found
    return Reading(user, session, session.created_ms // 1000, session.expires_ms // 1000)


def _read_access_token(project: Project, token: str) -> Reading | None:
    try:
        claims = read_es256(token, signing_key(project).public_key())
    except BadToken:
        return None
    session = project.identity.sessions.get(claims["sid"])
    if session is None or claims["exp"] * 1000 <= project.clock.now_ms:
        return None
    found = find_session(project, session.token)
    return None if found is None else Reading(*found, claims["iat"], claims["exp"])


def use_token(project: Project, token: str) -> tuple[User, Session] | None:
    """The user and session of a token, the session renewed when it is due; None when it is none."""
    found = read_token(project, token)
    return None if found is None else (found.user, renew_session(project, found.session))
