"""Where secrets are in requests and answers, and how they are masked.

In the log always, in the journal unless `unmasked` is given, in recordings that are masked.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple
from urllib.parse import unquote_plus, urlsplit, urlunsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from pydantic_core import from_json

from mockserver.api.forms import MOST_FIELDS
from mockserver.api.wire import MOST_VALUES, has_more_values
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
        "x-api-key",
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
        "privatekeys",
        "recoverypassword",
        "recoveryshare",
        "share",
        "walletsecret",
    }
)
_PUBLIC_KEYS = frozenset({"newpublickey", "publickey"})
"""Members for public keys, in which a client may send a private key by mistake."""
_TELLING = _TOKENS | _SECRETS | _PUBLIC_KEYS


class Hiding(NamedTuple):
    """What is shown in the place of a secret."""

    secret: Callable[[object], object]
    """Instead of a value that is a secret by its name, or that may be a misspelt one: any JSON value."""
    token: Callable[[str], str]
    """Instead of a credential that may be recognised by its beginning."""


def mask_header(name: str, value: str, hiding: Hiding | None = None) -> str:
    """A header's value with secrets masked."""
    hiding = hiding or SHORTENING
    name = name.lower()
    if name == "location":
        return mask_url(value, hiding)
    if name not in _SECRET_HEADERS:
        return value
    kind, space, text = value.partition(" ")
    return f"{kind} {hiding.token(text)}" if space and kind.isalpha() else hiding.token(value)


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
    return mask_pairs(body.decode("latin-1"), known=known) if is_form(body, content_type) else _unparsed(body)


def _unparsed(body: bytes) -> object:
    return {"unparsed": len(body)}


def mask_json(
    value: object, *, asked: bool, known: frozenset[str] | None = None, hiding: Hiding | None = None
) -> object:
    """Parsed JSON with its secrets masked.

    `asked` means that it is a request, in which `code` is a secret, too; in an answer it is an error
    code.
    """
    hiding = hiding or SHORTENING
    if isinstance(value, Mapping):
        return {
            name: hiding.secret(member)
            if known is not None and name not in known
            else _mask_member(name, member, asked, hiding)
            for name, member in value.items()
        }
    if known is not None:
        return hiding.secret(value)
    return _mask_value(value, asked, hiding)


def mask_value_at(part: str, path: Sequence[str], value: Any, known: frozenset[str] | None) -> Any:
    """What is at a place of a request, with secrets masked; `part` is `headers`, `query` or `body`."""
    if part == "headers":
        return mask_header(path[0], value)
    if part == "query":
        return _mask_member(path[0], value, True, SHORTENING)
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


def is_secret_name(name: str) -> bool:
    """Whether a member of this name is a secret, or a credential."""
    return _normalize_name(name) in _TELLING - _PUBLIC_KEYS


def mask_pairs(text: str, hiding: Hiding | None = None, known: frozenset[str] | None = None) -> str:
    """A query string or a form with secrets masked; the rest is unchanged. `known` as of `mask_body`."""
    return "&".join(_mask_pair(pair, known, hiding or SHORTENING) for pair in text.split("&"))


def mask_path(path: str, template: str, hiding: Hiding | None = None) -> str:
    """A path with secrets masked; `template` names its parameters."""
    hide = (hiding or SHORTENING).token
    # A path may end with slashes that its template lacks.
    parts = zip_longest(path.split("/"), template.split("/"), fillvalue="")
    return "/".join(hide(part) if name[1:-1] in SECRET_PARAMETERS else part for part, name in parts)


def mask_url(url: str, hiding: Hiding | None = None) -> str:
    """A URL with its query masked."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=mask_pairs(parts.query, hiding)))


def is_form(body: bytes, content_type: str) -> bool:
    """Whether a body is a form by its content type and as a text."""
    return (
        content_type.startswith("application/x-www-form-urlencoded")
        and body.count(b"&") < MOST_FIELDS
        and all(_PAIR.fullmatch(pair) for pair in body.decode("latin-1").split("&"))
    )


def _mask_pair(pair: str, known: frozenset[str] | None, hiding: Hiding) -> str:
    name, _, value = pair.partition("=")
    plain_name, plain = unquote_plus(name), unquote_plus(value)
    if known is not None and plain_name.partition("[")[0] not in known:
        return f"{name}={hiding.secret(plain)}"
    masked = _mask_member(plain_name, plain, True, hiding)
    return pair if masked == plain else f"{name}={masked}"


def _mask_member(name: str, value: object, asked: bool, hiding: Hiding) -> object:
    plain = _normalize_name(name)
    if plain in _SECRETS or (asked and plain == "code"):
        return _hide(value, asked, hiding.secret)
    if plain in _TOKENS:
        return _hide(value, asked, lambda text: hiding.token(text) if isinstance(text, str) else text)
    if plain in _PUBLIC_KEYS:
        return _hide(value, asked, lambda text: text if _is_public_key(text) else hiding.secret(text))
    return _mask_value(value, asked, hiding)


def _mask_value(value: object, asked: bool, hiding: Hiding) -> object:
    """Mask inside the value of a member whose name is not a secret's."""
    if isinstance(value, str):
        return mask_text(value, hiding)
    if isinstance(value, list):
        return [_mask_value(member, asked, hiding) for member in value]
    if isinstance(value, Mapping):
        return mask_json(value, asked=asked, hiding=hiding)
    return value


def mask_text(text: str, hiding: Hiding | None = None) -> str:
    """A text with private keys in it masked (PEM)."""
    if "PRIVATE KEY" not in text:
        return text
    hide = (hiding or SHORTENING).secret
    return _PRIVATE_KEY.sub(lambda found: str(hide(found[0])), text)


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


SHORTENING = Hiding(lambda _: MASK, _shorten)
"""How logs and journals hide: a credential is recognised by its first characters at most."""
