"""E-mails and text messages, which are stored in the outbox instead of being sent."""

from typing import Any, Literal

from mockserver.state.outbox import Message
from mockserver.state.project import Project


def send_mail(
    project: Project,
    to: str,
    kind: str,
    *,
    subject: str,
    text: str,
    code: str | None = None,
    url: str | None = None,
) -> Message:
    """Store an e-mail in the outbox."""
    return _store(project, "email", to, kind, text=text, subject=subject, code=code, url=url)


def send_sms(project: Project, to: str, kind: str, *, text: str, code: str | None = None) -> Message:
    """Store a text message in the outbox."""
    return _store(project, "sms", to, kind, text=text, code=code)


def _store(project: Project, channel: Literal["email", "sms"], to: str, kind: str, **content: Any) -> Message:
    message_id, now_ms = project.new_id("msg"), project.clock.now_ms
    return project.outbox.insert(Message(message_id, now_ms, channel, to, kind, **content))
