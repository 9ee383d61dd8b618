"""Links: the allowed redirect URLs, and the e-mails with links."""

import re
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

from mockserver.api.call import AnyCall, Call, Reply, Request
from mockserver.domain.identity.mail import send_mail
from mockserver.domain.identity.mailed_links import Kind, issue_link
from mockserver.errors import ApiError, ErrorRow
from mockserver.resources.auth.sign_in import scheme_of
from mockserver.state.identity import User

_RELATIVE = re.compile(r"/(?!/|\\|%2f|%5c)[\w\-.+/@]*(?:\?[\w\-.+/=&%@]*)?", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_DANGEROUS = frozenset({"javascript", "data", "vbscript", "file"})

VERIFICATION_TOKEN_LENGTH = 32
RESET_TOKEN_LENGTH = 24


def auth_url(call: AnyCall) -> str:
    """The base URL of these endpoints, as the caller reached them."""
    return f"{server_url(call)}/iam/v2/auth"


def server_url(call: AnyCall) -> str:
    """The base URL of the server, as the caller reached it."""
    request = call.request
    return f"{scheme_of(call)}://{request.headers.get('host', 'localhost')}{request.root_path}"


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
    target, hash_sign, fragment = urljoin(auth_url(call), url).partition("#")
    if members:
        target += ("&" if urlsplit(target).query else "?") + urlencode(members)
    target += hash_sign + fragment
    return Reply(status=302, headers=(("location", quote(target, safe=":/?#[]@!$&'()*+,;=%")),))


def query_token(request: Request) -> str:
    """The `token` of a request's query, or an empty string."""
    return parse_qs(request.query).get("token", [""])[0]


def send_verification_mail(call: Call[Any, Any], user: User, callback_url: str | None) -> None:
    """Mail a user the link that verifies their address."""
    email = user.email or ""
    token = _token(call, "verify-email", email, VERIFICATION_TOKEN_LENGTH)
    url = f"{auth_url(call)}/verify-email?token={token}&callbackURL={quote(callback_url or '/', safe='')}"
    send_mail(
        call.project,
        email,
        "verify-email",
        subject="Verify your email address",
        text=f"Open this link to verify your email address: {url}",
        url=url,
    )


def send_change_mail(call: Call[Any, Any], user: User, new_email: str, callback_url: str | None) -> None:
    """Mail a user, at the address they have, the link that confirms their new one."""
    token = _token(call, "change-email", user.id, VERIFICATION_TOKEN_LENGTH, new_email)
    url = f"{auth_url(call)}/verify-email?token={token}&callbackURL={quote(callback_url or '/', safe='')}"
    send_mail(
        call.project,
        user.email or "",
        "change-email",
        subject="Confirm your new email address",
        text=f"Open this link to change your email address to {new_email}: {url}",
        url=url,
    )


def send_reset_mail(call: Call[Any, Any], user: User, redirect_to: str | None) -> None:
    """Mail a user the link that leads to a new password."""
    token = _token(call, "reset-password", user.id, RESET_TOKEN_LENGTH)
    url = f"{auth_url(call)}/reset-password/{token}?callbackURL={quote(redirect_to or '', safe='')}"
    send_mail(
        call.project,
        user.email or "",
        "reset-password",
        subject="Reset your password",
        text=f"Open this link to choose a new password: {url}",
        url=url,
    )


def _token(
    call: Call[Any, Any], kind: Kind, identifier: str, length: int, new_email: str | None = None
) -> str:
    return issue_link(call.project, kind, identifier, length, new_email=new_email).value
