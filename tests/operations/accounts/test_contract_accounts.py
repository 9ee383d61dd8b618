"""Smart and delegated accounts: where they are and on which chains."""

from eth_utils import is_checksum_address, keccak
from httpx import Client

from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import account_of
from tests.operations.accounts.helpers import (
    AMOY,
    DELEGATED,
    ELSEWHERE,
    SMART,
    create,
    listed,
    new_user,
    refused,
)
from tests.tables import cases

BASE_SEPOLIA = 84532


@cases("implementation", None, "UpgradeableV5", "UpgradeableV6", "ManagedV5", "Simple", "CaliburV9")
def test_a_smart_account_is_where_create2_puts_it(api: Client, user: str, implementation: str | None) -> None:
    owner = create(api, user)
    chosen = {} if implementation is None else {"implementationType": implementation}
    account = create(api, user, SMART, account=owner["id"], chainId=AMOY, **chosen)
    contract = account["smartAccount"]
    runtime = (
        "363d3d373d3d3d363d73" + contract["implementationAddress"][2:] + "5af43d82803e903d91602b57fd5bf3"
    )
    runtime += "00" * 12 + owner["address"][2:]
    code = bytes.fromhex(f"61{len(runtime) // 2:04x}3d81600a3d39f3{runtime}")
    raw = b"\xff" + bytes.fromhex(contract["factoryAddress"][2:]) + bytes.fromhex(contract["salt"][2:])
    assert account["address"].lower() == "0x" + keccak(raw + keccak(code))[12:].hex()
    assert is_checksum_address(account["address"])
    assert contract["implementationType"] == (implementation or "UpgradeableV6")
    assert account["ownerAddress"] == contract["ownerAddress"] == owner["address"]
    assert account["chainId"] == contract["chainId"] == AMOY
    assert contract["active"] is True
    assert "deployedTx" not in contract
    assert "deployedAt" not in contract
    assert (account["wallet"], account["custody"]) == (owner["wallet"], "User")


def test_a_smart_account_has_one_address_on_every_chain(api: Client, user: str) -> None:
    owner = create(api, user)
    found = [
        create(api, user, SMART, account=owner["id"], chainId=chain) for chain in (AMOY, 84532, 5_555_555)
    ]
    assert len({account["address"] for account in found}) == 1
    assert len({account["id"] for account in found}) == 3
    other = create(api, user, SMART, account=create(api, user)["id"], chainId=AMOY)
    assert other["address"] != found[0]["address"]


def test_calibur_is_behind_smart_accounts_as_well(backend: Client, project: Project) -> None:
    owner = account_of(project, "plain", chain=BASE_SEPOLIA)
    chosen = {"account": owner.id, "chainId": BASE_SEPOLIA, "implementationType": "Calibur"}
    delegated = create(backend, owner.wallet_id, DELEGATED, **chosen)
    smart = create(backend, owner.wallet_id, SMART, **chosen)
    contract = smart["smartAccount"]
    assert contract["implementationAddress"] == delegated["smartAccount"]["implementationAddress"]
    body = {"chainId": BASE_SEPOLIA, "account": smart["id"], "interactions": [{"to": ELSEWHERE}]}
    sent = backend.post("/v1/transaction_intents", json=body).json()
    assert (sent["abstractionType"], sent["response"]["status"]) == ("accountAbstractionV8", 1)
    operation = sent["details"]["userOperation"]
    assert (operation["sender"], operation["factory"]) == (smart["address"], contract["factoryAddress"])
    assert "deployedTx" in backend.get(f"/v2/accounts/{smart['id']}").json()["smartAccount"]
    assert "deployedTx" not in backend.get(f"/v2/accounts/{delegated['id']}").json()["smartAccount"]
    moved = {"account": smart["id"], "chainId": 11_155_111}
    assert backend.post("/v2/accounts/switch-chain", json=moved).json()["address"] == smart["address"]


