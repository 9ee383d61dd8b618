"""What rules cost: `python -m bench.rules`."""

import time
from collections.abc import Iterator
from itertools import repeat
from statistics import median
from typing import NamedTuple

import httpx

from bench.load import get, run
from bench.servers import Server, mock_server
from mockserver.scenario.apply import apply
from mockserver.scenario.load import read
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.world import World

_RULES = 200
_MANY_RULES = 10_000
_ROUNDS = 7
_SECONDS = 0.7
_CONNECTIONS = 16
_SCENARIOS = "/_mock/projects/-/scenarios"
_YAML = {"content-type": "application/yaml"}
_CONTRACT = {"name": "T", "chainId": 80002, "address": "0x5FbDB2315678afecb367f032d93F642f64180aa3"}

_KINDS: dict[str, str] = {
    "of another operation": "{{call: CreateContract, nth: {number}}}",
    "of another path": "GET /v1/contracts/con_{number}",
    "of this operation, with another header": "{{call: GetContract, headers: {{x-tenant: tenant-{number}}}}}",
    "of this operation, with another query": "{{call: GetContract, query: {{x: Token {number}}}}}",
    "of every operation, with another header": "{{headers: {{x-tenant: tenant-{number}}}}}",
    "of every operation, with a body": "{{body: {{name: Token {number}}}}}",
    "of this operation, by a pattern of its path": "GET /v1/*/other-{number}-*",
}
"""Two hundred rules that are not about the read, by what tells them so."""


class Rate(NamedTuple):
    """How many reads a second of processor time there are with rules, as a share of those without."""

    rules: str
    per_second: float
    share: float


def measure_reads() -> Iterator[Rate]:
    """The rate of reads with each kind of rules. Rounds take turns, so that a busy machine slows both."""
    with mock_server() as server, _client(server) as client:
        created = client.post("/v1/contracts", json=_CONTRACT).raise_for_status().json()
        read = get(f"/v1/contracts/{created['id']}", server.key)
        for name, when in _KINDS.items():
            pairs = []
            for _ in range(_ROUNDS):
                client.delete(_SCENARIOS).raise_for_status()
                without = _rate(server, read)
                text = "rules:\n" + "".join(
                    f"  - {{when: {when.format(number=number)}, then: {{answer: 503}}}}\n"
                    for number in range(1, _RULES + 1)
                )
                client.post(_SCENARIOS, content=text, headers=_YAML).raise_for_status()
                pairs.append((without, _rate(server, read)))
            yield Rate(name, median(rate for _, rate in pairs), median(rate / none for none, rate in pairs))


def _client(server: Server) -> httpx.Client:
    headers = {"authorization": f"Bearer {server.key}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{server.port}", headers=headers, trust_env=False)


def _rate(server: Server, request: bytes) -> float:
    """Reads per second of the server's processor time."""
    before_s = server.cpu_s()
    measured = run(server.port, repeat(request), connections=_CONNECTIONS, seconds=_SECONDS)
    return measured.per_second * _SECONDS / (server.cpu_s() - before_s)


def measure_loading() -> Iterator[tuple[str, float]]:
    """How long it takes to read and load a file of many rules, in seconds, the shortest of five."""
    short = "  - {{when: {{call: CreateContract, body: {{name: Token {number}}}}}, then: {{answer: 503}}}}\n"
    long = (
        "  - name: rule {number}\n    when:\n      call: GET /v1/contracts/con_{number}\n"
        "      headers: {{x-tenant: tenant-{number}}}\n"
        '    then:\n      answer: {{status: 503, headers: {{retry-after: "1"}}}}\n'
    )
    for name, rule in (("in a line each", short), ("in seven lines each", long)):
        text = "rules:\n" + "".join(rule.format(number=number) for number in range(_MANY_RULES))
        yield f"{_MANY_RULES:,} rules {name}, {len(text):,} characters", min(_load(text) for _ in range(5))


def _load(text: str) -> float:
    world = World()
    project, pipeline = world.create(name="bench"), assemble(world).pipeline
    begin = time.perf_counter()
    apply(world, project, read(text, "bench.yaml", ROUTES), pipeline.answer)
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    print(f"{f'a read beside {_RULES} rules that are not about it':55} {'reads/CPU s':>11}  of none")
    for rate in measure_reads():
        print(f"{rate.rules:55} {rate.per_second:11,.0f} {rate.share:8.0%}", flush=True)
    for name, took_s in measure_loading():
        print(f"{name:65} {took_s:5.2f} s", flush=True)


if __name__ == "__main__":
    main()
