"""The one walker that finds the secrets of requests and answers, and hides them.

What is secret is known by types, in free objects and unknown paths by names, and in any text by its form. The
log, the journal, reports and masked recordings differ only in what they show instead.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, unquote_plus

from mockserver.api.endpoint import SECRET_PARAMETERS, Endpoint, Routes, find_method
from mockserver.api.forms import MOST_FIELDS
from mockserver.api.values import MOST_VALUES, has_more_values
from mockserver.kernel.secrecy import (
    FREE,
    LONGEST_NAME,
    NAMELESS,
    Names,
    Plan,
    Secrecy,
    kind_of,
    members_by,
    plan_of,
)
from mockserver.state.api_keys import KEY_NAME, KEY_START, LIVE_KEY_PREFIXES

MASK = "…"
"""The replacement of a hidden value."""
LONGEST_PARSED = 1024 * 1024
"""The most bytes of a body that are parsed, since that takes time."""

_KEY = re.compile(f"{KEY_START}(?:(?<=test_).{{0,2}})?")
_PAIR = re.compile(r"(?:[\w.\[\]%+-]*=[^=]*=*)?")
"""A `name=value` pair of a form; a text with others is not a form, whatever its content type."""
_PUBLIC_KEY = re.compile(r"\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*")
_COOKIE_ATTRIBUTES = {"domain", "expires", "httponly", "max-age", "partitioned", "path", "samesite", "secure"}
_PART = re.compile(r"[^\[\].]+")
"""A name of a path such as `calls[0].to`."""
_DEEPEST = 8
"""So many layers of JSON text are looked into; what is below is hidden."""

_HINT = re.compile(r"PRIVATE KEY|eyJ|_live_|://[^/\s]*@|[?&#][^?=&#\s]+=|\A\s*[\[{]")
"""What every text has in which a secret is known by its form."""
_FORMS = re.compile(
    r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z))"
    r"|(?<![\w-])(?=[\w-]+\.[\w-]{4,}\.)(?P<before>[\w-]*?)(?P<jwt>eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)"
    f"|((?:{'|'.join(LIVE_KEY_PREFIXES)}){KEY_NAME}+(?!{MASK}))",
    re.DOTALL,
)
"""A private key in PEM, a JWT, a live key.

A row of the characters of a JWT is looked into once, and only if two dots follow: else the time would grow
with the square of its length.
"""
_USER = re.compile(r"://([^/\s:@]*):([^/\s@]+)@")
_PARAMETER = re.compile(r"([?&#])([^?=&#\s]+)=([^&#\s\"'<>]*)")
_UNSAFE = re.compile(f"[^!-~{MASK}]|[%&+#]")
"""What is percent-encoded in a query."""
_MEMBER = re.compile(
    r"""(?<![\w-])([\w-]{1,64})["']?[ \t]*[:=][ \t]*"""
    r"""(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s,;&{}\[\]"'][^,;&}\]\n]*))"""
)
"""A member of a text of no known form, such as a scenario."""
_ONE_TIME_CODE = re.compile(r"\d{4,}")
_QUOTED = 2
"""The group of that with a text in double quotes, which has escapes as in JSON."""


class Hiding(NamedTuple):
    """What is shown in the place of a secret."""

    secret: Callable[[object], object]
    """Instead of a value that is a secret, or that may be a misspelt one: any JSON value."""
    token: Callable[[str], str]
    """Instead of a credential, which may be a key."""
    basic: Callable[[str], str]
    """Instead of a user name and a password in base64 (RFC 7617)."""


def _shorten(text: str) -> str:
    """Of a key what kind it is, and of one in test mode how its name begins: these are no secrets."""
    key = _KEY.match(text)
    return MASK if key is None else key[0] + MASK


SHORTENING = Hiding(lambda _: MASK, _shorten, lambda _: MASK)
"""How logs and journals hide. What they show is the same in the replay of a masked recording."""


