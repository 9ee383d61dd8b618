"""Runs to record: mixed calls of several clients at once, and what replays them."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
from eth_account import Account

from mockserver.replay.player import DifferingStep, Player
from mockserver.replay.targets import InProcess
from mockserver.testing.client import MockServer
from mockserver.testing.connection import ControlApiError
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer

AMOY = 80002
RULES = """
name: spoilt
rules:
  - {when: GET /v1/contracts/reset, then: {fault: connection_reset_by_peer}}
  - {when: GET /v1/contracts/empty, then: {fault: empty_response}}
  - {when: GET /v1/contracts/random, then: {fault: {random_data_then_close: {size: 20}}}}
  - {when: GET /v1/contracts/short, then: {fault: {truncate_body: {keep: 5}}}}
  - {when: GET /v1/contracts/slow, then: {fault: {slow_response: {chunk_size: 100, chunk_delay: 1ms}}}}
  - {when: GET /v1/contracts/late, then: [{delay: {real: 5ms}}, {clock: +1s}, {delay: {real: 2ms}}]}
  - when: GET /v1/contracts/held
    then: [{delay: {real: 5ms}}, {clock: +1s}, {effect: done}, {delay: {real: 2ms}}]
  - {when: GetContracts, then: {limit: {count: 5, per: 1s}}}
"""
SPOILT = ("reset", "empty", "random", "short", "slow", "late")


def play(recorded: bytes, target: InProcess | None = None) -> tuple[Player, list[DifferingStep]]:
    """Replay a recording in this process; the player, and every difference."""
    player = Player(BytesIO(recorded), target or InProcess())
    return player, list(player.play())


def replay_elsewhere(file: Path, *options: str, seed: str = "7") -> dict[str, Any]:
    """The report of a replay in another process, whose hashes have another seed."""
    command = [sys.executable, "-m", "mockserver", "replay", str(file), "--json", "--keep-going", *options]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=False
    )
    report: dict[str, Any] = json.loads(done.stdout or json.dumps({"error": done.stderr.decode()}))
    return report | {"code": done.returncode}


class Client:
    """One client of a project: it signs up, sends transfers, waits for them, meets faults."""

    def __init__(self, project: MockProject, url: str, number: int) -> None:
        self._project = project
        self._http = httpx.Client(base_url=url, trust_env=False, timeout=30)
        self._name = f"client{number}"
        self._turn = 0

    def call(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response | None:
        """The answer, or None where a fault broke the connection."""
        given = {"authorization": f"Bearer {self._project.secret_key}", **headers}
        try:
            return self._http.request(method, path, json=body, headers=given)
        except httpx.TransportError:
            return None

    def run(self, rounds: int) -> None:
        """Make some dozens of calls a round."""
        for _ in range(rounds):
            self.make_round(self._turn)
            self._turn += 1

    def make_round(self, turn: int) -> None:
        """Make the calls of one round."""
        self._sign_up(turn)
        self._transfer()
        for fault in SPOILT:
            self.call("GET", f"/v1/contracts/{fault}")
        self.call("GET", "/v1/contracts")
        self.call("POST", "/v1/contracts", {"name": "T", "chainId": AMOY, "address": "0x" + "a1" * 20})
        self.call("GET", "/v2/users?limit=1", None, **{"x-request-id": f"{self._name}-{turn}"})
        self._control(turn)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _sign_up(self, turn: int) -> None:
        email = f"{self._name}-{turn}@example.com"
        key = {"x-project-key": self._project.publishable_key}
        body = {"email": email, "password": "long enough", "name": "é\N{SNOWMAN}"}
        answer = self.call("POST", "/iam/v2/auth/sign-up/email", body, **key)
        assert answer is not None
        token = {"authorization": f"Bearer {answer.json().get('token')}"}
        self.call("GET", "/iam/v2/auth/get-session", None, **key, **token)
        self.call(
            "POST", "/iam/v2/auth/email-otp/send-verification-otp", {"email": email, "type": "sign-in"}, **key
        )
        self.call("GET", f"/_mock/projects/{self._project.id}/outbox?to={email}&wait=2&limit=1")

    def _transfer(self) -> None:
        user = self.call("GET", "/v2/users?limit=1")
        assert user is not None
        body = {
            "user": user.json()["data"][0]["id"],
            "accountType": "Externally Owned Account",
            "chainType": "EVM",
        }
        account = self.call("POST", "/v2/accounts", body)
        # A fault may have hit it.
        if account is None or account.is_error:
            return
        row = account.json()["id"]
        key = self.call("GET", f"/_mock/projects/{self._project.id}/accounts/{row}/key")
        calls = [{"to": "0x" + "11" * 20, "value": "1"}]
        asked = self.call("POST", "/v2/transactions", {"chainId": AMOY, "accountId": row, "calls": calls})
        if key is None or asked is None or key.status_code != 200 or asked.status_code != 200:
            return
        signed = Account.from_key(key.json()["private_key"]).unsafe_sign_hash(
            asked.json()["nextAction"]["hash"]
        )
        body = {"signature": "0x" + signed.signature.hex()}
        self.call("POST", f"/v2/transactions/{asked.json()['id']}/signature", body)

    def _control(self, turn: int) -> None:
        if turn % 2:
            self._project.clock.advance(1)
        try:
            self._project.snapshot(f"{self._name}-{turn}")
            if turn % 3 == 1:
                self._project.restore(f"{self._name}-{turn}")
        except ControlApiError:
            return


def record_calls(*contracts: str, mode: str = "frozen") -> bytes:
    """The recording of a server with the rules that was asked for contracts."""
    with LiveServer() as server:
        project = server.control.create_project(name="held", clock={"mode": mode})
        project.load(RULES)
        server.control.start_recording()
        client = Client(project, server.url, 1)
        for contract in contracts:
            client.call("GET", f"/v1/contracts/{contract}")
        client.close()
        return server.control.stop_recording()


def run_at_once(clients: list[Client], rounds: int) -> None:
    """Let all clients run, each on a thread of its own; raise what one of them raised."""
    failures: list[BaseException] = []

    def guarded(run: Callable[[int], None]) -> None:
        try:
            run(rounds)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(client.run,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def mixed_run(control: MockServer, url: str) -> bytes:
    """The recording of four clients at once, half of them in a project whose clock ticks."""
    ticking = control.create_project(
        name="ticking",
        clock={"mode": "ticking", "rate": 100},
        settings={"transaction_confirms_after_ms": 500},
    )
    frozen = control.create_project(name="frozen")
    control.start_recording()
    for project in (ticking, frozen):
        project.load(RULES)
    projects = (ticking, frozen)
    clients = [Client(projects[number % 2], url, number) for number in range(4)]
    run_at_once(clients, 1)
    # Alone, so that the clock moves while a call waits and no other call comes.
    clients[0].run(1)
    for client in clients:
        client.close()
    ticking.clock.freeze()
    ticking.reset()
    return control.stop_recording()
