"""Snapshots that are taken, restored and deleted in any order, among calls, resets and idle times."""

import random
from typing import Any

from httpx import Client

from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.adversary.attacks.refused_calls import whole
from tests.adversary.budget import Budget
from tests.transport import InProcessTransport

STEPS = 25
OPEN = 16
AUTH = "/iam/v2/auth"
CONTROL = "/_mock/projects/-"
NAMES = ["a", "b", "snapshot-1"]
EMAILS = ["ada@example.com", "joan@example.com"]
CALLS: list[tuple[str, str, Any]] = [
    ("POST", "/v1/contracts", {"name": "C", "chainId": 80002, "address": "0x" + "11" * 20}),
    ("GET", "/v1/contracts", None),
    *(
        ("POST", f"{AUTH}/email-otp/send-verification-otp", {"email": each, "type": "sign-in"})
        for each in EMAILS
    ),
    *(("POST", f"{AUTH}/sign-in/email-otp", {"email": each, "otp": "123456"}) for each in EMAILS),
    ("POST", f"{AUTH}/sign-up/email", {"name": "Ada", "email": EMAILS[0], "password": "long enough"}),
    ("POST", "/v2/users/pregenerate", {"email": EMAILS[1], "accounts": [{"chainType": "EVM"}]}),
    ("POST", f"{CONTROL}/clock/advance", {"seconds": 100}),
    ("PUT", f"{CONTROL}/settings", {"one_time_code": "123456"}),
    ("PUT", f"{CONTROL}/settings", {"one_time_code": None}),
    ("POST", f"{CONTROL}/reset", {}),
]


def attack(budget: Budget) -> None:
    """Do so: a restored project is what it was, answers as it did then, and no other one notices."""
    world = World(open_projects=OPEN)
    app = assemble(world)
    with Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        for number in budget:
            client.headers["authorization"] = f"Bearer sk_test_snapshots{number % 40}"
            client.post(f"{CONTROL}/reset", json={}).raise_for_status()
            _Story(world, client, budget.chance).tell()


class _Story:
    def __init__(self, world: World, client: Client, chance: random.Random) -> None:
        self._world = world
        self._client = client
        self._chance = chance
        self._taken: dict[str, tuple[object, ...]] = {}
        self._later: dict[tuple[str, tuple[int, ...]], list[str]] = {}
        """What was answered to a series of calls right after a snapshot was restored."""

    def tell(self) -> None:
        for _ in range(STEPS):
            self._chance.choice(
                [self._call, self._call, self._take, self._restore, self._delete, self._leave]
            )()
            assert self._project().snapshots.keys() == self._taken.keys()

    def _project(self) -> Project:
        return self._world.key(self._client.headers["authorization"].removeprefix("Bearer ")).project

    def _call(self) -> None:
        method, path, body = self._chance.choice(CALLS)
        answer = self._client.request(method, path, json=body)
        assert answer.status_code < 500, answer.text
        if path.endswith("/reset"):
            self._taken.clear()
            self._later.clear()

    def _take(self) -> None:
        name = self._chance.choice(NAMES)
        answer = self._client.post(f"{CONTROL}/snapshots", json={"name": name})
        assert answer.status_code == (409 if name in self._taken else 201), answer.text
        self._taken.setdefault(name, whole(self._project()))

    def _restore(self) -> None:
        name = self._chance.choice(NAMES)
        answer = self._client.post(f"{CONTROL}/snapshots/{name}/restore", json={})
        assert answer.status_code == (200 if name in self._taken else 404), answer.text
        if name not in self._taken:
            return
        assert whole(self._project()) == self._taken[name]
        calls = tuple(self._chance.choices(range(len(CALLS) - 1), k=2))
        heard = [self._client.request(CALLS[n][0], CALLS[n][1], json=CALLS[n][2]).text for n in calls]
        assert self._later.setdefault((name, calls), heard) == heard, calls

    def _delete(self) -> None:
        name = self._chance.choice(NAMES)
        answer = self._client.delete(f"{CONTROL}/snapshots/{name}")
        assert answer.status_code == (200 if name in self._taken else 404), answer.text
        self._taken.pop(name, None)
        self._later = {key: heard for key, heard in self._later.items() if key[0] != name}

    def _leave(self) -> None:
        """Use so many other projects that this one is put away."""
        before = whole(self._project())
        for number in range(OPEN + 1):
            self._world.key(f"sk_test_others{number}")
        assert whole(self._project()) == before
