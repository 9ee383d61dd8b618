"""Sends a handler of webhooks what it has to survive, and says what it took wrongly."""

import asyncio
import json
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from mockserver.crypto.webhook_signatures import SIGNATURE_HEADER, sign_webhook

_TIMEOUT_S = 10.0
_HUGE = 1024 * 1024
_DATA = {"id": "tin_00000000-0000-4000-8000-000000000001", "object": "transaction", "status": "successful"}
_PAYLOAD = {"type": "transaction_intent.successful", "data": _DATA}


class Trial(NamedTuple):
    """What was sent, what has to become of it, and what did."""

    name: str
    expected: str
    got: str
    is_right: bool
    advice: str


Delivery = tuple[bytes, dict[str, str]]
"""A body, and what it has of headers."""


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    make: Callable[[str], Sequence[Delivery]]
    """Makes what is sent, by the key."""
    advice: str
    is_to_be_accepted: bool = False


def _body(**changed: object) -> bytes:
    return json.dumps({**_PAYLOAD, **changed}).encode()


def _signed(key: str, body: bytes, signed: bytes | None = None) -> Delivery:
    """A body with its own signature, or with that of another one."""
    return body, {SIGNATURE_HEADER: sign_webhook(key, body if signed is None else signed)}


def _out_of_order(key: str) -> Sequence[Delivery]:
    data = {**_DATA, "id": "tin_00000000-0000-4000-8000-000000000002"}
    states = ("successful", "broadcast")
    return [
        _signed(key, _body(type=f"transaction_intent.{state}", data={**data, "status": state}))
        for state in states
    ]


_CASES = (
    _Case(
        "a delivery as the service sends it",
        lambda key: [_signed(key, _body())],
        "until it takes this, the others say nothing: check that it takes POST at this URL, and verifies the "
        "raw body with the key that --key names",
        is_to_be_accepted=True,
    ),
    _Case(
        "no signature",
        lambda key: [(_body(), {})],
        "refuse what has no signature: any program can send it",
    ),
    _Case(
        "a wrong signature",
        lambda key: [_signed("another key", _body())],
        "verify the signature before anything else",
    ),
    _Case(
        "a signature that is no hexadecimal text",
        lambda key: [(_body(), {SIGNATURE_HEADER: "undefined"})],
        "a signature of another length is wrong, too: refuse it before it is compared",
    ),
    _Case(
        "a body that was changed after it was signed",
        lambda key: [_signed(key, _body(type="user.deleted"), _body())],
        "sign the bytes that came, and compare",
    ),
    _Case(
        "the signature of an earlier delivery",
        lambda key: [_signed(key, _body(data={"id": "tin_other"}), _body())],
        "compare with the signature of this body, not with one that you have seen",
    ),
    _Case(
        "a body in other spelling, signed as it is",
        lambda key: [_signed(key, json.dumps(_PAYLOAD, indent=1).encode())],
        "verify the raw body: to parse it and write it anew makes other bytes",
        is_to_be_accepted=True,
    ),
    _Case(
        "the same delivery twice",
        lambda key: [_signed(key, _body())] * 2,
        "answer 2xx to one that came before, and do nothing: remember `data.id` with the type",
        is_to_be_accepted=True,
    ),
    _Case(
        "deliveries out of order",
        _out_of_order,
        "an old state may come late: look at the resource itself",
        is_to_be_accepted=True,
    ),
    _Case(
        "an unknown topic",
        lambda key: [_signed(key, _body(type="something.new", data={}))],
        "answer 2xx to topics that you do not know: they are told again otherwise, until the trigger ends",
        is_to_be_accepted=True,
    ),
    _Case(
        "an unknown member",
        lambda key: [_signed(key, _body(newMember={"a": 1}))],
        "ignore members that you do not know",
        is_to_be_accepted=True,
    ),
    _Case(
        "a body of 1 MiB",
        lambda key: [_signed(key, _body(data={**_DATA, "note": "x" * _HUGE}))],
        "take bodies of a few megabytes: lists of logs are long",
        is_to_be_accepted=True,
    ),
    _Case(
        "a signed body that is no JSON",
        lambda key: [_signed(key, b"{")],
        "answer 400 to what cannot be read",
    ),
)


_AFTER_BROKEN = _Case(
    "a delivery after a connection that broke",
    lambda key: [_signed(key, _body())],
    "a client that goes away must not end the server",
    is_to_be_accepted=True,
)


def probe(url: str, key: str) -> list[Trial]:
    """Send a handler each case; what became of it. ValueError for a URL that is none."""
    parts = urlsplit(url)
    # The port is read on access; a ValueError says what is wrong with it.
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no URL of a handler, such as http://127.0.0.1:3000/webhooks")

    def deliver(body: bytes, headers: dict[str, str]) -> int | str:
        return asyncio.run(_post(url, body, {"content-type": "application/json", **headers}))

    def attempt(case: _Case) -> Trial:
        return _judge(case, [deliver(*each) for each in case.make(key)])

    trials = [*map(attempt, _CASES)]
    _break_connection(parts.hostname, port)
    return [*trials, attempt(_AFTER_BROKEN)]


async def _post(url: str, body: bytes, headers: dict[str, str]) -> int | str:
    """The status that a handler answers, or the error instead of an answer."""
    try:
        async with (
            # The timeout of httpx is that of each part: an answer may begin for ever.
            asyncio.timeout(_TIMEOUT_S),
            httpx.AsyncClient(verify=url.startswith("https:"), timeout=None, trust_env=False) as client,
            client.stream("POST", url, content=body, headers=headers) as answer,
        ):
            # What follows says nothing, and may have no end.
            return answer.status_code
    except (httpx.HTTPError, TimeoutError) as error:
        return type(error).__name__


def _break_connection(host: str, port: int) -> None:
    """Go away within a delivery."""
    # What became of it, the next delivery shows.
    with suppress(OSError), socket.create_connection((host, port), timeout=_TIMEOUT_S) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{")


def _judge(case: _Case, answers: Sequence[int | str]) -> Trial:
    # A 5xx refuses nothing: the handler fell over, and is told again.
    expected = "2xx" if case.is_to_be_accepted else "4xx"
    right = all(isinstance(each, int) and each // 100 == int(expected[0]) for each in answers)
    got = ", ".join(f"no answer ({each})" if isinstance(each, str) else str(each) for each in answers)
    return Trial(case.name, expected, got, right, "" if right else case.advice)


def lines_of(trials: Sequence[Trial]) -> list[str]:
    """What a terminal shows."""
    wrong = [trial for trial in trials if not trial.is_right]
    lines = [f"{'ok   ' if trial.is_right else 'WRONG'} {trial.name}: {trial.got}" for trial in trials]
    # What refuses everything is not there, or has another key.
    for trial in wrong if trials[0].is_right else trials[:1]:
        lines += ["", f"{trial.name}: {trial.got} in place of {trial.expected}", f"  {trial.advice}"]
    return [*lines, "", f"the handler took {len(trials) - len(wrong)} of {len(trials)} rightly"]
