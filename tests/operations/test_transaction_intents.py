"""Transaction intents: the same rows as v2 transactions; hashes and signatures judged by eth_account."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains import ledger
from mockserver.domain.identity.users import create_user, user_of_email
from mockserver.domain.transactions.fates import add_fate
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.custody import key_of
from mockserver.domain.wallets.wallets import create_wallet, wallet_of_user
from mockserver.server.assembly import assemble
from mockserver.state.guardrails import FeeSponsorship, Strategy
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from mockserver.state.world import World
from tests.transport import InProcessTransport

AMOY = 80002
THERE = "0x" + "11" * 20
CALL = {"to": THERE, "value": "1000"}
OUTSIDER = EthAccount.from_key(b"\x07" * 32)


def account_of(
    project: Project, kind: str = "UpgradeableV6", held_by: Custody = "Developer", backend: bool = False
) -> Account:
    """An account: `plain`, or the name of an implementation."""
    owner = create_eoa(project, create_wallet(project), "EVM", held_by=held_by, backend=backend)
    if kind != "plain":
        owner = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS[kind])  # type: ignore[index]
    project.undo.mark()
    return owner


def post(api: httpx.Client, path: str = "", **members: Any) -> httpx.Response:
    body = {"chainId": AMOY, "interactions": [CALL], **members}
    return api.post(f"/v1/transaction_intents{path}", json=body)


def create(api: httpx.Client, **members: Any) -> Any:
    response = post(api, **members)
    assert response.status_code == 200, response.text
    return response.json()


def sign_with(secret: bytes, digest: str) -> str:
    return "0x" + bytes(EthAccount.unsafe_sign_hash(digest, secret).signature).hex()


def secret_of(project: Project, account: Account) -> bytes:
    key = key_of(project, account)
    assert key is not None
    return key.secret


def submit(api: httpx.Client, intent: Any, signature: str, **members: Any) -> httpx.Response:
    path = f"/v1/transaction_intents/{intent['id']}/signature"
    return api.post(path, json={"signature": signature, **members})


def steps(intent: Any) -> list[tuple[str, str]]:
    return [(step["fromStatus"], step["toStatus"]) for step in intent.get("transitions", [])]


def error_of(response: httpx.Response) -> tuple[int, str, str | None]:
    error = response.json()["error"]
    return response.status_code, error["code"], error.get("param")


# --- creating ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/estimate_gas_cost"])
def test_an_account_and_a_player_that_do_not_belong_together_are_refused(
    api: httpx.Client, project: Project, path: str
) -> None:
    account, other = account_of(project), account_of(project)
    assert post(api, path, account=account.id, player=account.wallet_id).status_code == 200
    refused = post(api, path, account=account.id, player=other.wallet_id)
    assert error_of(refused) == (400, "invalid_parameters", "player")
    unknown = post(api, path, account=account.id, player="pla_nobody")
    assert error_of(unknown) == (404, "wallet_not_found", "player")
    made = [row.account_id for row in project.onchain.transactions]
    assert made == ([account.id] if not path else [])


def test_a_custodial_intent_answers_with_its_response(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    intent = create(api, account=account.id)
    assert intent["object"] == "transactionIntent"
    assert intent["abstractionType"] == "accountAbstractionV6"
    assert intent["response"]["status"] == 1
    assert intent["response"]["logs"]
    assert intent["finalCost"]
    assert intent["account"] == {"id": account.id}
    assert intent["player"] == {"id": account.wallet_id}
    assert "policy" not in intent
    assert intent["interactions"] == [CALL]
    assert steps(intent) == [("none", "new"), ("new", "sent"), ("sent", "indexed"), ("indexed", "confirmed")]
    assert intent["details"]["userOperation"] == intent["userOperation"]
    assert intent["details"]["userOperationHash"] == intent["userOperationHash"]


def test_an_optimistic_intent_answers_before_its_response(api: httpx.Client, project: Project) -> None:
    intent = create(api, account=account_of(project).id, optimistic=True)
    assert "response" not in intent
    assert steps(intent) == [("none", "new"), ("new", "sent")]
    TIMER_LOOP.advance(project, project.clock.now_ms + 2_000)
    assert api.get(f"/v1/transaction_intents/{intent['id']}").json()["response"]["status"] == 1


@pytest.mark.parametrize(
    ("kind", "abstraction"),
    [
        ("plain", "standard"),
        ("UpgradeableV5", "accountAbstractionV6"),
        ("Simple", "accountAbstractionV8"),
        ("CaliburV9", "accountAbstractionV9"),
    ],
)
def test_the_entry_point_decides_the_type_of_abstraction(
    api: httpx.Client, project: Project, kind: str, abstraction: str
) -> None:
    intent = create(api, account=account_of(project, kind).id)
    assert intent["abstractionType"] == abstraction
    if kind == "plain":
        assert set(intent["details"]) >= {"from", "to", "nonce", "gas", "maxFeePerGas"}
        assert "userOperationHash" not in intent


def test_an_owner_signs_the_hash_of_the_next_action(api: httpx.Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    intent = create(api, account=account.id)
    assert "response" not in intent
    assert "transitions" not in intent
    assert intent["userOperation"]["signature"] == "0x"
    payload = intent["nextAction"]["payload"]
    assert intent["nextAction"]["type"] == "sign_with_wallet"
    assert payload["signableHash"] == payload["userOperationHash"] == intent["userOperationHash"]
    signature = sign_with(secret_of(project, account), payload["signableHash"])
    recovered = EthAccount._recover_hash(payload["signableHash"], signature=signature)
    assert recovered == account.owner_address
    publishable = {"authorization": f"Bearer {project.publishable_key}"}
    path = f"/v1/transaction_intents/{intent['id']}/signature"
    done = api.post(path, json={"signature": signature}, headers=publishable).json()
    assert done["response"]["status"] == 1
    assert done["userOperation"]["signature"] == signature
    assert "nextAction" not in done
    assert error_of(submit(api, intent, signature))[:2] == (409, "not_awaiting_signature")


def test_a_foreign_signature_is_refused_and_leaves_no_trace(api: httpx.Client, project: Project) -> None:
    intent = create(api, account=account_of(project, held_by="User").id)
    signature = sign_with(bytes(OUTSIDER.key), intent["nextAction"]["payload"]["signableHash"])
    assert error_of(submit(api, intent, signature)) == (409, "invalid_signature", "signature")
    assert submit(api, intent, "0x12").status_code == 400
    assert api.get(f"/v1/transaction_intents/{intent['id']}").json() == intent


def test_nobody_named_means_a_new_player_with_a_custodial_account(
    api: httpx.Client, project: Project
) -> None:
    first, second = create(api), create(api)
    assert first["player"] != second["player"]
    shown = api.get(f"/v1/transaction_intents/{first['id']}", params={"expand": ["account", "player"]}).json()
    assert shown["account"]["custodial"] is True
    assert shown["account"]["deployed"] is True
    assert shown["account"]["player"] == first["player"]
    assert shown["player"]["accounts"] == [first["account"]]
    again = create(api, player=first["player"]["id"])
    assert again["account"] == first["account"]


def test_an_owner_outside_of_the_mock_signs_for_the_account_that_is_made(
    api: httpx.Client, project: Project
) -> None:
    intent = create(api, externalOwnerAddress=OUTSIDER.address)
    digest = intent["nextAction"]["payload"]["signableHash"]
    signed = OUTSIDER.sign_message(encode_defunct(hexstr=digest))
    done = submit(api, intent, "0x" + bytes(signed.signature).hex()).json()
    assert done["response"]["status"] == 1
    assert create(api, externalOwnerAddress=OUTSIDER.address.lower())["account"] == intent["account"]


def test_an_owner_outside_is_not_given_the_account_of_somebody_else(
    api: httpx.Client, project: Project
) -> None:
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
    api: httpx.Client, project: Project, visitor: httpx.Client, signed_in: Callable[[str], dict[str, str]]
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


def test_a_player_has_one_address_on_every_chain(api: httpx.Client, project: Project) -> None:
    first = create(api)
    other = create(api, player=first["player"]["id"], chainId=84532)
    assert first["account"] != other["account"]
    assert first["userOperation"]["sender"] == other["userOperation"]["sender"]


def test_a_key_that_moved_to_another_chain_is_not_taken_for_the_account(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project)
    key = project.wallets.accounts.find("wallet_id", account.wallet_id)[0]
    project.wallets.accounts.replace(key._replace(chain_id=1_234))
    project.undo.mark()
    intent = create(api, player=account.wallet_id, chainId=84532)
    assert intent["userOperation"]["sender"] == account.address


def test_a_registered_contract_is_called_by_its_id(api: httpx.Client, project: Project) -> None:
    contract = api.post(
        "/v1/contracts", json={"chainId": AMOY, "address": THERE, "name": "token", "abi": []}
    ).json()
    call = {
        "contract": contract["id"],
        "functionName": "mint(address,uint256)",
        "functionArgs": [contract["id"], "5"],
    }
    intent = create(api, interactions=[call])
    assert intent["interactions"] == [{**call, "functionArgs": [THERE, "5"]}]
    sibling = api.get(f"/v2/transactions/{intent['id']}").json()
    assert sibling["calls"][0]["contractId"] == contract["id"]


@pytest.mark.parametrize(
    ("members", "refused"),
    [
        ({"account": "acc_none"}, (404, "account_not_found", "account")),
        ({"player": "pla_none"}, (404, "wallet_not_found", "player")),
        ({"policy": "pol_none"}, (404, "fee_sponsorship_not_found", "policy")),
        ({"chainId": 1}, (400, "chain_of_other_mode", "chainId")),
        ({"interactions": []}, (400, "invalid_parameters", "interactions")),
        ({"interactions": [{}]}, (400, "invalid_parameters", "interactions[0].to")),
        (
            {"interactions": [{"contract": "con_none", "functionName": "f()"}]},
            (404, "contract_not_found", "interactions[0].contract"),
        ),
        ({"signedAuthorization": "0x" + "00" * 65}, (400, "invalid_parameters", "signedAuthorization")),
    ],
)
def test_a_refused_intent_names_the_field_and_leaves_no_trace(
    api: httpx.Client, project: Project, members: dict[str, Any], refused: tuple[int, str, str]
) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables()]
    assert error_of(post(api, **members)) == refused
    assert (project.entropy.draws(), [len(table) for table in project.tables()]) == before


def test_the_same_idempotency_key_makes_one_intent(api: httpx.Client, project: Project) -> None:
    headers = {"x-idempotency-key": "once"}
    body = {"chainId": AMOY, "interactions": [CALL]}
    first = api.post("/v1/transaction_intents", json=body, headers=headers).json()
    assert api.post("/v1/transaction_intents", json=body, headers=headers).json() == first
    assert api.get("/v1/transaction_intents").json()["total"] == 1


# --- delegation ----------------------------------------------------------------------------------------


def authorization(
    project: Project, account: Account, *, v: int = 27, secret: bytes | None = None, **changes: Any
) -> str:
    assert account.smart_account is not None
    fields = {"chainId": AMOY, "address": account.smart_account.implementation_address, "nonce": 0, **changes}
    signed = EthAccount.sign_authorization(fields, secret or secret_of(project, account))
    raw = signed.r.to_bytes(32, "big") + signed.s.to_bytes(32, "big") + bytes([v + signed.y_parity])
    return str("0x" + raw.hex())


@pytest.mark.parametrize("v", [0, 27])
@pytest.mark.parametrize("path", ["v1", "v2"])
def test_an_authorization_that_eth_account_signs_is_accepted(
    api: httpx.Client, project: Project, v: int, path: str
) -> None:
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


@pytest.mark.parametrize(
    "changes", [{"nonce": 1}, {"chainId": 84532}, {"address": THERE}, {"secret": bytes(OUTSIDER.key)}]
)
def test_an_authorization_of_something_else_is_refused(
    api: httpx.Client, project: Project, changes: dict[str, Any]
) -> None:
    account = account_of(project, "CaliburV9")
    refused = post(api, account=account.id, signedAuthorization=authorization(project, account, **changes))
    assert error_of(refused) == (409, "invalid_authorization", "signedAuthorization")
    assert len(project.onchain.transactions) == 0


def test_an_authorization_for_every_chain_is_accepted(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "CaliburV9")
    signed = authorization(project, account, chainId=0)
    assert create(api, account=account.id, signedAuthorization=signed)["response"]["status"] == 1


def test_a_backend_wallets_delegated_account_is_signed_for_by_its_wallet(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project, "CaliburV9", backend=True)
    intent = create(api, account=account.id)
    signature = sign_with(secret_of(project, account), intent["nextAction"]["payload"]["signableHash"])
    assert submit(api, intent, signature).json()["response"]["status"] == 1
    body = {"chainId": AMOY, "accountId": account.id, "calls": [CALL]}
    assert api.post("/v2/transactions", json=body).json()["status"] == "successful"


# --- sponsorship and cost ------------------------------------------------------------------------------


def sponsorship(project: Project) -> str:
    strategy = Strategy(sponsor_schema="pay_for_user")
    row = FeeSponsorship(project.new_id("pol"), 0, "free", AMOY, True, strategy, None)
    project.guardrails.fee_sponsorships.insert(row)
    project.undo.mark()
    return row.id


def test_the_policy_of_an_intent_is_a_fee_sponsorship(api: httpx.Client, project: Project) -> None:
    policy = sponsorship(project)
    intent = create(api, policy=policy)
    assert intent["policy"] == {"id": policy}
    assert intent["userOperation"]["paymasterAndData"] != "0x"
    shown = api.get(f"/v1/transaction_intents/{intent['id']}", params={"expand": "policy"}).json()["policy"]
    assert shown["object"] == "policy"
    assert shown["transactionIntents"] == [{"id": intent["id"]}]
    listed = api.get("/v1/transaction_intents", params={"policy": policy}).json()
    assert [row["id"] for row in listed["data"]] == [intent["id"]]


def test_an_estimate_agrees_with_the_intent_and_makes_nothing(api: httpx.Client, project: Project) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables()]
    cost = post(api, "/estimate_gas_cost").json()
    assert (project.entropy.draws(), [len(table) for table in project.tables()]) == before
    response = create(api)["response"]
    assert abs(int(cost["estimatedTXGas"]) - int(response["gasUsed"])) < 300
    assert int(cost["estimatedTXGasFee"]) == int(cost["estimatedTXGas"]) * int(cost["gasPrice"])


# --- lists, and two vocabularies for one row ------------------------------------------------------------


def test_the_list_tells_success_from_failure(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    good = create(api, account=account.id)
    add_fate(project, "reverted", options={"reason": "no"})
    bad = create(api, account=account.id)
    assert bad["response"]["status"] == 0
    assert bad["response"]["error"]["reason"] == "no"
    assert steps(bad)[-1] == ("indexed", "reverted")
    for status, row in ((1, good), (0, bad)):
        listed = api.get("/v1/transaction_intents", params={"status": status}).json()
        assert [each["id"] for each in listed["data"]] == [row["id"]]
    assert api.get("/v1/transaction_intents", params={"player": account.wallet_id}).json()["total"] == 2
    assert api.get("/v1/transaction_intents", params={"account": "acc_none"}).json()["total"] == 0


FATES = st.sampled_from(["successful", "reverted", "failed", "dropped", "replaced", "never_mined"])
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("create"), FATES),
        st.tuples(st.just("advance"), st.integers(0, 3_000)),
        st.tuples(st.just("sign"), st.just("")),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25)
@given(kind=st.sampled_from(["plain", "UpgradeableV6", "CaliburV9"]), moves=MOVES, owned=st.booleans())
def test_an_intent_and_the_transaction_of_the_same_row_never_contradict_each_other(
    kind: str, moves: list[tuple[str, Any]], owned: bool
) -> None:
    world = World()
    project = world.create(name="pairs")
    account = account_of(project, kind, "User" if owned else "Developer")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with httpx.Client(transport=transport, base_url="http://mock", headers=headers, verify=False) as api:
        for move, argument in moves:
            if move == "create":
                add_fate(project, argument)
                create(api, account=account.id, optimistic=True)
            elif move == "advance":
                TIMER_LOOP.advance(project, project.clock.now_ms + argument)
            for row in project.onchain.transactions.find("status", "awaiting_signature")[: move == "sign"]:
                assert row.execution is not None
                digest = "0x" + row.execution.signing_hash.hex()
                submit(api, {"id": row.id}, sign_with(secret_of(project, account), digest), optimistic=True)
            project.undo.mark()
            compare(api)


def compare(api: httpx.Client) -> None:
    intents = api.get("/v1/transaction_intents").json()["data"]
    query = {"expand": ["logs", "userOperation", "timeline"]}
    rows = api.get("/v2/transactions", params=query).json()["data"]
    assert [intent["id"] for intent in intents] == [row["id"] for row in rows]
    for intent, row in zip(intents, rows, strict=True):
        status = row["status"]
        assert (
            ("response" in intent) == (status in ("successful", "reverted", "failed")) == ("receipt" in row)
        )
        assert ("nextAction" in intent) == (status == "awaiting_signature")
        if "receipt" in row:
            assert intent["response"] == {**row["receipt"], "status": int(status == "successful")}
        if "nextAction" in row:
            assert intent["nextAction"]["payload"]["signableHash"] == row["nextAction"]["hash"]
        assert intent.get("finalCost") == row.get("costUsd")
        assert intent["interactions"] == row["calls"]
        assert intent.get("userOperation") == row.get("execution", {}).get("userOperation")
        ends = {"successful": "confirmed", "reverted": "reverted"}
        reached = [target for _, target in steps(intent)]
        sources = [source for source, _ in steps(intent)]
        assert sources == (["none", *reached[:-1]] if reached else [])
        if status in ends:
            assert reached[-1] == ends[status]
        assert ("sent" in reached) == any(at["event"] == "sent" for at in row["timeline"])


def test_a_user_made_for_a_list_is_not_seen_by_another_project(
    api: httpx.Client, project: Project, world: World
) -> None:
    create_user(project, name="", email=None)
    project.undo.mark()
    intent = create(api)
    other = world.create(name="other")
    headers = {"authorization": f"Bearer {other.secret_key}"}
    assert api.get(f"/v1/transaction_intents/{intent['id']}", headers=headers).status_code == 404
