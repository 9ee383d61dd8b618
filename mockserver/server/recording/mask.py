"""Masking of a recording while it is made: no secret that a client brought along is written.

What the server itself makes, such as sessions, codes and keys, follows from the seed, which is in the file:
it is no secret. `docs/decisions.md` has the reasons. In a recording that is not masked the same search hides
what is in no recording: live keys that are not declared, and control tokens.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.values import to_json
from mockserver.crypto.passwords import hash_password
from mockserver.crypto.webhook_signatures import SIGNATURE_HEADER
from mockserver.kernel.secrecy import Plan, members_by
from mockserver.scenario.running.start_up import StartUp
from mockserver.server.answering.control_token import TOKEN_HEADER
from mockserver.server.answering.masking import (
    UNREAD,
    endpoint_at,
    is_form,
    members_that_come_twice,
    plan_of_request,
    plan_of_shape,
    read_json,
)
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.recording.known_secrets import KEY_TABLES, MASKED, KnownSecrets
from mockserver.server.recording.lines import (
    CONTENT_TYPE,
    OTHER_TOKEN,
    TOKEN,
    in_blocks,
    is_step,
    request_of,
    texts_in,
    texts_of,
    to_line,
    withhold,
)
from mockserver.server.recording.search import MOST_BYTES, TooMuch
from mockserver.state.history.event import Event
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import SCHEMAS, Project
from mockserver.state.saved.digests import Changed, canonical
from mockserver.state.saved.encoding import Line

_DERIVED = {"password_hash": MASKED, "code_challenge": MASKED, "fingerprint": "", SIGNATURE_HEADER: MASKED}
"""The members of rows and answers by which secrets could be guessed, and what is shown instead."""
_DIGESTS = frozenset({b"content-digest", b"repr-digest", b"digest", b"content-md5"})
"""Headers with a digest of the body, by which what is masked in it could be guessed."""
_SALT, _CHEAP = bytes(16), (2, 1, 1)
_MOST_CLEAN = 64
MOST_HIDDEN = 200
"""A body with more secrets is hidden as a whole."""


class Mask:
    """Puts placeholders in the place of secrets in what a recorder writes."""

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        is_masked: bool = True,
        is_replay: bool = False,
        is_upstream: bool = False,
    ) -> None:
        """In a replay of a masked recording all that clients send is masked already.

        With `is_upstream` the answers are of another server, and what they name are secrets too.
        """
        self.is_masked = is_masked
        """Whether all secrets are hidden, or only what is in no recording."""
        self._learns = is_masked and not is_replay
        self._routes = pipeline.server.routes
        self._known = KnownSecrets(pipeline, is_masked=is_masked, is_upstream=is_upstream)
        self._hiding, self._noting = self._known.hiding, self._known.noting
        self.search, self._placeholders = self._known.search, self._known.placeholders
        self._token = pipeline.server.access.token
        self._add_token(self._token, TOKEN)
        self._clean_headers: dict[int, Any] = {}
        """Headers that have nothing to hide, by their identity: steps share them."""
        self._shown: dict[int, Request] = {}
        """Requests of the project that was learnt last, as they are shown, by their events."""
        self._hashes_of: dict[str, list[str]] = {}
        """The hashes of the passwords of users, by e-mail address and phone number."""

    @property
    def count(self) -> int:
        """How many placeholders there are."""
        return self._placeholders.count

    # --- requests --------------------------------------------------------------------------------

    def hide_request(self, request: Request) -> Request:
        """Learn the secrets of a request. They have placeholders in it where the search does not find them.

        A signature of the request is shown if all is that it signs.
        """
        token = request.headers.get(TOKEN_HEADER)
        if token != self._token:
            self._add_token(token, OTHER_TOKEN)
        if not self._learns:
            return request
        known = self._known
        known.shows_signatures, known.has_signature = not known.is_upstream, False
        shown, is_hidden = self._hide_in_request(request)
        if is_hidden and known.has_signature:
            known.shows_signatures = False
            shown, _ = self._hide_in_request(request)
        return shown

    def _add_token(self, token: str | None, stand_in: str) -> None:
        if token is not None and token != stand_in:
            self.search.add(token.encode("latin-1", "replace"), stand_in.encode(), is_whole=True)

    def _hide_in_request(self, request: Request) -> tuple[Request, bool]:
        """The request as it is shown, and whether something is hidden in its body."""
        endpoint, template = endpoint_at(self._routes, request.method, request.path)
        plan = plan_of_shape(endpoint and endpoint.query)
        body, is_hidden = self._hide_in_body(request, endpoint)
        headers = [(name, self._hide_header(name, value, is_hidden)) for name, value in request.raw_headers]
        shown = replace(
            request,
            path=self._hide_part(request.path, lambda path: self._hiding.path(path, template)),
            query=self._hide_part(request.query, lambda query: self._hiding.pairs(query, plan)),
            raw_headers=headers,
            body=body,
        )
        return shown, is_hidden

    def _hide_part(self, text: str, hide: Callable[[str], str]) -> str:
        """A part of a request; as it was sent, if the search finds its secrets, as it does in answers."""
        self._known.is_found = True
        hidden = hide(text)
        return text if self._known.is_found else hidden

    def _hide_header(self, name: bytes, value: bytes, is_body_hidden: bool) -> bytes:
        if name == TOKEN_HEADER.encode():
            return value
        if is_body_hidden and name in _DIGESTS:
            return self._known.hide(value.decode("latin-1")).encode("latin-1")
        header = name.decode("latin-1")
        hidden = self._hide_part(value.decode("latin-1"), lambda text: self._hiding.header(header, text))
        return hidden.encode("latin-1", "replace")

    def _hide_in_body(self, request: Request, endpoint: Endpoint | None) -> tuple[bytes, bool]:
        """The body as it is shown, and whether something is hidden.

        Nothing is shown of one that no operation reads, since secrets may be anywhere in it, nor of one that
        takes too long to look into.
        """
        body, plan = request.body, plan_of_request(endpoint)
        if not body:
            return body, False
        self._known.is_found, self._known.left = True, MOST_HIDDEN
        try:
            if len(body) > MOST_BYTES:
                raise TooMuch
            hidden = self._hide_in_read(body, request.headers.get("content-type", ""), plan, endpoint)
            shown = body if self._known.is_found else hidden
            self.search.replace(shown)
        except TooMuch:
            shown = hidden = self._placeholders.of_body(body.decode("latin-1")).encode()
            self.search.add(body, shown, is_whole=True)
        finally:
            self._known.left = None
        return shown, hidden != body

    def _hide_in_read(self, body: bytes, content_type: str, plan: Plan, endpoint: Endpoint | None) -> bytes:
        """A body with placeholders. TooMuch for one that is not JSON, a form or for the control API."""
        # What may be YAML is read as one text, also where it is JSON: it is kept as it came.
        value = UNREAD if _reads_text(endpoint) else read_json(body)
        if value is UNREAD:
            text = body.decode("latin-1")
            if is_form(body, content_type):
                return self._hiding.pairs(text, plan, is_body=True).encode("latin-1", "replace")
            hidden = self._hiding.loose_text(text).encode("latin-1", "replace")
            # An answer says where JSON is wrong: elsewhere, once something before it is hidden.
            is_kept = endpoint is not None and not endpoint.family.public and endpoint.reads is None
            is_rpc = endpoint is not None and endpoint.family.is_rpc
            if is_rpc or _reads_text(endpoint) or (is_kept and self.search.replace(hidden) == body):
                return hidden
            raise TooMuch
        texts = (each for each in value.values() if isinstance(each, str)) if isinstance(value, dict) else ()
        self._known.hashes = [each for text in texts for each in self._hashes_of.get(text, ())]
        masked = self._hiding.body(value, plan)
        twice = members_that_come_twice(body)
        shown = [self._hiding.value(member, plan) for member in twice]
        return body if masked == value and shown == twice else json.dumps(masked).encode()

    # --- what was brought before ---------------------------------------------------------------------

    def learn_project(self, project: Project, keys: Iterable[str]) -> None:
        """Learn the secrets that were brought to a project before."""
        if not self._learns:
            return
        for key in keys:
            self._known.hide(key)
        states = [*project.snapshots.values(), project.snapshot()]
        for state in states:
            tables = dict(zip(SCHEMAS, state.tables, strict=True))
            users = dict(tables["identity.users"].rows)
            for _, row in tables["identity.linked_accounts"].numbered():
                self._learn_account(row, users.get(row.user_id))
        # After the hashes of passwords: a password gets the placeholder of its hash.
        self._known.learn_states(states, map(project.changes_of, project.history))
        calls = (event for event in project.history if event.call == event.number)
        self._shown = {event.number: self.hide_request(request_of(event)) for event in calls}
        seed_project = project.seed_project
        start_up = seed_project.texts() if isinstance(seed_project, StartUp) else ()
        for scenario in (*project.scenarios, *start_up):
            self._hiding.loose_text(scenario.text)

    def _learn_account(self, row: LinkedAccount, user: User | None) -> None:
        """A password's hash, or the tokens of a provider: some are the mock's, but each is only shown."""
        if row.password_hash is not None:
            self._placeholders.of_hash(row.password_hash)
            for name in filter(None, (user and user.email, user and user.phone_number)):
                self._hashes_of.setdefault(name, []).append(row.password_hash)
        if row.tokens is not None:
            for token in (row.tokens.access_token, row.tokens.refresh_token, row.tokens.id_token):
                if token:
                    self._known.hide(token)

    def learn_keys(self, changes: Mapping[Project, Changed]) -> None:
        """Learn the private keys that a step has brought."""
        for project, names in (changes if self._learns else {}).items():
            for name in names:
                table, _, row_id = name.partition("/")
                if table in KEY_TABLES:
                    rows = project.wallets.keys if table == KEY_TABLES[0] else project.wallets.announced_keys
                    self._known.learn_key(rows.get(row_id))

    def hide_event(self, event: Event) -> Event:
        """What happened before. Its request and its bodies are searched here: a line has them in base64."""
        request = self._shown.pop(event.number, None) or request_of(event)
        headers = [(str(name, "latin-1"), str(value, "latin-1")) for name, value in request.raw_headers]
        head, body, answer = (request.path, request.query, headers), request.body, event.response_body
        if not self.search.finds_nothing_in(texts_in(head), body, answer):
            head = self.search.replace_texts(head)
            body, answer = self._hide_bytes(body), self._hide_bytes(answer)
        path, query, headers = head
        return event._replace(
            path=path, query=query, request_headers=dict(headers), request_body=body, response_body=answer
        )

    def _hide_bytes(self, raw: bytes, unread: bytes = b"") -> bytes:
        try:
            return self.search.replace(raw)
        except TooMuch:
            return unread

    def hide_row(self, line: Line) -> Line:
        """A line of the state in which a recording begins, without what follows from secrets."""
        if not self.is_masked or "state" in line:
            return line
        if "row" not in line:
            return self._hide_named(line)  # type: ignore[no-any-return]
        table, number, row = line["row"]
        shown = self._hide_in_row(row)
        if "password_hash" in row:
            password = self._placeholders.of_hash(row["password_hash"])
            shown["password_hash"] = hash_password(password, _SALT, *_CHEAP)
        if "fingerprint" in row:
            is_secret = self._takes_secrets(row["id"].partition(" ")[0])
            shown["fingerprint"] = "" if is_secret else row["fingerprint"]
        return {"row": [table, number, shown]}

    def _hide_in_row(self, row: Line) -> Line:
        """The members of a row. What the search finds it will replace: that takes less time than to walk."""
        shown: Line = {name: _DERIVED.get(name, member) for name, member in row.items()}
        if isinstance(shown.get("text"), str):
            shown["text"] = self._noting.loose_text(shown["text"])
        return self._noting.value(shown) if self._known.has_short else shown

    def _takes_secrets(self, operation: str) -> bool:
        endpoint = self._routes.by_operation.get(operation)
        return endpoint is not None and members_by(plan_of_request(endpoint)).has_secrets

    # --- what is written -------------------------------------------------------------------------

    def hide_answer(self, line: Line) -> Line:
        """An answer with placeholders where it names secrets; all else that it names the server has made."""
        if not self.is_masked:
            return line
        for name, value in line["headers"]:
            self._noting.header(name, value)
        body = line.get("body")
        if not isinstance(body, str) or body[:1] not in ("{", "[") or len(body) > MOST_BYTES:
            return line
        value = read_json(body.encode("utf-8", "replace"))
        if value is UNREAD:
            return line
        shown = self._hide_named(value)
        return line if shown == value else line | {"body": to_json(shown).decode()}

    def learn_answer(self, request: Request, line: Line) -> Line:
        """An answer of another server to a request with placeholders, which are learnt."""
        endpoint, _ = endpoint_at(self._routes, request.method, request.path)
        walker = self._hiding._replace(asked=False)
        headers = [(name, walker.header(name, value)) for name, value in line["headers"]]
        shown = line | {"headers": headers}
        body = line.get("body")
        value = read_json(body.encode("utf-8", "replace")) if isinstance(body, str) else UNREAD
        if value is not UNREAD:
            hidden = walker.value(value, plan_of_shape(endpoint and endpoint.answer))
            return shown if hidden == value else shown | {"body": to_json(hidden).decode()}
        return shown if not isinstance(body, str) else shown | {"body": walker.loose_text(body)}

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

    def to_bytes(self, values: Iterable[Any]) -> Iterator[bytes]:
        """The bytes of rows or lines that digests are taken of: nothing in them follows from a secret.

        Those that have nothing to hide are looked into together.
        """
        for block in in_blocks(map(self._without_derived, values), len):
            is_clean = self.search.finds_nothing_in((), *block)
            yield from block if is_clean else (self._hide_bytes(raw, raw) for raw in block)

    def _without_derived(self, value: Any) -> bytes:
        if self.is_masked and "row" in value:
            value = {"row": [*value["row"][:2], self._hide_in_row(value["row"][2])]}
        elif self.is_masked:
            value = self._hide_in_row(value)
        return canonical(value)

    def hide_line(self, line: Line) -> Line:
        """The line with placeholders; withheld if a secret is still in it, or may be."""
        if not self.is_masked and self._is_clean(line):
            return line
        if self.is_masked and _shows_state(line):
            return withhold(line, self.has_secret)
        try:
            found = self._hide_in_line(line)
            if found == line or self._hide_in_line(found) == found:
                return found
        except (TooMuch, ValueError):
            pass
        return withhold(line, self.has_secret)

    def _is_clean(self, line: Line) -> bool:
        """Whether nothing in a step may be hidden in a recording that is not masked: this runs for each."""
        texts: list[Any] = []
        unknown: list[Any] = []
        for side in (line.get("request"), line.get("answer")):
            if side is None:
                continue
            texts += [side.get("path", ""), side.get("query", ""), side.get("body", "")]
            headers = side["headers"]
            if self._clean_headers.get(id(headers)) is not headers:
                texts += [value for _, value in headers]
                unknown.append(headers)
        # A body that is no text is in base64.
        if not texts or dict in map(type, texts) or not self.search.is_clean("\n".join(texts)):
            return False
        for headers in unknown:
            if len(self._clean_headers) >= _MOST_CLEAN:
                self._clean_headers.clear()
            self._clean_headers[id(headers)] = headers
        return True

    def has_secret(self, raw: bytes) -> bool:
        """Whether a secret is in lines, one that came after them included, or may be."""
        try:
            lines: list[Line] = [*map(orjson.loads, raw.splitlines())]
            return not self.search.finds_nothing_in(texts_of(lines)) and any(
                self._hide_in_line(line) != line for line in lines
            )
        except (TooMuch, ValueError):
            return True

    def _hide_in_line(self, line: Line) -> Line:
        raw = b"" if is_step(line) else to_line(line)
        if not raw or len(raw) > MOST_BYTES:
            shown: Line = self.search.replace_texts(line)
            return shown
        hidden = self.search.replace(raw)
        return line if hidden is raw else orjson.loads(hidden)


def _reads_text(endpoint: Endpoint | None) -> bool:
    """Whether a body is a text such as a scenario: a state has base64 in it."""
    return endpoint is not None and endpoint.reads not in (None, CONTENT_TYPE)


def _shows_state(line: Line) -> bool:
    """Whether an answer has the state of a project, in which much follows from secrets."""
    headers = line.get("answer", {}).get("headers", ())
    return any((name, value) == ("content-type", CONTENT_TYPE) for name, value in headers)
