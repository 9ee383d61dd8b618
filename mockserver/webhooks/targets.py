"""Where webhooks go: to an inbox of the mock server, to a host that is allowed, or nowhere."""

import re
from urllib.parse import urlsplit

from mockserver.server.answering.hosts import is_loopback
from mockserver.state.project import Project

_INBOX = re.compile(r"/_mock/projects/([^/]+)/inbox/([A-Za-z0-9._-]{1,64})")


def inbox_of(project: Project, target: str) -> str | None:
    """The name of the inbox that a URL names, whatever its host; None for any other URL."""
    found = _INBOX.fullmatch(urlsplit(target).path)
    return found[2] if found is not None and found[1] in (project.id, "-") else None


def is_allowed(project: Project, target: str) -> bool:
    """Whether webhooks are sent to a URL: its host is the machine itself, or one that the setting names."""
    parts = urlsplit(target)
    host = parts.hostname or ""
    return is_loopback(host) or not {host, parts.netloc.lower()}.isdisjoint(project.settings.webhook_hosts)


def check_url(target: str) -> None:
    """ValueError that says why a text is no URL to which webhooks could be sent."""
    try:
        parts = urlsplit(target)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), 0
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not target.isprintable():
        raise ValueError("must be a URL with http or https and a host")
    if parts.username is not None or " " in target:
        raise ValueError("must be a URL without a user name and without spaces")
