"""Whatever happens, what is delivered is the same again after a restore, in a fork, and in a replay."""

from collections.abc import Sequence
from typing import Any

from httpx import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.replay.targets import InProcess
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import account_of
from tests.funding.sessions import FROM_AMOY, SESSIONS, TARGET
from tests.replay.runs import play
from tests.simulation.test_time_travel import lines_of, renaming
from tests.thoroughness import THOROUGHNESS
from tests.transport import InProcessTransport
from tests.webhooks.hooks import CONTROL, DELIVERIES, INBOX, SHOP

Step = tuple[str, int]
TOPICS = (
    "test",
    "user.created",
    "user.deleted",
    "funding.session.updated",
    "transaction_intent.broadcast",
    "transaction_intent.successful",
    "transaction.failed",
    "account.created",
)
TARGETS = INBOX, SHOP, "ops@example.com"
FATES = (
    {"outcome": "lost"},
    {"outcome": "late", "after_ms": 1500},
    {"outcome": "twice", "count": None},
    {"outcome": "reordered"},
    {"outcome": "corrupted", "nth": 2},
    {"outcome": "answered", "status": 503},
    {"outcome": "reordered", "topic": "test", "count": 2},
    {"outcome": "twice", "target": SHOP, "nth": 3},
)
SPANS_S = 0.5, 1, 2, 6, 40, 700, 5000, 90_000
KINDS = (
    "subscribe",
    "unsubscribe",
    "fate",
    "user",
    "leave",
    "send",
    "fund",
    "pay",
    "advance",
    "announce",
    "deliver",
    "report",
    "redeliver",
    "rotate",
)
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 7)), max_size=20)
FEW = settings(max_examples=10 * THOROUGHNESS)


class Teller:
    """Makes the calls of steps in a project. What it asks follows from the steps and from the answers."""

    def __init__(self, client: Client, project: Project, account: str) -> None:
        self._client, self._account = client, account
        self.project = project
        self.answers: list[tuple[int, str]] = []

    def tell(self, steps: Sequence[Step]) -> list[tuple[int, str]]:
        """Make the calls of steps, and look at what was delivered; all answers."""
        self.answers = []
        for number, (kind, value) in enumerate(steps):
            getattr(self, f"_{kind}")(value, number)
        self._call("GET", f"{DELIVERIES}?limit=1000")
        self._call("GET", f"{CONTROL}/inbox/orders?limit=1000")
        self._call("GET", "/v1/subscriptions/logs?limit=100")
        return self.answers

    def _call(self, method: str, path: str, body: object = None, *, is_public: bool = False) -> Any:
        key = self.project.publishable_key if is_public else self.project.secret_key
        headers = {"authorization": f"Bearer {key}"}
        if is_public:
            headers["x-project-key"] = key
        self._client.cookies.clear()
        answer = self._client.request(method, path, json=body, headers=headers)
        assert answer.status_code < 500, answer.text
        self.answers.append((answer.status_code, answer.text))
        return answer.json() if answer.content else None

    def _one_of(self, path: str, value: int) -> Any:
        rows = self._call("GET", path)["data"]
        return rows[value % len(rows)] if rows else None

    def _subscribe(self, value: int, number: int) -> None:
        target = TARGETS[number % len(TARGETS)]
        kind = "webhook" if "://" in target else "email"
        body = {"topic": TOPICS[value], "triggers": [{"target": target, "type": kind}]}
        self._call("POST", "/v1/subscriptions", body)

    def _unsubscribe(self, value: int, number: int) -> None:
        if found := self._one_of("/v1/subscriptions", value):
            self._call("DELETE", f"/v1/subscriptions/{found['id']}")

    def _fate(self, value: int, number: int) -> None:
        self._call("POST", f"{CONTROL}/webhooks/fates", FATES[value])

    def _user(self, value: int, number: int) -> None:
        body = {"email": f"u{value}@example.com", "password": "correct horse", "name": f"u{value}"}
        self._call("POST", "/iam/v2/auth/sign-up/email", body, is_public=True)

    def _leave(self, value: int, number: int) -> None:
        if found := self._one_of("/v2/users", value):
            self._call("DELETE", f"/v2/users/{found['id']}")

    def _send(self, value: int, number: int) -> None:
        outcome = ("successful", "reverted", "dropped", "reorged")[value % 4]
        self._call("POST", f"{CONTROL}/fates", {"outcome": outcome})
        calls = [{"to": "0x" + "ab" * 20, "value": str(value)}]
        body = {"chainId": 80002, "accountId": self._account, "calls": calls, "waitForReceipt": value > 3}
        self._call("POST", "/v2/transactions", body)

    def _fund(self, value: int, number: int) -> None:
        body = {"target": TARGET, **({"paymentMethod": FROM_AMOY} if value > 1 else {})}
        self._call("POST", SESSIONS, body, is_public=True)

    def _pay(self, value: int, number: int) -> None:
        if found := self._one_of(f"{CONTROL}/tables/funding.sessions", value):
            self._call("POST", f"{CONTROL}/funding/sessions/{found['id']}/pay", {"bounces": value > 5})

    def _advance(self, value: int, number: int) -> None:
        self._call("POST", f"{CONTROL}/clock/advance", {"seconds": SPANS_S[value]})

    def _announce(self, value: int, number: int) -> None:
        self._call("POST", "/v1/subscriptions/test")

    def _deliver(self, value: int, number: int) -> None:
        self._call("POST", f"{CONTROL}/webhooks/deliver", {})

    def _report(self, value: int, number: int) -> None:
        if found := self._one_of(f"{DELIVERIES}?status=held", value):
            body = {"status": 503} if value % 2 else {"status": 200}
            self._call("POST", f"{DELIVERIES}/{found['id']}/result", body)

    def _redeliver(self, value: int, number: int) -> None:
        if found := self._one_of(DELIVERIES, value):
            self._call("POST", f"{DELIVERIES}/{found['id']}/redeliver")

    def _rotate(self, value: int, number: int) -> None:
        if value == 0:
            self._call("POST", f"{CONTROL}/webhooks/secret")


