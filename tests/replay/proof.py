"""The proof of record and replay: a long mixed run replays without a difference, on every Python.

    python -m tests.replay.proof --requests 10000 --http --python python3.12 --python python3.13

records requests of many families with faults, limits, fates, snapshots and clock moves, from 16 clients at
once in two projects. The recording is replayed one request after the other, in this process and in others,
whose hashes have other seeds: of this Python, and of each that is given, in which mockserver is installed.
With `--http` it is also sent to a server of each of them, once on asyncio and once on uvloop.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from mockserver.replay.connection import Address
from mockserver.replay.player import Player
from mockserver.replay.remote import Remote
from mockserver.testing.client import MockServer
from mockserver.testing.server import LiveServer
from tests.replay.runs import AMOY, RULES, Client, play, run_at_once

_CLIENTS = 16
TOKEN = json.loads(
    (Path(__file__).parents[2] / "examples" / "contracts" / "out" / "Token.sol" / "Token.json").read_text()
)


COUNTER = "0x" + "66" * 20
COUNTS_DOWN = "0x6113885b60019003806003575f5460010180" + "5f5500"
"""Code that counts down from 5,000, which takes two slices, and then its first slot up."""


class Recording(NamedTuple):
    """A recorded run, and how long it took."""

    raw: bytes
    requests: int
    seconds: float


class Mixed(Client):
    """A client that also reads and changes what the other families have."""

    def make_round(self, turn: int) -> None:
        """See `Client`."""
        self._read_families()
        self._write_families(turn)
        if turn % 5 == 1:
            self._project.fate(outcome="reverted", reason="by fate", count=1)
        if turn % 5 == 3:
            self._project.fate(outcome="reorged", count=1)
        for _ in range(3):
            self._transfer()
        self._execute(turn)
        super().make_round(turn)

    def _execute(self, turn: int) -> None:
        """Call a token with code: a transfer, and one that reverts. A restore may have taken it away."""
        chain = f"/_mock/projects/{self._project.id}/chains/{AMOY}"
        if turn % 3 == 0:
            wallet = self._project.given.sponsored_wallet(chain_id=AMOY)
            body = {
                "artifact": TOKEN,
                "args": ["Gold", "GLD", "9"],
                "name": "Token",
                "sender": wallet.address,
            }
            self._wallet, self._token = (
                wallet.id,
                self._project.call("POST", f"/chains/{AMOY}/contracts", json=body),
            )
        for amount in ("2", "100"):
            call = {"contractId": self._token["contract_id"], "functionName": "transfer"}
            calls = [{**call, "functionArgs": ["0x" + "11" * 20, amount]}]
            self.call(
                "POST", "/v2/transactions", {"chainId": AMOY, "accountId": self._wallet, "calls": calls}
            )
        if turn % 4 == 1:
            self._project.call("PUT", f"/chains/{AMOY}/addresses/{COUNTER}", json={"code": COUNTS_DOWN})
            # The second is counted after the first, in the same transaction.
            calls = [{"to": COUNTER, "data": "0x12345678"}] * 2
            self.call(
                "POST", "/v2/transactions", {"chainId": AMOY, "accountId": self._wallet, "calls": calls}
            )
        self.call("GET", f"/v1/contracts/{self._token['contract_id']}/read?functionName=totalSupply")
        self.call("GET", f"{chain}/state")

    def _read_families(self) -> None:
        for path in (
            "/v2/users",
            "/v2/accounts",
            "/v2/transactions",
            "/v2/accounts/backend",
            "/v2/policies",
            "/v2/gas-sponsorship",
            "/v1/players",
            "/v1/policies",
            "/v1/sessions",
            "/v1/transaction_intents",
            "/v1/contracts/none",
        ):
            self.call("GET", f"{path}?limit=5")

    def _write_families(self, turn: int) -> None:
        player = self.call("POST", "/v1/players", {"name": f"{self._name}-{turn}"})
        if player is not None and player.status_code == 200:
            self.call("GET", f"/v1/players/{player.json()['id']}")
        self.call(
            "POST",
            "/v1/policies",
            {"name": "P", "chainId": 80002, "strategy": {"sponsorSchema": "pay_for_user"}},
        )
        self.call("POST", "/v1/players", {"name": 7})


def record(requests: int, clients: int = _CLIENTS) -> Recording:
    """Record at least so many requests, of so many clients at once."""
    began = time.perf_counter()
    with LiveServer() as server:
        control = server.control
        projects = [
            control.create_project(
                name="ticking",
                clock={"mode": "ticking", "rate": 100},
                settings={"transaction_confirms_after_ms": 500},
            ),
            control.create_project(name="frozen"),
        ]
        control.start_recording()
        for project in projects:
            project.load(RULES)
        mixed = [Mixed(projects[number % 2], server.url, number) for number in range(clients)]
        while (made := _made(control)) < requests:
            run_at_once([*mixed], 1)
        for client in mixed:
            client.close()
        raw = control.stop_recording()
    return Recording(raw, made, time.perf_counter() - began)


def _made(control: MockServer) -> int:
    made: int = control.call("GET", "/_mock/recording/status")["exchanges"]
    return made


def describe(recording: Recording) -> dict[str, Any]:
    """What a recording has: how many requests, operations, faults, and what became of its transactions."""
    lines = [json.loads(line) for line in recording.raw.splitlines()]
    answers = [line["answer"] for line in lines if "answer" in line]
    return {
        "requests": sum("request" in line for line in lines),
        "families": len({_family(line["request"]) for line in lines if "request" in line}),
        "waits": sum("waits" in line for line in lines),
        "ticks": sum("tick" in line for line in lines),
        "faults": sum("fault" in answer for answer in answers),
        "statuses": dict(Counter(answer["status"] for answer in answers)),
        "transactions": dict(_sent(lines)),
        "bytes": len(recording.raw),
        "seconds": round(recording.seconds, 1),
    }


def _family(request: Any) -> str:
    method, path = request["method"], request["path"].split("/")
    return f"{method} {'/'.join(part for part in path if '_' not in part or part == '_mock')}"


def _sent(lines: list[Any]) -> Counter[str]:
    """What became of the transactions that were signed, by status."""
    signed = {
        line["n"] for line in lines if "request" in line and line["request"]["path"].endswith("/signature")
    }
    bodies = [line["answer"]["body"] for line in lines if "answer" in line and line["n"] in signed]
    return Counter(json.loads(body).get("status", "refused") for body in bodies)


def replay_with(python: str, file: Path, seed: int) -> dict[str, Any]:
    """The report of a replay by another interpreter, whose hashes have a seed."""
    command = [python, "-m", "mockserver", "replay", str(file), "--json", "--keep-going"]
    began = time.perf_counter()
    done = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": str(seed)}, capture_output=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    report: dict[str, Any] = json.loads(done.stdout)
    return {
        "python": python,
        "exchanges": report["exchanges"],
        "differing": report["differing"],
        "seconds": round(time.perf_counter() - began, 1),
    }


@contextmanager
def serve(python: str, loop: str, seed: int, directory: Path) -> Iterator[str]:
    """The URL of a server by an interpreter, on `asyncio` or `uvloop`, whose hashes have a seed."""
    ready = directory / f"{loop}-{seed}.json"
    hidden = "import sys; sys.modules['uvloop'] = None; " if loop == "asyncio" else "import sys, uvloop; "
    program = f"{hidden}from mockserver.cli import main; sys.exit(main())"
    command = [python, "-c", program, "serve", "--port", "0", "--log", "none", "--ready-file", str(ready)]
    environment = os.environ | {"PYTHONHASHSEED": str(seed)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            while not (ready.exists() and ready.read_text()) and process.poll() is None:
                time.sleep(0.01)
            yield json.loads(ready.read_text())["url"]
        finally:
            process.terminate()


def replay_at(url: str, file: Path) -> dict[str, Any]:
    """The report of a replay against a server that runs."""
    began = time.perf_counter()
    with file.open("rb") as opened:
        target = Remote(Address(url), None)
        try:
            player = Player(opened, target)
            differing = len(list(player.play()))
        finally:
            target.close()
    return {
        "exchanges": player.number,
        "differing": differing,
        "seconds": round(time.perf_counter() - began, 1),
    }


def replay_everywhere(file: Path, pythons: Sequence[str], *, by_http: bool) -> Iterator[dict[str, Any]]:
    """The reports of replays by interpreters, in processes of their own and by HTTP."""
    for seed, python in enumerate(pythons, 1):
        yield replay_with(python, file, seed)
        for loop in ("asyncio", "uvloop") if by_http else ():
            with serve(python, loop, seed, file.parent) as url:
                yield {"python": python, "http": loop, **replay_at(url, file)}


def main() -> int:
    """Record, replay, and print what came of it; 1 if anything differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument(
        "--python", action="append", default=[], help="another interpreter that has mockserver"
    )
    parser.add_argument("--http", action="store_true", help="send it to servers, too")
    options = parser.parse_args()
    recording = record(options.requests)
    print(json.dumps(describe(recording)))
    player, found = play(recording.raw)
    print(json.dumps({"in this process": player.number, "differing": len(found)}))
    differing = len(found)
    with TemporaryDirectory() as directory:
        file = Path(directory) / "run.jsonl"
        file.write_bytes(recording.raw)
        for report in replay_everywhere(file, (sys.executable, *options.python), by_http=options.http):
            print(json.dumps(report), flush=True)
            differing += report["differing"]
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
