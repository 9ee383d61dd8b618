"""Secrets made unreadable: what the journal shows unless it is asked for everything, and the log always."""

import re
from collections.abc import Mapping
from urllib.parse import unquote_plus, urlsplit, urlunsplit

from mockserver.state.api_keys import KEY_START

_KEY = re.compile(f"({KEY_START}.{{0,2}})")
MASK = "…"
"""What stands where something is not shown."""
SECRET_PARAMETERS = frozenset({"publishable_key", "session", "token"})
"""The parameters of paths in which a key or a token may come."""
_LONG_ENOUGH = 16
"""A token this long gives nothing away by its first four characters."""

_SECRET_HEADERS = frozenset(
    {
        "authorization",
        "cookie",
        "proxy-authorization",
        "set-auth-jwt",
        "set-auth-token",
        "set-cookie",
        "x-player-token",
        "x-project-key",
        "x-wallet-auth",
    }
)

# Names without regard to case, hyphens and underscores.
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


def mask_header(name: str, value: str) -> str:
    """A header's value as it may be shown."""
    name = name.lower()
    if name == "location":
        return mask_url(value)
    if name not in _SECRET_HEADERS:
        return value
    kind, space, text = value.partition(" ")
    return f"{kind} {_shorten(text)}" if space and kind.isalpha() else _shorten(value)


def mask_json(value: object, *, asked: bool) -> object:
    """Parsed JSON as it may be shown. `asked` says that it is a request, in which `code` is a secret too;
    in an answer that is what went wrong."""
    if isinstance(value, Mapping):
        return {
            name: _mask_member(name, member, asked)
            if isinstance(member, (str, int))
            else mask_json(member, asked=asked)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [mask_json(member, asked=asked) for member in value]
    return value


def mask_pairs(text: str) -> str:
    """A query string or a form as it may be shown; what is not hidden stays as it was sent."""
    return "&".join(map(_mask_pair, text.split("&")))


def mask_path(path: str, template: str) -> str:
    """A path as it may be shown; `template` is its form, which names the parameters."""
    parts = zip(path.split("/"), template.split("/"), strict=False)
    return "/".join(_shorten(part) if name[1:-1] in SECRET_PARAMETERS else part for part, name in parts)


def mask_url(url: str) -> str:
    """A URL as it may be shown: its query masked."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=mask_pairs(parts.query)))


def _mask_pair(pair: str) -> str:
    name, _, value = pair.partition("=")
    plain = unquote_plus(value)
    masked = _mask_member(unquote_plus(name), plain, asked=True)
    return pair if masked == plain else f"{name}={masked}"


def _mask_member(name: str, value: str | int, asked: bool) -> object:
    # A form spells a nested name as `a[b]`.
    plain = name.rpartition("[")[2].removesuffix("]").lower().replace("_", "").replace("-", "")
    if isinstance(value, bool):
        return value
    if plain in _SECRETS or (asked and plain == "code"):
        return MASK
    if plain in _TOKENS and isinstance(value, str):
        return _shorten(value)
    return value


def _shorten(text: str) -> str:
    """A few characters to recognise a credential by, if they give nothing away."""
    key = _KEY.match(text)
    if key is not None:
        return key[1] + MASK
    return (text[:4] if len(text) >= _LONG_ENOUGH else "") + MASK
