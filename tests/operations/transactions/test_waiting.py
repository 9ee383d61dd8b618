"""When a transaction is answered, and what a repeated request meets."""

import json

from httpx import Client

from mockserver.api.call import Request
from mockserver.domain.transactions.solana import transactions as solana_transactions
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import EPOCH_MS, World
from tests.accounts import account_of
from tests.fates import add_fate
from tests.operations.transactions.helpers import AMOY, THERE, create, whole


def test_without_waiting_a_transaction_settles_with_the_clock(api: Client, project: Project) -> None:
    began = project.clock.now_ms
    row = create(api, account_of(project, "plain"), waitForReceipt=False)
    assert (row["status"], project.clock.now_ms) == ("sent", began)
    assert "receipt" not in row
    assert "costUsd" not in row
    assert row["execution"]["transactionHash"]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1.999})
    assert whole(api, row)["status"] == "sent"
    fired = api.post("/_mock/projects/-/clock/advance", json={"seconds": 0.001}).json()["fired"]
    assert [(each["id"], each["from"], each["to"]) for each in fired] == [(row["id"], "sent", "successful")]
    assert whole(api, row)["status"] == "successful"


def test_waiting_jumps_exactly_to_the_receipt(api: Client, project: Project) -> None:
    began = project.clock.now_ms
    for after_ms in (100, 7000, 9000):
        add_fate(project, "successful", options={"after_ms": after_ms})
    accounts = [account_of(project, "plain") for _ in range(3)]
    early = create(api, accounts[0], waitForReceipt=False)
    solana = solana_transactions.submit(project)
    waited = create(api, accounts[1])
    assert project.clock.now_ms == began + 7000
    assert waited["receipt"]["createdAt"] == (began + 7000) // 1000
    assert whole(api, early)["receipt"]["createdAt"] == (began + 100) // 1000
    assert project.onchain.solana_transactions[solana.id].status == "confirmed"
    assert create(api, accounts[2], waitForReceipt=False)["status"] == "sent"


def test_a_wait_ends_when_nothing_more_can_happen(api: Client, project: Project) -> None:
    began = project.clock.now_ms
    add_fate(project, "never_mined")
    add_fate(project, "successful", options={"after_ms": 30_001})
    for _ in range(2):
        assert create(api, account_of(project, "plain"))["status"] == "sent"
    assert project.clock.now_ms == began


def test_a_reset_interrupts_a_wait_unknown_to_the_new_journal(project: Project, app: App) -> None:
    project.clock.tick(lambda: EPOCH_MS)
    account = account_of(project, "plain")
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    outcome = app.pipeline.answer(request_of(project, body))
    assert isinstance(outcome, WaitingCall)
    assert not outcome.until.ready()
    project.reset(lambda: EPOCH_MS)
    assert app.pipeline.finish(outcome).status == 409
    assert not project.history.calls


def request_of(project: Project, body: object, **headers: str) -> Request:
    sent = {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json", **headers}
    return Request("POST", "/v2/transactions", "", sent, json.dumps(body).encode())


def test_a_repeated_request_meets_the_first_even_if_it_waits() -> None:
    real = [EPOCH_MS]
    world = World(real_ms=lambda: real[0])
    pipeline = assemble(world).pipeline
    project = world.create(name="ticking")
    project.clock.tick(lambda: EPOCH_MS)
    body = {"chainId": AMOY, "accountId": account_of(project, "plain").id, "calls": [{"to": THERE}]}
    request = request_of(project, body, **{"x-idempotency-key": "once"})
    first = pipeline.answer(request)
    assert isinstance(first, WaitingCall)
    again = pipeline.answer(request)
    assert not isinstance(again, WaitingCall)
    assert (again.status, json.loads(again.body)["error"]["code"]) == (409, "idempotency_key_in_use")
    real[0] += 2000
    third = pipeline.answer(request)
    assert not isinstance(third, WaitingCall)
    assert third.status == 409
    assert first.until.ready()
    done = pipeline.finish(first)
    assert json.loads(done.body)["status"] == "successful"
    repeated = pipeline.answer(request)
    assert not isinstance(repeated, WaitingCall)
    assert repeated.body == done.body
    assert len(project.onchain.transactions) == 1


def test_a_repeated_request_repeats_its_answer(api: Client, project: Project) -> None:
    account = account_of(project, "plain")
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    headers = {"x-idempotency-key": "once"}
    answers = [api.post("/v2/transactions", json=body, headers=headers) for _ in range(2)]
    assert (answers[0].content, answers[0].json()["status"]) == (answers[1].content, "successful")
    other = api.post("/v2/transactions", json={**body, "waitForReceipt": False}, headers=headers)
    assert other.status_code == 409
    assert len(project.onchain.transactions) == 1
