"""Random stories, told in three ways that have to come to the same histories.

    python -m tests.replay.stories --count 1000
    python -m tests.replay.stories --seed 17

A story is drawn from its seed: calls of several operations, waits, faults, delays, scenarios, moves of the
clock, snapshots, resets, forks. It is told to a server over HTTP, to an application in this process by
Starlette's `TestClient`, and by the replay of the recording that the server made. Then every event of every
project (number, time, cause, request, answer, changes), every row and every digest is the same.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable
from itertools import zip_longest
from threading import Thread
from typing import Any, NamedTuple

from eth_account import Account
from httpx import Client, TransportError
from starlette.testclient import TestClient

from mockserver.replay.targets import InProcess
from mockserver.server.assembly import assemble
from mockserver.server.edge.starlette_app import StarletteApp
from mockserver.server.recording.opening import digests, head_of
from mockserver.state.saved.encoding import project_lines
from mockserver.state.world import World
from mockserver.testing.server import LiveServer
from tests.replay.runs import AMOY, RULES, SPOILT, play

HEADERS = {
    "host": "127.0.0.1",
    "connection": "keep-alive",
    "user-agent": "stories",
    "accept": "*/*",
    "accept-encoding": "identity",
}
"""What clients send by themselves, in the same order from all."""
_STEPS = 30
_NAMES = ("ada", "bob", "eve")
_SNAPSHOTS = ("one", "two")


class Told(NamedTuple):
    """What came of a story."""

    lines: list[Any]
    """The projects with their histories and rows, and at last their digests."""
    answers: list[Any]
    """What the client got: status, headers and body, or the name of an error."""


def tell_over_http(seed: int) -> tuple[Told, bytes]:
    """Tell a story to a server, which records it."""
    with LiveServer() as server:
        http = Client(base_url=server.url, headers=HEADERS, trust_env=False, timeout=60)
        server.control.start_recording()
        answers = Teller(http, seed).tell()
        http.close()
        recording = server.control.stop_recording()
        return Told(lines_of(server.world), answers), recording


def tell_in_process(seed: int) -> Told:
    """Tell it to an application, without a socket."""
    world = World()
    app = StarletteApp(assemble(world))
    with TestClient(app, "http://127.0.0.1", headers=HEADERS, client=("127.0.0.1", 1)) as http:
        answers = Teller(http, seed).tell()
        return Told(lines_of(world), answers)


def tell_again(recording: bytes) -> list[Any]:
    """Replay it; what its projects are then."""
    target = InProcess()
    _, found = play(recording, target)
    assert found == []
    return lines_of(target.app.pipeline.world)


def lines_of(world: World) -> list[Any]:
    """All projects of a world as data, and their digests."""
    lines = [line for project in world for line in project_lines(project, head_of(world, project))]
    return [*lines, digests(world, world)]


def check(seed: int) -> int:
    """Tell a story in three ways, and compare what came of it; the number of its calls."""
    served, recording = tell_over_http(seed)
    other = tell_in_process(seed)
    for name, told, expected in (
        ("answered in process", other.answers, served.answers),
        ("in process", other.lines, served.lines),
        ("replayed", tell_again(recording), served.lines),
    ):
        for got, wanted in zip_longest(told, expected):
            assert got == wanted, f"seed {seed}, {name}: {show_difference(repr(got), repr(wanted))}"
    return len(served.answers)


def show_difference(got: str, wanted: str) -> str:
    """Where two texts begin to differ."""
    place = next(
        (place for place, pair in enumerate(zip(got, wanted, strict=False)) if pair[0] != pair[1]), 0
    )
    start = max(0, place - 80)
    return f"{got[start : start + 240]}\n  over HTTP: {wanted[start : start + 240]}"


class Teller:
    """Tells the story of a seed to a server. What it asks follows from the seed and from the answers."""

    def __init__(self, http: Client | TestClient, seed: int) -> None:
        self._http = http
        self._chance = random.Random(seed)
        self._projects: list[dict[str, Any]] = []
        self._project: dict[str, Any] = {}
        self._numbered = 0
        self._answers: list[Any] = []

    def tell(self) -> list[Any]:
        """Make its steps; what was answered."""
        self._open({"name": "first"})
        for _ in range(_STEPS):
            self._project = self._chance.choice(self._projects)
            self._chance.choice(_STEPS_OF_STORIES)(self)
        return self._answers

    # --- calls -------------------------------------------------------------------------------------

    def _send(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """The JSON of an answer; None of one that is none, or that a fault kept back."""
        # A session's cookie would need the origin of a page.
        self._http.cookies.clear()
        place = len(self._answers)
        self._answers.append(None)
        try:
            answer = self._http.request(method, path, json=body, headers=headers)
        except TransportError as error:
            self._answers[place] = type(error).__name__
            return None
        self._answers[place] = answer.status_code, sorted(answer.headers.multi_items()), answer.content
        return answer.json() if answer.is_success and answer.content else None

    def _call(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """A call of the API with the project's secret key."""
        given = {"authorization": f"Bearer {self._project['secret_key']}", **headers}
        return self._send(method, path, body, **given)

    def _control(self, method: str, path: str, body: object = None) -> Any:
        """A call of the control API about the project."""
        return self._send(method, f"/_mock/projects/{self._project['id']}{path}", body)

    def _open(self, body: object) -> None:
        made = self._send("POST", "/_mock/projects", body)
        if made is not None:
            self._projects.append(made)

    def _next(self) -> int:
        self._numbered += 1
        return self._numbered

    # --- steps -------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read a list."""
        paths = ("/v2/users", "/v2/accounts", "/v2/transactions", "/v1/contracts", "/v2/policies", "/v1/none")
        self._call("GET", f"{self._chance.choice(paths)}?limit={self._chance.randrange(0, 4)}")

    def sign_up(self) -> None:
        """Sign a user up, or try to once more, and ask for the session."""
        name = self._chance.choice(_NAMES)
        key = {"x-project-key": self._project["publishable_key"]}
        body = {"email": f"{name}@example.com", "password": "long enough", "name": name}
        answer = self._send("POST", "/iam/v2/auth/sign-up/email", body, **key)
        if answer is not None:
            token = f"Bearer {answer.get('token')}"
            self._send("GET", "/iam/v2/auth/get-session", **key, authorization=token)

    def send_code(self) -> None:
        """Send a one-time code, which the outbox then has at once."""
        email = f"{self._chance.choice(_NAMES)}@example.com"
        key = {"x-project-key": self._project["publishable_key"]}
        body = {"email": email, "type": "sign-in"}
        self._send("POST", "/iam/v2/auth/email-otp/send-verification-otp", body, **key)
        self._control("GET", f"/outbox?to={email}&wait=2&limit=1")

    def register(self) -> None:
        """Register a contract, perhaps one that is there, or with an idempotency key that was used."""
        body = {"name": "T", "chainId": AMOY, "address": f"0x{self._chance.randrange(1, 9):040x}"}
        key = str(self._chance.randrange(1, 9))
        headers = {"idempotency-key": key} if self._chance.random() < 0.3 else {}
        self._call("POST", "/v1/contracts", body if self._chance.random() < 0.9 else {"name": 7}, **headers)

    def transfer(self) -> None:
        """Send a coin from an account of a user, which waits for the receipt."""
        users = self._call("GET", "/v2/users?limit=1")
        if not users or not users["data"]:
            return
        user = {"user": users["data"][0]["id"]}
        account = self._call(
            "POST", "/v2/accounts", user | {"accountType": "Externally Owned Account", "chainType": "EVM"}
        )
        if account is None:
            return
        key = self._control("GET", f"/accounts/{account['id']}/key")
        calls = [{"to": "0x" + "11" * 20, "value": str(self._chance.randrange(3))}]
        body = {"chainId": AMOY, "accountId": account["id"], "calls": calls}
        asked = self._call("POST", "/v2/transactions", body)
        if asked is None or key is None:
            return
        hashed = asked["nextAction"]["hash"]
        signature = Account.from_key(key["private_key"]).unsafe_sign_hash(hashed).signature.hex()
        self._call("POST", f"/v2/transactions/{asked['id']}/signature", {"signature": "0x" + signature})

    def set_fate(self) -> None:
        """Say what becomes of the next transaction."""
        fates = ({"outcome": "reverted", "reason": "by fate"}, {"outcome": "dropped"}, {"outcome": "odd"})
        self._control("POST", "/fates", self._chance.choice(fates))

    def meet_fault(self) -> None:
        """Ask for what a scenario spoils, holds up or limits, if it is loaded."""
        self._call("GET", f"/v1/contracts/{self._chance.choice((*SPOILT, 'held'))}")

    def load(self) -> None:
        """Load a scenario, or one that is refused."""
        text = RULES if self._chance.random() < 0.8 else "rules: 5"
        path = f"/_mock/projects/{self._project['id']}/scenarios"
        self._http.post(path, content=text, headers={"content-type": "application/yaml"})

    def unload(self) -> None:
        """Unload the scenarios."""
        for loaded in self._control("GET", "/scenarios")["data"]:
            self._control("DELETE", f"/scenarios/{loaded['id']}")

    def move_clock(self) -> None:
        """Move the clock by a time, or to one."""
        if self._chance.random() < 0.8:
            self._control("POST", "/clock/advance", {"seconds": self._chance.choice((0.5, 60, 100_000))})
        else:
            self._control("PUT", "/clock", {"now": f"2026-0{self._chance.randrange(1, 9)}-01T00:00:00Z"})

    def change_settings(self) -> None:
        """Change a setting."""
        self._control("PUT", "/settings", {"transaction_confirms_after_ms": self._chance.choice((0, 900))})

    def keep(self) -> None:
        """Take a snapshot."""
        self._control("POST", "/snapshots", {"name": self._chance.choice(_SNAPSHOTS)})

    def restore(self) -> None:
        """Restore one, which may not be there."""
        self._control("POST", f"/snapshots/{self._chance.choice(_SNAPSHOTS)}/restore")

    def travel(self) -> None:
        """Go to an earlier moment, or fork from it."""
        number = self._chance.randrange(self._last() + 2)
        if self._chance.random() < 0.5:
            self._control("POST", "/travel", {"to": number})
        else:
            fork = self._control("POST", "/forks", {"at": number, "name": f"fork{self._next()}"})
            self._projects += [] if fork is None else [fork]

    def reset(self) -> None:
        """Reset the project, or delete its history."""
        if self._chance.random() < 0.5:
            self._control("POST", "/reset")
        else:
            self._control("DELETE", "/journal")

    def open_project(self) -> None:
        """Make another project, or one by a key that nothing declares."""
        if self._chance.random() < 0.5:
            self._open({"name": f"other{self._next()}", "settings": {"transaction_confirms_after_ms": 500}})
        else:
            self._send("GET", "/v1/contracts", authorization=f"Bearer sk_test_undeclared{self._next()}")

    def wait_in_vain(self) -> None:
        """Wait for a call that nothing makes."""
        self._control("GET", "/journal?operation=CreatePlayer&wait=0.01")

    def wait_for_call(self) -> None:
        """Wait for a call that is made meanwhile."""
        path = f"/journal?operation=CreatePlayer&since={self._last()}&wait=20"
        waiting = Thread(target=self._control, args=("GET", path))
        waiting.start()
        while waiting.is_alive() and "mockserver_waiting_calls 0" in self._http.get("/_mock/metrics").text:
            continue
        self._call("POST", "/v1/players", {"name": "P"})
        waiting.join()

    def _last(self) -> int:
        """The number of the latest event."""
        latest = self._control("GET", "/timeline?limit=1&order=desc")["data"]
        return latest[0]["n"] if latest else 0


