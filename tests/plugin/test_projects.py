"""What a project hands to a test: its clock, outbox, journal, snapshots, keys, and rows that are given."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from eth_account import Account
from eth_account.messages import encode_defunct

from mockserver.testing.client import MockServer
from mockserver.testing.connection import ControlApiError
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import mock as mock
from tests.tables import cases

BACKEND = "/v2/accounts/backend"
CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
SIGN_UP = "/iam/v2/auth/sign-up/email"


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """A server of all these tests, each of which has a project of its own."""
    with LiveServer() as running:
        yield running


@pytest.fixture
def api(mock: MockProject) -> Iterator[httpx.Client]:
    """A client of the project."""
    with mock.connect() as client:
        yield client


def test_the_clock_is_the_test_s(mock: MockProject) -> None:
    clock = mock.clock
    assert clock.now == "2026-01-01T00:00:00.000Z"
    assert clock.advance(90.5) == []
    assert clock.now == "2026-01-01T00:01:30.500Z"
    clock.advance(to="2026-01-02T00:00:00Z")
    clock.tick(rate=1_000_000)
    began_s = clock.now_s
    assert any(clock.now_s > began_s for _ in range(1_000))
    clock.freeze(at="2036-02-01T00:00:00Z")
    assert clock.now == "2036-02-01T00:00:00.000Z"


def test_a_clock_takes_python_s_times(mock: MockProject) -> None:
    clock = mock.clock
    began_s = clock.now_s
    clock.advance(timedelta(minutes=1, milliseconds=500))
    assert (clock.now, clock.now_s - began_s) == ("2026-01-01T00:01:00.500Z", 60)
    clock.advance(to=datetime(2026, 2, 1))
    assert clock.now == "2026-02-01T00:00:00.000Z"
    clock.freeze(at=datetime(2026, 3, 1, 2, tzinfo=timezone(timedelta(hours=2))))
    assert clock.now_s == datetime(2026, 3, 1, tzinfo=UTC).timestamp()


def test_the_outbox_says_what_it_holds_instead(mock: MockProject) -> None:
    missing = "no message to=ada@example.com kind=x; it holds nothing"
    with pytest.raises(LookupError, match=missing):
        mock.outbox.latest(to="ada@example.com", kind="x")
    with pytest.raises(LookupError, match=missing):
        mock.outbox.wait(to="ada@example.com", kind="x", timeout_s=0)
    assert list(mock.outbox) == []


def test_the_journal_has_what_was_asked_and_answered(mock: MockProject, api: httpx.Client) -> None:
    api.get("/v1/contracts")
    api.get("/v1/contracts/con_none")
    assert [entry["status"] for entry in mock.journal] == [200, 404]
    assert [entry["n"] for entry in mock.journal.list(status="4xx")] == [2]
    assert len(mock.journal) == 2
    mock.journal.clear()
    assert mock.journal.list() == []
    api.get("/v1/contracts")
    assert [entry["n"] for entry in mock.journal] == [3]


def test_a_call_is_waited_for(mock: MockProject, api: httpx.Client) -> None:
    found: list[Any] = []
    waiting = threading.Thread(target=lambda: found.append(mock.journal.wait(path="/v1/contracts")))
    waiting.start()
    api.get("/v1/contracts")
    waiting.join()
    assert found[0]["operation"] == "GetContracts"
    missing = "fits path=/v9 method=GET; the latest are GET /v1/contracts 200"
    with pytest.raises(LookupError, match=missing):
        mock.journal.wait(path="/v9", method="GET", timeout_s=0)


def test_a_snapshot_is_gone_back_to(mock: MockProject, api: httpx.Client) -> None:
    empty = mock.snapshot()
    first = api.post("/v1/contracts", json=CONTRACT).text
    mock.restore(empty)
    assert api.get("/v1/contracts").json()["total"] == 0
    assert api.post("/v1/contracts", json=CONTRACT).text == first
    mock.reset()
    assert api.get("/v1/contracts").json()["total"] == 0


def test_what_the_control_api_refuses_is_a_telling_exception(mock: MockProject) -> None:
    with pytest.raises(ControlApiError, match=r"2026-01-01T00:00:00\.000Z") as refused:
        mock.clock.advance(to="2020-01-01T00:00:00Z")
    assert refused.value.status == 409
    assert refused.value.problem["param"] == "to"


def test_every_finding_about_a_scenario_is_named(mock: MockProject) -> None:
    with pytest.raises(ControlApiError) as refused:
        mock.load("rulez: []\nsettings: {chains: {amoy: {}}}")
    said = str(refused.value).splitlines()
    assert said[1] == "  1:1: 'rulez' is not part of a scenario (did you mean rules?)"
    assert said[2].startswith("  2:27: chains.amoy: is not a chain id")


def test_a_test_signs_in_reads_mail_and_decides_a_fate(mock: MockProject, api: httpx.Client) -> None:
    ada = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    keyed = {"x-project-key": mock.publishable_key}
    user = api.post(SIGN_UP, json=ada, headers=keyed).json()["user"]
    api.post("/iam/v2/auth/forget-password", json={"email": ada["email"]}, headers=keyed)
    mail = mock.outbox.latest(to="ada@example.com")
    assert mail == list(mock.outbox)[-1] == mock.outbox.wait(kind=mail["kind"])
    assert mail["url"]
    mock.outbox.clear()
    assert mock.outbox.list() == []

    wanted = {"user": user["id"], "accountType": "Externally Owned Account", "chainType": "EVM"}
    account = api.post("/v2/accounts", json=wanted).json()
    signature = mock.sign(account["id"], message="hello")
    assert Account.recover_message(encode_defunct(text="hello"), signature=signature) == account["address"]

    fate = mock.fate(outcome="reverted", reason="no luck")
    assert fate["reason"] == "no luck"
    assert mock.call("GET", "/fates")["total"] == 1


def test_why_a_rule_left_a_call_alone(mock: MockProject, api: httpx.Client) -> None:
    mock.load("rules: [{name: big, when: {call: GetContracts, query: {limit: 5}}, then: {answer: 503}}]")
    api.get("/v1/contracts?limit=4")
    (miss,) = mock.near_misses()
    assert miss["missed"] == ["limit in the query is 4; expected 5"]
    api.get("/v1/contracts?limit=5")
    assert mock.near_misses() == []
    assert mock.near_misses(2) == [miss]


@cases("clock", "frozen", "ticking")
def test_a_client_signs_with_the_wallet_secret(mock: MockProject, api: httpx.Client, clock: str) -> None:
    if clock == "ticking":
        mock.clock.tick()
    made = api.post(BACKEND, json={"chainType": "EVM"}, auth=mock.wallet_auth)
    assert made.status_code == 200
    path = f"{BACKEND}/{made.json()['id']}"
    assert api.delete(path).status_code == 401
    assert api.delete(path, auth=mock.wallet_auth).is_success


def test_an_asynchronous_client_signs_too(server: LiveServer, mock: MockProject) -> None:
    async def ask() -> httpx.Response:
        headers = {"authorization": f"Bearer {mock.secret_key}"}
        transport, auth = httpx.ASGITransport(server.asgi), mock.wallet_auth
        async with httpx.AsyncClient(
            transport=transport, base_url="http://mock", headers=headers, auth=auth
        ) as client:
            return await client.post(BACKEND, json={"chainType": "SVM"})

    assert asyncio.run(ask()).status_code == 200


def test_a_budget_is_read_and_set(mock: MockProject, api: httpx.Client) -> None:
    accept = {"action": "accept", "operation": "sponsorEvmTransaction"}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [accept]}).json()
    wanted = {"policyId": policy["id"], "strategy": {"sponsorSchema": "pay_for_user"}}
    made = api.post("/v2/fee-sponsorship", json=wanted).json()["id"]
    assert mock.budget(made)["left_wei"] is None
    assert mock.budget(made, 5)["left_wei"] == "5"
    assert mock.budget(made)["budget_wei"] == "5"
    assert mock.budget(made, None)["budget_wei"] is None


def test_the_same_objects_drive_a_server_elsewhere() -> None:
    with LiveServer() as running, MockServer(f"{running.url}/") as server:
        assert server.ready()
        with MockServer("http://127.0.0.1:9") as absent:
            assert not absent.ready()
        project = server.create_project(name="far", settings={"one_time_code": "123456"})
        assert project.url == running.url
        assert server.project(project.secret_key).id == project.id
        assert project.change()["one_time_code"] == "123456"
        project.clock.advance(5)
        assert project.clock.now == "2026-01-01T00:00:05.000Z"
        project.delete()
        assert server.projects() == []


def test_many_threads_may_call_at_once(mock: MockProject, api: httpx.Client) -> None:
    headers = {"authorization": f"Bearer {mock.secret_key}"}

    def make(turn: int) -> httpx.Response:
        return (live if turn % 2 else api).post(
            "/v1/contracts", json={**CONTRACT, "address": f"0x{turn:040x}"}
        )

    with (
        httpx.Client(base_url=mock.url, headers=headers, trust_env=False) as live,
        ThreadPoolExecutor(4) as pool,
    ):
        made = list(pool.map(make, range(1, 41)))
    assert len({answer.json()["id"] for answer in made}) == 40
    assert api.get("/v1/contracts").json()["total"] == 40
    assert [entry["n"] for entry in mock.journal] == list(range(1, 42))


def test_a_project_hands_out_what_clients_need(mock: MockProject, api: httpx.Client) -> None:
    person = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    token = api.post(SIGN_UP, json=person, headers=mock.headers()).json()["token"]
    assert api.get("/iam/v2/me", headers=mock.headers(token)).json()["email"] == person["email"]
    assert not api.cookies, "one user's cookie is not sent with another's call"
    assert mock.env["OPENFORT_WALLET_SECRET"] == mock.wallet_secret
    assert mock.env["OPENFORT_SECRET_KEY"] == mock.secret_key


def test_a_session_passes_multi_factor_authentication(mock: MockProject, api: httpx.Client) -> None:
    session = api.post("/iam/v2/auth/sign-in/anonymous", headers=mock.headers()).json()
    passed = mock.pass_mfa(session["token"])
    assert (passed["user"], passed["aal2"]) == (session["user"]["id"], True)


# --- what is given --------------------------------------------------------------------------------------


def test_a_given_user_is_signed_in(mock: MockProject, api: httpx.Client) -> None:
    user = mock.given.user(name="Grace ${x}", password="${not a reference}")
    me = api.get("/iam/v2/me", headers=user.headers).json()
    assert (me["id"], me["email"], me["name"]) == (user.id, user.email, "Grace ${x}")
    signed_in = {"email": user.email, "password": user.password}
    assert api.post("/iam/v2/auth/sign-in/email", json=signed_in, headers=mock.headers()).is_success
    assert mock.given.user().email != user.email
    assert [entry["operation"] for entry in mock.journal] == ["meV2", "signInEmail"]


def test_a_given_account_has_a_balance(mock: MockProject) -> None:
    account = mock.given.funded_account(wei=5)
    assert mock.holdings(account.chain_id, account.address)["balance_wei"] == "5"
    user = mock.given.user()
    assert mock.given.funded_account(user, chain_id=13337).user_id == user.id


def test_gas_of_a_given_wallet_and_for_a_given_contract_is_paid(mock: MockProject, api: httpx.Client) -> None:
    wallet = mock.given.sponsored_wallet()
    contract = mock.given.sponsored_contract()
    assert mock.given.sponsored_contract().address != contract.address
    asked = {"accountId": wallet.id, "chainId": wallet.chain_id}
    for sponsorship, to, is_paid in (
        (wallet.sponsorship_id, "0x" + "ab" * 20, True),
        (contract.id, contract.address, True),
        (contract.id, "0x" + "ab" * 20, False),
    ):
        calls = {"calls": [{"to": to}], "feeSponsorshipId": sponsorship}
        sent = api.post("/v2/transactions", json=asked | calls).json()
        assert (sent.get("feeSponsorshipId") is not None) is is_paid


def test_what_is_given_leaves_rules_and_scenarios_alone(mock: MockProject) -> None:
    mock.load("rules: [{name: away, when: signUpEmail, then: {answer: 503}, optional: true}]")
    mock.given.user()
    assert mock.call("GET", "/scenarios")["total"] == 1
