"""An evaluation of policies says what signing and sending then do."""

from collections.abc import Callable
from typing import Any

from httpx import Client
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.abi.grammar import parse_signature
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from mockserver.testing.signing import WalletAuth
from tests.accounts import account_of
from tests.operations.policies_bind.helpers import (
    AMOY,
    HASH,
    PLACES,
    THERE,
    VALUES,
    Allow,
    criteria,
    message,
    refused,
    sign,
    unsigned,
    wallet,
)
from tests.tables import cases
from tests.transport import InProcessTransport


@cases("operation", "sendEvmTransaction", "signEvmHash", "signEvmMessage")
@cases("action", "accept", "reject")
@cases("about", "sendEvmTransaction", "signEvmHash", "sponsorEvmTransaction")
def test_evaluating_and_doing_agree(
    backend: Client, project: Project, allow: Allow, operation: str, action: str, about: str
) -> None:
    account, key = account_of(project), wallet(backend)
    allow(about, action=action)
    done: dict[str, Callable[[], bool]] = {
        "sendEvmTransaction": lambda: (
            backend.post(
                "/v2/transactions", json={"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
            ).json()["status"]
            == "successful"
        ),
        "signEvmHash": lambda: sign(backend, key, HASH).is_success,
        "signEvmMessage": lambda: sign(backend, key, message("x")).is_success,
    }
    said = backend.post("/v2/policies/evaluate", json={"operation": operation, "payload": {"chainId": AMOY}})
    assert said.json()["allowed"] is done[operation]()


MINT = Function("mint", parse_signature("mint(uint256)")[1])
DATA = st.sampled_from([b"", b"\x01\x02", encode_call(MINT, [5]), encode_call(MINT, [6])])
BINDING = ("signEvmTransaction", "sendEvmTransaction")
RULES = st.sampled_from(BINDING).flatmap(
    lambda operation: st.fixed_dictionaries(
        {
            "action": st.sampled_from(["accept", "reject"]),
            "operation": st.just(operation),
            "criteria": st.lists(criteria(operation), max_size=2),
        }
    )
)
POLICIES = st.fixed_dictionaries(
    {
        "scope": st.sampled_from(["project", "account", "transaction"]),
        "rules": st.lists(RULES, min_size=1, max_size=3),
        "priority": st.integers(0, 2),
        "enabled": st.booleans(),
    }
)


@given(st.lists(POLICIES, max_size=3), PLACES, VALUES, DATA)
def test_evaluating_tells_the_outcome(
    policies: list[dict[str, Any]], place: str, value: int, data: bytes
) -> None:
    world = World()
    project = world.create(name="agreement")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with Client(transport=transport, base_url="http://mock", headers=headers) as api:
        wallet = create_eoa(project, create_wallet(project), "EVM", held_by="Developer", backend=True)
        accounts = {"signEvmTransaction": wallet, "sendEvmTransaction": account_of(project)}
        for number, policy in enumerate(policies):
            mine = list(accounts.values())[number % 2].id
            owned = {"accountId": mine} if policy["scope"] == "account" else {}
            made = api.post("/v2/policies", json={**policy, **owned})
            assert made.status_code == 201, made.text

        def evaluated(operation: str) -> Any:
            payload = {"chainId": AMOY, "to": place, "value": str(value), "data": "0x" + data.hex()}
            asked = {"operation": operation, "accountId": accounts[operation].id, "payload": payload}
            return api.post("/v2/policies/evaluate", json=asked).json()

        call = {"to": place, "value": str(value), "data": "0x" + data.hex()}
        account = accounts["sendEvmTransaction"].id
        row = api.post(
            "/v2/transactions", json={"chainId": AMOY, "accountId": account, "calls": [call]}
        ).json()
        said = evaluated("sendEvmTransaction")
        # Without a match the transaction is sent, and its account pays.
        denied = not said["allowed"] and "matchedRuleId" in said
        assert (row["status"] == "failed") == denied, (row, said)
        if denied:
            assert said["reason"] in row["receipt"]["error"]["reason"]
        elif not said["allowed"]:
            assert said["reason"].endswith("The account would pay by itself.")

        api.auth = WalletAuth(lambda: default_secret(project), lambda: project.clock.now_s)
        signed = sign(api, {"id": wallet.id}, unsigned(place, value, data))
        said = evaluated("signEvmTransaction")
        assert (signed.status_code == 200) == said["allowed"], (signed.text, said)
        if not said["allowed"]:
            assert said["reason"] in refused(signed)
