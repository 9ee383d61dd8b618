"""Session keys that sign more than they may: other calls, other accounts, before, after and too often."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from eth_account import Account as EthAccount
from eth_account.signers.local import LocalAccount

from mockserver.state.world import World
from tests.accounts import account_of
from tests.adversary.attacks.proofs import Tenant
from tests.adversary.budget import Budget
from tests.operations.responses import ok
from tests.operations.session_keys.helpers import AMOY, granted, owner_signs, post, sign_intent, submit
from tests.server.robustness.stage import held
from tests.signing import owner_of, sign_hash

LISTED, OTHER = "0x" + "11" * 20, "0x" + "22" * 20


class Key(NamedTuple):
    """A session key, and whether it may make a call to an address."""

    signer: LocalAccount
    may_call: Callable[[str], bool]


def attack(budget: Budget) -> None:
    """Sign transactions with them: only one whose every call the key may make is accepted."""
    tenant = Tenant(World(), "tests")
    project = tenant.project
    tenant.client.headers.update(tenant.secret)
    account, another = (account_of(project, held_by="User") for _ in range(2))
    keys = grant(tenant, account, another)
    owner = Key(owner_of(project, account), lambda _: True)
    targets = [LISTED, LISTED, OTHER, account.address, another.address]
    state = project.snapshot()
    for _ in budget:
        project.restore(state)
        calls = [budget.chance.choice(targets) for _ in range(budget.chance.choice([1, 1, 2, 3]))]
        key = budget.chance.choice([owner, *keys])
        intent = ok(tenant.client.post("/v1/transaction_intents", json=intent_body(account.id, calls)))
        before = held(project)
        eip191 = budget.chance.random() < 0.5
        answer = sign_intent(tenant.client, intent, key.signer, eip191)
        if all(key.may_call(call) for call in calls):
            assert answer.is_success, (calls, answer.text)
            continue
        assert 400 <= answer.status_code < 500, (calls, answer.text)
        assert held(project) == before, (calls, answer.text)
        forged = forge(budget.chance, intent, keys[0].signer)
        path = f"/v1/transaction_intents/{intent['id']}/signature"
        assert 400 <= tenant.client.post(path, json={"signature": forged}).status_code < 500
        assert held(project) == before, forged
        assert sign_intent(tenant.client, intent, owner.signer).is_success


def intent_body(account: str, calls: list[str]) -> dict[str, Any]:
    """A transaction of some calls."""
    return {"chainId": AMOY, "account": account, "interactions": [{"to": to, "value": "1"} for to in calls]}


def grant(tenant: Tenant, account: Any, another: Any) -> list[Key]:
    """Keys of an account that may do something, and others that may do nothing there any more, or yet."""
    project, api, now_s = tenant.project, tenant.client, tenant.project.clock.now_s
    signers = (EthAccount.from_key(bytes([number]) * 32) for number in range(50, 80))

    def key(may_call: Callable[[str], bool], of: Any = account, **members: Any) -> Key:
        signer = next(signers)
        granted(api, project, of, address=signer.address, **members)
        return Key(signer, may_call)

    def never(_: str) -> bool:
        return False

    keys = [
        key(lambda to: to == LISTED, whitelist=[LISTED]),
        key(lambda to: to != account.address),
        key(never, another),
        key(never, validAfter=now_s + 7200, validUntil=now_s + 9000),
        key(never, validUntil=now_s + 60),
        key(never, limit=1),
        key(never),
        Key(next(signers), never),
    ]
    used = ok(api.post("/v1/transaction_intents", json=intent_body(account.id, [OTHER])))
    ok(sign_intent(api, used, keys[5].signer))
    revoking = ok(post(api, project, "/revoke", account=account.id, address=keys[6].signer.address))
    ok(submit(api, revoking, owner_signs(project, account, revoking)))
    ok(api.post("/_mock/projects/-/clock/advance", json={"seconds": 61}))
    return keys


def forge(chance: random.Random, intent: Any, signer: LocalAccount) -> str:
    """A signature of something else, or that is none."""
    digest = intent["nextAction"]["payload"]["signableHash"]
    other = digest[:-2] + ("00" if digest[-2:] != "00" else "01")
    signed = sign_hash(signer, other).removeprefix("0x")
    return chance.choice(
        ["0x" + signed, "0x", "0x00", "0x" + "00" * 65, "0x" + "ff" * 65, "0x" + signed[:-2]]
    )
