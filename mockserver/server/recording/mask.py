"""Masking of a recording while it is made: no secret that a client brought along is written.

What the server itself makes, such as sessions, codes and keys, follows from the seed, which is in the file:
it is no secret. `docs/decisions.md` has the reasons.
"""

import json
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, get_args
from urllib.parse import unquote, unquote_plus

import orjson

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.chain.base58 import base58_encode
from mockserver.crypto import ed25519
from mockserver.crypto.passwords import hash_password
from mockserver.crypto.tokens import BadToken, peek
from mockserver.domain.identity.access_tokens import read_token
from mockserver.kernel.secrecy import members_by
from mockserver.scenario.running.start_up import StartUp
from mockserver.server.answering.masking import (
    UNREAD,
    Hiding,
    Walker,
    endpoint_at,
    is_form,
    plan_of_shape,
    read_json,
)
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.recording.lines import to_line, withhold
from mockserver.server.recording.live_keys import STAND_IN
from mockserver.server.recording.placeholders import Placeholders
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
_DIGESTS = frozenset({b"content-digest", b"repr-digest", b"digest", b"content-md5"})
"""Headers with a digest of the body, by which what is masked in it could be guessed."""
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
        names = pipeline.server.names
        self._hiding = Walker(names, Hiding(self._hide_value, self._hide, self._hide_basic))
        noting = Hiding(self._note_value, self._note, self._note)
        self._noting = Walker(names, noting, asked=False)

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
        shown = self._hide_in_request(request)
        if shown.body != request.body:
            self._shows_signatures = False
            shown = self._hide_in_request(request)
        return shown

    def _hide_in_request(self, request: Request) -> Request:
        endpoint, template = endpoint_at(self._routes, request.method, request.path)
        body = self._hide_in_body(request, endpoint)
        path = self._hiding.path(request.path, template)
        query = self._hiding.pairs(request.query, plan_of_shape(endpoint and endpoint.query))
        is_hidden = body != request.body
        headers = [(name, self._hide_header(name, value, is_hidden)) for name, value in request.raw_headers]
        return replace(request, path=path, query=query, raw_headers=headers, body=body)

    def _hide_header(self, name: bytes, value: bytes, is_body_hidden: bool) -> bytes:
        text = value.decode("latin-1")
        is_digest = is_body_hidden and name in _DIGESTS
        hidden = self._hide(text) if is_digest else self._hiding.header(name.decode("latin-1"), text)
        return hidden.encode("latin-1", "replace")

    def _hide_in_body(self, request: Request, endpoint: Endpoint | None) -> bytes:
        """The body as it is shown; nothing of one that no operation reads: secrets may be anywhere in it."""
        body, plan = request.body, plan_of_shape(endpoint and endpoint.body)
        if not body:
            return body
        value = read_json(body)
        if value is not UNREAD:
            masked = self._hiding.body(value, plan)
            twice = _members_that_come_twice(body)
            for member in twice:
                self._hiding.value(member, plan)
            return body if masked == value and not twice else json.dumps(masked).encode()
        text = body.decode("latin-1")
        if is_form(body, request.headers.get("content-type", "")):
            return self._hiding.pairs(text, plan, is_body=True).encode("latin-1", "replace")
        hidden = self._hiding.loose_text(text)
        if endpoint is None or endpoint.family.public:
            hidden = self._placeholders.of_body(text)
            self._search.add(body, hidden.encode(), is_whole=True)
        return hidden.encode("latin-1", "replace")

    def hide_answer(self, line: Line) -> Line:
        """An answer with placeholders where it names secrets; all else that it names the server has made."""
        for name, value in line["headers"]:
            self._noting.header(name, value)
        body = line.get("body")
        if not isinstance(body, str) or body[:1] not in ("{", "["):
            return line
        value = read_json(body.encode("utf-8", "replace"))
        if value is UNREAD:
            return line
        shown = self._hide_named(value)
        return line if shown == value else line | {"body": orjson.dumps(shown).decode()}

    def _hide_named(self, value: Any) -> Any:
        """A JSON value with the placeholders of secrets that came before, where they are by their names.

        A short secret is only found so.
        """
        return self._noting.value(self._hide_derived(value))

    def _hide_derived(self, value: Any) -> Any:
        """A JSON value without what follows from secrets, and whose texts, such as scenarios, have none."""
        if isinstance(value, list):
            return [self._hide_derived(member) for member in value]
        if not isinstance(value, dict):
            return value
        shown = {name: self._hide_derived(member) for name, member in value.items()}
        for name in _DERIVED.keys() & shown.keys():
            shown[name] = _DERIVED[name] if isinstance(shown[name], str) else shown[name]
        if isinstance(shown.get("text"), str):
            shown["text"] = self._noting.loose_text(shown["text"])
        return shown

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
                self._hiding._replace(asked=False).value(dict(row.options))
            for _, row in tables["identity.linked_accounts"].numbered():
                self._learn_account(row)
        # After the hashes of passwords: a password gets the placeholder of its hash.
        for event in project.history:
            if event.call == event.number:
                self.hide_request(_request_of(event))
        seed_project = project.seed_project
        start_up = seed_project.texts() if isinstance(seed_project, StartUp) else ()
        for scenario in (*project.scenarios, *start_up):
            self._hiding.loose_text(scenario.text)

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

    def _hide_basic(self, credentials: str) -> str:
        """User name and password (RFC 7617): either may be a key."""
        try:
            user, colon, password = b64decode(credentials, validate=True).decode().partition(":")
        except (Base64Error, ValueError):
            return self._hide(credentials)
        return b64encode(f"{self._hide(user)}{colon}{self._hide(password)}".encode()).decode()

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
        masked: dict[str, Any] = self._hiding.value(claims)
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
            return line if "state" in line else self._hide_named(line)
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
        return endpoint is not None and members_by(plan_of_shape(endpoint.body)).has_secrets

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


def _members_that_come_twice(body: bytes) -> list[dict[str, Any]]:
    """The members of objects in which a name comes twice: what is read of them has the last ones only."""
    twice: list[dict[str, Any]] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            twice.extend({name: value} for name, value in pairs)
        return members

    json.loads(body, object_pairs_hook=collect)
    return twice


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