def test_a_delegated_account_is_the_eoa_with_a_contract(api: Client, user: str) -> None:
    owner = create(api, user)
    account = create(api, user, DELEGATED, account=owner["id"], chainId=AMOY)
    assert account["id"] != owner["id"]
    assert account["smartAccount"] == {
        "implementationType": "CaliburV9",
        "implementationAddress": account["smartAccount"]["implementationAddress"],
        "active": True,
        "chainId": AMOY,
    }
    assert is_checksum_address(account["smartAccount"]["implementationAddress"])
    assert "ownerAddress" not in account
    for name in ("address", "wallet", "custody"):
        assert account[name] == owner[name]


def test_calibur_is_not_on_amoy(api: Client, user: str) -> None:
    owner = create(api, user)
    delegate = {"account": owner["id"], "implementationType": "Calibur"}
    status, error = refused(api, user, DELEGATED, chainId=AMOY, **delegate)
    assert (status, error["param"]) == (400, "implementationType")
    assert "not available in chainId '80002'" in error["message"]
    assert create(api, user, DELEGATED, chainId=84532, **delegate)["address"] == owner["address"]


def test_calibur_is_the_default_on_mainnet_and_v9_is_not_there(api: Client, world: World) -> None:
    live = world.create(name="tests", livemode=True)
    api.headers["authorization"] = f"Bearer {live.secret_key}"
    user = new_user(live)
    owner = create(api, user)["id"]
    status, error = refused(api, user, DELEGATED, account=owner, chainId=1, implementationType="CaliburV9")
    assert status == 400
    assert "not available in chainId '1'" in error["message"]
    account = create(api, user, DELEGATED, account=owner, chainId=1)
    assert account["smartAccount"]["implementationType"] == "Calibur"


def test_a_smart_accounts_address_may_be_given_if_right(api: Client, user: str) -> None:
    owner = create(api, user)
    status, error = refused(api, user, SMART, account=owner["id"], chainId=AMOY, address=ELSEWHERE)
    assert (status, error["param"]) == (400, "address")
    right = error["message"].rpartition(" ")[2]
    assert create(api, user, SMART, account=owner["id"], chainId=AMOY, address=right)["address"] == right


@cases("account_type", SMART, DELEGATED)
def test_without_a_chain_it_is_on_the_default_one(api: Client, world: World, account_type: str) -> None:
    for livemode, default in ((False, BASE_SEPOLIA), (True, 8453)):
        project = world.create(name=f"mode-{livemode}", livemode=livemode)
        api.headers["authorization"] = f"Bearer {project.secret_key}"
        user = new_user(project)
        account = create(api, user, account_type, account=create(api, user)["id"])
        assert account["chainId"] == account["smartAccount"]["chainId"] == default


def test_the_default_chain_is_a_setting(api: Client, user: str) -> None:
    api.put("/_mock/projects/-/settings", json={"default_chain_id": AMOY})
    assert create(api, user, DELEGATED)["chainId"] == AMOY
    assert "chainId" not in create(api, user)


def test_a_default_chain_of_the_other_mode_is_refused_in_use(api: Client, user: str) -> None:
    api.put("/_mock/projects/-/settings", json={"default_chain_id": 8453})
    status, error = refused(api, user, DELEGATED)
    assert (status, error["code"], error["param"]) == (400, "chain_of_other_mode", "chainId")


def test_without_an_account_the_users_eoa_delegates(api: Client, user: str) -> None:
    create(api, user, chainType="SVM")
    owner = create(api, user)
    create(api, user)
    assert create(api, user, DELEGATED)["address"] == owner["address"]


def test_an_address_names_the_eoa_that_delegates(api: Client, user: str) -> None:
    create(api, user)
    named = create(api, user)["address"]
    assert create(api, user, DELEGATED, address=named.lower())["address"] == named
    assert len(listed(api, user=user)) == 3
    assert create(api, user, DELEGATED, address=ELSEWHERE)["address"] == ELSEWHERE
    assert len(listed(api, user=user, address=ELSEWHERE)) == 2


def test_a_user_without_an_eoa_gets_one_to_delegate(api: Client, project: Project, user: str) -> None:
    account = create(api, user, DELEGATED)
    made = listed(api, user=user)
    assert made[0] == account["id"]
    eoa = api.get(f"/v2/accounts/{made[1]}").json()
    assert (eoa["accountType"], eoa["address"]) == ("Externally Owned Account", account["address"])
    assert (account["custody"], len(project.wallets.keys)) == ("User", 1)
