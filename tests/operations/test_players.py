"""Players: users by their wallets, and the ownership of their accounts."""

from typing import Any

import pytest
from httpx import Client, Response

from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.operations.responses import error_of, ok
from tests.tables import cases

AMOY, BASE, POLYGON = 80002, 84532, 137
THERE = "0x" + "11" * 20
NOWHERE = "pla_00000000-0000-0000-0000-000000000000"


def create(api: Client, **members: Any) -> Any:
    return ok(api.post("/v1/players", json=members))


def account_of(api: Client, player: Any, **members: Any) -> Any:
    return ok(api.post("/v1/accounts", json={"chainId": AMOY, "player": player["id"], **members}))


def intent_of(api: Client, player: Any) -> Any:
    calls = [{"to": THERE, "value": "1"}]
    body = {"chainId": AMOY, "player": player["id"], "interactions": calls}
    return ok(api.post("/v1/transaction_intents", json=body))


# --- creating and finding ------------------------------------------------------------------------------


def test_a_player_is_created_and_retrieved(api: Client, project: Project) -> None:
    made = create(api, name="Ada", description="First", metadata={"level": 5, "guild": "blue", "rate": 0.5})
    assert made["id"].startswith("pla_")
    assert {**made, "id": ""} == {
        "id": "",
        "object": "player",
        "createdAt": project.clock.now_s,
        "name": "Ada",
        "description": "First",
        "metadata": {"level": 5, "guild": "blue", "rate": 0.5},
        "transactionIntents": [],
        "accounts": [],
    }
    assert ok(api.get(f"/v1/players/{made['id']}")) == made


def test_a_player_needs_no_name(api: Client) -> None:
    made = create(api)
    assert made["name"] == ""
    assert "description" not in made
    assert "metadata" not in made


def test_a_form_is_read_too(api: Client) -> None:
    made = ok(api.post("/v1/players", data={"name": "Ada", "metadata[guild]": "blue"}))
    assert (made["name"], made["metadata"]) == ("Ada", {"guild": "blue"})
    path = f"/v1/players/{made['id']}"
    assert "metadata" not in ok(api.post(path, data={"metadata": ""}))


def test_a_player_is_a_user(api: Client) -> None:
    made = create(api, name="Ada")
    wallets = {
        user["id"]: ok(api.get(f"/v2/users/{user['id']}/wallet")) for user in ok(api.get("/v2/users"))["data"]
    }
    (user_id,) = (user for user, wallet in wallets.items() if wallet["id"] == made["id"])
    assert ok(api.get(f"/v1/players/{user_id}")) == made
    assert ok(api.get(f"/iam/v1/players/{made['id']}"))["player"] == {"id": made["id"]}


def test_retrieving_a_player_makes_none(api: Client, project: Project) -> None:
    user = create_user(project, name="Ada", email=None)
    project.commit()
    assert error_of(api.get(f"/v1/players/{user.id}")) == (404, "wallet_not_found", None)
    assert ok(api.get("/v1/players"))["total"] == 0
    ok(api.post(f"/v1/players/{user.id}", json={"description": "First"}))
    assert ok(api.get(f"/v1/players/{user.id}"))["description"] == "First"


def test_players_whom_an_intent_made_are_there(api: Client) -> None:
    body = {"chainId": AMOY, "interactions": [{"to": THERE, "value": "1"}]}
    intent = ok(api.post("/v1/transaction_intents", json=body))
    player = ok(api.get(f"/v1/players/{intent['player']['id']}"))
    assert player["transactionIntents"] == [{"id": intent["id"]}]
    assert player["accounts"] == [intent["account"]]


def test_what_belongs_to_a_player_is_inlined_when_asked_for(api: Client) -> None:
    player = create(api, name="Ada")
    account, intent = account_of(api, player), intent_of(api, player)
    shown = ok(api.get(f"/v1/players/{player['id']}", params={"expand": ["accounts", "transactionIntents"]}))
    assert shown["accounts"] == [ok(api.get(f"/v1/accounts/{account['id']}"))]
    assert shown["transactionIntents"] == [intent]
    listed = ok(api.get("/v1/players", params={"expand": "accounts"}))["data"]
    assert listed == [{**shown, "transactionIntents": [{"id": intent["id"]}]}]


