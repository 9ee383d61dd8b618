"""Masking of a recording while it is made: no secret that a client brought along is written.

What the server itself makes, such as sessions, codes and keys, follows from the seed, which is in the file:
it is no secret. `docs/decisions.md` has the reasons.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_args
from urllib.parse import unquote, unquote_plus

import orjson

from mockserver.api.call import Request
from mockserver.api.endpoint import Routes
from mockserver.api.wire import field_names
from mockserver.chain.base58 import base58_encode
from mockserver.crypto import ed25519
from mockserver.crypto.passwords import hash_password
from mockserver.crypto.tokens import BadToken, peek
from mockserver.domain.identity.access_tokens import read_token
from mockserver.server.answering.masking import Hiding, mask_header, mask_json, secret_members
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.recording.lines import Sink, to_line, withhold
from mockserver.server.recording.live_keys import STAND_IN
from mockserver.server.recording.placeholders import Placeholders
from mockserver.server.recording.request_mask import hide_in_request, hide_in_text
from mockserver.server.recording.search import SHORTEST, Search
from mockserver.state.api_keys import ApiKey
from mockserver.state.history.event import Event
from mockserver.state.identity import LinkedAccount, VerificationKind
from mockserver.state.project import SCHEMAS, Project
from mockserver.state.saved.digests import Changed, canonical
from mockserver.state.saved.encoding import Line, row_codecs
from mockserver.state.wallets import Key

_KINDS = get_args(VerificationKind)
_HIDDEN = "masked"
_DERIVED = {"password_hash": _HIDDEN, "fingerprint": ""}
"""The members of rows by which a request's secrets could be guessed, and what is shown instead."""
_SIGNED = frozenset({"uris", "reqHash", "iat", "nbf", "exp", "jti"})
"""The claims of a signature of a request: it is good for that one request, which is shown."""
_KEY_TABLES = ("wallets.keys", "wallets.announced_keys")
_SALT = bytes(16)


