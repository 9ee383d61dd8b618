"""Mails and texts, which all end in the outbox."""

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
    """Put a mail into the outbox."""
    return project.outbox.insert(
        Message(
            id=project.new_id("msg"),
            at_ms=project.clock.now_ms,
            channel="email",
            to=to,
            kind=kind,
            text=text,
            subject=subject,
            code=code,
            url=url,
        )
    )


def send_sms(project: Project, to: str, kind: str, *, text: str, code: str | None = None) -> Message:
    """Put a text message into the outbox."""
    return project.outbox.insert(
        Message(
            id=project.new_id("msg"),
            at_ms=project.clock.now_ms,
            channel="sms",
            to=to,
            kind=kind,
            text=text,
            code=code,
        )
    )