def begin() -> tuple[World, Client, Teller]:
    """A world with a project that has an account and a subscription to each topic."""
    world = World()
    client = Client(transport=InProcessTransport(assemble(world)), base_url="http://mock")
    project = world.create(name="tests")
    teller = Teller(client, project, account_of(project).id)
    teller.tell([("subscribe", value) for value in range(len(TOPICS))])
    return world, client, teller


def control(client: Client, project: Project, method: str, path: str, body: object = None) -> Any:
    """A call of the control API of a project that succeeds."""
    answer = client.request(method, f"/_mock/projects/{project.id}{path}", json=body)
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


@FEW
@given(STEPS, STEPS)
def test_a_restore_delivers_the_same_again(before: list[Step], after: list[Step]) -> None:
    _, client, teller = begin()
    teller.tell(before)
    control(client, teller.project, "POST", "/snapshots", {"name": "there"})
    first, rows = teller.tell(after), lines_of(teller.project)
    control(client, teller.project, "POST", "/snapshots/there/restore")
    assert teller.tell(after) == first
    assert lines_of(teller.project) == rows


@FEW
@given(STEPS, STEPS)
def test_a_fork_delivers_the_same(before: list[Step], after: list[Step]) -> None:
    world, client, teller = begin()
    control(client, teller.project, "PUT", "/settings", {"webhook_secret": "whsec_same"})
    teller.tell(before)
    original = teller.project
    made = control(client, original, "POST", "/forks", {"at": original.history.last_number})
    fork = world.get(made["id"])
    assert fork is not None
    first = teller.tell(after)
    teller.project = fork
    rename = renaming(original, fork)
    assert teller.tell(after) == [(status, rename(text)) for status, text in first]


@FEW
@given(STEPS)
def test_a_replay_delivers_the_same(steps: list[Step]) -> None:
    _, client, teller = begin()
    client.post("/_mock/recording")
    teller.tell(steps)
    client.post("/_mock/recording/stop")
    target = InProcess()
    player, found = play(client.get("/_mock/recording").content, target)
    assert (found, player.number >= 3) == ([], True)
    replayed = target.app.pipeline.world.get(teller.project.id)
    assert replayed is not None
    assert lines_of(replayed) == lines_of(teller.project)
