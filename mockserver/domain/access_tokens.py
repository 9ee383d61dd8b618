"""Access tokens: ES256 JWTs that anyone can verify with the project's key set."""

from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.crypto import p256
from mockserver.crypto.tokens import BadToken, read_es256, sign_es256
from mockserver.domain.sessions import use_session
from mockserver.state.identity import Session, User
from mockserver.state.project import Project

ISSUER = "openfort.xyz"


def signing_key(project: Project) -> EllipticCurvePrivateKey:
    """The key that signs the project's access tokens."""
    return p256.private_key_from_seed(project.entropy.derive("access_token_key", 48))


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


def use_token(project: Project, token: str) -> tuple[User, Session] | None:
    """The user and session of a session token or an access token; None when it is neither."""
    found = use_session(project, token)
    if found is not None or token.count(".") != 2:
        return found
    try:
        claims: Mapping[str, Any] = read_es256(token, signing_key(project).public_key())
    except BadToken:
        return None
    session = project.identity.sessions.get(str(claims.get("sid")))
    if session is None or claims.get("exp", 0) * 1000 <= project.clock.now_ms:
        return None
    return use_session(project, session.token)
