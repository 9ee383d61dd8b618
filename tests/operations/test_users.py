"""Users as the project's owner sees them, and as they see themselves."""

from collections.abc import Callable, Mapping

import jwt
import pytest
from httpx import Client

from mockserver.domain.identity.users import create_user, link_account
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.identity import User
from mockserver.state.onchain import Transaction, TransactionStatus
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Key
from tests.tables import cases

SignedIn = Callable[[str], dict[str, str]]
ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"


@pytest.fixture
def ada(project: Project) -> User:
    user = create_user(project, name="Ada Lovelace", email="ada@example.com", email_verified=True)
    link_account(project, user, "google", "42")
    project.undo.mark()
    return user


@pytest.fixture
def bob(project: Project) -> User:
    user = create_user(project, name="Bob", email="bob@example.com", phone_number="+15550100")
    linked = link_account(project, user, "siwe", f"{ADDRESS}:1")
    project.identity.linked_accounts.replace(
        linked._replace(
            chain_type="EVM", chain_id=1, connector_type="injected", wallet_client_type="metamask"
        )
    )
    project.undo.mark()
    return user


def give_account(project: Project, user: User) -> Account:
    wallet = wallet_of_user(project, user)
    project.wallets.keys.insert(Key(ADDRESS.lower(), "EVM", b"\x01" * 32))
    account = Account(
        id=project.new_id("acc"),
        wallet_id=wallet.id,
        account_type="Externally Owned Account",
        chain_type="EVM",
        address=ADDRESS,
        custody="Developer",
        created_ms=project.clock.now_ms,
        updated_ms=project.clock.now_ms,
    )
    project.wallets.accounts.insert(account)
    project.undo.mark()
    return account


def give_transaction(project: Project, account: Account, status: TransactionStatus) -> None:
    now_ms = project.clock.now_ms
    project.onchain.transactions.insert(
        Transaction(
            id=project.new_id("tin"),
            created_ms=now_ms,
            updated_ms=now_ms,
            chain_id=80002,
            status=status,
            account_id=account.id,
            wallet_id=account.wallet_id,
            user_id=None,
            calls=(),
        )
    )
    project.undo.mark()


def test_a_user_is_shown_with_the_ways_in(api: Client, bob: User) -> None:
    assert api.get(f"/v2/users/{bob.id}").json() == {
        "id": bob.id,
        "createdAt": 1_767_225_600,
        "name": "Bob",
        "email": "bob@example.com",
        "emailVerified": False,
        "phoneNumber": "+15550100",
        "phoneNumberVerified": True,
        "isAnonymous": False,
        "linkedAccounts": [
            {
                "provider": "siwe",
                "createdAt": 1_767_225_600,
                "updatedAt": 1_767_225_600,
                "accountId": f"{ADDRESS}:1",
                "chainType": "EVM",
                "connectorType": "injected",
                "walletClientType": "metamask",
            }
        ],
    }


def test_a_user_is_found_by_the_id_of_their_wallet(api: Client, project: Project, ada: User) -> None:
    wallet = wallet_of_user(project, ada)
    project.undo.mark()
    assert api.get(f"/v2/users/{wallet.id}").json()["id"] == ada.id
    assert api.get(f"/v2/users/{wallet.id}/wallet").json() == {
        "id": wallet.id,
        "object": "wallet",
        "createdAt": 1_767_225_600,
    }


@cases("provider, shown", ("firebase", "custom"), ("custom", "custom"), ("oidc", "oidc"), ("line", "line"))
def test_third_parties_have_the_names_that_clients_know(
    api: Client, project: Project, provider: str, shown: str
) -> None:
    user = create_user(project, name="Ada", email=None, email_verified=False)
    link_account(project, user, provider, "7")
    for asked in {provider, shown}:
        (found,) = api.get("/v2/users", params={"authProviderId": asked}).json()["data"]
        assert found["linkedAccounts"][0]["provider"] == shown


@cases(
    "filters, names",
    ({}, ["Bob", "Ada Lovelace"]),
    ({"email": "ADA@example.com"}, ["Ada Lovelace"]),
    ({"authProviderId": "siwe"}, ["Bob"]),
    ({"authProviderId": "siwe", "externalUserId": "42"}, []),
    ({"walletClientType": "metamask", "name": "ada"}, []),
)
def test_users_are_listed_by_what_is_asked_for(
    api: Client, ada: User, bob: User, filters: Mapping[str, str], names: list[str]
) -> None:
    body = api.get("/v2/users", params=filters).json()
    assert [row["name"] for row in body["data"]] == names


@cases("method, path", ("GET", "/v2/users/{}"), ("DELETE", "/v2/users/{}"), ("GET", "/v2/users/{}/wallet"))
@cases("row_id", "usr_nobody", "pla_nobody")
def test_an_unknown_user_is_not_found(api: Client, method: str, path: str, row_id: str) -> None:
    response = api.request(method, path.format(row_id))
    assert (response.status_code, response.json()["error"]["code"]) == (404, "user_not_found")


