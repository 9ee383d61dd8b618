"""A run as a test for the pytest plugin."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from mockserver.kernel import timestamps
from mockserver.replay.export.beginning import changed_settings, start_up_texts
from mockserver.replay.export.history import OTHERS, PROJECT, Advance, Call, CannotExport, History
from mockserver.replay.export.names import name_answers
from mockserver.replay.export.source import Code, join, quote, write, write_call
from mockserver.replay.shrinking.conditions import code_of
from mockserver.replay.shrinking.links import Link, Piece, Signed, Text
from mockserver.replay.shrinking.places import body_of, split_pointer
from mockserver.replay.steps import RecordedAnswer, decode_bytes
from mockserver.replay.urls import header_of, quote_path

_INDENT = "    "
_OTHER = "answer"
_OWN = frozenset({"host", "content-length", "connection", "accept", "accept-encoding", "user-agent"})
"""Headers that belong to a connection or to a client."""
_AUTHORIZATION = "authorization"
_SIGNED = "x-wallet-auth"


def to_pytest(history: History, asserts: Sequence[str] = ()) -> str:
    """The source of a test; CannotExport for a member that cannot be asserted.

    It asserts each status and the code of each error, or of the last answer the members at these pointers.
    """
    return _Writer(history, asserts).write()


class _Writer:
    def __init__(self, history: History, asserts: Sequence[str]) -> None:
        self._history = history
        self._asserts = asserts
        self._calls = [item for item in history.items if isinstance(item, Call)]
        needed = {link.exchange for call in self._calls for link in call.linked.links()}
        self._names = name_answers(self._calls, needed | self._asserted_exchanges())
        self._answers = {call.number: call.answer for call in self._calls}
        self._sends_no_key = any(
            header_of(call.linked.request, _AUTHORIZATION) is None
            for call in self._calls
            if call.endpoint is None or call.endpoint.family.public
        )

    def write(self) -> str:
        """The whole file."""
        places = [place for place, item in enumerate(self._history.items) if isinstance(item, Call)]
        last = max(places, default=-1)
        body = [line for item in self._history.items[: last + 1] for line in self._item(item)]
        text = "\n".join([*self._start(), *(f"{_INDENT}{line}" for line in body)])
        names = ("httpx", "pytest")
        imports = [f"import {name}" for name in names if f"{name}." in text]
        from_urllib = [name for name in ("parse_qs", "quote", "urlsplit") if f"{name}(" in text]
        if from_urllib:
            imports.insert(0, f"from urllib.parse import {', '.join(from_urllib)}\n")
        return "\n".join(['"""A run that was recorded, as a test."""\n', *imports, "", "", text]) + "\n"

    # --- the beginning --------------------------------------------------------------------------------

    def _start(self) -> Iterator[str]:
        project = self._history.project
        reading, settings, seed = project.created_as
        changed = changed_settings(settings)
        texts = () if self._history.began is None else start_up_texts(project)
        start_ms = reading.now_ms if texts else self._history.start_ms
        arguments: list[tuple[str, Any]] = [("clock", timestamps.format_iso(start_ms))]
        if changed:
            arguments.append(("settings", changed))
        if texts:
            # What a start-up scenario made then has the same ids.
            arguments.append(("seed", seed))
        yield "@" + write_call("pytest.mark.mockserver", arguments, "")
        yield "def test_recorded_run(mock_project, mock_api):"
        if self._sends_no_key:
            yield f'{_INDENT}del mock_api.headers["{_AUTHORIZATION}"]'
        for text in texts:
            yield f"{_INDENT}mock_project.load({quote(text)})"
        if start_ms < self._history.start_ms:
            yield f"{_INDENT}{_advance(self._history.start_ms - start_ms)}"

    # --- calls ----------------------------------------------------------------------------------------

    def _item(self, item: Call | Advance) -> Iterator[str]:
        if isinstance(item, Advance):
            yield _advance(item.span_ms)
            return
        source = write_call("mock_api.request", self._arguments(item), _INDENT)
        if item.answer is not None and item.answer.sent is not None:
            yield "with pytest.raises(httpx.TransportError):"
            yield _INDENT + source.replace("\n", f"\n{_INDENT}")
            return
        name = self._names.get(item.number, _OTHER)
        yield f"{name} = {source}"
        if item.answer is not None:
            yield f"assert {name}.status_code == {item.answer.status}"
            yield from self._assertions(item, name, item.answer)

    def _arguments(self, call: Call) -> list[tuple[str, Any]]:
        linked = call.linked
        path = tuple(quote_path(piece) if isinstance(piece, str) else piece for piece in linked.path)
        query = ("?", *linked.query) if linked.query else ()
        found: list[tuple[str, Any]] = [
            ("", linked.request.method),
            ("", self._text((*path, *query), call.number)),
        ]
        body = self._body(call)
        if headers := self._headers(call, is_json=bool(body) and body[0][0] == "json"):
            found.append(("headers", headers))
        if self._is_signed(call):
            found.append(("auth", Code("mock_project.wallet_auth")))
        return found + body

    def _headers(self, call: Call, *, is_json: bool) -> dict[str, Any]:
        request = call.linked.request
        own = {*_OWN, *(("content-type",) if is_json else ()), *((_SIGNED,) if self._is_signed(call) else ())}
        secret = f"Bearer {self._history.project.secret_key}"
        found = {}
        for (name, value), text in zip(request.headers, call.linked.headers, strict=True):
            is_key = name.lower() == _AUTHORIZATION and value == secret and not self._sends_no_key
            if name.lower() not in own and not is_key:
                found[name] = self._text(text, call.number)
        return found

    def _is_signed(self, call: Call) -> bool:
        endpoint, request = call.endpoint, call.linked.request
        return (
            endpoint is not None and endpoint.access.wallet_auth and header_of(request, _SIGNED) is not None
        )

    def _body(self, call: Call) -> list[tuple[str, Any]]:
        request = call.linked.request
        if not request.body:
            return []
        kind = header_of(request, "content-type") or ""
        if isinstance(request.body, str) and kind.partition(";")[0] == "application/json":
            document = _read(request.body)
            if document is not None:
                return [("json", self._linked(document[0], call.number, call.linked.exchanges()))]
        if call.linked.body is None:
            return [("content", Code(repr(decode_bytes(request.body))))]
        return [("content", self._text(call.linked.body, call.number))]

    def _linked(self, value: Any, before: int, needed: frozenset[int] = frozenset()) -> Any:
        """A JSON value with expressions in the place of what came from answers."""
        if isinstance(value, dict):
            return {name: self._linked(member, before, needed) for name, member in value.items()}
        if isinstance(value, list):
            return [self._linked(member, before, needed) for member in value]
        if isinstance(value, str):
            return self._text(self._history.table.split(value, before, needed), before)
        return value

    # --- expressions ----------------------------------------------------------------------------------

    def _text(self, text: Text, before: int) -> str:
        if all(isinstance(piece, str) for piece in text):
            return "".join(piece for piece in text if isinstance(piece, str))
        return join(self._piece(piece) for piece in text)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Signed):
            account = piece.account
            signer = self._link(account) if isinstance(account, Link) else quote(account)
            return f"mock_project.sign({signer}, hash={self._link(piece.digest)})"
        return self._link(piece) if isinstance(piece, Link) else quote(piece)

    def _link(self, link: Link) -> str:
        found = self._value(link)
        if link.place.parameter:
            found = f"parse_qs(urlsplit({found}).query)[{quote(link.place.parameter)}][0]"
        if link.form == "percent-encoded":
            return f'quote({found}, safe="")'
        return f"{found}.lower()" if link.form == "lower-case" else found

    def _value(self, link: Link) -> str:
        kind, name, _ = link.place
        if link.exchange == PROJECT:
            return f"mock_project.{name.removeprefix('/')}"
        answer = self._answers.get(link.exchange)
        if answer is None:
            reason = f"a value comes from exchange {link.exchange}, which is about another project"
            raise CannotExport(f"{reason}; {OTHERS}")
        variable = self._names[link.exchange]
        if kind == "body":
            return f"{variable}.json(){_subscripts(name, answer)}"
        return f"{variable}.{kind}s[{quote(name)}]"

    # --- assertions -----------------------------------------------------------------------------------

    def _asserted_exchanges(self) -> set[int]:
        """Those with values that the last answer repeats."""
        if not (self._asserts and self._calls and self._calls[-1].answer):
            return set()
        values = (_value_at(body_of(self._calls[-1].answer), pointer) for pointer in self._asserts)
        links = (self._history.table.find(text) for value in values for text in _texts(value))
        return {link.exchange for link in links if link is not None}

    def _assertions(self, call: Call, name: str, answer: RecordedAnswer) -> Iterator[str]:
        if self._asserts and call is self._calls[-1]:
            for pointer in self._asserts:
                yield self._assertion(call, name, answer, pointer)
        elif (code := code_of(answer)) is not None:
            place = "/error/code" if isinstance(body_of(answer).get("error"), dict) else "/code"
            yield f"assert {name}.json(){_subscripts(place, answer)} == {quote(code)}"

    def _assertion(self, call: Call, name: str, answer: RecordedAnswer, pointer: str) -> str:
        value = _value_at(body_of(answer), pointer)
        if value is _ABSENT:
            raise CannotExport(f"the answer of exchange {call.number} has no {pointer}")
        for text in _texts(value):
            link = self._history.table.find(text)
            if link is not None and link.exchange >= call.number:
                raise CannotExport(
                    f"{pointer} of exchange {call.number} is drawn: it is another one each time"
                )
        before = f"assert {name}.json(){_subscripts(pointer, answer)} == "
        return before + write(self._linked(value, call.number), _INDENT, len(before))


def _advance(span_ms: int) -> str:
    seconds, rest = divmod(span_ms, 1000)
    return f"mock_project.clock.advance({span_ms / 1000 if rest else seconds})"


def _subscripts(pointer: str, answer: RecordedAnswer) -> str:
    """The members of a pointer, as Python names them."""
    value, found = body_of(answer), ""
    for part in split_pointer(pointer):
        is_list = isinstance(value, list)
        value = value[int(part)] if is_list else value.get(part)
        found += f"[{part}]" if is_list else f"[{quote(part)}]"
    return found


class _Unreadable(ValueError):
    """The JSON has what no Python value can hold."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Unreadable
    return found


def _refuse(name: str) -> Any:
    raise _Unreadable(name)


def _read(text: str) -> list[Any] | None:
    """The JSON of a text in a list; None where `json=` would send something else."""
    try:
        return [json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)]
    except (ValueError, RecursionError):
        return None


_ABSENT = object()


def _value_at(document: Any, pointer: str) -> Any:
    value = document
    for part in split_pointer(pointer):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (LookupError, TypeError, ValueError):
            return _ABSENT
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)
    elif isinstance(value, str):
        yield value
