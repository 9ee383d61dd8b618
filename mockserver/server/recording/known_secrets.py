"""The secrets that clients brought along, with a placeholder for each, and what the server made itself."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, get_args
from urllib.parse import unquote, unquote_plus

from mockserver.api.endpoint import Routes
from mockserver.chain.base58 import base58_encode
from mockserver.crypto.tokens import BadToken, peek
from mockserver.domain.identity.access_tokens import read_claims
from mockserver.domain.identity.email_rules import extend_stand_in
from mockserver.domain.wallets.keys.custody import portable_bytes
from mockserver.kernel.codec import read_base64
from mockserver.kernel.secrecy import plan_of
from mockserver.server.answering.masking import Hiding, Walker
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.recording.placeholders import Placeholders
from mockserver.server.recording.search import SHORTEST, Search, TooMuch
from mockserver.state.api_keys import ApiKey
from mockserver.state.history.changes import Changes
from mockserver.state.identity import VerificationKind
from mockserver.state.project import SCHEMAS, Project, ProjectState
from mockserver.state.saved.encoding import row_codecs
from mockserver.state.settings import Settings
from mockserver.state.wallets import Key

_KINDS = get_args(VerificationKind)
_SIGNED = frozenset({"uris", "reqHash", "iat", "nbf", "exp", "jti"})
"""The claims of a signature of a request: it is good for that one request, which is shown."""
KEY_TABLES = ("wallets.keys", "wallets.announced_keys")
_BROUGHT = {
    "identity.auth_configs": ("options",),
    "identity.verifications": ("code_challenge",),
    "wallets.encryption_sessions": ("encryption_part",),
    "wallets.shares": ("encryption_part", "secret"),
    "webhooks.attempts": ("response",),
    "webhooks.deliveries": ("target",),
    "webhooks.triggers": ("target",),
}
"""The members of rows that a client or a receiver brought, and that may have secrets."""
_OF_CONSENT = ("code", "polling_key")
_ISSUED = {
    "funding.sessions": ("client_secret",),
    "identity.consent_requests": _OF_CONSENT,
    "identity.sessions": ("id", "token"),
    "identity.verifications": ("value",),
}
"""The members of rows that the server made, which clients send back."""
_LEARNT = {*KEY_TABLES, *_BROUGHT, *_ISSUED}
STAND_IN = "undeclared"
"""The name of the key that stands for undeclared ones where nothing else is masked; no project has it."""

MASKED = "masked"
"""What a masked recording has in the place of what follows from secrets."""


class KnownSecrets:
    """Knows the secrets that came so far. `hiding` learns those that it hides, `noting` hides known ones."""

    def __init__(self, pipeline: Pipeline, *, is_masked: bool, is_upstream: bool) -> None:
        """Of another server (`is_upstream`) test keys and what it issues are secrets as well."""
        self.is_upstream = is_upstream
        self._world, self._routes = pipeline.world, pipeline.server.routes
        self.search = Search(self.hide if is_masked else self._hide_undeclared, is_bounded=is_masked)
        self.placeholders = Placeholders(self._extend)
        self._issued: set[str] = set()
        """What it had issued before, of which nothing may be left: after a restore it is issued again."""
        self._made: set[str] = set()
        """The credentials that the server made: those in answers, and those that came back."""
        names = pipeline.server.names
        self.hiding = Walker(names, Hiding(self._hide_value, self.hide, _in_basic(self.hide)))
        self.noting = Walker(names, Hiding(self._note_value, self._note, _in_basic(self._note)), asked=False)
        self.shows_signatures = not is_upstream
        """Whether a token is shown that does nothing but sign its request."""
        self.has_signature = False
        """Whether one was."""
        self.is_found = True
        """Whether the search finds all that was hidden since this was last set."""
        self.has_short = False
        """Whether there is a secret for which nothing searches."""
        self.left: int | None = None
        """How many values may still be hidden, while a body is looked into."""
        self.hashes: Sequence[str] = ()
        """The hashes of the passwords of the users whom the request names."""

    def _extend(self, stand_in: str, secret: str) -> str:
        """A placeholder that passes as a new password of each project if the secret does."""
        for project in self._world:
            if not project.is_put_away:
                stand_in = extend_stand_in(project, stand_in, secret)
        return stand_in

    def learn_key(self, key: Key | None) -> None:
        """Learn a private key that was imported."""
        if key is None or not key.imported or self.placeholders.is_key(key.secret):
            return
        stand_in = self.placeholders.of_key()
        self.search.add(key.secret, stand_in)
        texts = [key.secret.hex(), base58_encode(key.secret)]
        if key.chain_type == "SVM":
            texts.append(base58_encode(portable_bytes(key)))
        for text in texts:
            self._add(text, stand_in.decode())

    def learn_states(self, states: Iterable[ProjectState], earlier: Iterable[Changes]) -> None:
        """Learn what clients brought that rows and settings have, of whose requests nothing may be left."""
        rows: list[tuple[str, Any]] = []
        read: set[int] = set()
        for state in states:
            self._learn_settings(state.settings)
            for name, table in zip(SCHEMAS, state.tables, strict=True):
                # Snapshots share the tables that did not change between them.
                if id(table.rows) not in read and name in _LEARNT:
                    read.add(id(table.rows))
                    rows += ((name, row) for row in table.rows.values())
        for changes in earlier:
            self._learn_settings(changes.settings_before)
            for each in changes.rows:
                rows += ((each.table, row) for row in (each.before, each.after) if row is not None)
        self._issued.update(getattr(row, each) for name, row in rows for each in _ISSUED.get(name, ()))
        for name, row in rows:
            self._learn_row(name, row)

    def _learn_settings(self, settings: Settings | None) -> None:
        if settings is not None and settings.webhook_secret is not None:
            self.hide(settings.webhook_secret)

    def _learn_row(self, table: str, row: Any) -> None:
        if table in KEY_TABLES:
            self.learn_key(row)
        for name in _BROUGHT.get(table, ()):
            self.hiding._replace(asked=False).member(name, getattr(row, name), plan_of(type(row)))

    def hide(self, text: str) -> str:
        """The placeholder of a secret; a text that is none stays."""
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise TooMuch
        if not text.strip() or text in self._made or self.placeholders.is_one(text):
            return text
        # A key first: for it nothing has to be looked for in every project.
        start, name = _split_key(text)
        if start and not self.is_upstream and self._is_own_key(start, name):
            return text
        if not start and self._is_issued(text):
            # It stays the server's after the session has ended, or the code was spent.
            self._made.add(text)
            return text
        if self.shows_signatures and _is_signature(text):
            self.has_signature = True
            return text
        named = f"live key {name}" if start else name
        placeholder = self.placeholders.known(named)
        if placeholder is None:
            placeholder = self.placeholders.of(named, self._hide_claims, self.hashes)
            self._add(name, placeholder)
        else:
            self.placeholders.note_password(named, self.hashes)
        if not start and not self._is_looked_for(name):
            self.is_found, self.has_short = False, True
        return start + placeholder

    def _hide_value(self, value: object) -> object:
        """What is shown in the place of a JSON value."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self._hide_value(member) for member in value]
        if isinstance(value, Mapping):
            return {name: self._hide_value(member) for name, member in value.items()}
        if isinstance(value, bool) or value is None:
            return value
        assert isinstance(value, (int, float))
        self.is_found, self.has_short = False, True
        return self.placeholders.of_number(value)

    def _hide_undeclared(self, key: str) -> str:
        """What is shown in a recording that is not masked: a live key if it is declared."""
        start, name = _split_key(key)
        return key if self._world.is_taken(key) else f"{start}{STAND_IN.ljust(len(name), 'x')}"

    def _hide_claims(self, claims: dict[str, Any]) -> dict[str, Any]:
        masked: dict[str, Any] = self.hiding.value(claims)
        return masked | {"reqHash": MASKED} if "reqHash" in masked else masked

    def _note(self, text: str) -> str:
        """The placeholder of what came before; anything else the server has made."""
        placeholder = self.placeholders.known(text)
        if placeholder is None:
            self._made.add(text)
        return placeholder or text

    def _note_value(self, value: object) -> object:
        return self._note(value) if isinstance(value, str) else value

    def _is_looked_for(self, text: str) -> bool:
        is_number = text.isascii() and text.isdigit()
        # What repeats one character is in data of the server's own, such as a signature for estimates.
        is_varied = len(text) >= SHORTEST and len(set(text)) > 1
        return is_varied and not is_number and text.lower() not in _vocabulary(self._routes)

    def _add(self, text: str, placeholder: str) -> None:
        """Look for a secret from now on, as it may be spelt in a file of latin-1 characters too."""
        if not self._is_looked_for(text):
            return
        stand_in = placeholder.encode()
        is_token = text.count(".") == 2
        for spelling in dict.fromkeys((text, text.lower(), text.upper(), unquote(text), unquote_plus(text))):
            raw = spelling.encode("utf-8", "surrogatepass")
            self.search.add(raw, stand_in, is_whole=is_token)
            if not spelling.isascii():
                self.search.add(raw.decode("latin-1").encode(), stand_in)
                self.search.add(spelling.encode("latin-1", "replace"), stand_in)
        if is_token:
            self.search.add(text.rpartition(".")[2].encode(), placeholder.rpartition(".")[2].encode())

    def _is_own_key(self, start: str, name: str) -> bool:
        """Whether a key is of the test mode, or of a project's name, or a stand-in: all follow from names."""
        return (
            "_test_" in start
            or name.rstrip("x") == STAND_IN
            or any(each.livemode and each.name == name for each in self._world)
        )

    def _is_issued(self, text: str) -> bool:
        """Whether a project made a text: a token, a code, the key of a poll, an encryption session."""
        return text.partition(".")[0] in self._issued or any(
            _has_issued(project, text) for project in self._world if not project.is_put_away
        )