def test_players_are_found_by_a_part_of_their_name(api: Client) -> None:
    ada, _ = create(api, name="Ada Lovelace"), create(api, name="Grace")
    assert ok(api.get("/v1/players", params={"name": "LOVE"}))["data"] == [ada]
    assert ok(api.get("/v1/players", params={"name": "nobody"}))["total"] == 0


def test_the_wallet_of_a_backend_is_no_player(backend: Client) -> None:
    account = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    assert ok(backend.get("/v1/players"))["data"] == []
    assert error_of(backend.get(f"/v1/players/{account['walletId']}")) == (404, "user_not_found", None)


# --- changing and deleting -----------------------------------------------------------------------------


def test_an_update_changes_what_it_names(api: Client) -> None:
    made = create(api, name="Ada", description="First", metadata={"level": 5, "guild": "blue"})
    path = f"/v1/players/{made['id']}"
    changed = ok(api.post(path, json={"metadata": {"guild": "", "rank": "x", "level": 6}}))
    assert changed == {**made, "metadata": {"level": 6, "rank": "x"}}
    changed = ok(api.post(path, json={"name": "Grace", "description": "Second"}))
    assert (changed["name"], changed["description"]) == ("Grace", "Second")
    assert changed["metadata"] == {"level": 6, "rank": "x"}
    assert ok(api.get(path)) == changed


@cases("empty", "", {})
def test_empty_metadata_unsets_every_key(api: Client, empty: object) -> None:
    made = create(api, name="Ada", metadata={"level": 5})
    changed = ok(api.post(f"/v1/players/{made['id']}", json={"metadata": empty}))
    assert changed == {name: value for name, value in made.items() if name != "metadata"}


@cases("wrong", True, {"b": "c"})
def test_a_malformed_player_is_refused_and_leaves_no_trace(api: Client, wrong: object) -> None:
    made = create(api, name="Ada", metadata={"level": 5})
    for path in ("/v1/players", f"/v1/players/{made['id']}"):
        refused = api.post(path, json={"description": "x", "metadata": {"a": wrong}})
        assert error_of(refused) == (400, "invalid_parameters", "metadata.a")
    assert ok(api.get("/v1/players"))["data"] == [made]


def test_a_deleted_player_is_gone_with_all_that_is_theirs(api: Client) -> None:
    player = create(api, name="Ada")
    account = account_of(api, player)
    assert ok(api.delete(f"/v1/players/{player['id']}")) == {
        "id": player["id"],
        "object": "player",
        "deleted": True,
    }
    assert ok(api.get("/v1/players"))["total"] == 0
    assert ok(api.get("/v2/users"))["total"] == 0
    assert api.get(f"/v1/accounts/{account['id']}").status_code == 404


def test_a_player_with_transactions_on_their_way_stays(api: Client) -> None:
    player = create(api)
    body = {"chainId": AMOY, "player": player["id"], "interactions": [{"to": THERE}], "optimistic": True}
    ok(api.post("/v1/transaction_intents", json=body))
    refused = api.delete(f"/v1/players/{player['id']}")
    assert error_of(refused) == (409, "user_has_pending_transactions", None)
    assert ok(api.get("/v1/players"))["total"] == 1


def test_a_player_whose_backend_wallet_is_sending_stays(api: Client, project: Project) -> None:
    wallet = create_wallet(project, create_user(project, name="Ada", email=None).id)
    sender = create_eoa(project, wallet, "EVM", held_by="Developer", backend=True)
    project.commit()
    sent = {"chainId": AMOY, "accountId": sender.id, "calls": [{"to": THERE}], "waitForReceipt": False}
    ok(api.post("/v2/transactions", json=sent))
    refused = api.delete(f"/v1/players/{wallet.id}")
    assert error_of(refused) == (409, "user_has_pending_transactions", None)


def test_an_unknown_player_is_not_found(api: Client) -> None:
    path = f"/v1/players/{NOWHERE}"
    asked = {"policy": "pol_1", "chainId": AMOY, "newOwnerAddress": THERE}
    for response in (
        api.get(path),
        api.post(path, json={}),
        api.delete(path),
        api.post(f"{path}/request_transfer_ownership", json=asked),
        api.post(f"{path}/cancel_transfer_ownership", json=asked),
    ):
        assert error_of(response) == (404, "user_not_found", None)


# --- owners --------------------------------------------------------------------------------------------


