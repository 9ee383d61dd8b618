"""Links: the allowed redirect URLs, and the e-mails with links."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

from mockserver.api.call import AnyCall, Call, Reply, Request
from mockserver.domain.identity.mail import send_mail
from mockserver.domain.identity.mailed_links import issue_link
from mockserver.errors import ApiError, ErrorRow
from mockserver.state.identity import User, Verification
from mockserver.state.project import Project

_RELATIVE = re.compile(r"/(?!/|\\|%2f|%5c)[\w\-.+/@]*(?:\?[\w\-.+/=&%@]*)?", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_DANGEROUS = frozenset({"javascript", "data", "vbscript", "file"})

_MAILS: Mapping[str, tuple[str, str]] = {
    "verify-email": ("Verify your email address", "verify your email address"),
    "change-email": ("Confirm your new email address", "change your email address to {new_email}"),
    "reset-password": ("Reset your password", "choose a new password"),
}
"""The subject of the mail with a link, by its kind, and what the link is for."""


def auth_url(call: AnyCall) -> str:
    """The base URL of these endpoints, as the caller reached them."""
    return f"{server_url(call)}/iam/v2/auth"


def server_url(call: AnyCall) -> str:
    """The base URL of the server, as the caller reached it."""
    request = call.request
    scheme = "https" if request.is_secure else "http"
    return f"{scheme}://{request.headers.get('host', 'localhost')}{request.root_path}"


def server_host(call: AnyCall) -> str:
    """The host of the server, as the caller reached it."""
    return urlsplit(server_url(call)).hostname or "localhost"


def require_trusted(call: AnyCall, url: str | None, untrusted: ErrorRow) -> None:
    """ApiError unless a URL is a path, or on an origin that the project trusts."""
    if url and not _is_trusted(call, url):
        raise ApiError(untrusted)


def _is_trusted(call: AnyCall, url: str) -> bool:
    if _RELATIVE.fullmatch(url):
        return True
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if not _SCHEME.fullmatch(parts.scheme) or parts.scheme in _DANGEROUS:
        return False
    if parts.scheme in ("http", "https") and not parts.netloc:
        return False
    trusted = call.project.settings.trusted_origins if call.project else None
    origin = f"{parts.scheme}://{parts.netloc}"
    return trusted is None or origin in trusted or auth_url(call).startswith(f"{origin}/")


def redirect(call: AnyCall, url: str, **members: str) -> Reply:
    """A redirect to a URL, with members added to its query."""
    target = quote(with_members(call, url, **members), safe=":/?#[]@!$&'()*+,;=%")
    return Reply(status=302, headers=(("location", target),))


def with_members(call: AnyCall, url: str, **members: str) -> str:
    """A URL with members added to its query; a path becomes a URL of the server."""
    target, hash_sign, fragment = urljoin(auth_url(call), url).partition("#")
    if members:
        target += ("&" if urlsplit(target).query else "?") + urlencode(members)
    return target + hash_sign + fragment


def query_value(request: Request, name: str) -> str:
    """A parameter of a request's query, or an empty string: for finding the project, before validation."""
    return parse_qs(request.query).get(name, [""])[0]


def send_verification_mail(call: Call[Any, Any], user: User, callback_url: str | None) -> None:
    """Mail a user the link that verifies their address."""
    link = issue_link(call.project, "verify-email", user.email or "")
    send_link(call.project, user, link, _verification_url(call, link, callback_url))


def send_change_mail(call: Call[Any, Any], user: User, new_email: str, callback_url: str | None) -> None:
    """Mail a user, at the address they have, the link that confirms their new one."""
    link = issue_link(call.project, "change-email", user.id, new_email=new_email)
    send_link(call.project, user, link, _verification_url(call, link, callback_url))


def send_reset_mail(call: Call[Any, Any], user: User, redirect_to: str | None) -> None:
    """Mail a user the link that leads to a new password."""
    link = issue_link(call.project, "reset-password", user.id)
    url = f"{auth_url(call)}/reset-password/{link.value}?callbackURL={quote(redirect_to or '', safe='')}"
    send_link(call.project, user, link, url)


def _verification_url(call: Call[Any, Any], link: Verification, callback_url: str | None) -> str:
    callback = quote(callback_url or "/", safe="")
    return f"{auth_url(call)}/verify-email?token={link.value}&callbackURL={callback}"


def send_link(project: Project, user: User, link: Verification, url: str) -> None:
    """Mail a user the URL of a link."""
    subject, purpose = _MAILS[link.kind]
    text = f"Open this link to {purpose.format(new_email=link.new_email)}: {url}"
    send_mail(project, user.email or "", link.kind, subject=subject, text=text, url=url)
