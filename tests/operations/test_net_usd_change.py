"""The criterion `netUSDChange`: what a transaction takes from an account, in US dollars."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from httpx import Client

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.settings import TokenSettings
from mockserver.state.wallets import Account
from mockserver.state.world import World
from tests.accounts import account_of
from tests.transport import InProcessTransport

POLYGON, AMOY = 137, 80002
THERE = "0x" + "11" * 20
OTHER = "0x" + "44" * 20
USD = "0x" + "22" * 20
NFT = "0x" + "33" * 20
COIN = 10**18
PATH = "/_mock/projects/-/policies/evaluate"


@pytest.fixture
def live(world: World) -> Project:
    """A live project in which a coin costs 100 dollars, and a token with six decimals half a dollar."""
    project = world.create(name="live", livemode=True)
    token = TokenSettings(decimals=6, price_usd="0.5")
    project.settings = replace(project.settings, native_price_usd="100", tokens={USD: token})
    return project


@pytest.fixture
def api(app: App, live: Project) -> Iterator[Client]:
    headers = {"authorization": f"Bearer {live.secret_key}"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        yield client


def at_most(api: Client, dollars: str, operation: str = "sendEvmTransaction") -> str:
    criterion = {"type": "netUSDChange", "operator": "<=", "usdValue": dollars}
    rule = {"action": "accept", "operation": operation, "criteria": [criterion]}
    made = api.post("/v2/policies", json={"scope": "project", "rules": [rule]})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def data(signature: str, *args: Any) -> str:
    return "0x" + encode_call(Function.parse(signature), args).hex()


def transfer(amount: int, to: str = THERE) -> str:
    return data("transfer(address,uint256)", to, amount)


def transfer_from(owner: str, to: str, amount: int) -> str:
    return data("transferFrom(address,address,uint256)", owner, to, amount)


def seen(api: Client, account: Account, **payload: Any) -> Any:
    """What the criterion saw of a call."""
    asked = {"operation": "sendEvmTransaction", "accountId": account.id, "payload": payload}
    return api.post(PATH, json=asked).json()["policies"][0]["rules"][0]["criteria"][0]


def test_coins_and_tokens_that_leave_count_at_their_prices(api: Client, live: Project) -> None:
    at_most(api, "50.00")
    account = account_of(live, chain=POLYGON)
    for call, dollars in [
        ({"to": THERE, "value": str(COIN // 2)}, 50),
        ({"to": THERE, "value": str(COIN // 2 + 1)}, 50),
        ({"to": account.address, "value": str(COIN)}, 0),
        ({"to": USD, "data": transfer(80 * 10**6)}, 40),
        ({"to": USD, "data": transfer(80 * 10**6, account.address)}, 0),
        ({"to": USD, "data": transfer_from(account.address, THERE, 10**6)}, 0.5),
        ({"to": USD, "data": transfer_from(THERE, account.address, 10**6)}, -0.5),
        ({"to": USD, "data": transfer_from(THERE, OTHER, 10**6)}, 0),
        ({"to": USD, "data": data("approve(address,uint256)", THERE, 10**30)}, 0),
        ({"to": USD, "data": transfer(1)[:-2]}, 0),
        ({"to": THERE, "data": transfer(2 * COIN)}, 2),
        ({}, 0),
    ]:
        assert float(seen(api, account, chainId=POLYGON, **call)["observed"]) == pytest.approx(
            dollars, abs=1e-9
        )
    assert seen(api, account, chainId=POLYGON, to=THERE, value=str(COIN // 2))["matched"]
    more = seen(api, account, chainId=POLYGON, to=THERE, value=str(COIN // 2 + 1))
    assert (more["matched"], more["reason"].endswith("is not <= 50.00")) == (False, True)


def test_a_token_that_is_no_coin_is_worth_nothing(api: Client, live: Project) -> None:
    at_most(api, "0")
    abi = [{"type": "function", "name": "ownerOf", "inputs": [{"name": "id", "type": "uint256"}]}]
    api.post("/v1/contracts", json={"name": "Art", "chainId": POLYGON, "address": NFT, "abi": abi})
    account = account_of(live, chain=POLYGON)
    call = {"to": NFT, "data": transfer_from(account.address, THERE, 7)}
    assert seen(api, account, chainId=POLYGON, **call)["matched"]


def test_without_a_chain_nothing_is_known_of_prices(api: Client, live: Project) -> None:
    at_most(api, "50")
    found = seen(api, account_of(live, chain=POLYGON), to=THERE, value="1")
    assert (found["matched"], found["observed"], found["reason"]) == (False, None, "chainId is not given")


def test_the_calls_of_a_transaction_count_together(api: Client, live: Project) -> None:
    at_most(api, "50.00")
    account = account_of(live, chain=POLYGON)
    half = {"to": USD, "data": transfer(50 * 10**6)}

    def decisions(*calls: dict[str, str]) -> list[tuple[str | None, str]]:
        body = {"chainId": POLYGON, "accountId": account.id, "calls": calls}
        row = api.post("/v2/transactions", json=body).json()
        found = api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()
        return [(each["rule_id"], each["reason"]) for each in found["sending"]]

    assert all(rule for rule, _ in decisions(half, half))
    beyond = decisions(half, half, {"to": THERE, "value": "1"})
    assert [rule for rule, _ in beyond] == [None, None, None]
    assert all("netUSDChange" in reason for _, reason in beyond)


def test_a_sponsorship_asks_for_it_too(api: Client, live: Project) -> None:
    policy = at_most(api, "10", "sponsorEvmTransaction")
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy, "chainId": POLYGON}
    sponsorship = api.post("/v2/fee-sponsorship", json=body).json()["id"]
    account = account_of(live, chain=POLYGON)
    for amount, paid in ((20 * 10**6, True), (21 * 10**6, False)):
        sent = {
            "chainId": POLYGON,
            "accountId": account.id,
            "calls": [{"to": USD, "data": transfer(amount)}],
            "feeSponsorshipId": sponsorship,
        }
        assert ("feeSponsorshipId" in api.post("/v2/transactions", json=sent).json()) is paid


def test_with_test_keys_it_is_always_satisfied(app: App, project: Project) -> None:
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        at_most(client, "0.01")
        asked = {
            "operation": "sendEvmTransaction",
            "payload": {"chainId": AMOY, "to": THERE, "value": str(COIN)},
        }
        assert client.post("/v2/policies/evaluate", json=asked).json()["allowed"]
