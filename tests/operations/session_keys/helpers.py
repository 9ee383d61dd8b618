"""Session keys that are granted, and intents that they sign."""

from typing import Any

from eth_account import Account as EthAccount
from eth_account.signers.local import LocalAccount
from httpx import Client, Response

from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.operations.responses import ok
from tests.signing import owner_of, sign_hash

AMOY = 80002
THERE = "0x" + "11" * 20
SESSION = EthAccount.from_key(b"\x05" * 32)
STRANGER = EthAccount.from_key(b"\x06" * 32)


def post(api: Client, project: Project, path: str = "", **members: Any) -> Response:
    now_s = project.clock.now_s
    window = {"validAfter": now_s, "validUntil": now_s + 3600}
    body = {"address": SESSION.address, "chainId": AMOY, **(window if not path else {}), **members}
    return api.post(f"/v1/sessions{path}", json=body)


def owner_signs(project: Project, account: Account, answer: Any) -> str:
    return sign_hash(owner_of(project, account), answer["nextAction"]["payload"]["signableHash"])


def submit(api: Client, session: Any, signature: str, **members: Any) -> Response:
    return api.post(f"/v1/sessions/{session['id']}/signature", json={"signature": signature, **members})


def granted(api: Client, project: Project, account: Account, **members: Any) -> Any:
    """A session key of a user's account, registered with the owner's signature."""
    session = ok(post(api, project, account=account.id, **members))
    return ok(submit(api, session, owner_signs(project, account, session)))


def shown(api: Client, session: Any, **query: str) -> Any:
    return ok(api.get(f"/v1/sessions/{session['id']}", params=query))


def intent_of(api: Client, account: Account, *targets: str) -> Any:
    interactions = [{"to": target, "value": "1"} for target in targets or (THERE,)]
    body = {"chainId": AMOY, "account": account.id, "interactions": interactions}
    return ok(api.post("/v1/transaction_intents", json=body))


def sign_intent(api: Client, intent: Any, signer: LocalAccount = SESSION, eip191: bool = False) -> Response:
    signature = sign_hash(signer, intent["nextAction"]["payload"]["signableHash"], eip191=eip191)
    return api.post(f"/v1/transaction_intents/{intent['id']}/signature", json={"signature": signature})
