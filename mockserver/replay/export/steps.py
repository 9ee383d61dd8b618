"""The calls of a history as the steps of a scenario's `given`."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from mockserver.api.endpoint import Endpoint
from mockserver.api.values import find_rpc_error
from mockserver.kernel import timestamps
from mockserver.kernel.mappings import map_texts
from mockserver.replay.export.history import OF_CONNECTIONS, PROJECT, SIGNED, Advance, Exchange
from mockserver.replay.shrinking.links import Link, LinkTable, Piece, Signed, Text
from mockserver.replay.shrinking.places import ValuePlace
from mockserver.replay.steps import decode_bytes
from mockserver.replay.urls import header_of
from mockserver.scenario.grammar.bodies import without_unknown_members
from mockserver.scenario.grammar.calls import setup_operations
from mockserver.scenario.reading.references import rewrite
from mockserver.scenario.reading.tree import read_json_path
from mockserver.server.assembly import ROUTES
from mockserver.state.project import Project

_SUCCESS = range(200, 400)
# A step is signed again when it is sent.
_OWN = OF_CONNECTIONS | {"content-type", SIGNED}
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_WAIT = "wait"
_TOKEN = ValuePlace("body", "/token")
"""Where the answer to a sign-in has the token that its cookie has."""


class CannotWrite(ValueError):
    """A call cannot be a step; the message says why."""


class Step(NamedTuple):
    """A step of `given`, and the answers that it refers to."""

    number: int
    """The exchange; below 1 for a step that a start-up scenario has."""
    texts: tuple[Mapping[str, Any], ...]
    """As the scenario has it, after the steps that sign what it sends."""
    needs: frozenset[int]
    """The exchanges to whose answers it refers."""
    name: str | None
    """Of its answer."""


Names = Mapping[int, str]
"""The names of answers, by exchange."""


class Loaded(NamedTuple):
    """A scenario that is loaded in the run."""

    call: Exchange
    steps: Mapping[int, Mapping[str, Any]]
    """What it does, by numbers below those of exchanges, without the names of answers."""
    rules: tuple[Any, ...]
    captures: Mapping[str, int]
    """The steps whose answers it captures, by its own names for them."""


class StepWriter:
    """Writes calls as steps; links become references."""

    def __init__(
        self,
        project: Project,
        table: LinkTable,
        names: Names,
        loaded: Mapping[int, Loaded] = MappingProxyType({}),
    ) -> None:
        self._project = project
        self._table = table
        self._names = names
        self._loaded = loaded
        self._signing: list[dict[str, Any]] = []
        self._needs: set[int] = set()
        self._number: int
        """The exchange that is being written, and those to which it is linked."""
        self._linked_to: frozenset[int]

    def write(self, call: Exchange) -> Step:
        """A call as a step; CannotWrite."""
        endpoint, request = call.endpoint, call.linked.request
        if endpoint is None or endpoint.operation not in setup_operations(ROUTES):
            raise CannotWrite("a step cannot call it")
        answer = call.answer
        if answer is None:
            raise CannotWrite("it was not answered")
        if answer.status not in _SUCCESS or find_rpc_error(decode_bytes(answer.body)) is not None:
            raise CannotWrite("it was refused")
        self._begin(call)
        found: dict[str, Any] = {"call": endpoint.operation}
        _, values = ROUTES.find(request.path)
        named = zip(endpoint.parameters, values, strict=True)
        path = {name: self._text(value, call.number) for name, value in named if name != "p"}
        if path:
            found["path"] = path
        if query := self._query(call, endpoint):
            found["query"] = query
        if headers := self._headers(call):
            found["headers"] = headers
        if request.body and endpoint.body is not None:
            found["body"] = self._body(call, endpoint)
        texts = (*self._signing, found)
        return Step(call.number, texts, frozenset(self._needs), self._names.get(call.number))

    def write_loaded(self, loaded: Loaded) -> Iterator[Step]:
        """The steps of a scenario that is loaded; CannotWrite."""
        for number, step in loaded.steps.items():
            self._begin(loaded.call)
            text = self._rewritten(step, loaded)
            yield Step(number, (*self._signing, text), frozenset(self._needs), self._names.get(number))

    def write_rules(self, loaded: Loaded) -> tuple[list[Any], frozenset[int]]:
        """The rules of a scenario that is loaded, and the answers to which they refer; CannotWrite."""
        self._begin(loaded.call)
        return [self._rewritten(rule, loaded) for rule in loaded.rules], frozenset(self._needs)

    def _begin(self, call: Exchange) -> None:
        self._signing, self._needs = [], set()
        self._number, self._linked_to = call.number, call.linked.exchanges()

    def _rewritten(self, value: Any, loaded: Loaded) -> Any:
        """A part of a scenario that is loaded: what it captures has other names, and links are references."""
        rename = partial(self._renamed, loaded)
        link = partial(self._text, before=loaded.call.number)
        return map_texts(value, lambda text: rewrite(text, rename, link))

    def _renamed(self, loaded: Loaded, path: str) -> str:
        name = _NAME.match(path)
        number = loaded.captures.get(name[0]) if name else None
        if name is None or number is None:
            return path
        self._needs.add(number)
        return self._names[number] + path[name.end() :]

    def _query(self, call: Exchange, endpoint: Endpoint) -> dict[str, Any]:
        is_public = endpoint.family.public
        found: dict[str, list[str]] = {}
        for name, value in parse_qsl(call.linked.request.query, keep_blank_values=True):
            # Nothing happens while steps are sent, so none of them may wait.
            if name != _WAIT or is_public:
                found.setdefault(name, []).append(self._text(value, call.number))
        query = {name: values[0] if len(values) == 1 else values for name, values in found.items()}
        if is_public:
            return {} if endpoint.query is None else without_unknown_members(query, endpoint.query)
        return query

    def _headers(self, call: Exchange) -> dict[str, str]:
        found: dict[str, str] = {}
        secret = f"Bearer {self._project.secret_key}"
        for (name, value), text in zip(call.linked.request.headers, call.linked.headers, strict=True):
            is_key = name.lower() == "authorization" and value == secret
            if name.lower() == "cookie":
                found |= self._cookie(call, text)
            elif name.lower() not in _OWN and not is_key:
                found[name] = self._pieces(text)
        return found

    def _cookie(self, call: Exchange, text: Text) -> dict[str, str]:
        """The session of a cookie as a bearer's, unless there are other credentials: no step gets cookies."""
        links = [piece for piece in text if isinstance(piece, Link)]
        if not links:
            return {"cookie": self._pieces(text)}
        if header_of(call.linked.request, "authorization") is not None:
            return {}
        return {"authorization": f"Bearer {self._reference(Link(links[0].exchange, _TOKEN))}"}

    def _body(self, call: Exchange, endpoint: Endpoint) -> Any:
        request = call.linked.request
        kind = (header_of(request, "content-type") or "").partition(";")[0]
        try:
            document = json.loads(request.body)
        except (TypeError, ValueError):
            document = None
        if document is None or kind != "application/json":
            raise CannotWrite("its body is not JSON")
        if endpoint.family.public:
            document = without_unknown_members(document, endpoint.body)
        return map_texts(document, partial(self._text, before=call.number))

    # --- references -----------------------------------------------------------------------------------

    def _text(self, text: str, before: int) -> str:
        return self._pieces(self._table.split(text, before, self._linked_to))

    def _pieces(self, text: Text) -> str:
        return "".join(map(self._piece, text))

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return piece.replace("${", "$${")
        return self._reference(piece) if isinstance(piece, Link) else self._signature(piece)

    def _signature(self, signed: Signed) -> str:
        account = signed.account
        # One that a start-up scenario made is in no answer of the recording.
        given = self._reference(account) if isinstance(account, Link) else self._text(account, self._number)
        name = f"{self._names.get(signed.digest.exchange, 'the')}_signature"
        body = {"hash": self._reference(signed.digest)}
        self._signing.append({"call": "SignAsUser", "path": {"acc": given}, "body": body, "as": name})
        return f"${{{name}.signature}}"

    def _reference(self, link: Link) -> str:
        kind, pointer, parameter = link.place
        number, parts = link.exchange, read_json_path(pointer)
        if number in self._loaded and parts[:1] == ("captured",):
            number, parts = self._loaded[number].captures[parts[1]], parts[2:]
        name = "project" if number == PROJECT else self._names.get(number)
        if kind != "body" or parameter or link.form != "as it is" or not all(map(_NAME.fullmatch, parts)):
            raise CannotWrite(f"it has a value that no reference can name: {link.place}, {link.form}")
        if name is None:
            raise CannotWrite(f"it has a value of exchange {link.exchange}, which is no step")
        if number != PROJECT:
            self._needs.add(number)
        path = "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in parts)
        return f"${{{name}{path}}}"


def advance_step(advance: Advance) -> dict[str, Any]:
    """The step that moves the clock."""
    if advance.to_ms is not None:
        return {"call": "AdvanceClock", "body": {"to": timestamps.format_iso(advance.to_ms)}}
    seconds, rest = divmod(advance.span_ms, 1000)
    return {"call": "AdvanceClock", "body": {"seconds": advance.span_ms / 1000 if rest else seconds}}


def merge_advances(items: Iterable[Any]) -> list[Any]:
    """The items, moves of the clock that are next to each other as one."""
    found: list[Any] = []
    for item in items:
        if isinstance(item, Advance) and found and isinstance(found[-1], Advance):
            found[-1] = Advance(found[-1].span_ms + item.span_ms, item.to_ms)
        else:
            found.append(item)
    return found
