"""Users as the older API shows them."""

from typing import Any

import jwt
from httpx import Client

from mockserver.domain.identity.users import create_user, link_account
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.operations.auth import AUTH
from tests.tables import cases

PLAYERS = "/iam/v1/players"
NEW = {"thirdPartyUserId": "fb-7", "thirdPartyProvider": "firebase", "preGenerateEmbeddedAccount": False}
AMOY = 80002


def create(api: Client, **changes: object) -> Any:
    response = api.post(PLAYERS, json=NEW | changes)
    assert response.status_code == 200
    return response.json()


def test_a_player_is_the_user_of_another_provider(api: Client, project: Project) -> None:
    player = create(api)
    assert player == {
        "id": player["id"],
        "object": "player",
        "createdAt": 1_767_225_600,
        "linkedAccounts": [
            {
                "provider": "firebase",
                "externalUserId": "fb-7",
                "disabled": False,
                "verified": True,
                "updatedAt": 1_767_225_600,
            }
        ],
        "player": {"id": player["id"]},
    }
    assert player["id"].startswith("pla_")
    assert api.get(f"{PLAYERS}/{player['id']}").json() == player
    (user,) = api.get("/v2/users").json()["data"]
    assert api.get(f"{PLAYERS}/{user['id']}").json() == player
    assert api.get(f"/v2/users/{user['id']}/wallet").json()["id"] == player["id"]
    headers = {
        "authorization": f"Bearer {project.publishable_key}",
        "x-auth-provider": "firebase",
        "x-player-token": jwt.encode({"sub": "fb-7"}, "k" * 32),
    }
    assert api.get("/iam/v2/me", headers=headers).json()["id"] == user["id"]


def test_an_embedded_account_is_made_beforehand_once(api: Client) -> None:
    player = create(api, preGenerateEmbeddedAccount=True)
    assert len(player["recoveryShare"]) == 66
    (account,) = api.get("/v2/accounts", params={"user": player["id"]}).json()["data"]
    assert (account["accountType"], account["custody"]) == ("Externally Owned Account", "User")
    again = create(api, preGenerateEmbeddedAccount=True)
    assert again["id"] == player["id"]
    assert "recoveryShare" not in again
    assert api.get("/v2/accounts").json()["total"] == 1


def test_a_chain_makes_it_a_smart_account(api: Client) -> None:
    player = create(api, preGenerateEmbeddedAccount=True, chainId=AMOY)
    smart, owner = api.get("/v2/accounts", params={"user": player["id"]}).json()["data"]
    assert (smart["accountType"], smart["chainId"]) == ("Smart Account", AMOY)
    assert smart["ownerAddress"] == owner["address"]
    mainnet = api.post(PLAYERS, json=NEW | {"preGenerateEmbeddedAccount": True, "chainId": 1})
    assert mainnet.status_code == 200, "who has accounts keeps them"
    mainnet = api.post(
        PLAYERS, json=NEW | {"thirdPartyUserId": "x", "preGenerateEmbeddedAccount": True, "chainId": 1}
    )
    assert mainnet.json()["error"]["code"] == "chain_of_other_mode"
    assert api.get(PLAYERS).json()["total"] == 1


def test_posting_an_empty_value_unsets_a_key(api: Client) -> None:
    create(api, metadata={"level": 3, "guild": "red"})
    player = create(api, metadata={"guild": "", "vip": True})
    assert player["linkedAccounts"][0]["metadata"] == {"level": 3, "vip": True}


@cases("empty", "", {})
def test_empty_metadata_unsets_every_key(api: Client, empty: object) -> None:
    create(api, metadata={"level": 3})
    assert "metadata" not in create(api, metadata=empty)["linkedAccounts"][0]


def test_older_clients_send_forms(api: Client) -> None:
    form = {
        "thirdPartyUserId": "fb-8",
        "thirdPartyProvider": "firebase",
        "preGenerateEmbeddedAccount": "true",
        "metadata[level]": "3",
    }
    response = api.post(PLAYERS, data=form)
    assert response.status_code == 200
    assert response.json()["linkedAccounts"][0]["metadata"] == {"level": "3"}


def test_players_are_listed_newest_first_and_filtered(api: Client, visitor: Client, project: Project) -> None:
    first = create(api)
    TIMER_LOOP.advance(project, project.clock.now_ms + 1000)
    body = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    visitor.post(f"{AUTH}/sign-up/email", json=body)
    listed = api.get(PLAYERS).json()
    assert (listed["object"], listed["start"], listed["end"], listed["total"]) == ("list", 0, 2, 2)
    ada = listed["data"][0]
    assert ada["linkedAccounts"] == [
        {
            "provider": "email",
            "email": "ada@example.com",
            "disabled": False,
            "verified": False,
            "updatedAt": 1_767_225_601,
        }
    ]
    assert listed["data"][1] == first
    pages: tuple[tuple[dict[str, str | int], list[Any]], ...] = (
        ({"email": "Ada@example.com"}, [ada]),
        ({"externalUserId": "fb-7", "email": "ada@example.com"}, []),
    )
    for query, found in pages:
        assert api.get(PLAYERS, params=query).json()["data"] == found


def test_a_deleted_player_is_shown_once_more_then_gone(api: Client, project: Project) -> None:
    player = create(api, preGenerateEmbeddedAccount=True)
    del player["recoveryShare"]
    gone = api.delete(f"{PLAYERS}/{player['id']}")
    assert (gone.status_code, gone.json()) == (200, player)
    assert api.delete(f"{PLAYERS}/{player['id']}").status_code == 404
    assert api.get(f"{PLAYERS}/{player['id']}").json()["error"]["code"] == "user_not_found"
    assert api.get("/v2/users").json()["total"] == api.get("/v2/accounts").json()["total"] == 0
    assert len(project.wallets.keys) == len(project.identity.linked_accounts) == 0


def test_a_player_with_unsettled_transactions_stays(api: Client) -> None:
    player = create(api, preGenerateEmbeddedAccount=True)
    account = api.get("/v2/accounts").json()["data"][0]["id"]
    calls = [{"to": "0x" + "11" * 20, "value": "1"}]
    body = {"chainId": AMOY, "accountId": account, "calls": calls}
    assert api.post("/v2/transactions", json=body).status_code == 200
    assert api.delete(f"{PLAYERS}/{player['id']}").status_code == 409
    assert api.get(PLAYERS).json()["total"] == 1


def test_a_player_of_a_social_provider_has_the_users_address(api: Client, project: Project) -> None:
    user = create_user(project, name="", email="ada@example.com")
    link_account(project, user, "google", "google-ada")
    project.undo.mark()
    (player,) = api.get(PLAYERS).json()["data"]
    (linked,) = player["linkedAccounts"]
    assert (linked["provider"], linked["externalUserId"], linked["email"]) == (
        "google",
        "google-ada",
        "ada@example.com",
    )
