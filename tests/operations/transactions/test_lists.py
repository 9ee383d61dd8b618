"""Lists of transactions."""

from collections.abc import Callable
from typing import Any

from httpx import Client

from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.transactions.helpers import AMOY, BASE, create, listed
from tests.tables import cases


def test_every_filter_alone_and_together(api: Client, project: Project) -> None:
    users = [create_user(project, name=name, email=None) for name in ("A", "B")]
    owners = [create_eoa(project, wallet_of_user(project, user), "EVM") for user in users]
    owners.append(account_of(project, "plain"))
    rows = [
        {**create(api, owner, chain), "owner": owner}
        for chain in (AMOY, BASE)
        for owner in owners
        for _ in range(2)
    ]
    rows.reverse()
    assert listed(api) == [row["id"] for row in rows]
    filters: dict[str, tuple[Any, Callable[[Any], bool]]] = {
        "chainId": (AMOY, lambda row: row["chainId"] == AMOY),
        "accountId": ([owners[0].id, owners[2].id], lambda row: row["owner"] in (owners[0], owners[2])),
        "userId": ([users[0].id, users[1].id], lambda row: row["owner"] in owners[:2]),
        "walletId": ([owners[0].wallet_id], lambda row: row["owner"] == owners[0]),
        "status": ("awaiting_signature", lambda row: row["status"] == "awaiting_signature"),
    }
    for one, (value, fits) in filters.items():
        expected = [row["id"] for row in rows if fits(row)]
        assert 0 < len(expected) < len(rows)
        assert listed(api, **{one: value}) == expected
        for other, (another, also) in filters.items():
            if one != other:
                both = [row["id"] for row in rows if fits(row) and also(row)]
                assert listed(api, **{one: value, other: another}) == both
    for absent in (
        {"userId": "usr_x"},
        {"accountId": "acc_x"},
        {"chainId": 5},
        {"feeSponsorshipId": "pol_x"},
    ):
        assert listed(api, **absent) == []


@cases(
    "query",
    {"expand": "account,logs"},
    {"limit": "9" * 5000},
)
def test_a_list_that_cannot_be_is_refused(api: Client, query: dict[str, str]) -> None:
    response = api.get("/v2/transactions", params=query)
    assert response.status_code == 400
    assert response.json()["error"]["param"].startswith(next(iter(query)))