class Mask:
    """Knows the secrets that came so far, and puts placeholders in their place, in whatever encoding."""

    def __init__(self, pipeline: Pipeline, *, is_replay: bool = False) -> None:
        """In a replay of a masked recording all that clients send is masked already."""
        self._is_replay = is_replay
        self._world, self._routes = pipeline.world, pipeline.server.routes
        self._search = Search()
        self._placeholders = Placeholders()
        self._made: set[str] = set()
        """The credentials that the server made: those in answers, and those that came back."""
        self._shows_signatures = True
        self._hiding = Hiding(self._hide_value, self._hide)
        self._noting = Hiding(self._note_value, self._note)

    @property
    def count(self) -> int:
        """How many placeholders there are."""
        return self._placeholders.count

    # --- what is a secret ------------------------------------------------------------------------

    def hide_request(self, request: Request) -> Request:
        """The request with placeholders for its secrets, which are known from now on.

        A signature of the request is shown if all is that it signs.
        """
        if self._is_replay:
            return request
        self._shows_signatures = True
        shown = hide_in_request(request, self._routes, self._hiding, self._hide_body)
        if shown.body != request.body:
            self._shows_signatures = False
            shown = hide_in_request(request, self._routes, self._hiding, self._hide_body)
        return shown

    def _hide_body(self, text: str) -> str:
        """The placeholder of a body that is not read, given as latin-1. What it names is learnt."""
        hide_in_text(text, self._hiding)
        placeholder = self._placeholders.of_body(text)
        self._search.add(text.encode("latin-1"), placeholder.encode(), is_whole=True)
        return placeholder

    def hide_answer(self, line: Line) -> Line:
        """An answer with placeholders where it names secrets; all else that it names the server has made."""
        for name, value in line["headers"]:
            if name == "set-cookie":
                self._note(value.partition("=")[2].partition(";")[0])
            mask_header(name, value, self._noting)
        body = line.get("body")
        if not isinstance(body, str) or body[:1] not in ("{", "["):
            return line
        try:
            value = orjson.loads(body)
        except ValueError:
            return line
        shown = self._hide_named(value)
        return line if shown == value else line | {"body": orjson.dumps(shown).decode()}

    def _hide_named(self, value: Any) -> Any:
        """A JSON value with the placeholders of secrets that came before, where they are by their names.

        A short secret is only found so.
        """
        return mask_json(_hide_members(value, self._noting), asked=False, hiding=self._noting)

    def learn_keys(self, changes: Mapping[Project, Changed]) -> None:
        """Learn the private keys that a step has brought."""
        for project, names in ({} if self._is_replay else changes).items():
            for name in names:
                table, _, row_id = name.partition("/")
                if table in _KEY_TABLES:
                    rows = project.wallets.keys if table == _KEY_TABLES[0] else project.wallets.announced_keys
                    self._learn_key(rows.get(row_id))

    def learn_project(self, project: Project, keys: Iterable[str]) -> None:
        """Learn the secrets that were brought to a project before."""
        if self._is_replay:
            return
        for key in keys:
            self._hide(key)
        for state in (*project.snapshots.values(), project.snapshot()):
            tables = dict(zip(SCHEMAS, state.tables, strict=True))
            for table in _KEY_TABLES:
                for _, row in tables[table].numbered():
                    self._learn_key(row)
            for _, row in tables["identity.auth_configs"].numbered():
                mask_json(dict(row.options), asked=False, hiding=self._hiding)
            for _, row in tables["identity.linked_accounts"].numbered():
                self._learn_account(row)
        # After the hashes of passwords: a password gets the placeholder of its hash.
        for event in project.history:
            if event.call == event.number:
                self.hide_request(_request_of(event))
        for scenario in project.scenarios:
            hide_in_text(scenario.text, self._hiding)

    def _learn_account(self, row: LinkedAccount) -> None:
        """A password's hash, or the tokens of a provider: some are the mock's, but each is only shown."""
        if row.password_hash is not None:
            self._placeholders.of_hash(row.password_hash)
        if row.tokens is not None:
            for token in (row.tokens.access_token, row.tokens.refresh_token, row.tokens.id_token):
                if token:
                    self._hide(token)

    def _learn_key(self, key: Key | None) -> None:
        if key is None or not key.imported or self._placeholders.is_key(key.secret):
            return
        stand_in = self._placeholders.of_key()
        self._search.add(key.secret, stand_in)
        texts = [key.secret.hex(), base58_encode(key.secret)]
        if key.chain_type == "SVM":
            texts.append(base58_encode(key.secret + ed25519.public_key(key.secret)))
        for text in texts:
            self._add(text, stand_in.decode())

    # --- placeholders ----------------------------------------------------------------------------

    def _hide_value(self, value: object) -> object:
        """What is shown in the place of a JSON value."""
        if isinstance(value, str):
            return self._hide(value)
        if isinstance(value, list):
            return [self._hide_value(member) for member in value]
        if isinstance(value, Mapping):
            return {name: self._hide_value(member) for name, member in value.items()}
        if isinstance(value, bool) or value is None:
            return value
        assert isinstance(value, (int, float))
        return self._placeholders.of_number(value)

    def _hide(self, text: str) -> str:
        """The placeholder of a secret; a text that is none stays."""
        if not text.strip() or text in self._made or self._placeholders.is_one(text):
            return text
        if self._is_issued(text):
            # It stays the server's after the session has ended, or the code was spent.
            self._made.add(text)
            return text
        start, name = _split_key(text)
        if start and self._is_own_key(start, name):
            return text
        if self._shows_signatures and _is_signature(text):
            return text
        placeholder = self._placeholders.of(name, self._hide_claims)
        self._add(name, placeholder)
        return start + placeholder

    def _add(self, text: str, placeholder: str) -> None:
        """Look for a secret from now on, as it may be spelt in a file of latin-1 characters too."""
        if (
            len(text) < SHORTEST
            or (text.isascii() and text.isdigit())
            or text.lower() in _vocabulary(self._routes)
        ):
            return
        stand_in = placeholder.encode()
        is_token = text.count(".") == 2
        for spelling in (text, text.lower(), text.upper(), unquote(text), unquote_plus(text)):
            raw = spelling.encode("utf-8", "surrogatepass")
            self._search.add(raw, stand_in, is_whole=is_token)
            if not spelling.isascii():
                self._search.add(raw.decode("latin-1").encode(), stand_in)
                self._search.add(spelling.encode("latin-1", "replace"), stand_in)
        if is_token:
            self._search.add(text.rpartition(".")[2].encode(), placeholder.rpartition(".")[2].encode())

    def _hide_claims(self, claims: dict[str, Any]) -> dict[str, Any]:
        masked = mask_json(claims, asked=True, hiding=self._hiding)
        assert isinstance(masked, dict)
        return masked | {"reqHash": _HIDDEN} if "reqHash" in masked else masked

    def _is_own_key(self, start: str, name: str) -> bool:
        """Whether a key is of the test mode, or of a project's name, or a stand-in: all follow from names."""
        return (
            "_test_" in start
            or name == STAND_IN
            or any(each.livemode and each.name == name for each in self._world)
        )

    def _is_issued(self, text: str) -> bool:
        """Whether a project made a text: a session's token, a code, the token of a link."""
        raw = text.partition(".")[0]
        for project in self._world:
            if not project.is_put_away:
                identity = project.identity
                if identity.sessions.first("token", raw) is not None:
                    return True
                if any(identity.verifications.first("value", (kind, text)) for kind in _KINDS):
                    return True
                if text.count(".") == 2 and read_token(project, text) is not None:
                    return True
        return False

    # --- what is written -------------------------------------------------------------------------

    def hide_row(self, line: Line) -> Line:
        """A line of the state in which a recording begins, without what follows from secrets."""
        if "row" not in line:
            return _hide_members(line, self._noting) if "state" not in line else line
        table, number, row = line["row"]
        shown = self._hide_named(row)
        if "password_hash" in row:
            password = self._placeholders.of_hash(row["password_hash"])
            shown["password_hash"] = hash_password(password, _SALT)
        if "fingerprint" in row:
            is_secret = self._takes_secrets(row["id"].partition(" ")[0])
            shown["fingerprint"] = "" if is_secret else row["fingerprint"]
        return {"row": [table, number, shown]}

    def _takes_secrets(self, operation: str) -> bool:
        endpoint = self._routes.by_operation.get(operation)
        if endpoint is None or endpoint.body is None:
            return False
        return secret_members(field_names(endpoint.body)) is not None

    def to_bytes(self, value: Any) -> bytes:
        """The bytes of a row or a line that its digest is taken of: nothing in them follows from a secret."""
        row = value["row"][2] if "row" in value else value
        row = self._hide_named(row)
        value = {"row": [*value["row"][:2], row]} if "row" in value else row
        return self._search.replace(canonical(value))

    def hide_line(self, line: Line) -> Line:
        """The line with placeholders; withheld if a secret is still in it."""
        raw = to_line(line)
        hidden = self._search.replace(raw)
        if hidden == raw:
            return line
        try:
            found: Line = orjson.loads(hidden)
        except ValueError:
            return withhold(line, self._search.finds)
        return withhold(line, self._search.finds) if self._search.finds(hidden) else found

    def has_secret(self, raw: bytes) -> bool:
        """Whether a secret is in a line, one that came after it included."""
        return self._search.finds(raw)

    # --- noting ----------------------------------------------------------------------------------

    def _note(self, text: str) -> str:
        """The placeholder of what came before; anything else the server has made."""
        placeholder = self._placeholders.known(text)
        if placeholder is None:
            self._made.add(text)
        return placeholder or text

    def _note_value(self, value: object) -> object:
        return self._note(value) if isinstance(value, str) else value


