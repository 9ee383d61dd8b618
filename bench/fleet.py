"""A fleet: rates with one and with two servers behind HAProxy, and a simulation of a thousand servers.

python -m bench.fleet
"""

import argparse
import itertools
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from bench.fleet_simulation import Costs, simulate
from bench.load import Measured, get, run
from bench.requests import contract
from bench.servers import Server, free_port, mock_server
from mockserver.server.assembly import assemble
from mockserver.state.world import World
from tests.transport import InProcessTransport

CONFIGURATION = Path(__file__).parents[1] / "examples" / "fleet" / "haproxy.cfg"
_PROJECTS = 64
_CONNECTIONS = 32
_TIMES = 50


class Rate(NamedTuple):
    """What some servers did behind a balancer."""

    servers: int
    measured: Measured
    cpu_us: float
    """Processor time of the servers for a request."""
    balancer_us: float
    """That of the balancer."""


def measure(servers: int, seconds: float) -> Rate:
    """Reads of many projects, by HAProxy."""
    with ExitStack() as stack:
        started = [stack.enter_context(mock_server()) for _ in range(servers)]
        balancer = stack.enter_context(_balancer(started))
        requests = _reads(balancer.port)
        run(balancer.port, requests, connections=_CONNECTIONS, seconds=min(1.0, seconds))
        before_s, before_balancer_s = sum(each.cpu_s() for each in started), balancer.cpu_s()
        measured = run(balancer.port, requests, connections=_CONNECTIONS, seconds=seconds)
        answered = measured.per_second * seconds
        return Rate(
            servers,
            measured,
            (sum(each.cpu_s() for each in started) - before_s) / answered * 1e6,
            (balancer.cpu_s() - before_balancer_s) / answered * 1e6,
        )


@contextmanager
def _balancer(servers: list[Server]) -> Iterator[Server]:
    port = free_port()
    addresses = [f"127.0.0.1:{server.port}" for server in servers]
    text = CONFIGURATION.read_text()
    if len(servers) == 1:
        text = text.replace('  server b "${MOCKSERVER_B}"\n', "")
    names = {
        "FLEET_ADDRESS": f"127.0.0.1:{port}",
        "MOCKSERVER_A": addresses[0],
        "MOCKSERVER_B": addresses[-1],
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "haproxy.cfg"
        # One thread: what it costs is to be compared, and cores are few.
        file.write_text(f"global\n  nbthread 1\n\n{text}")
        with subprocess.Popen(["haproxy", "-db", "-f", str(file)], env=os.environ | names) as process:
            try:
                _wait(port)
                yield Server(port, process.pid)
            finally:
                process.terminate()


def _wait(port: int) -> None:
    while True:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/_mock/ready", trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)


def _reads(port: int) -> Iterator[bytes]:
    requests = []
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        for number in range(_PROJECTS):
            key = f"sk_test_bench{number}"
            headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
            made = client.post("/v1/contracts", content=contract(0), headers=headers).raise_for_status()
            requests.append(get(f"/v1/contracts/{made.json()['id']}", key))
    return itertools.cycle(requests)


def measure_moving() -> tuple[float, int]:
    """How many seconds it takes to take the state of a project and to put it elsewhere, and its bytes."""
    here, there = World(), World("there")
    project = here.create(name="moves")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    first, second = (
        httpx.Client(transport=InProcessTransport(assemble(world)), base_url="http://mock", headers=headers)
        for world in (here, there)
    )
    for number in range(_TIMES):
        first.post("/v1/contracts", content=contract(number), headers={"content-type": "application/json"})
    path, begin = f"/_mock/projects/{project.id}/state", time.process_time()
    for _ in range(_TIMES):
        state = first.get(path).content
        moved = second.put(
            path, content=state, params={"replace": "true"}, headers={"content-type": "application/jsonl"}
        )
        moved.raise_for_status()
    return (time.process_time() - begin) / _TIMES, len(state)


def main() -> None:
    """Measure, simulate and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description="What a fleet does.")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each rate is measured")
    parser.add_argument("--request-us", type=float, help="simulate only, with this cost of a request")
    options = parser.parse_args()
    request_us = options.request_us
    if request_us is None:
        print(
            f"{'servers':>7} {'req/s':>8} {'servers us':>11} {'HAProxy us':>11} {'p50 ms':>7} {'p99 ms':>7}"
        )
        rates = [measure(servers, options.seconds) for servers in (1, 2)]
        for rate in rates:
            found = rate.measured
            print(
                f"{rate.servers:7} {found.per_second:8.0f} {rate.cpu_us:11.1f} {rate.balancer_us:11.1f}"
                f" {found.median_ms:7.2f} {found.p99_ms:7.2f}"
            )
        request_us = rates[0].cpu_us
    move_s, size = measure_moving()
    print(f"\nmoving a project with {_TIMES} rows: {move_s * 1000:.1f} ms, {size:,} bytes\n")
    for line in simulate(Costs(request_us / 1e6, move_s)):
        print(line)


if __name__ == "__main__":
    main()
