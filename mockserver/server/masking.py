"""Masking of secrets, in the log always and in the journal unless `unmasked` is given."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus, urlsplit, urlunsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pydantic_core import from_json

from mockserver.api.checking import MOST_VALUES, has_more_values
from mockserver.api.forms import MOST_FIELDS
from mockserver.state.api_keys import KEY_START

_KEY = re.compile(f"({KEY_START}.{{0,2}})")
MASK = "…"
"""The replacement of a hidden value."""
LONGEST_PARSED = 1024 * 1024
"""The most bytes of a body that the journal parses, since that takes time."""
SECRET_PARAMETERS = frozenset({"publishable_key", "session", "token"})
"""The path parameters that may be a key or a token."""
_PAIR = re.compile(r"(?:[\w.\[\]%+-]*=[^=]*=*)?")
"""A `name=value` pair of a form; a text with others is not a form, whatever its content type."""
_WORD = re.compile(r"[\w-]+")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_PUBLIC_KEY = re.compile(r"\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*")
_REMEMBERED = 2_000
_LONGEST_NAME = 256
_UNREAD_NAME = "…"
_LONG_ENOUGH = 16
"""The first four characters of a token this long may be shown."""

_SECRET_HEADERS = frozenset(
    {
        "authorization",
        "cookie",
        "proxy-authorization",
        "set-auth-jwt",
        "set-auth-token",
        "set-cookie",
        "x-mockserver-token",
        "x-player-token",
        "x-project-key",
        "x-wallet-auth",
    }
)

# Names are compared without case, hyphens and underscores.
_TOKENS = frozenset(
    {
        "accesstoken",
        "authtoken",
        "idtoken",
        "jwt",
        "playertoken",
        "refreshtoken",
        "sessiontoken",
        "token",
        "walletauthtoken",
    }
)
_SECRETS = frozenset(
    {
        _UNREAD_NAME,
        "authshare",
        "channelsecret",
        "clientsecret",
        "confirmpassword",
        "currentpassword",
        "deviceshare",
        "encryptedprivatekey",
        "encryptionkey",
        "encryptionshare",
        "newpassword",
        "otp",
        "password",
        "privatekey",
        "recoverypassword",
        "recoveryshare",
        "share",
        "walletsecret",
    }
)
_PUBLIC_KEYS = frozenset({"newpublickey", "publickey"})
"""Members for public keys, in which a client may send a private key by mistake."""
_TELLING = _TOKENS | _SECRETS | _PUBLIC_KEYS


def mask_header(name: str, value: str) -> str:
    """A header's value with secrets masked."""
    name = name.lower()
    if name == "location":
        return mask_url(value)
    if name not in _SECRET_HEADERS:
        return value
    kind, space, text = value.partition(" ")
    return f"{kind} {_shorten(text)}" if space and kind.isalpha() else _shorten(value)


def mask_body(body: bytes, content_type: str, *, asked: bool, known: frozenset[str] | None = None) -> object:
    """A body with its secrets masked.

    Of one that is neither JSON nor a form only the size is shown, since secrets may be anywhere in it. So it
    is of one that is longer than LONGEST_PARSED, or has more values than a request may have.
    `known` are the members of a request that takes secrets: any other member may be a misspelt secret.
    """
    if not body:
        return None
    if len(body) > LONGEST_PARSED:
        return _unparsed(body)
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError:
        pass
    else:
        return (
            _unparsed(body)
            if has_more_values(value, MOST_VALUES)
            else mask_json(value, asked=asked, known=known)
        )
    if content_type.startswith("application/x-www-form-urlencoded") and body.count(b"&") < MOST_FIELDS:
        pairs = body.decode("latin-1").split("&")
        if all(_PAIR.fullmatch(pair) for pair in pairs):
            return "&".join(_mask_pair(pair, known) for pair in pairs)
    return _unparsed(body)


def _unparsed(body: bytes) -> object:
    return {"unparsed": len(body)}


def mask_json(value: object, *, asked: bool, known: frozenset[str] | None = None) -> object:
    """Parsed JSON with its secrets masked.

    `asked` means that it is a request, in which `code` is a secret, too; in an answer it is an error
    code.
    """
    if isinstance(value, Mapping):
        return {
            name: MASK if known is not None and name not in known else _mask_member(name, member, asked)
            for name, member in value.items()
        }
    if known is not None:
        return MASK
    return _mask_value(value, asked)


