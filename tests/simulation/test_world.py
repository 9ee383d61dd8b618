"""Random calls, clock moves and restores on two projects, beside a small model of what must come out."""

import copy
from dataclasses import dataclass, field
from typing import Any

from eth_account import Account
from httpx import Client
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mockserver.server.assembly import assemble
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.testing.project import MockProject
from tests.thoroughness import THOROUGHNESS
from tests.transport import InProcessTransport

DAY_S = 24 * 3600
CONFIRMS_AFTER_S = 2
AMOY = 80002

NAMES = ("ada", "bob", "cyd")
PASSWORDS = ("short", "long enough", "longer still")
ADDRESSES = ("0x" + "a1" * 20, "0x" + "B2" * 20, "0x" + "b2" * 20)


@dataclass
class Session:
    """A sign-in, and when it was last renewed."""

    token: str
    renewed_at: float


@dataclass
class Model:
    """What a project must remember."""

    now_s: float = 0
    passwords: dict[str, str] = field(default_factory=dict)
    users: dict[str, str] = field(default_factory=dict)
    sessions: list[Session] = field(default_factory=list)
    contracts: list[str] = field(default_factory=list)
    accounts: list[tuple[str, str]] = field(default_factory=list)
    unsigned: dict[str, tuple[str, str]] = field(default_factory=dict)
    sent_at: dict[str, float] = field(default_factory=dict)