_STEPS_OF_STORIES: tuple[Callable[[Teller], None], ...] = (
    Teller.read,
    Teller.sign_up,
    Teller.sign_up,
    Teller.send_code,
    Teller.register,
    Teller.register,
    Teller.transfer,
    Teller.transfer,
    Teller.transfer,
    Teller.set_fate,
    Teller.meet_fault,
    Teller.meet_fault,
    Teller.meet_fault,
    Teller.load,
    Teller.load,
    Teller.unload,
    Teller.move_clock,
    Teller.change_settings,
    Teller.keep,
    Teller.keep,
    Teller.restore,
    Teller.restore,
    Teller.travel,
    Teller.reset,
    Teller.open_project,
    Teller.wait_in_vain,
    Teller.wait_for_call,
)


def main() -> int:
    """Tell stories; 1 if one of them came to something else in another way."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1, help="how many stories (1)")
    parser.add_argument("--seed", type=int, default=0, help="that of the first one (0)")
    given = parser.parse_args()
    began, calls, differing = time.monotonic(), 0, 0
    for seed in range(given.seed, given.seed + given.count):
        try:
            calls += check(seed)
        except AssertionError as error:
            differing += 1
            print(error, flush=True)
    took = time.monotonic() - began
    print(f"{given.count} stories with {calls:,} calls in {took:.0f} s, {differing or 'none'} differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
