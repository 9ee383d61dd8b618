"""A run as a test: which calls it makes, what it takes from which answer, and what it asserts."""

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from mockserver.crypto.p256 import read_pkcs8
from mockserver.crypto.tokens import BadToken, read_es256
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.kernel import timestamps
from mockserver.kernel.mappings import map_texts
from mockserver.replay.export.beginning import changed_settings, read_document
from mockserver.replay.export.history import (
    OF_CONNECTIONS,
    OTHERS,
    PROJECT,
    SIGNED,
    Advance,
    CannotExport,
    Exchange,
    History,
)
from mockserver.replay.export.names import name_answers
from mockserver.replay.export.source import Code, Joined, Language
from mockserver.replay.shrinking.conditions import code_of
from mockserver.replay.shrinking.links import Link, Piece, Signed, Text
from mockserver.replay.shrinking.places import body_of, texts_of
from mockserver.replay.steps import RecordedAnswer, decode_bytes
from mockserver.replay.urls import header_of, quote_path
from mockserver.scenario.grammar.value_tests import value_at
from mockserver.scenario.reading.tree import ABSENT, member_of, read_json_path
from mockserver.server.answering.masking import members_that_come_twice
from mockserver.server.recording.placeholders import UNREPEATABLE
from mockserver.server.recording.reading import is_deep

OTHER = "answer"
"""The variable of answers to which nothing refers later."""
_AUTHORIZATION = "authorization"
_MOST_LEVELS = 100
"""How deep a body is nested that is written as a value: Python reads no source with 200 open brackets."""


class Request(NamedTuple):
    """A request as a test makes it; texts are values of a `Language`."""

    number: int
    """Of its exchange."""
    method: str
    target: str
    headers: Mapping[str, str]
    is_signed: bool
    """Whether the test signs it with the wallet secret."""
    body: Mapping[str, Any]
    """`json` or `content`, if it has a body."""


class Runner(Language):
    """A runner of tests: how its language says what a recorded test does."""

    taken: frozenset[str] = frozenset()
    """What no variable is called, in the form of `name_answers`."""

    @abstractmethod
    def file(self, options: Mapping[str, Any], body: Sequence[str], *, sends_key: bool) -> str:
        """The whole file, with the options of the test and its lines.

        If it `sends_key`, requests have the project's secret key unless they say otherwise.
        """

    # --- statements, as lines -------------------------------------------------------------------------

    @abstractmethod
    def load(self, scenario: str) -> str:
        """Load a scenario."""

    @abstractmethod
    def request(self, variable: str, request: Request) -> str:
        """Make a request whose answer gets a name; CannotExport."""

    @abstractmethod
    def request_in_vain(self, request: Request, *, ends: bool) -> str:
        """Make a request that gets no whole answer, or none whose end comes; CannotExport."""

    @abstractmethod
    def assert_equal(self, expression: str, value: Any) -> str:
        """Assert a value of an answer."""

    advance: str
    """Advance the clock by `{0}` seconds. As all that follow a template of `str.format`."""
    assert_status: str
    """Assert the status `{1}` of the answer `{0}`."""
    assert_member: str
    """Assert that the object `{0}` has the member `{1}`."""

    # --- expressions ----------------------------------------------------------------------------------

    of_project: str
    """The member `{0}` of the project."""
    of_header: str
    """The header `{1}` of the answer `{0}`."""
    of_cookie: str
    """The cookie of the answer `{0}` at the subscript `{1}`."""
    of_query: str
    """The parameter `{1}` of the URL `{0}`."""
    percent_encoded: str
    """The text `{0}` as a URL has it."""
    lower_case: str
    """The text `{0}` in lower case."""
    signature: str
    """The signature of the hash `{1}` by the owner of the account `{0}`."""

    def variable(self, name: str) -> str:
        """The name of a variable."""
        return name

    @abstractmethod
    def can_send(self, document: Any) -> bool:
        """Whether this JSON is sent as it is."""

    def of_body(self, variable: str, path: Sequence[str | int]) -> str:
        """A member of an answer's JSON."""
        return f"{variable}.json()" + "".join(map(self.subscript, path))

    def subscript(self, name: str | int) -> str:
        """What leads to a member, or to an entry of a list."""
        return f"[{self.literal(name)}]"


def to_test(history: History, runner: Runner, asserts: Sequence[str] = ()) -> str:
    """The source of a test; CannotExport for a member that cannot be asserted, and without any call.

    It asserts each status and the code of each error, or of the last answer the members at these pointers.
    """
    return _Writer(history, runner, asserts).write()


