"""Authorizations by which an account is delegated (EIP-7702)."""

from typing import Any

from eth_account import Account as EthAccount
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import AccountKind, account_of
from tests.operations.responses import error_of
from tests.operations.transaction_intents.helpers import AMOY, CALL, OUTSIDER, THERE, create, post, submit
from tests.signing import owner_of, sign_hash
from tests.tables import cases


def authorization(
    project: Project, account: Account, *, v: int = 27, secret: bytes | None = None, **changes: Any
) -> str:
    assert account.smart_account is not None
    fields = {"chainId": AMOY, "address": account.smart_account.implementation_address, "nonce": 0, **changes}
    signed = EthAccount.sign_authorization(fields, secret or owner_of(project, account).key)
    raw = signed.r.to_bytes(32, "big") + signed.s.to_bytes(32, "big") + bytes([v + signed.y_parity])
    return str("0x" + raw.hex())


@cases("v", 0, 27)
@cases("path", "v1", "v2")
def test_an_authorization_is_accepted(api: Client, project: Project, v: int, path: str) -> None:
    account = account_of(project, "CaliburV9")
    signed = authorization(project, account, v=v)
    if path == "v1":
        assert create(api, account=account.id, signedAuthorization=signed)["response"]["status"] == 1
    else:
        body = {"chainId": AMOY, "accountId": account.id, "calls": [CALL], "signedAuthorization": signed}
        assert api.post("/v2/transactions", json=body).json()["status"] == "successful"
    assert ledger.chain_account(project, AMOY, account.address).nonce == 1
    refused = post(api, account=account.id, signedAuthorization=signed)
    assert error_of(refused) == (409, "invalid_authorization", "signedAuthorization")


def test_an_authorization_may_have_its_newer_name(api: Client, project: Project) -> None:
    account = account_of(project, "CaliburV9")
    signed = authorization(project, account)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [CALL], "authorization": signed}
    both = api.post("/v2/transactions", json=body | {"signedAuthorization": signed})
    assert error_of(both) == (400, "invalid_parameters", "authorization")
    api.put("/_mock/projects/-/settings", json={"strict": True})
    refused = api.post("/v2/transactions", json=body)
    assert (refused.status_code, refused.json()["param"]) == (400, "authorization")
    api.put("/_mock/projects/-/settings", json={"strict": False})
    answer = api.post("/v2/transactions", json=body)
    assert answer.json()["status"] == "successful"
    assert answer.headers["x-mockserver-hint"].startswith("authorization-by-newer-name: ")
    assert ledger.chain_account(project, AMOY, account.address).nonce == 1
    again = api.post("/v2/transactions", json=body)
    assert error_of(again) == (409, "invalid_authorization", "authorization")


@cases("changes", {"nonce": 1}, {"chainId": 84532}, {"address": THERE}, {"secret": bytes(OUTSIDER.key)})
def test_an_authorization_of_something_else_is_refused(
    api: Client, project: Project, changes: dict[str, Any]
) -> None:
    account = account_of(project, "CaliburV9")
    refused = post(api, account=account.id, signedAuthorization=authorization(project, account, **changes))
    assert error_of(refused) == (409, "invalid_authorization", "signedAuthorization")
    assert len(project.onchain.transactions) == 0


def test_an_authorization_for_every_chain_is_accepted(api: Client, project: Project) -> None:
    account = account_of(project, "CaliburV9")
    signed = authorization(project, account, chainId=0)
    assert create(api, account=account.id, signedAuthorization=signed)["response"]["status"] == 1


def test_a_wallet_signs_for_its_backend_delegated_account(api: Client, project: Project) -> None:
    account = account_of(project, "CaliburV9", backend=True)
    intent = create(api, account=account.id)
    signature = sign_hash(owner_of(project, account), intent["nextAction"]["payload"]["signableHash"])
    assert submit(api, intent, signature).json()["response"]["status"] == 1
    body = {"chainId": AMOY, "accountId": account.id, "calls": [CALL]}
    assert api.post("/v2/transactions", json=body).json()["status"] == "successful"
    assert "nextAction" not in create(api, account=account_of(project, "UpgradeableV6", backend=True).id)


@cases("kind", "plain", "Simple")
def test_no_authorization_without_delegation(api: Client, project: Project, kind: AccountKind) -> None:
    signed = authorization(project, account_of(project, "CaliburV9"))
    account = account_of(project, kind)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [CALL], "signedAuthorization": signed}
    refused = api.post("/v2/transactions", json=body)
    assert error_of(refused)[::2] == (400, "signedAuthorization")
    assert "only a Delegated Account delegates" in refused.json()["error"]["message"]
    assert len(project.onchain.transactions) == 0


@cases("r, s, reason", (5, 1, "not the x coordinate of a point"), (1, 2**255, "upper half of the order"))
def test_nobodys_signature_is_refused(api: Client, project: Project, r: int, s: int, reason: str) -> None:
    account = account_of(project, "CaliburV9")
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big") + b"\x1b"
    refused = post(api, account=account.id, signedAuthorization="0x" + signature.hex())
    assert error_of(refused) == (409, "invalid_authorization", "signedAuthorization")
    assert reason in refused.json()["error"]["message"]
    assert len(project.onchain.transactions) == 0