@pytest.fixture
def owner(project: Project) -> Account:
    """A key in the mock's custody, of a user who is no player."""
    row = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    project.undo.mark()
    return row


def ask(api: Client, whose: Any, policy: str, owner: str, **members: Any) -> Response:
    body = {"policy": policy, "chainId": AMOY, "newOwnerAddress": owner, **members}
    return api.post(f"/v1/players/{whose['id']}/request_transfer_ownership", json=body)


def cancel(api: Client, player: Any, policy: str, **members: Any) -> Response:
    body = {"policy": policy, "chainId": AMOY, **members}
    return api.post(f"/v1/players/{player['id']}/cancel_transfer_ownership", json=body)


def accept(api: Client, owner: Account, account: Any) -> None:
    call = {"to": account["address"], "functionName": "acceptOwnership()"}
    body = {"chainId": AMOY, "accountId": owner.id, "calls": [call]}
    ok(api.post("/v2/transactions", json=body))


def test_a_player_offers_their_account_to_a_new_owner(api: Client, policy: str, owner: Account) -> None:
    player = create(api)
    account, elsewhere = account_of(api, player), account_of(api, player, chainId=BASE)
    intent = ok(ask(api, player, policy, owner.address.lower(), player=player["id"]))
    assert (intent["account"], intent["policy"]) == ({"id": account["id"]}, {"id": policy})
    assert intent["response"]["status"] == 1
    path = f"/v1/accounts/{account['id']}"
    assert ok(api.get(path))["pendingOwnerAddress"] == owner.address
    accept(api, owner, account)
    assert ok(api.get(path))["ownerAddress"] == owner.address
    assert ok(api.get(f"/v1/accounts/{elsewhere['id']}"))["ownerAddress"] == elsewhere["ownerAddress"]


def test_an_offer_taken_back_cannot_be_accepted(api: Client, policy: str, owner: Account) -> None:
    player = create(api)
    account = account_of(api, player)
    ok(ask(api, player, policy, owner.address))
    intent = ok(cancel(api, player, policy))
    assert (intent["account"], intent["response"]["status"]) == ({"id": account["id"]}, 1)
    assert "pendingOwnerAddress" not in ok(api.get(f"/v1/accounts/{account['id']}"))
    accept(api, owner, account)
    assert ok(api.get(f"/v1/accounts/{account['id']}"))["ownerAddress"] == account["ownerAddress"]
    assert error_of(cancel(api, player, policy)) == (409, "ownership_not_offered", "chainId")


def test_no_bad_transfer_leaves_a_trace(api: Client, project: Project, policy: str, owner: Account) -> None:
    player, other = create(api), create(api)
    account = account_of(api, player)
    for response, expected in (
        (ask(api, other, policy, owner.address), (404, "account_not_found", "chainId")),
        (cancel(api, other, policy), (404, "account_not_found", "chainId")),
        (cancel(api, player, policy), (409, "ownership_not_offered", "chainId")),
        (ask(api, player, policy, owner.address, chainId=POLYGON), (400, "chain_of_other_mode", "chainId")),
        (ask(api, player, "pol_1", owner.address), (404, "fee_sponsorship_not_found", "policy")),
        (ask(api, player, policy, owner.address, player=other["id"]), (400, "invalid_parameters", "player")),
        (ask(api, player, policy, account["ownerAddress"]), (400, "invalid_parameters", "newOwnerAddress")),
        (ask(api, player, policy, "0x" + "00" * 20), (400, "invalid_parameters", "newOwnerAddress")),
    ):
        assert error_of(response) == expected
    assert len(project.onchain.transactions) == 0


def test_a_player_with_a_key_has_no_owner_to_change(api: Client, project: Project, policy: str) -> None:
    wallet = create_wallet(project, create_user(project, name="Ada", email=None).id)
    create_eoa(project, wallet, "EVM")
    project.undo.mark()
    player = {"id": wallet.id}
    for response in (ask(api, player, policy, THERE), cancel(api, player, policy)):
        assert error_of(response) == (400, "invalid_parameters", "chainId")


def test_too_much_metadata_is_refused_by_its_limit(api: Client) -> None:
    body = {"name": "Ada", "metadata": {f"n{number}": "x" for number in range(101)}}
    error = api.post("/v1/players", json=body).json()["error"]
    assert error["message"].startswith("metadata: must have 100 or fewer items")
    assert "None" not in error["message"]
