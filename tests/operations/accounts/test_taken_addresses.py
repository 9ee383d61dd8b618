"""Whose an address is, and who cannot have it as well."""

from httpx import Client

from mockserver.state.project import Project
from tests.operations.accounts.helpers import (
    AMOY,
    DELEGATED,
    ELSEWHERE,
    EOA,
    SMART,
    create,
    new_user,
    refused,
    rows,
)
from tests.tables import cases


@cases("account_type", EOA, SMART, DELEGATED)
def test_an_address_has_one_of_a_type(api: Client, project: Project, user: str, account_type: str) -> None:
    if account_type == EOA:
        members: dict[str, object] = {"address": ELSEWHERE}
    else:
        members = {"account": create(api, user)["id"], "chainId": AMOY}
    first = create(api, user, account_type, **members)
    before = rows(project)
    status, error = refused(api, user, account_type, **members)
    param = "address" if account_type == EOA else "chainId"
    assert (status, error["param"], error["code"]) == (409, param, "address_taken")
    assert first["id"] in error["message"]
    assert rows(project) == before


def test_an_address_is_not_shared_between_users(api: Client, project: Project, user: str) -> None:
    """Else a client that names an address could have the mock sign with its owner's key."""
    taken = create(api, user)["address"]
    stranger = new_user(project)
    networks: tuple[dict[str, object], ...] = ({}, {"chainId": AMOY})
    for members in networks:
        assert refused(api, stranger, address=taken, **members)[0] == 409


def test_a_key_is_kept_in_one_way_only(backend: Client) -> None:
    """Else a share would hand out the key of a backend wallet, without the wallet secret."""
    wallet = backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()
    members = {"address": wallet["address"], "chainId": AMOY}
    status, error = refused(backend, wallet["walletId"], **members)
    assert (status, error["code"], error["param"]) == (409, "address_taken", "address")
    developer = backend.post("/v1/settings/developer_accounts", json={}).json()
    status, error = refused(backend, wallet["walletId"], address=developer["address"])
    assert (status, error["code"], error["param"]) == (409, "address_taken", "address")


def test_a_key_in_use_is_not_registered_for_another_user(api: Client, project: Project, user: str) -> None:
    owner = create(api, user)
    create(api, user, SMART, account=owner["id"], chainId=AMOY)
    assert api.delete(f"/v2/accounts/{owner['id']}").status_code == 200
    status, error = refused(api, new_user(project), address=owner["address"])
    assert (status, error["code"]) == (409, "address_taken")
    assert create(api, user, address=owner["address"])["wallet"] == owner["wallet"]


def test_no_key_has_the_address_of_a_contract(api: Client, user: str) -> None:
    smart = create(api, user, SMART, account=create(api, user)["id"], chainId=AMOY)
    networks: tuple[dict[str, object], ...] = ({}, {"chainId": AMOY}, {"chainId": 84532})
    for members in networks:
        status, error = refused(api, user, address=smart["address"], **members)
        assert (status, error["code"], error["param"]) == (409, "address_taken", "address")