@cache
def _vocabulary(routes: Routes) -> frozenset[str]:
    """The words of the API and of the format: what is one of them is only masked where it is named."""
    endpoints = routes.by_operation.values()
    words = {each.path for each in endpoints} | routes.by_operation.keys() | row_codecs().keys()
    for endpoint in endpoints:
        words |= set(getattr(endpoint.body, "__annotations__", ()))
    words |= {"mockserver_recording", "mockserver", "control-token", "application/json"}
    return frozenset(part.lower() for word in words for part in (word, *re.split(r"\W", word)))


class MaskedSink:
    """Takes lines, and gives them on masked."""

    def __init__(self, sink: Sink, mask: Mask) -> None:
        self._sink = sink
        self._mask = mask

    def write(self, line: Line) -> None:
        """See `Sink`."""
        self._sink.write(self._mask.hide_line(line))


def _hide_members(value: Any, hiding: Hiding) -> Any:
    """A JSON value without what follows from secrets, and whose texts, such as scenarios, have none."""
    if isinstance(value, list):
        return [_hide_members(member, hiding) for member in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for name, member in value.items():
        if not isinstance(member, str):
            found[name] = _hide_members(member, hiding)
        elif name in _DERIVED:
            found[name] = _DERIVED[name]
        else:
            found[name] = hide_in_text(member, hiding) if name == "text" else member
    return found


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


def _request_of(exchange: Event) -> Request:
    headers = exchange.request_headers
    return Request(
        exchange.method,
        exchange.path,
        exchange.query,
        headers,
        exchange.request_body,
        raw_headers=[
            (name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()
        ],
    )
