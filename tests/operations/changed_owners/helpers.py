"""An account that is offered to a new owner and accepted."""

from collections.abc import Callable
from typing import Any

from eth_account import Account as EthAccount
from httpx import Client, Response

from mockserver.domain.identity.users import user_of_email
from mockserver.state.project import Project
from tests.operations.responses import ok
from tests.signing import sign_hash

AMOY, BASE = 80002, 84532
EOA = "Externally Owned Account"
THERE = "0x" + "11" * 20
OUTSIDER = EthAccount.from_key(b"\x09" * 32)
CALLS = [{"to": THERE, "value": "1"}]
SignedIn = Callable[[str], dict[str, str]]


def refused(response: Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def user_id(project: Project, email: str) -> str:
    user = user_of_email(project, email)
    assert user is not None
    return user.id


def offer(api: Client, account: Any, owner: str, policy: str) -> None:
    body = {"newOwnerAddress": owner, "policy": policy}
    ok(api.post(f"/v1/accounts/{account['id']}/request_transfer_ownership", json=body))


def accept(api: Client, owner: Any, account: Any) -> None:
    """Accept, with the signature of a user where the mock does not sign by itself."""
    calls = [{"to": account["address"], "functionName": "acceptOwnership()"}]
    path = "/v1/transaction_intents"
    body = {"chainId": AMOY, "account": owner["id"], "interactions": calls}
    made = ok(api.post(path, json=body))
    if "nextAction" in made:
        digest = made["nextAction"]["payload"]["signableHash"]
        if owner["address"] == OUTSIDER.address:
            signature = sign_hash(OUTSIDER, digest)
        else:
            body = {"hash": digest}
            signature = ok(api.post(f"/_mock/projects/-/accounts/{owner['id']}/sign", json=body))["signature"]
        ok(api.post(f"{path}/{made['id']}/signature", json={"signature": signature}))


def hand_over(api: Client, account: Any, owner: Any, policy: str) -> None:
    offer(api, account, owner["address"], policy)
    accept(api, owner, account)
