"""Requests per second and latency, beside the bare applications."""

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

import httpx
import orjson

from bench.load import Measured, get, post, run
from bench.servers import Server, bare_server, mock_server
from bench.wallets import custodial_account

CONNECTIONS = (1, 16, 64)


class Case(NamedTuple):
    """A kind of request, and the answer that the bare applications imitate."""

    name: str
    requests: Callable[[Server], Iterator[bytes]]
    answer: bytes


class Result(NamedTuple):
    """What one application did with one kind of request over so many connections."""

    case: str
    application: str
    connections: int
    measured: Measured
    per_cpu_second: float


def measure(seconds: float) -> Iterator[Result]:
    """Every case on every application, one after the other."""
    for case in _cases():
        for name in ("constant", "work", "mockserver"):
            with mock_server() if name == "mockserver" else bare_server(name, case.answer) as server:
                requests = case.requests(server)
                run(server.port, requests, connections=4, seconds=min(1.0, seconds))
                for connections in CONNECTIONS:
                    before_s = server.cpu_s()
                    measured = run(server.port, requests, connections=connections, seconds=seconds)
                    used_s = max(server.cpu_s() - before_s, 0.01)
                    rate = measured.per_second * seconds / used_s
                    yield Result(case.name, name, connections, measured, rate)


def _cases() -> list[Case]:
    with mock_server() as server, server.client() as client:
        created = client.post("/v1/contracts", content=contract(0)).raise_for_status()
        account = custodial_account(client)
        transaction = client.post("/v2/transactions", content=_transaction(account)).raise_for_status()
        return [
            Case("read", _reads, created.content),
            Case("create", _creates, created.content),
            Case("transaction", _transactions, transaction.content),
        ]


def _reads(server: Server) -> Iterator[bytes]:
    row_id = "row"
    if server.key != "none":
        with server.client() as client:
            row_id = client.post("/v1/contracts", content=contract(0)).raise_for_status().json()["id"]
    else:
        row_id = _only_row(server)
    return itertools.repeat(get(f"/v1/contracts/{row_id}", server.key))


def _only_row(server: Server) -> str:
    """The id that a bare application knows: it is in the answer to a create."""
    answer = httpx.post(f"http://127.0.0.1:{server.port}/v1/contracts", json={})
    row_id: str = answer.json()["id"]
    return row_id


def _creates(server: Server) -> Iterator[bytes]:
    return (post("/v1/contracts", server.key, contract(number)) for number in itertools.count(1))


def _transactions(server: Server) -> Iterator[bytes]:
    account = "acc_0"
    if server.key != "none":
        with server.client() as client:
            account = custodial_account(client)
    return itertools.repeat(post("/v2/transactions", server.key, _transaction(account)))


def contract(number: int) -> bytes:
    """The body of a create."""
    return orjson.dumps({"name": f"Token {number}", "chainId": 80002, "address": f"0x{number:040x}"})


def _transaction(account: str) -> bytes:
    calls = [{"to": "0x" + "11" * 20, "value": "1"}]
    return orjson.dumps({"chainId": 80002, "accountId": account, "calls": calls})
