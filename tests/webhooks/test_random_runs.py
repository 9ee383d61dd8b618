"""Every change that a topic is about is delivered once, in order, whatever happens in between."""

import random
from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.transactions.helpers import create
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS
from tests.webhooks.hooks import CONTROL, advance, deliveries, fate, sign_up, subscribe

TOPICS = (
    "transaction_intent.broadcast",
    "transaction_intent.successful",
    "transaction_intent.failed",
    "transaction_intent.cancelled",
    "user.created",
    "user.updated",
    "user.deleted",
)
ENDS = {"successful": "successful", "reverted": "failed", "dropped": "cancelled"}


class Run:
    """What a run did, and what has to be told of it: topic and resource, in order for each resource."""

    def __init__(self, api: Client, project: Project, seed: int) -> None:
        self.api, self.project, self.chance = api, project, random.Random(seed)
        self.account = account_of(project)
        self.users: list[str] = []
        self.expected: dict[str, list[str]] = {}
        subscribe(api, *TOPICS)

    def step(self) -> None:
        kind = self.chance.choice(["user", "user", "change", "delete", "transaction", "advance", "fate"])
        getattr(self, f"_{kind}")()

    def _tell(self, resource: str, *topics: str) -> None:
        self.expected.setdefault(resource, []).extend(topics)

    def _user(self) -> None:
        user = sign_up(self.api, self.project, f"user{len(self.expected)}")
        self.users.append(user)
        self._tell(user, "user.created")

    def _change(self) -> None:
        if self.users:
            row = self.project.identity.users[self.chance.choice(self.users)]
            self.project.identity.users.replace(row._replace(name=f"{row.name}!"))
            self.project.commit()
            self._tell(row.id, "user.updated")

    def _delete(self) -> None:
        if self.users:
            user = self.users.pop(self.chance.randrange(len(self.users)))
            assert self.api.delete(f"/v2/users/{user}").status_code == 200
            self._tell(user, "user.deleted")

    def _transaction(self) -> None:
        outcome = self.chance.choice([*ENDS])
        self.api.post(f"{CONTROL}/fates", json={"outcome": outcome})
        row = create(self.api, self.account, waitForReceipt=False)
        end = ENDS[outcome]
        self._tell(row["id"], *(f"transaction_intent.{topic}" for topic in ("broadcast", end)))

    def _advance(self) -> None:
        advance(self.api, self.chance.choice([0.5, 1, 5, 100]))

    def _fate(self) -> None:
        fate(self.api, "answered", status=self.chance.choice([200, 503]))


def told(found: list[dict[str, Any]]) -> dict[str, list[str]]:
    by_resource: dict[str, list[str]] = {}
    for entry in found:
        by_resource.setdefault(entry["resource"], []).append(entry["topic"])
    return by_resource


@cases("seed", *range(8 * THOROUGHNESS))
def test_each_change_is_delivered_once_and_in_order(api: Client, project: Project, seed: int) -> None:
    run = Run(api, project, seed)
    for _ in range(40):
        run.step()
    advance(api, 100_000)
    found = deliveries(api, limit="10000")
    assert told(found) == run.expected
    assert {entry["status"] for entry in found} == {"succeeded"}