class _Writer:
    def __init__(self, history: History, runner: Runner, asserts: Sequence[str]) -> None:
        self._history = history
        self._runner = runner
        self._asserts = asserts
        self._calls = [item for item in history.items if isinstance(item, Exchange)]
        self._tokens = Counter(header_of(call.linked.request, SIGNED) for call in self._calls)
        needed = {link.exchange for call in self._calls for link in call.linked.links()}
        names = name_answers(self._calls, needed | self._asserted_exchanges(), runner.taken)
        self._names = {number: runner.variable(name) for number, name in names.items()}
        self._answers = {call.number: call.answer for call in self._calls}
        self._sends_key = all(
            header_of(call.linked.request, _AUTHORIZATION) is not None
            for call in self._calls
            if call.endpoint is None or call.endpoint.family.public
        )

    def write(self) -> str:
        """The whole file."""
        if not self._calls:
            raise CannotExport(f"there is no call that a test would make; {OTHERS}")
        last = self._history.items.index(self._calls[-1])
        body = [line for item in self._history.items[: last + 1] for line in self._item(item)]
        options, start = self._start()
        return self._runner.file(options, [*start, *body], sends_key=self._sends_key)

    def _start(self) -> tuple[dict[str, Any], list[str]]:
        """The options of the project, and what happens before the first call."""
        began, (reading, _, seed) = self._history.began, self._history.project.created_as
        scenarios = () if began is None else tuple(began.scenarios)
        now_ms = reading.now_ms if scenarios else self._history.start_ms
        # With the same seed what is signed by wallets outside is the same: nonces and addresses are drawn.
        options: dict[str, Any] = {"clock": timestamps.format_iso(now_ms), "seed": seed}
        if self._history.project.livemode:
            options["livemode"] = True
        if changed := changed_settings(self._history.settings):
            options["settings"] = changed
        lines: list[str] = []
        for each in scenarios:
            document = read_document(each.text)
            if "rules" in document:
                options["unused_rules"] = "allow"
            if "given" not in document and each.loaded_ms > now_ms:
                # Times of its rules may count from its loading.
                lines.append(self._advance(each.loaded_ms - now_ms))
            now_ms = max(now_ms, each.loaded_ms)
            lines.append(self._runner.load(each.text))
        if now_ms < self._history.start_ms:
            lines.append(self._advance(self._history.start_ms - now_ms))
        return options, lines

    def _advance(self, span_ms: int) -> str:
        seconds, rest = divmod(span_ms, 1000)
        return self._runner.advance.format(span_ms / 1000 if rest else seconds)

    # --- calls ----------------------------------------------------------------------------------------

    def _item(self, item: Exchange | Advance) -> Iterator[str]:
        if isinstance(item, Advance):
            yield self._advance(item.span_ms)
            return
        request = self._request(item)
        if item.answer is not None and item.answer.sent is not None:
            yield self._runner.request_in_vain(request, ends=item.answer.fault != "timeout")
            return
        name = self._names.get(item.number, OTHER)
        yield self._runner.request(name, request)
        if item.answer is not None:
            yield self._runner.assert_status.format(name, item.answer.status)
            yield from self._assertions(item, name, item.answer)

    def _request(self, call: Exchange) -> Request:
        linked = call.linked
        path = tuple(quote_path(piece) if isinstance(piece, str) else piece for piece in linked.path)
        query = ("?", *linked.query) if linked.query else ()
        target = self._text((*path, *query), call.number)
        body, is_signed = self._body(call), self._is_signed(call)
        headers = self._headers(call, is_json="json" in body, is_signed=is_signed)
        return Request(call.number, linked.request.method, target, headers, is_signed, body)

    def _headers(self, call: Exchange, *, is_json: bool, is_signed: bool) -> dict[str, str]:
        request = call.linked.request
        own = {*OF_CONNECTIONS, *(("content-type",) if is_json else ()), *((SIGNED,) if is_signed else ())}
        if not is_signed and header_of(request, SIGNED) is not None:
            # The token that is sent as it was may name the host.
            own.discard("host")
        if header_of(request, "cookie") is not None and header_of(request, "origin") is None:
            # It says in the place of the origin where a request with a cookie comes from.
            own.discard("referer")
        secret = f"Bearer {self._history.project.secret_key}"
        found: dict[str, Text] = {}
        for (name, value), text in zip(request.headers, call.linked.headers, strict=True):
            is_key = name.lower() == _AUTHORIZATION and value == secret and self._sends_key
            if name.lower() not in own and not is_key:
                found[name] = (*found[name], ", ", *text) if name in found else text
        return {name: self._text(text, call.number) for name, text in found.items()}

    def _is_signed(self, call: Exchange) -> bool:
        endpoint, answer = call.endpoint, call.answer
        if endpoint is None or (answer is not None and answer.status == HTTPStatus.UNAUTHORIZED):
            # A token that was refused is sent as it was.
            return False
        token = header_of(call.linked.request, SIGNED)
        if token is None or not endpoint.access.wallet_auth:
            return False
        # A test signs with the secret that a project begins with. What another one signed is sent as it was.
        try:
            read_es256(token, read_pkcs8(default_secret(self._history.project)).public_key())
        except BadToken:
            return UNREPEATABLE in token
        # A token is refused the second time: what came twice has to come twice again.
        return self._tokens[token] == 1

    def _body(self, call: Exchange) -> dict[str, Any]:
        request = call.linked.request
        if not request.body:
            return {}
        kind = header_of(request, "content-type") or ""
        if isinstance(request.body, str) and kind.partition(";")[0] == "application/json":
            document = _read(request.body)
            if document is not None and self._runner.can_send(document[0]):
                return {"json": self._linked(document[0], call.number, call.linked.exchanges())}
        if call.linked.body is None:
            return {"content": decode_bytes(request.body)}
        return {"content": self._text(call.linked.body, call.number)}

    def _linked(self, value: Any, before: int, needed: frozenset[int] = frozenset()) -> Any:
        """A JSON value with expressions in the place of what came from answers."""
        split = self._history.table.split
        return map_texts(value, lambda text: self._text(split(text, before, needed), before))

    # --- expressions ----------------------------------------------------------------------------------

    def _text(self, text: Text, before: int) -> Any:
        if all(isinstance(piece, str) for piece in text):
            return "".join(piece for piece in text if isinstance(piece, str))
        parts = [piece if isinstance(piece, str) else Code(self._piece(piece)) for piece in text]
        return Joined(parts) if len(parts) > 1 else parts[0]

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Signed):
            return self._runner.signature.format(self._piece(piece.account), self._link(piece.digest))
        return self._link(piece) if isinstance(piece, Link) else self._runner.literal(piece)

    def _link(self, link: Link) -> str:
        runner, found = self._runner, self._value(link)
        if link.place.parameter:
            found = runner.of_query.format(found, runner.literal(link.place.parameter))
        if link.form == "percent-encoded":
            return runner.percent_encoded.format(found)
        return runner.lower_case.format(found) if link.form == "lower-case" else found

    def _value(self, link: Link) -> str:
        kind, name, _ = link.place
        runner = self._runner
        if link.exchange == PROJECT:
            return runner.of_project.format(runner.variable(name.removeprefix("/")))
        answer = self._answers.get(link.exchange)
        if answer is None:
            reason = f"a value comes from exchange {link.exchange}, which is about another project"
            raise CannotExport(f"{reason}; {OTHERS}")
        variable = self._names[link.exchange]
        if kind == "body":
            return runner.of_body(variable, _path(name, answer))
        if kind == "header":
            return runner.of_header.format(variable, runner.literal(name))
        return runner.of_cookie.format(variable, runner.subscript(name))

    # --- assertions -----------------------------------------------------------------------------------

    def _asserted_exchanges(self) -> set[int]:
        """Those with values that the last answer repeats."""
        if not (self._asserts and self._calls and self._calls[-1].answer):
            return set()
        values = (
            value_at(body_of(self._calls[-1].answer), read_json_path(pointer)) for pointer in self._asserts
        )
        texts = (text for value in values for _, text in texts_of("", value))
        return {link.exchange for link in map(self._history.table.find, texts) if link is not None}

    def _assertions(self, call: Exchange, name: str, answer: RecordedAnswer) -> Iterator[str]:
        if self._asserts and call is self._calls[-1]:
            for pointer in self._asserts:
                yield self._assertion(call, name, answer, pointer)
        elif (code := code_of(answer)) is not None:
            place = ("error", "code") if isinstance(body_of(answer).get("error"), dict) else ("code",)
            yield self._runner.assert_equal(self._runner.of_body(name, place), code)
        else:
            yield from self._assertions_of_rpc(name, body_of(answer))

    def _assertions_of_rpc(self, name: str, body: Any, *path: int) -> Iterator[str]:
        """That an answer of JSON-RPC has a result, or which error: its status is 200 whatever it says."""
        if isinstance(body, list) and not path:
            for place, entry in enumerate(body):
                yield from self._assertions_of_rpc(name, entry, place)
        elif isinstance(body, dict) and "jsonrpc" in body:
            code = value_at(body, ("error", "code"))
            if code is not ABSENT:
                yield self._runner.assert_equal(self._runner.of_body(name, [*path, "error", "code"]), code)
            else:
                told, member = self._runner.of_body(name, path), self._runner.literal("result")
                yield self._runner.assert_member.format(told, member)

    def _assertion(self, call: Exchange, name: str, answer: RecordedAnswer, pointer: str) -> str:
        value = value_at(body_of(answer), read_json_path(pointer))
        if value is ABSENT or pointer[:1] not in ("", "/"):
            raise CannotExport(f"the answer of exchange {call.number} has no {pointer}")
        for _, text in texts_of("", value):
            link = self._history.table.find(text)
            if link is not None and link.exchange >= call.number:
                raise CannotExport(
                    f"{pointer} of exchange {call.number} is drawn: it is another one each time"
                )
        member = self._runner.of_body(name, _path(pointer, answer))
        return self._runner.assert_equal(member, self._linked(value, call.number))


def _path(pointer: str, answer: RecordedAnswer) -> list[str | int]:
    """The members of a pointer, those of lists by their numbers."""
    value, found = body_of(answer), list[str | int]()
    for part in read_json_path(pointer):
        found.append(int(part) if isinstance(value, list) else part)
        value = member_of(value, part)
    return found


def _read(text: str) -> list[Any] | None:
    """The JSON of a text in a list; None if it is none, or if writing it again makes something else of it."""
    try:
        document, twice = json.loads(text), members_that_come_twice(text)
        # Infinity and halves of surrogate pairs are no JSON that can be sent.
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    return None if twice or is_deep(document, _MOST_LEVELS) else [document]