def _has_issued(project: Project, text: str) -> bool:
    identity = project.identity
    return (
        identity.sessions.first("token", text.partition(".")[0]) is not None
        or text in identity.sessions
        or any(identity.verifications.first("value", (kind, text)) for kind in _KINDS)
        or any(identity.consent_requests.first(name, text) for name in _OF_CONSENT)
        or (text.count(".") == 2 and read_claims(project, text) is not None)
        or text in project.wallets.encryption_sessions
    )


@cache
def _vocabulary(routes: Routes) -> frozenset[str]:
    """The words of the API and of the format: what is one of them is only masked where it is named."""
    endpoints = routes.by_operation.values()
    words = {each.path for each in endpoints} | routes.by_operation.keys() | row_codecs().keys()
    for endpoint in endpoints:
        words |= set(getattr(endpoint.body, "__annotations__", ()))
    words |= {"mockserver_recording", "mockserver", "control-token", "application/json"}
    return frozenset(part.lower() for word in words for part in (word, *re.split(r"\W", word)))


def _in_basic(hide: Callable[[str], str]) -> Callable[[str], str]:
    """Hides user name and password (RFC 7617): either may be a key."""

    def hide_both(credentials: str) -> str:
        try:
            user, colon, password = read_base64(credentials).decode().partition(":")
        except ValueError:
            return hide(credentials)
        hidden = f"{hide(user)}{colon}{hide(password)}"
        return b64encode(hidden.encode()).decode()

    return hide_both


def _split_key(text: str) -> tuple[str, str]:
    """The start of a key, such as `sk_live_`, and its name; nothing and the text, if it is none."""
    try:
        key = ApiKey.parse(text)
    except ValueError:
        return "", text
    return text[: -len(key.name)], key.name


def _is_signature(text: str) -> bool:
    """Whether a token signs a request and says nothing else."""
    try:
        return "uris" in (claims := peek(text)[1]) and claims.keys() <= _SIGNED
    except BadToken:
        return False
