"""What rules cost: `python -m bench.rules`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bench.reads import Rate, contract_reads
from bench.servers import Server
from mockserver.scenario.checking.load import read
from mockserver.scenario.running.apply import apply
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.world import World

_RULES = 200
_MANY_RULES = 10_000
_ROUNDS = 7
_SECONDS = 0.7
_SCENARIOS = "/_mock/projects/-/scenarios"
_YAML = {"content-type": "application/yaml"}

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


def measure_reads() -> Iterator[tuple[str, Rate]]:
    """Each kind of rules, and the rate of reads with them."""
    with contract_reads() as reads:
        for name, when in _KINDS.items():
            yield name, reads.compare(partial(_loaded, reads.server, when), _ROUNDS, _SECONDS)


@contextmanager
def _loaded(server: Server, when: str) -> Iterator[None]:
    """A scenario with rules of one kind."""
    rules = (
        f"  - {{when: {when.format(number=number)}, then: {{answer: 503}}}}\n"
        for number in range(1, _RULES + 1)
    )
    with server.client() as client:
        client.post(_SCENARIOS, content="rules:\n" + "".join(rules), headers=_YAML).raise_for_status()
        yield
        client.delete(_SCENARIOS).raise_for_status()


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
    for name, rate in measure_reads():
        print(f"{name:55} {rate.per_second:11,.0f} {rate.share:8.0%}", flush=True)
    for name, took_s in measure_loading():
        print(f"{name:65} {took_s:5.2f} s", flush=True)


if __name__ == "__main__":
    main()
