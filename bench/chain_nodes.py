"""What the node of a chain costs beside Anvil and Hardhat: `python -m bench.chain_nodes`."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import httpx
from eth_account import Account

from bench.servers import Server, environment, free_port
from mockserver.chain.abi.functions import Function, encode_call
from tests.chain.evm.machines import CONTRACTS
from tests.clients.installing import installed
from tests.nodes.anvil.judge import foundry_program

_CHAIN = 31337
_STARTS = 3
_CALLS = 300
_PATIENCE_S = 60
_HARDHAT = Path(__file__).parent / "nodes"
_OLDEST_FOR_HARDHAT = 22
_SENDER = Account.from_key(b"\x42" * 32)
_TOKEN, _THERE = "0x" + "71" * 20, "0x" + "72" * 20
_ASKS = encode_call(Function.parse("balanceOf(address)"), [_THERE])
Ask = Callable[..., Any]


class Cost(NamedTuple):
    """What calls of one kind take, one after the other: their median, and the processor time of each."""

    median_ms: float
    cpu_ms: float


class Costs(NamedTuple):
    """What one node takes to its first answer, and for calls."""

    name: str
    start_s: float
    balance: Cost
    call: Cost
    transfer: Cost


def measure() -> Iterator[Costs]:
    """The nodes, one after the other. Hardhat is left out where node is too old for it."""
    ours = (sys.executable, "-m", "mockserver", "serve", "--clock", "frozen", "--log", "none")
    yield _measure("mockserver", ours, f"/_mock/projects/pk_test_bench/chains/{_CHAIN}/rpc")
    yield _measure("anvil", (str(foundry_program("anvil")), "--quiet"))
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(version[1:].partition(".")[0]) >= _OLDEST_FOR_HARDHAT:
        with tempfile.TemporaryDirectory() as folder:
            modules = Path(folder) / "node_modules"
            modules.symlink_to(installed(_HARDHAT), target_is_directory=True)
            shutil.copy(_HARDHAT / "package.json", folder)
            config = Path(folder) / "hardhat.config.js"
            config.write_text("export default {};\n")
            program = ("node", str(modules / "hardhat" / "dist" / "src" / "cli.js"), "--config", str(config))
            yield _measure("hardhat", (*program, "node"))


def _measure(name: str, command: tuple[str, ...], path: str = "/") -> Costs:
    starts = []
    for _ in range(_STARTS):
        begin = time.perf_counter()
        with _started(command, path):
            starts.append(time.perf_counter() - begin)
    with _started(command, path) as (ask, server):
        ask("hardhat_setBalance", _SENDER.address, hex(10**20))
        ask("hardhat_setCode", _TOKEN, CONTRACTS["Token"]["runtime_cancun"])
        signed = [_SENDER.sign_transaction(_transfer(nonce)) for nonce in range(_CALLS)]
        call = {"to": _TOKEN, "data": "0x" + _ASKS.hex()}
        return Costs(
            name,
            median(starts),
            _time(server, [lambda: ask("eth_getBalance", _THERE, "latest")] * _CALLS),
            _time(server, [lambda: ask("eth_call", call, "latest")] * _CALLS),
            _time(server, [partial(_send, ask, each.raw_transaction.to_0x_hex()) for each in signed]),
        )


def _transfer(nonce: int) -> dict[str, Any]:
    fees = {"maxFeePerGas": 10**10, "maxPriorityFeePerGas": 10**9, "gas": 21_000}
    return {"type": 2, "chainId": _CHAIN, "nonce": nonce, "to": _THERE, "value": 1, **fees}


def _send(ask: Ask, raw: str) -> None:
    """Send a transaction, until its receipt is there: Anvil answers before it mines."""
    sent = ask("eth_sendRawTransaction", raw)
    while ask("eth_getTransactionReceipt", sent) is None:
        pass


def _time(server: Server, calls: list[Callable[[], object]]) -> Cost:
    """What calls take."""
    taken, before_s = [], server.cpu_s()
    for call in calls:
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return Cost(median(taken) * 1000, (server.cpu_s() - before_s) / len(calls) * 1000)


@contextmanager
def _started(command: tuple[str, ...], path: str) -> Iterator[tuple[Ask, Server]]:
    """A node that has answered once."""
    port = free_port()
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=_PATIENCE_S
        ) as client:

            def ask(method: str, *params: Any) -> Any:
                body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                answer = client.post(path, json=body).raise_for_status().json()
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

            end = time.monotonic() + _PATIENCE_S
            while True:
                try:
                    ask("eth_chainId")
                    break
                except httpx.TransportError:
                    if process.poll() is not None or time.monotonic() > end:
                        raise RuntimeError(f"{command!r} did not start") from None
                    time.sleep(0.005)
            yield ask, Server(port, process.pid)
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Measure and print."""
    load, _, _ = os.getloadavg()
    print(f"load {load:.1f} of {os.cpu_count()} cores")
    print(f"{'':21} {'median ms':>29} {'processor ms':>29}")
    kinds = ("balance", "call", "transfer")
    print(f"{'node':12} {'start s':>8}", *(f"{kind:>9}" for kind in kinds * 2))
    for costs in measure():
        found = (costs.balance, costs.call, costs.transfer)
        numbers = (*(each.median_ms for each in found), *(each.cpu_ms for each in found))
        print(f"{costs.name:12} {costs.start_s:8.2f}", *(f"{each:9.2f}" for each in numbers), flush=True)


if __name__ == "__main__":
    main()