class Walker(NamedTuple):
    """Hides the secrets of a request, or of an answer unless it is `asked`."""

    names: Names
    hiding: Hiding = SHORTENING
    asked: bool = True
    request: Plan = FREE
    """The plan of the request's body, about whose members an answer may have findings."""
    depth: int = 0
    """How many layers of JSON text are around."""

    # --- values ----------------------------------------------------------------------------------

    def value(self, value: Any, plan: Plan = FREE) -> Any:
        """Parsed JSON without the secrets that its plan, names and the form of texts tell."""
        kind = kind_of(plan)
        if kind is not None:
            return self._whole(value, kind)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(member, plan) for member in value]
        if isinstance(value, Mapping):
            return {self.text(name): self.member(name, member, plan) for name, member in value.items()}
        return value

    def body(self, value: Any, plan: Plan) -> Any:
        """The JSON of a request. Beside secrets a member that its operation does not know may be one."""
        members = members_by(plan)
        if not (self.asked and members.has_secrets):
            return self.value(value, plan)
        if not isinstance(value, Mapping):
            return self.hiding.secret(value)
        return {
            self.text(name): self.member(name, member, plan)
            if name in members.known
            else self.hiding.secret(member)
            for name, member in value.items()
        }

    def member(self, name: str, value: Any, plan: Plan) -> Any:
        """The value of a member of an object with a plan."""
        if name == "details" and not self.asked and isinstance(value, Mapping):
            plans = {path: self._plan_at(path, self.request) for path in value}
            return {path: self.value(found, plans[path]) for path, found in value.items()}
        return self.value(value, self._plan_at(name, plan))

    def _plan_at(self, name: str, plan: Plan) -> Plan:
        """The plan of a member; `a[b]`, `a.b` and `b[0]` are paths, in which any name may be a secret's."""
        members = members_by(plan)
        if name in members.known:
            return members.known[name]
        parts = _PART.findall(name) if len(name) <= LONGEST_NAME else ()
        if len(parts) < 2:
            kind = None if members.others else self.names.kind(name, asked=self.asked)
            return members.others or FREE if kind is None else frozenset({kind})
        for part in parts:
            if kind_of(plan) is None and not part.isdecimal():
                plan = self._plan_at(part, plan)
        return plan

    def _whole(self, value: Any, kind: Secrecy) -> Any:
        """Hide what is a secret, whatever its shape.

        In an answer it may be the finding about a member of the request, whose `message` is shown.
        """
        if value is None or isinstance(value, bool):
            return value
        if kind is Secrecy.SOURCE:
            return self.loose_text(value) if isinstance(value, str) else self.value(value)
        if isinstance(value, list):
            return [self._whole(member, kind) for member in value]
        if isinstance(value, Mapping):
            return {
                name: member if name == "message" and not self.asked else self._whole(member, kind)
                for name, member in value.items()
            }
        if kind is Secrecy.TOKEN:
            return self._credential(value) if isinstance(value, str) else value
        if kind is Secrecy.COOKIES:
            return "; ".join(map(self._cookie, str(value).split(";")))
        return value if kind is Secrecy.PUBLIC_KEY and _is_public_key(value) else self.hiding.secret(value)

    # --- texts -----------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """A text without what is a secret by its form: keys, JWTs, parts of URLs, members of JSON."""
        if _HINT.search(text) is None:
            return text
        if text.lstrip()[:1] in ("{", "["):
            return self._json_text(text)
        text = _FORMS.sub(self._hide_form, text)
        text = _USER.sub(lambda user: f"://{user[1]}:{self.hiding.token(unquote(user[2]))}@", text)
        return _PARAMETER.sub(self._hide_parameter, text)

    def _hide_form(self, found: re.Match[str]) -> str:
        if found["jwt"]:
            return _FORMS.sub(self._hide_form, found["before"]) + self.hiding.token(found["jwt"])
        return str(self.hiding.secret(found[0])) if found[1] else self.hiding.token(found[0])

    def _hide_parameter(self, found: re.Match[str]) -> str:
        return f"{found[1]}{self._pair(f'{found[2]}={found[3]}', FREE)}"

    def _json_text(self, text: str) -> str:
        if self.depth == _DEEPEST:
            return str(self.hiding.secret(text))
        value = read_json(text.encode("utf-8", "replace"))
        if not isinstance(value, (dict, list)):
            return self.loose_text(text)
        shown = self._replace(depth=self.depth + 1).value(value)
        return text if shown == value else json.dumps(shown, ensure_ascii=False)

    def loose_text(self, text: str) -> str:
        """A text of another form, such as a scenario, without the members that have the names of secrets."""

        def hide(member: re.Match[str]) -> str:
            number = next((number for number in (_QUOTED, 3, 4) if member[number]), 0)
            value = (member[number] or "").rstrip()
            plain = _unquoted(value) if number == _QUOTED else value
            # A scenario names the codes of errors, too.
            kind = self.names.kind(member[1], asked=_ONE_TIME_CODE.fullmatch(plain) is not None)
            if not number or kind is None:
                return member[0]
            start, end = (place - member.start() for place in member.span(number))
            return f"{member[0][:start]}{self._whole(plain, kind)}{member[0][end:]}"

        return _MEMBER.sub(hide, _FORMS.sub(self._hide_form, text))

    # --- parts of messages -----------------------------------------------------------------------

    def header(self, name: str, value: str) -> str:
        """The value of a header."""
        kind = self.names.kind(name, asked=False)
        return self.text(value) if kind is None else str(self._whole(value, kind))

    def _credential(self, value: str) -> str:
        """A credential, perhaps with the scheme that it is for."""
        scheme, space, text = value.partition(" ")
        if not (space and scheme.isalpha()):
            return value if scheme.lower() in ("basic", "bearer") else self.hiding.token(value)
        hide = self.hiding.basic if scheme.lower() == "basic" else self.hiding.token
        return f"{scheme} {hide(text.strip())}" if text.strip() else value

    def _cookie(self, pair: str) -> str:
        name, sign, value = pair.strip().partition("=")
        if name.lower() in _COOKIE_ATTRIBUTES:
            return pair.strip()
        return f"{name}{sign}{self.hiding.token(value)}" if sign else self.hiding.token(name)

    def pairs(self, text: str, plan: Plan = FREE, *, is_body: bool = False) -> str:
        """A query string or a form; the spelling of what is not hidden stays."""
        known = members_by(plan).known if is_body and members_by(plan).has_secrets else None
        return "&".join(self._pair(pair, plan, known) for pair in text.split("&")) if text else text

    def _pair(self, pair: str, plan: Plan, known: Mapping[str, Plan] | None = None) -> str:
        name, _, value = pair.partition("=")
        plain_name, plain = unquote_plus(name), unquote_plus(value)
        if known is not None and plain_name.partition("[")[0] not in known:
            return f"{name}={self.hiding.secret(plain)}"
        masked = self.value(plain, self._plan_at(plain_name, plan))
        return pair if masked == plain else f"{name}={_UNSAFE.sub(_quote, str(masked))}"

    def path(self, path: str, template: str | None) -> str:
        """A path; `template` names its parameters."""
        if template is None:
            return self.text(path)
        # A path may end with slashes that its template lacks.
        parts = zip_longest(path.split("/"), template.split("/"), fillvalue="")
        return "/".join(
            self.hiding.token(part) if name[1:-1] in SECRET_PARAMETERS else self.text(part)
            for part, name in parts
        )

    def payload(self, body: bytes, content_type: str, plan: Plan) -> Any:
        """A body as it is shown: JSON, or a form as text.

        Of any other only the size is shown, since secrets may be anywhere in it. So it is of one that is
        longer than LONGEST_PARSED, or has more values than a request may have.
        """
        if not body:
            return None
        value = read_json(body)
        if value is not UNREAD:
            return self.body(value, plan)
        if is_form(body, content_type):
            return self.pairs(body.decode("latin-1"), plan, is_body=True)
        return {"unparsed": len(body)}

    def at(self, part: str, path: Sequence[str], value: Any, plan: Plan) -> Any:
        """What is at a place of a request; `part` is `headers`, `query` or `body`."""
        if part == "headers":
            return self.header(path[0], value)
        for name in reversed(path):
            value = {name: value}
        shown = self.body(value, plan) if part == "body" else self.value(value, plan)
        for name in path:
            shown = shown[name] if isinstance(shown, Mapping) else shown
        return shown


