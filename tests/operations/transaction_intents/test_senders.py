"""Whose account an intent is sent from, and which is made for it."""

from collections.abc import Callable

from eth_account.messages import encode_defunct
from httpx import Client

from mockserver.domain.identity.users import user_of_email
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.responses import error_of
from tests.operations.transaction_intents.helpers import AMOY, CALL, OUTSIDER, create, post, submit


def test_without_account_and_player_a_custodial_one_is_made(api: Client) -> None:
    first, second = create(api), create(api)
    assert first["player"] != second["player"]
    shown = api.get(f"/v1/transaction_intents/{first['id']}", params={"expand": ["account", "player"]}).json()
    assert shown["account"]["custodial"] is True
    assert shown["account"]["deployed"] is True
    assert shown["account"]["player"] == first["player"]
    assert shown["player"]["accounts"] == [first["account"]]
    assert create(api, player=first["player"]["id"])["account"] == first["account"]


def test_of_a_player_who_was_deleted_only_the_id_is_shown(api: Client) -> None:
    intent = create(api)
    player = intent["player"]["id"]
    assert api.delete(f"/v1/players/{player}").status_code == 200
    path = f"/v1/transaction_intents/{intent['id']}"
    assert api.get(path, params={"expand": ["account", "player"]}).json()["player"] == {"id": player}


def test_an_outside_owner_signs_for_the_account_made(api: Client) -> None:
    intent = create(api, externalOwnerAddress=OUTSIDER.address)
    digest = intent["nextAction"]["payload"]["signableHash"]
    signed = OUTSIDER.sign_message(encode_defunct(hexstr=digest))
    assert submit(api, intent, "0x" + bytes(signed.signature).hex()).json()["response"]["status"] == 1
    assert create(api, externalOwnerAddress=OUTSIDER.address.lower())["account"] == intent["account"]


def test_an_external_owner_is_not_given_the_account_of_another(api: Client, project: Project) -> None:
    account = create(api)["account"]["id"]
    player = api.get(f"/v1/accounts/{account}").json()["player"]["id"]
    for named in ({"player": player}, {"account": account}):
        for path in ("", "/estimate_gas_cost"):
            refused = post(api, path, externalOwnerAddress=OUTSIDER.address, **named)
            assert refused.status_code == 409, refused.text
            assert refused.json()["error"]["code"] == "owner_of_other_account"
            assert refused.json()["error"]["param"] == "externalOwnerAddress"
    assert len(project.onchain.transactions) == 1


def test_a_user_executes_from_their_own_account(
    api: Client, project: Project, visitor: Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    headers = signed_in("ann@example.com")
    body = {"chainId": AMOY, "interactions": [CALL]}
    intent = visitor.post("/v1/transaction_intents", json=body, headers=headers).json()
    user = user_of_email(project, "ann@example.com")
    assert user is not None
    assert intent["player"] == {"id": wallet_of_user(project, user).id}
    path = f"/v1/transaction_intents/{intent['id']}"
    assert visitor.get(path, headers=headers).json() == intent
    assert visitor.get(path, headers=signed_in("bob@example.com")).status_code == 404
    body["account"] = account_of(project).id
    refused = visitor.post("/v1/transaction_intents", json=body, headers=headers)
    assert error_of(refused) == (404, "account_not_found", "account")


def test_a_player_has_one_address_on_every_chain(api: Client) -> None:
    first = create(api)
    other = create(api, player=first["player"]["id"], chainId=84532)
    assert first["account"] != other["account"]
    assert first["userOperation"]["sender"] == other["userOperation"]["sender"]


def test_a_key_on_another_chain_is_not_taken_for_the_account(api: Client, project: Project) -> None:
    account = account_of(project)
    key = project.wallets.accounts.find("wallet_id", account.wallet_id)[0]
    project.wallets.accounts.replace(key._replace(chain_id=1_234))
    project.undo.mark()
    intent = create(api, player=account.wallet_id, chainId=84532)
    assert intent["userOperation"]["sender"] == account.address
