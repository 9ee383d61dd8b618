"""Sessions: opening, finding, renewing and ending them."""

import hmac
from base64 import b64encode
from urllib.parse import quote

from mockserver.state.identity import Session, User
from mockserver.state.project import Project


def open_session(
    project: Project, user: User, *, remember: bool = True, ip_address: str = "", user_agent: str = ""
) -> Session:
    """Sign a user in."""
    now_ms, settings = project.clock.now_ms, project.settings
    lifetime_ms = settings.session_lifetime_ms if remember else settings.short_session_lifetime_ms
    return project.identity.sessions.insert(
        Session(
            id=project.new_token("session"),
            token=project.new_token("session_token"),
            user_id=user.id,
            created_ms=now_ms,
            updated_ms=now_ms,
            expires_ms=now_ms + lifetime_ms,
            remember=remember,
            ip_address=ip_address,
            user_agent=user_agent,
        )
    )


def sign_cookie(project: Project, text: str) -> str:
    """A text, a dot, and its HMAC-SHA256 in base64, percent-encoded: how cookies carry a token."""
    digest = hmac.digest(project.entropy.derive("cookie_secret"), text.encode(), "sha256")
    return f"{text}.{quote(b64encode(digest).decode(), safe='')}"


def find_session(project: Project, token: str) -> tuple[User, Session] | None:
    """The unexpired session of a token, raw or signed, and its user; None without one."""
    raw, dot, _ = token.partition(".")
    if dot and not hmac.compare_digest(sign_cookie(project, raw).encode(), token.encode()):
        return None
    session = project.identity.sessions.first("token", raw)
    if session is None or session.expires_ms <= project.clock.now_ms:
        return None
    user = project.identity.users.get(session.user_id)
    return None if user is None else (user, session)


def renew_session(project: Project, session: Session) -> Session:
    """Renew the session if it is old enough."""
    now_ms, settings = project.clock.now_ms, project.settings
    if not session.remember or now_ms - session.updated_ms < settings.session_renewed_after_ms:
        return session
    return project.identity.sessions.replace(
        session._replace(updated_ms=now_ms, expires_ms=now_ms + settings.session_lifetime_ms)
    )


def active_sessions(project: Project, user_id: str) -> list[Session]:
    """A user's sessions that have not expired, oldest first."""
    now_ms = project.clock.now_ms
    return [row for row in project.identity.sessions.find("user_id", user_id) if row.expires_ms > now_ms]


def end_sessions(project: Project, user_id: str, *, but: str | None = None) -> None:
    """End every session of a user except the one with this id."""
    for session in project.identity.sessions.find("user_id", user_id):
        if session.id != but:
            project.identity.sessions.remove(session.id)
