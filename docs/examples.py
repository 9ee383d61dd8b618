"""The examples of the OpenAPI documents: calls of `tests/regression`, played to a server in this process."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from mockserver.api.call import Request as Received
from mockserver.api.endpoint import Endpoint
from mockserver.api.wire import field_names
from mockserver.errors import catalogue
from mockserver.server.answering.envelopes import envelope_of
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.world import World
from tests.regression.exchanges import Answer, Exchange, Request
from tests.regression.server import HOST
from tests.regression.story import Story
from tests.regression.whole_story import tell

LONGEST = 2_000
"""How many characters an answer may have; longer ones are examples only where there is no other."""


_RANDOM = re.compile(
    r'("(?:encryptedPrivateKey|encryptionKey|publicKey|newPublicKey|walletAuthToken)":)"[^"]*"'
)
"""What the journeys' own keys and seals make different in every run."""


def examples_file(written: str) -> str:
    """A line of JSON for each operation that has an answer in JSON, and for each error that was answered.

    A line that differs from one that is written in random members only stays as it is.
    """
    known = {_RANDOM.sub(r"\1", line): line for line in written.splitlines()}
    return "".join(known.get(_RANDOM.sub(r"\1", line), line) + "\n" for line in _lines())


@cache
def senders() -> frozenset[str]:
    """The operations that send a transaction: those whose calls made a row of one."""
    return frozenset(_played()[1])


@cache
def _lines() -> list[str]:
    exchanges, _ = _played()
    entries = [*_calls(exchanges), *_errors(exchanges)]
    return [json.dumps(entry, separators=(",", ":"), ensure_ascii=False) for entry in entries]


@cache
def _played() -> tuple[list[Exchange], set[str]]:
    """The calls of the journeys, and the operations among them that sent transactions."""
    world, sent = World(), set[str]()
    send = _sender(assemble(world).pipeline)

    def count(request: Request) -> Answer:
        before = _transactions(world)
        answer = send(request)
        if _transactions(world) > before:
            endpoint, _ = _endpoint_of(Exchange("", request, answer))
            sent.add(endpoint.operation if endpoint else "")
        return answer

    story = Story(count)
    tell(story, drawn=0)
    return story.exchanges, sent


def _transactions(world: World) -> int:
    return sum(len(project.onchain.transactions) for project in world if not project.is_put_away)


def _sender(pipeline: Pipeline) -> Callable[[Request], Answer]:
    def send(request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        headers = {"host": HOST, **{name.lower(): value for name, value in request.headers.items()}}
        body = request.body.encode("utf-8", "surrogateescape")
        received = Received(request.method, unquote(path), query, headers, body)
        response = pipeline.finish(pipeline.answer(received))
        sent = [[name.decode(), value.decode()] for name, value in response.headers]
        return Answer(response.status, sent, response.body.decode("utf-8", "surrogateescape"))

    return send


def _endpoint_of(exchange: Exchange) -> tuple[Endpoint | None, dict[str, str]]:
    methods, values = ROUTES.find(unquote(exchange.request.path.partition("?")[0]))
    endpoint = methods.get(exchange.request.method)
    return endpoint, dict(zip(endpoint.parameters, values, strict=True)) if endpoint else {}


# --- calls -------------------------------------------------------------------------------------------


def _calls(exchanges: Iterable[Exchange]) -> Iterator[dict[str, Any]]:
    """For each operation the call whose answer shows most."""
    best: dict[str, tuple[tuple[bool, int, int], dict[str, Any]]] = {}
    for exchange in exchanges:
        endpoint, path = _endpoint_of(exchange)
        if endpoint is None or endpoint.answer is None or not _is_plain(endpoint, exchange):
            continue
        rank = _rank(exchange)
        if endpoint.operation not in best or rank > best[endpoint.operation][0]:
            entry = {
                "operation": endpoint.operation,
                "path": path,
                "request": _request(endpoint, exchange.request.body),
                "response": exchange.answer.json,
            }
            best[endpoint.operation] = rank, entry
    return (entry for _, entry in sorted(best.values(), key=lambda found: str(found[1]["operation"])))


def _is_plain(endpoint: Endpoint, exchange: Exchange) -> bool:
    """Whether a call succeeded, sent nothing that its operation does not know, and met no scenario's rule."""
    sent = _parsed(exchange.request.body)
    known = field_names(endpoint.body) if endpoint.body is not None else frozenset()
    return (
        exchange.answer.status == endpoint.status
        and exchange.answer.header("x-mockserver-rule") is None
        and (not known or not isinstance(sent, dict) or known.issuperset(sent))
    )


def _request(endpoint: Endpoint, body: str) -> Any:
    if endpoint.reads is not None:
        return body
    return json.loads(body) if endpoint.body is not None and body.startswith("{") else None


def _rank(exchange: Exchange) -> tuple[bool, int, int]:
    """Not too long first, then what has most members, then what is shortest."""
    length = len(exchange.answer.body) + len(exchange.request.body)
    if length > LONGEST:
        return False, 0, -length
    members = set(_members(exchange.answer.json)) | set(_members(_parsed(exchange.request.body), "request"))
    return True, len(members), -length


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _members(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield f"{path}.{name}"
            yield from _members(member, f"{path}.{name}")
    elif isinstance(value, list):
        for entry in value:
            yield from _members(entry, f"{path}[]")


# --- errors ------------------------------------------------------------------------------------------


def _errors(exchanges: Iterable[Exchange]) -> Iterator[dict[str, Any]]:
    """The shortest answer with each error, in the envelope of each family."""
    found: dict[str, Answer] = {}
    rows = {(row.code, row.status): row for row in catalogue()}
    for exchange in exchanges:
        endpoint, _ = _endpoint_of(exchange)
        row = rows.get((_code(exchange.answer.json), exchange.answer.status))
        if endpoint is not None and row is not None and not exchange.answer.header("x-mockserver-rule"):
            name = f"{envelope_of(endpoint.family, row)}.{row.status}.{row.code}"
            if name not in found or len(exchange.answer.body) < len(found[name].body):
                found[name] = exchange.answer
    return ({"error": name, "response": found[name].json} for name in sorted(found))


def _code(answer: Any) -> str:
    """The code of an error in any envelope; empty for what is none."""
    if not isinstance(answer, dict):
        return ""
    problem = str(answer.get("type", ""))
    if problem.startswith("urn:mockserver:"):
        return problem.removeprefix("urn:mockserver:").replace("-", "_")
    members = answer.get("error", answer)
    return str(members.get("code", "")) if isinstance(members, dict) else ""
