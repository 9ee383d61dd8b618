"""Creating and signing transaction intents, and what is refused."""

from typing import Any

from eth_account import Account as EthAccount
from httpx import Client

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project
from tests.accounts import AccountKind, account_of
from tests.operations.responses import error_of
from tests.operations.transaction_intents.helpers import (
    AMOY,
    CALL,
    OUTSIDER,
    THERE,
    create,
    post,
    steps,
    submit,
)
from tests.signing import owner_of, sign_hash
from tests.tables import cases


@cases("path", "", "/estimate_gas_cost")
def test_an_account_of_another_player_is_refused(api: Client, project: Project, path: str) -> None:
    account, other = account_of(project), account_of(project)
    assert post(api, path, account=account.id, player=account.wallet_id).status_code == 200
    refused = post(api, path, account=account.id, player=other.wallet_id)
    assert error_of(refused) == (400, "invalid_parameters", "player")
    unknown = post(api, path, account=account.id, player="pla_nobody")
    assert error_of(unknown) == (404, "wallet_not_found", "player")
    made = [row.account_id for row in project.onchain.transactions]
    assert made == ([account.id] if not path else [])


@cases("path", "", "/estimate_gas_cost")
def test_a_chain_of_the_other_mode_is_refused_first(api: Client, path: str) -> None:
    assert error_of(post(api, path, account="acc_unknown", chainId=137))[::2] == (400, "chainId")


def test_a_custodial_intent_answers_with_its_response(api: Client, project: Project) -> None:
    account = account_of(project)
    intent = create(api, account=account.id)
    assert (intent["object"], intent["abstractionType"]) == ("transactionIntent", "accountAbstractionV6")
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


@cases("path", "", "/estimate_gas_cost")
def test_a_value_may_be_a_quantity(api: Client, project: Project, path: str) -> None:
    call, account = {"to": THERE, "value": "0x3E8"}, account_of(project).id
    answer = post(api, path, account=account, interactions=[call])
    assert answer.headers["x-mockserver-hint"].startswith("value-as-quantity: ")
    if not path:
        assert answer.json()["interactions"] == [{"to": THERE, "value": "1000"}]
    too_much = post(api, path, account=account, interactions=[{"to": THERE, "value": "0x1" + "0" * 64}])
    assert error_of(too_much) == (400, "invalid_parameters", "interactions[0].value")
    api.put("/_mock/projects/-/settings", json={"strict": True})
    strict = post(api, path, account=account, interactions=[CALL, call])
    assert error_of(strict)[::2] == (400, "interactions[1].value")


def test_an_optimistic_intent_answers_before_its_response(api: Client, project: Project) -> None:
    intent = create(api, account=account_of(project).id, optimistic=True)
    assert "response" not in intent
    assert steps(intent) == [("none", "new"), ("new", "sent")]
    TIMER_LOOP.advance(project, project.clock.now_ms + 2_000)
    assert api.get(f"/v1/transaction_intents/{intent['id']}").json()["response"]["status"] == 1


@cases(
    "kind, abstraction",
    ("plain", "standard"),
    ("UpgradeableV5", "accountAbstractionV6"),
    ("Simple", "accountAbstractionV8"),
    ("CaliburV9", "accountAbstractionV9"),
)
def test_the_entry_point_decides_the_type_of_abstraction(
    api: Client, project: Project, kind: AccountKind, abstraction: str
) -> None:
    intent = create(api, account=account_of(project, kind).id)
    assert intent["abstractionType"] == abstraction
    if kind == "plain":
        assert set(intent["details"]) >= {"from", "to", "nonce", "gas", "maxFeePerGas"}
        assert "userOperationHash" not in intent


def test_an_owner_signs_the_hash_of_the_next_action(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    intent = create(api, account=account.id)
    assert "response" not in intent
    assert "transitions" not in intent
    assert intent["userOperation"]["signature"] == "0x"
    payload = intent["nextAction"]["payload"]
    assert intent["nextAction"]["type"] == "sign_with_wallet"
    assert payload["signableHash"] == payload["userOperationHash"] == intent["userOperationHash"]
    signature = sign_hash(owner_of(project, account), payload["signableHash"])
    assert EthAccount._recover_hash(payload["signableHash"], signature=signature) == account.owner_address
    publishable = {"authorization": f"Bearer {project.publishable_key}"}
    path = f"/v1/transaction_intents/{intent['id']}/signature"
    done = api.post(path, json={"signature": signature}, headers=publishable).json()
    assert (done["response"]["status"], done["userOperation"]["signature"]) == (1, signature)
    assert "nextAction" not in done
    assert error_of(submit(api, intent, signature))[:2] == (409, "not_awaiting_signature")


def test_a_foreign_signature_is_refused_and_leaves_no_trace(api: Client, project: Project) -> None:
    intent = create(api, account=account_of(project, held_by="User").id)
    signature = sign_hash(OUTSIDER, intent["nextAction"]["payload"]["signableHash"])
    assert error_of(submit(api, intent, signature)) == (409, "invalid_signature", "signature")
    assert submit(api, intent, "0x12").status_code == 400
    assert api.get(f"/v1/transaction_intents/{intent['id']}").json() == intent


def test_a_registered_contract_is_called_by_its_id(api: Client) -> None:
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
    assert api.get(f"/v2/transactions/{intent['id']}").json()["calls"][0]["contractId"] == contract["id"]


@cases(
    "members, refused",
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
    (
        {
            "interactions": [
                {"to": THERE, "functionName": "f(uint8[][])", "functionArgs": ["[[" + "1," * 400_000 + "1]]"]}
            ]
        },
        (400, "invalid_parameters", "interactions[0].functionArgs[0][0]"),
    ),
    ({"signedAuthorization": "0x" + "00" * 65}, (400, "invalid_parameters", "signedAuthorization")),
)
def test_a_refused_intent_names_the_field_and_leaves_no_trace(
    api: Client, project: Project, members: dict[str, Any], refused: tuple[int, str, str]
) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables]
    assert error_of(post(api, **members)) == refused
    assert (project.entropy.draws(), [len(table) for table in project.tables]) == before


def test_the_same_idempotency_key_makes_one_intent(api: Client) -> None:
    headers = {"x-idempotency-key": "once"}
    body = {"chainId": AMOY, "interactions": [CALL]}
    first = api.post("/v1/transaction_intents", json=body, headers=headers).json()
    assert api.post("/v1/transaction_intents", json=body, headers=headers).json() == first
    assert api.get("/v1/transaction_intents").json()["total"] == 1