UNREAD = object()
"""What a body that is not JSON is read as, or one that is too large."""


def read_json(body: bytes) -> Any:
    """The JSON of a body, or UNREAD."""
    if len(body) > LONGEST_PARSED:
        return UNREAD
    # Imported on first use, as all of pydantic.
    from pydantic_core import from_json

    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError:
        return UNREAD
    return UNREAD if has_more_values(value, MOST_VALUES) else value


def members_that_come_twice(body: bytes | str) -> list[dict[str, Any]]:
    """The members of objects in which a name comes twice: what is read of them has the last ones only."""
    twice: list[dict[str, Any]] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            twice.extend({name: value} for name, value in pairs)
        return members

    json.loads(body, object_pairs_hook=collect)
    return twice


def endpoint_at(routes: Routes, method: str, path: str) -> tuple[Endpoint | None, str | None]:
    """The operation that a request is to, and the template of its path, which any method may have."""
    methods, _ = routes.find(path.rstrip("/") or "/")
    return find_method(methods, method), next((each.path for each in methods.values()), None)


def plan_of_request(endpoint: Endpoint | None) -> Plan:
    """The plan of what an operation takes as its body."""
    if endpoint is not None and endpoint.family.is_rpc:
        return NAMELESS
    return plan_of_shape(endpoint and endpoint.body)


def plan_of_shape(shape: Any) -> Plan:
    """The plan of the body, the query or the answer of an operation; without one, names tell."""
    return FREE if shape is None else plan_of(shape)


def is_form(body: bytes, content_type: str) -> bool:
    """Whether a body is a form by its content type and as a text."""
    return (
        content_type.startswith("application/x-www-form-urlencoded")
        and body.count(b"&") < MOST_FIELDS
        and all(_PAIR.fullmatch(pair) for pair in body.decode("latin-1").split("&"))
    )


def _quote(unsafe: re.Match[str]) -> str:
    return quote(unsafe[0])


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _is_public_key(value: object) -> bool:
    if not isinstance(value, str) or _PUBLIC_KEY.fullmatch(value) is None:
        return False
    # Imported on first use: it takes ten milliseconds, and many servers need none of it.
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        load_pem_public_key(value.encode())
    except (ValueError, UnsupportedAlgorithm):
        return False
    return True