def mask_value_at(part: str, path: Sequence[str], value: Any, known: frozenset[str] | None) -> Any:
    """What is at a place of a request, with secrets masked; `part` is `headers`, `query` or `body`."""
    if part == "headers":
        return mask_header(path[0], value)
    if part == "query":
        return _mask_member(path[0], value, asked=True)
    for name in reversed(path):
        value = {name: value}
    shown = mask_json(value, asked=True, known=known)
    for name in path:
        shown = shown[name] if isinstance(shown, Mapping) else shown
    return shown


def secret_members(names: Iterable[str]) -> frozenset[str] | None:
    """The members of a request if a secret is among them, or None."""
    known = frozenset(names)
    return known if any(_normalize_name(name) in _TELLING | {"code"} for name in known) else None


def mask_pairs(text: str) -> str:
    """A query string with secrets masked; the rest is unchanged."""
    return "&".join(map(_mask_pair, text.split("&")))


def mask_path(path: str, template: str) -> str:
    """A path with secrets masked; `template` names its parameters."""
    parts = zip(path.split("/"), template.split("/"), strict=False)
    return "/".join(_shorten(part) if name[1:-1] in SECRET_PARAMETERS else part for part, name in parts)


def mask_url(url: str) -> str:
    """A URL with its query masked."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=mask_pairs(parts.query)))


def _mask_pair(pair: str, known: frozenset[str] | None = None) -> str:
    name, _, value = pair.partition("=")
    plain_name, plain = unquote_plus(name), unquote_plus(value)
    if known is not None and plain_name.partition("[")[0] not in known:
        return f"{name}={MASK}"
    masked = _mask_member(plain_name, plain, asked=True)
    return pair if masked == plain else f"{name}={masked}"


def _mask_member(name: str, value: object, asked: bool) -> object:
    plain = _normalize_name(name)
    if plain in _SECRETS or (asked and plain == "code"):
        return _hide(value, asked, lambda _: MASK)
    if plain in _TOKENS:
        return _hide(value, asked, lambda text: _shorten(text) if isinstance(text, str) else text)
    if plain in _PUBLIC_KEYS:
        return _hide(value, asked, lambda text: text if _is_public_key(text) else MASK)
    return _mask_value(value, asked)


def _mask_value(value: object, asked: bool) -> object:
    """Mask inside the value of a member whose name is not a secret's."""
    if isinstance(value, str):
        return _PRIVATE_KEY.sub(MASK, value) if "PRIVATE KEY" in value else value
    if isinstance(value, list):
        return [_mask_value(member, asked) for member in value]
    if isinstance(value, Mapping):
        return mask_json(value, asked=asked)
    return value


def _hide(value: object, asked: bool, hide: Callable[[object], object]) -> object:
    """Mask the value of a member whose name is a secret's, whatever its shape.

    In an answer it may be the finding about a member of the request, whose `message` is shown.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, list):
        return [_hide(member, asked, hide) for member in value]
    if isinstance(value, Mapping):
        return {
            name: member if name == "message" and not asked else _hide(member, asked, hide)
            for name, member in value.items()
        }
    return hide(value)


@lru_cache(maxsize=_REMEMBERED)
def _normalize_name(name: str) -> str:
    """Normalize a name: the part of `a[b]`, `a.b` or `b[0]` that names a secret, or else the last."""
    if len(name) > _LONGEST_NAME:
        # Reading it would take long, and it may name a secret anywhere.
        return _UNREAD_NAME
    words = [word.lower().replace("_", "").replace("-", "") for word in _WORD.findall(name)]
    return next((word for word in words if word in _TELLING), words[-1] if words else "")


def _is_public_key(value: object) -> bool:
    if not isinstance(value, str) or _PUBLIC_KEY.fullmatch(value) is None:
        return False
    try:
        load_pem_public_key(value.encode())
    except (ValueError, UnsupportedAlgorithm):
        return False
    return True


def _shorten(text: str) -> str:
    """The start of a credential, to recognise it by, if it is long enough."""
    key = _KEY.match(text)
    if key is not None:
        return key[1] + MASK
    return (text[:4] if len(text) >= _LONG_ENOUGH else "") + MASK
