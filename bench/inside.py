"""What things cost inside: projects, snapshots, pages, memory, start-up."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection
from statistics import median
from typing import Any, NamedTuple

from bench.load import get, post, run
from bench.requests import contract
from bench.servers import environment, mock_server, starting_server
from mockserver.api.call import Request
from mockserver.crypto import secp256k1
from mockserver.server.assembly import assemble
from mockserver.server.edge.reading import read_headers
from mockserver.state.onchain import Contract
from mockserver.state.project import Project
from mockserver.state.world import World

_ROWS = 10_000
_PATIENCE_S = 30
_IMPORTS = "import starlette, pydantic, uvicorn, cryptography.hazmat.primitives.asymmetric.ec"


class Cost(NamedTuple):
    """Something that was measured, in a unit, beside what it is compared with."""

    name: str
    value: float
    unit: str
    beside: str = ""


def measure() -> Iterator[Cost]:
    """Everything that needs no load."""
    yield from _start_up()
    yield Cost("a fresh project", _best(lambda: World().create(), 200) * 1000, "ms")
    yield from _snapshots()
    yield from _pages()
    yield from _memory()
    yield from _signing()
    yield from _recording()


def _recording() -> Iterator[Cost]:
    """What recording adds to a read, beside the same read in process without a socket."""
    app = assemble(World())
    project = app.pipeline.world.create(name="bench")
    project.onchain.contracts.insert(
        Contract(id="con_1", created_ms=0, name=None, chain_id=1, address="0x" + "ab" * 20)
    )
    raw = [(b"host", b"localhost"), (b"authorization", f"Bearer {project.secret_key}".encode())]
    request = Request("GET", "/v1/contracts/con_1", "", read_headers(raw), raw_headers=raw)

    def read() -> None:
        app.answer(replace(request))

    read_us = _best(read, 3000) * 1e6
    app.recordings.start()
    recorded_us = _best(read, 3000) * 1e6
    app.recordings.close()
    yield Cost("a read in process", read_us, "us")
    yield Cost("what recording adds to it", recorded_us - read_us, "us")


def _signing() -> Iterator[Cost]:
    secret, digest = bytes(31) + b"\x07", bytes(range(32))
    signature = secp256k1.sign(secret, digest)
    sign_s = _best(lambda: secp256k1.sign(secret, digest), 500)
    recover_s = _best(lambda: secp256k1.recover(digest, signature), 200)
    yield Cost("signing on secp256k1", sign_s * 1000, "ms")
    yield Cost("recovering a signer on secp256k1", recover_s * 1000, "ms")


def _best(action: Callable[[], object], times: int) -> float:
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        action()
        took.append(time.perf_counter() - begin)
    return median(took)


def _start_up() -> Iterator[Cost]:
    # The first of each warms the disk and writes the bytecode.
    imports_s = median([_spent([sys.executable, "-c", _IMPORTS]) for _ in range(8)][1:])
    yield Cost("importing starlette, pydantic, uvicorn, cryptography", imports_s * 1000, "ms")
    for name, path in (("its health", "/_mock/health"), ("a read, the default scenario in", "/v1/contracts")):
        answer_s = median([_until_answered(path) for _ in range(8)][1:])
        beside = f"{answer_s / imports_s:.2f} of the imports alone"
        yield Cost(f"from nothing to {name}", answer_s * 1000, "ms", beside)


def _spent(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, env=environment())
    return time.perf_counter() - begin


def _until_answered(path: str) -> float:
    """How long it takes from starting the process to the answer of the first request."""
    begin = time.perf_counter()
    with starting_server() as port:
        while time.perf_counter() - begin < _PATIENCE_S:
            connection = HTTPConnection("127.0.0.1", port)
            try:
                connection.request("GET", path, headers={"authorization": "Bearer sk_test_default"})
                if connection.getresponse().status == 200:
                    return time.perf_counter() - begin
            except ConnectionRefusedError:
                time.sleep(0.002)
    raise RuntimeError(f"{path} was not answered")


def _filled(rows: int) -> Project:
    project = World().create(name="bench")
    for number in range(rows):
        project.onchain.contracts.insert(
            Contract(id=f"con_{number}", created_ms=number, name=None, chain_id=1, address=f"0x{number:040x}")
        )
        project.undo.mark()
    return project


def _snapshots() -> Iterator[Cost]:
    project = _filled(_ROWS)
    state = project.snapshot()
    extra = Contract(id="con_extra", created_ms=0, name=None, chain_id=1, address="0x" + "ff" * 20)

    def write_after_restore() -> None:
        project.restore(state)
        project.onchain.contracts.insert(extra)

    yield Cost(f"a snapshot of {_ROWS:,} rows", _best(project.snapshot, 50) * 1000, "ms")
    yield Cost(f"a restore of {_ROWS:,} rows", _best(lambda: project.restore(state), 50) * 1000, "ms")
    yield Cost("the same and a first write, which copies", _best(write_after_restore, 50) * 1000, "ms")


def _pages() -> Iterator[Cost]:
    filters: dict[str, dict[str, Any]] = {
        "": {"deleted": False},
        ", two filters": {"deleted": False, "chain_id": 1, "address": f"0x{500:040x}"},
    }
    for name, where in filters.items():
        took = {}
        for rows in (1_000, 100_000):
            table = _filled(rows).onchain.contracts
            page = partial(table.page, limit=10, skip=0 if name else rows // 2, where=where)
            took[rows] = _best(page, 2_000) * 1_000_000
        beside = f"{took[100_000] / took[1_000]:.2f} of the page at 1,000 rows"
        yield Cost(f"a page of 10 at 1,000 rows{name}", took[1_000], "us")
        yield Cost(f"a page of 10 at 100,000 rows{name}", took[100_000], "us", beside)


def _memory() -> Iterator[Cost]:
    with mock_server() as server:
        before = server.memory_mb()
        reads = get("/v1/contracts?limit=1", server.key)
        creates = (post("/v1/contracts", server.key, contract(number)) for number in range(10**9))
        mixed = (request for create in creates for request in (create, *[reads] * 9))
        run(server.port, mixed, connections=16, seconds=600, at_most=100_000)
        beside = f"{before:.0f} MB before"
        yield Cost("memory after 100,000 requests, 10,000 of them creates", server.memory_mb(), "MB", beside)
