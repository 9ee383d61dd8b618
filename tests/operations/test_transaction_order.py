"""What an account sends is mined in the order of its nonces."""

from typing import Any

import pytest
from httpx import Client

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains import ledger
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import account_of
from tests.tables import cases

AMOY = 80002
THERE = "0x" + "11" * 20
FATES = "/_mock/projects/-/fates"


@pytest.fixture(params=["plain", "Simple", "CaliburV9"])
def account(request: pytest.FixtureRequest, project: Project) -> Account:
    """An account of each kind."""
    return account_of(project, request.param)


def send(api: Client, account: Account, **fate: Any) -> str:
    """A transaction that no call waits for, with a fate if one is given; its id."""
    if fate:
        assert api.post(FATES, json=fate).status_code == 201
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE, "value": "1"}]}
    made = api.post("/v2/transactions", json={**body, "waitForReceipt": False})
    assert made.status_code == 200, made.text
    return str(made.json()["id"])


def shown(api: Client, transaction_id: str) -> Any:
    return api.get(f"/v2/transactions/{transaction_id}", params={"expand": ["logs"]}).json()


def statuses(api: Client, *ids: str) -> list[str]:
    return [shown(api, each)["status"] for each in ids]


def wait(project: Project, seconds: float) -> None:
    TIMER_LOOP.advance(project, project.clock.now_ms + int(seconds * 1000))


def test_a_transaction_waits_for_a_slower_one(api: Client, project: Project, account: Account) -> None:
    slow, quick = send(api, account, outcome="successful", after_ms=60_000), send(api, account)
    wait(project, 59)
    assert statuses(api, slow, quick) == ["sent", "sent"]
    wait(project, 1)
    assert statuses(api, slow, quick) == ["successful", "successful"]
    blocks = [shown(api, each)["receipt"]["blockNumber"] for each in (slow, quick)]
    assert blocks[0] == blocks[1]


def test_a_wait_includes_those_before(api: Client, project: Project, account: Account) -> None:
    began_ms = project.clock.now_ms
    send(api, account, outcome="successful", after_ms=20_000)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}], "waitForReceipt": True}
    assert api.post("/v2/transactions", json=body).json()["status"] == "successful"
    assert project.clock.now_ms - began_ms == 20_000


def test_a_stuck_one_holds_up_those_behind(api: Client, project: Project, account: Account) -> None:
    stuck = send(api, account, outcome="never_mined")
    behind = [send(api, account), send(api, account)]
    wait(project, 3600)
    assert statuses(api, stuck, *behind) == ["sent"] * 3
    api.post(FATES, json={"outcome": "successful", "transaction_id": stuck})
    wait(project, 2)
    assert statuses(api, stuck, *behind) == ["successful"] * 3


def test_a_stuck_one_stays_so_in_its_turn(api: Client, project: Project, account: Account) -> None:
    slow = send(api, account, outcome="successful", after_ms=20_000)
    stuck, behind = send(api, account, outcome="never_mined"), send(api, account)
    wait(project, 3600)
    assert statuses(api, slow, stuck, behind) == ["successful", "sent", "sent"]
    api.put("/_mock/projects/-/settings", json={"chains": {str(AMOY): {"base_fee_wei": 1}}})
    wait(project, 3600)
    assert statuses(api, stuck, behind) == ["sent", "sent"]


@cases("outcome", "dropped", "failed")
def test_a_failure_blocks_no_queue(api: Client, project: Project, account: Account, outcome: str) -> None:
    lost, behind = send(api, account, outcome="never_mined"), send(api, account)
    wait(project, 60)
    api.post(FATES, json={"outcome": outcome, "transaction_id": lost})
    wait(project, 60)
    assert statuses(api, lost, behind) == ["failed", "successful"]


def test_accounts_and_chains_do_not_wait_for_each_other(api: Client, project: Project) -> None:
    first, second = (create_eoa(project, create_wallet(project), "EVM", held_by="Developer") for _ in "ab")
    project.undo.mark()
    stuck, free = send(api, first, outcome="never_mined"), send(api, second)
    wait(project, 2)
    assert statuses(api, stuck, free) == ["sent", "successful"]


def test_an_account_delegates_once_however_much_is_under_way(api: Client, project: Project) -> None:
    owner = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    delegated = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS["CaliburV9"])
    project.undo.mark()
    sent = [send(api, delegated) for _ in range(3)]
    wait(project, 2)
    assert statuses(api, *sent) == ["successful"] * 3
    assert ledger.chain_account(project, AMOY, delegated.address).nonce == 1


def test_an_approval_that_is_over_before_the_block_comes_fails(api: Client, project: Project) -> None:
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    strategy = {"sponsorSchema": "pay_for_user"}
    made = api.post("/v2/fee-sponsorship", json={"strategy": strategy, "policyId": policy})
    owner = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    account = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS["Simple"])
    project.undo.mark()
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}], "waitForReceipt": False}
    ends = []
    for after_s in (3600, 3601):
        api.post(FATES, json={"outcome": "successful", "after_ms": after_s * 1000})
        sent = api.post("/v2/transactions", json={**body, "feeSponsorshipId": made.json()["id"]}).json()
        wait(project, after_s)
        ends.append(shown(api, sent["id"]))
    assert [end["status"] for end in ends] == ["successful", "failed"]
    assert ends[1]["receipt"]["error"]["reason"].startswith("AA32")