def test_a_user_without_accounts_has_no_wallet_yet(api: Client, project: Project, ada: User) -> None:
    response = api.get(f"/v2/users/{ada.id}/wallet")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "wallet_not_found")
    assert len(project.wallets.wallets) == 0


def test_a_deleted_user_leaves_nothing_behind(
    api: Client, visitor: Client, project: Project, ada: User, bob: User, signed_in: SignedIn
) -> None:
    session = signed_in("ada@example.com")
    account = give_account(project, ada)
    give_transaction(project, account, "successful")
    assert api.delete(f"/v2/users/{ada.id}").json() == {
        "id": account.wallet_id,
        "object": "player",
        "deleted": True,
    }
    wallets, identity = project.wallets, project.identity
    assert [len(wallets.wallets), len(wallets.accounts), len(wallets.keys)] == [0, 0, 0]
    assert [row.id for row in identity.users] == [bob.id]
    assert [row.user_id for row in identity.linked_accounts] == [bob.id]
    assert len(identity.sessions) == 0
    assert visitor.get("/iam/v2/me", headers=session).status_code == 401
    assert api.get(f"/v2/users/{ada.id}").status_code == 404


def test_a_deleted_user_without_wallet_is_named_by_one(api: Client, project: Project, ada: User) -> None:
    assert api.delete(f"/v2/users/{ada.id}").json()["id"].startswith("pla_")
    assert len(project.wallets.wallets) == 0


@cases("status", "new", "awaiting_signature", "sent")
def test_a_user_with_unsettled_transactions_stays(
    api: Client, project: Project, ada: User, status: TransactionStatus
) -> None:
    give_transaction(project, give_account(project, ada), status)
    response = api.delete(f"/v2/users/{ada.id}")
    assert response.status_code == 409
    assert response.json()["error"]["code"] == "user_has_pending_transactions"
    assert ada.id in project.identity.users
    assert len(project.wallets.keys) == 1


def test_a_key_stays_while_it_is_used(api: Client, project: Project, ada: User, bob: User) -> None:
    account = give_account(project, ada)
    copy = account._replace(id=project.new_id("acc"), wallet_id=wallet_of_user(project, bob).id)
    project.wallets.accounts.insert(copy)
    project.undo.mark()
    api.delete(f"/v2/users/{ada.id}")
    assert [row.id for row in project.wallets.accounts] == [copy.id]
    assert len(project.wallets.keys) == 1


def test_users_see_themselves(api: Client, visitor: Client, ada: User, signed_in: SignedIn) -> None:
    me = visitor.get("/iam/v2/me", headers=signed_in("ada@example.com"))
    assert me.json() == api.get(f"/v2/users/{ada.id}").json()
    assert visitor.get("/iam/v2/me").status_code == 401
    assert api.get("/iam/v2/me").status_code == 401


def token_of(claims: Mapping[str, object]) -> str:
    return jwt.encode(dict(claims), "another provider's key, which is not checked", algorithm="HS256")


@cases("key", "sk", "pk")
def test_another_providers_token_creates_its_user_once(browser: Client, project: Project, key: str) -> None:
    token = token_of({"sub": "fire-1", "email": "Ada@example.com", "name": "Ada", "exp": 1_767_225_601})
    headers = {"authorization": f"Bearer {key}_test_tests"}
    body = {"provider": "firebase", "token": token, "tokenType": "idToken"}
    first = browser.post("/iam/v2/user/third_party", json=body, headers=headers).json()
    assert first == browser.post("/iam/v2/user/third_party", json=body, headers=headers).json()
    assert first["email"] == "ada@example.com"
    assert [(row["provider"], row["accountId"]) for row in first["linkedAccounts"]] == [("custom", "fire-1")]
    trio = {
        "authorization": f"Bearer {project.publishable_key}",
        "x-auth-provider": "firebase",
        "x-player-token": token,
    }
    assert browser.get("/iam/v2/me", headers=trio).json() == first


def test_an_unknown_providers_name_is_shortened_in_the_message(api: Client) -> None:
    response = api.post("/iam/v2/user/third_party", json={"provider": "n" * 121, "token": "x"})
    assert response.json()["message"] == f"{'n' * 117}... is not a third-party auth provider."


@cases(
    "body, expected",
    ({"provider": "unknown", "token": "x"}, (401, "AUTH_PROVIDER_UNKNOWN")),
    ({"provider": "firebase", "token": "a.b.c"}, (401, "PLAYER_TOKEN_INVALID")),
    (
        {"provider": "firebase", "token": token_of({"sub": "1", "exp": 1_767_225_600})},
        (401, "PLAYER_TOKEN_INVALID"),
    ),
    ({"provider": "firebase", "token": "x", "tokenType": "other"}, (400, "VALIDATION_ERROR")),
)
def test_a_token_without_a_subject_is_refused(
    api: Client, project: Project, body: dict[str, str], expected: tuple[int, str]
) -> None:
    response = api.post("/iam/v2/user/third_party", json=body)
    assert (response.status_code, response.json()["code"]) == expected
    assert len(project.identity.users) == 0
