"""E-mails and text messages, which are stored in the outbox instead of being sent."""

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
    """Store a text message in the outbox."""
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