class TwoProjects(RuleBasedStateMachine):
    """Whatever one project is told, each answers as its own model says."""

    def __init__(self) -> None:
        super().__init__()
        transport = InProcessTransport(assemble(World()))
        server = MockServer("http://mock", transport=transport)
        self.client = Client(transport=transport, base_url="http://mock")
        self.projects: list[MockProject] = [server.create_project(name=name) for name in ("left", "right")]
        self.models = [Model(), Model()]
        self.snapshots: list[list[tuple[str, Model]]] = [[], []]

    which = st.integers(0, 1)

    def call(self, which: int, method: str, path: str, body: object = None, token: str | None = None) -> Any:
        project = self.projects[which]
        headers = {"authorization": f"Bearer {token or project.secret_key}"}
        if token is not None or path.startswith("/iam"):
            headers["x-project-key"] = project.publishable_key
        return self.client.request(method, path, json=body, headers=headers)

    @rule(which=which, name=st.sampled_from(NAMES), password=st.sampled_from(PASSWORDS))
    def sign_up(self, which: int, name: str, password: str) -> None:
        model = self.models[which]
        email = f"{name}@example.com"
        body = {"name": name, "email": email, "password": password}
        answer = self.call(which, "POST", "/iam/v2/auth/sign-up/email", body)
        if password == "short":
            assert answer.json()["code"] == "PASSWORD_TOO_SHORT"
        elif email in model.passwords:
            assert answer.status_code == 422
        else:
            model.passwords[email] = password
            model.users[email] = answer.json()["user"]["id"]
            model.sessions.append(Session(answer.json()["token"], model.now_s))

    @rule(which=which, name=st.sampled_from(NAMES), password=st.sampled_from(PASSWORDS))
    def sign_in(self, which: int, name: str, password: str) -> None:
        model = self.models[which]
        email = f"{name}@example.com"
        body = {"email": email, "password": password}
        answer = self.call(which, "POST", "/iam/v2/auth/sign-in/email", body)
        if model.passwords.get(email) != password:
            assert answer.json()["code"] == "INVALID_EMAIL_OR_PASSWORD"
        else:
            model.sessions.append(Session(answer.json()["token"], model.now_s))

    @precondition(lambda self: any(model.sessions for model in self.models))
    @rule(which=which, pick=st.integers(0, 50))
    def use_a_session(self, which: int, pick: int) -> None:
        model = self.models[which]
        if not model.sessions:
            return
        session = model.sessions[pick % len(model.sessions)]
        answer = self.call(which, "GET", "/iam/v2/auth/get-session", token=session.token)
        alive = model.now_s < session.renewed_at + 7 * DAY_S
        assert answer.status_code == (200 if alive else 401)
        if alive and model.now_s - session.renewed_at >= DAY_S:
            session.renewed_at = model.now_s
        stranger = self.call(1 - which, "GET", "/iam/v2/auth/get-session", token=session.token)
        assert stranger.status_code == 401, "a session is no session of another project"

    @rule(which=which, address=st.sampled_from(ADDRESSES))
    def register_a_contract(self, which: int, address: str) -> None:
        model = self.models[which]
        body = {"name": "Token", "chainId": AMOY, "address": address}
        answer = self.call(which, "POST", "/v1/contracts", body)
        known = address.lower() in model.contracts
        assert answer.status_code == (409 if known else 200)
        if not known:
            model.contracts.append(address.lower())

    @precondition(lambda self: any(model.users for model in self.models))
    @rule(which=which)
    def make_an_account(self, which: int) -> None:
        model = self.models[which]
        if not model.users or len(model.accounts) > 2:
            return
        user = next(iter(model.users.values()))
        body = {"user": user, "accountType": "Externally Owned Account", "chainType": "EVM"}
        account = self.call(which, "POST", "/v2/accounts", body).json()["id"]
        key = self.projects[which].call("GET", f"/accounts/{account}/key")["private_key"]
        model.accounts.append((account, key))

    @precondition(lambda self: any(model.accounts for model in self.models))
    @rule(which=which, wei=st.integers(0, 10**9))
    def ask_for_a_transfer(self, which: int, wei: int) -> None:
        model = self.models[which]
        if not model.accounts:
            return
        account, key = model.accounts[-1]
        calls = [{"to": "0x" + "11" * 20, "value": str(wei)}]
        answer = self.call(
            which, "POST", "/v2/transactions", {"chainId": AMOY, "accountId": account, "calls": calls}
        )
        row = answer.json()
        assert row["status"] == "awaiting_signature"
        model.unsigned[row["id"]] = (row["nextAction"]["hash"], key)

    @precondition(lambda self: any(model.unsigned for model in self.models))
    @rule(which=which, rightly=st.booleans())
    def sign_a_transfer(self, which: int, rightly: bool) -> None:
        model = self.models[which]
        if not model.unsigned:
            return
        row_id, (digest, key) = next(iter(model.unsigned.items()))
        signer = key if rightly else "0x" + "01" * 32
        signature = "0x" + Account.from_key(signer).unsafe_sign_hash(digest).signature.hex()
        body = {"signature": signature, "waitForReceipt": False}
        answer = self.call(which, "POST", f"/v2/transactions/{row_id}/signature", body)
        assert answer.status_code == (200 if rightly else 409)
        if rightly:
            del model.unsigned[row_id]
            model.sent_at[row_id] = model.now_s

    @rule(which=which, seconds=st.sampled_from([0.5, 1, 2, 3600, DAY_S - 1, DAY_S, 6 * DAY_S, 8 * DAY_S]))
    def let_time_pass(self, which: int, seconds: float) -> None:
        self.projects[which].clock.advance(seconds)
        self.models[which].now_s += seconds

    @rule(which=which)
    def take_a_snapshot(self, which: int) -> None:
        taken = self.projects[which].snapshot()
        self.snapshots[which].append((taken, copy.deepcopy(self.models[which])))

    @precondition(lambda self: any(self.snapshots))
    @rule(which=which, pick=st.integers(0, 50))
    def restore_a_snapshot(self, which: int, pick: int) -> None:
        if not self.snapshots[which]:
            return
        taken, model = self.snapshots[which][pick % len(self.snapshots[which])]
        self.projects[which].restore(taken)
        self.models[which] = copy.deepcopy(model)

    @rule(which=which, path=st.sampled_from(["/v1/contracts/con_x", "/v2/nothing", "/v2/accounts?limit=0"]))
    def ask_for_what_is_not_there(self, which: int, path: str) -> None:
        assert self.call(which, "GET", path).status_code in (400, 404)

    @invariant()
    def both_projects_remember_what_their_models_do(self) -> None:
        for which, model in enumerate(self.models):
            assert self.call(which, "GET", "/v2/users").json()["total"] == len(model.users)
            assert self.call(which, "GET", "/v1/contracts").json()["total"] == len(model.contracts)
            shown = self.call(which, "GET", "/v2/transactions?limit=100").json()["data"]
            assert {row["id"]: row["status"] for row in shown} == self.statuses(model)

    def statuses(self, model: Model) -> dict[str, str]:
        """What every transaction must be by now."""
        settled = {
            row_id: "successful" if model.now_s >= at + CONFIRMS_AFTER_S else "sent"
            for row_id, at in model.sent_at.items()
        }
        return settled | dict.fromkeys(model.unsigned, "awaiting_signature")


TwoProjects.TestCase.settings = settings(
    max_examples=10 * THOROUGHNESS,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestTwoProjects = TwoProjects.TestCase
