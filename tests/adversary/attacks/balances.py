"""Balances at the ends of their range, set and moved by hostile amounts."""

import random
from typing import Any

from httpx import Response

from mockserver.state.world import World
from tests.accounts import AMOY, account_of
from tests.adversary.attacks.proofs import Tenant
from tests.adversary.budget import Budget
from tests.server.robustness.stage import held

MOST = 2**256 - 1
AMOUNTS: list[Any] = [
    0,
    1,
    "1",
    str(MOST),
    MOST,
    str(MOST + 1),
    -1,
    "-1",
    1.5,
    "1e3",
    "0x10",
    " 1",
    "١",
    None,
    "9" * 400,
]
COIN, ART = "0x" + "33" * 20, "0x" + "44" * 20
CONTROL = "/_mock/projects/-"


def attack(budget: Budget) -> None:
    """Set and move them: all stays within 256 bits, and a refusal changes nothing."""
    tenant = Tenant(World(), "tests")
    project = tenant.project
    tenant.client.headers.update(tenant.secret)
    account = account_of(project, "plain")
    state = project.snapshot()
    for _ in budget:
        project.restore(state)
        for _ in range(4):
            before = held(project)
            if budget.chance.random() < 0.6:
                answer = set_balances(tenant, budget.chance, account.address)
            else:
                answer = move(tenant, budget.chance, account.id)
            assert answer.status_code < 500, answer.text
            if answer.is_error:
                assert held(project) == before, answer.request.content
            check(tenant, account.address)


def set_balances(tenant: Tenant, chance: random.Random, address: str) -> Response:
    """Set a coin's balance and tokens; what is taken is there afterwards."""
    body: dict[str, Any] = {"balance_wei": chance.choice(AMOUNTS)}
    if chance.random() < 0.6:
        contracts = [COIN, ART, "0x", "0x" + "zz" * 20]
        body["tokens"] = [
            {"contract": chance.choice(contracts), "balance": chance.choice(AMOUNTS), **draw_token(chance)}
            for _ in range(chance.choice([1, 2, 30]))
        ]
    path = f"{CONTROL}/chains/{AMOY}/addresses/{address}"
    answer = tenant.client.put(path, json=body)
    if answer.is_success and body["balance_wei"] is not None:
        assert answer.json()["balance_wei"] == str(int(body["balance_wei"]))
    return answer


def draw_token(chance: random.Random) -> dict[str, Any]:
    """The token of an ERC-721 or ERC-1155, or none."""
    return {"token_id": chance.choice(AMOUNTS)} if chance.random() < 0.5 else {}


def move(tenant: Tenant, chance: random.Random, account: str) -> Response:
    """Send coins, or tokens by a call of their contract."""
    amount = chance.choice(AMOUNTS)
    call: dict[str, Any] = {"to": "0x" + "55" * 20, "value": amount}
    if chance.random() < 0.6:
        # transfer(address,uint256), at times cut.
        word = chance.choice([0, 1, MOST])
        data = f"0xa9059cbb{'55' * 20:0>64}{word:064x}"
        call = {"to": COIN, "value": "0", "data": data[: chance.choice([len(data), len(data), 10, 74, 75])]}
    body = {"chainId": AMOY, "accountId": account, "calls": [call] * chance.choice([1, 1, 3])}
    return tenant.client.post("/v2/transactions", json=body)


def check(tenant: Tenant, address: str) -> None:
    """Every balance is within its range, and what may be spent is there."""
    shown = tenant.client.get(f"{CONTROL}/chains/{AMOY}/addresses/{address}").json()
    assert 0 <= int(shown["reserved_wei"]) <= MOST
    assert 0 <= int(shown["balance_wei"]) <= MOST
    assert all(0 <= int(token["balance"]) <= MOST for token in shown["tokens"])
