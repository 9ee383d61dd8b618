"""Developer accounts: registered or made, signing, and executing intents."""

from collections.abc import Callable
from typing import Any

from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct, encode_typed_data
from httpx import Client, Response

from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.kernel import timestamps
from mockserver.state.project import Project
from tests.operations.responses import error_of, ok
from tests.signing import sign_hash
from tests.tables import cases

AMOY, BASE = 80002, 84532
COIN = 10**18
THERE = "0x" + "11" * 20
PATH = "/v1/settings/developer_accounts"
NOWHERE = "dac_00000000-0000-0000-0000-000000000000"
OUTSIDER = EthAccount.from_key(b"\x09" * 32)
STRANGER = EthAccount.from_key(b"\x0a" * 32)
DAY_S = 86_400

MAIL: dict[str, Any] = {
    "domain": {"chainId": AMOY, "name": "Mail", "version": "1", "verifyingContract": THERE},
    "types": {
        "Person": [{"name": "name", "type": "string"}, {"name": "wallet", "type": "address"}],
        "Mail": [{"name": "from", "type": "Person"}, {"name": "contents", "type": "string"}],
    },
    "primaryType": "Mail",
    "value": {"from": {"name": "Ada", "wallet": THERE}, "contents": "Hello"},
}


def create(api: Client, **members: Any) -> Any:
    return ok(api.post(PATH, json=members))


def message(api: Client, address: str) -> str:
    return str(ok(api.get(f"{PATH}/message_to_sign", params={"address": address}))["message"])


def signed(text: str) -> str:
    return str(OUTSIDER.sign_message(encode_defunct(text=text)).signature.to_0x_hex())


def register(api: Client, **members: Any) -> Response:
    body = {"address": OUTSIDER.address, "signature": signed(message(api, OUTSIDER.address)), **members}
    return api.post(PATH, json=body)


def test_an_account_is_registered_after_the_year_9999(api: Client, project: Project) -> None:
    TIMER_LOOP.advance(project, timestamps.LAST_MS + 1)
    assert message(api, OUTSIDER.address).endswith(" on 99991231")
    assert register(api).status_code == 200


def intent(api: Client, account: Any, **members: Any) -> Response:
    calls = [{"to": THERE, "value": "7"}]
    body = {"chainId": AMOY, "account": account["id"], "interactions": calls, **members}
    return api.post("/v1/transaction_intents", json=body)


# --- making and registering ----------------------------------------------------------------------------


def test_without_an_address_the_mock_makes_a_key(api: Client, project: Project) -> None:
    made, other = create(api, name="Escrow"), create(api)
    assert made["id"].startswith("dac_")
    assert {**made, "id": "", "address": ""} == {
        "id": "",
        "object": "developerAccount",
        "createdAt": project.clock.now_s,
        "address": "",
        "custodial": True,
        "name": "Escrow",
        "transactionIntents": [],
    }
    assert "name" not in other
    assert made["address"] != other["address"]
    assert ok(api.get(f"{PATH}/{made['id']}")) == made


def test_an_address_is_registered_once_its_owner_signed(api: Client, project: Project) -> None:
    asked = ok(api.get(f"{PATH}/message_to_sign", params={"address": OUTSIDER.address.lower()}))
    named = project.id.removeprefix("pro_")
    assert asked == {
        "message": f"I want to register {OUTSIDER.address} to the project {named} for testnets on 20260101",
        "address": OUTSIDER.address,
    }
    made = ok(register(api, address=OUTSIDER.address.lower(), name="Mine"))
    assert (made["address"], made["custodial"], made["name"]) == (OUTSIDER.address, False, "Mine")


def test_a_message_is_good_until_the_end_of_the_next_day(api: Client, project: Project) -> None:
    signature = signed(message(api, OUTSIDER.address))
    TIMER_LOOP.advance(project, project.clock.now_ms + (2 * DAY_S - 1) * 1000)
    assert register(api, signature=signature).status_code == 200


def test_a_message_is_too_old_the_day_after(api: Client, project: Project) -> None:
    signature = signed(message(api, OUTSIDER.address))
    TIMER_LOOP.advance(project, project.clock.now_ms + 2 * DAY_S * 1000)
    assert error_of(register(api, signature=signature)) == (409, "invalid_signature", "signature")


@cases(
    "wrong, expected",
    ({"signature": None}, (400, "invalid_parameters", "signature")),
    ({"address": None}, (400, "invalid_parameters", "address")),
    ({"address": "0x1"}, (400, "invalid_parameters", "address")),
    ({"signature": "0x12"}, (400, "invalid_parameters", "signature")),
    ({"address": STRANGER.address}, (409, "invalid_signature", "signature")),
    ({"signature": "0x" + "00" * 65}, (409, "invalid_signature", "signature")),
    ({"signature": signed("something else")}, (409, "invalid_signature", "signature")),
)
def test_what_proves_nothing_is_refused_and_leaves_no_trace(
    api: Client, project: Project, wrong: dict[str, Any], expected: tuple[int, str, str]
) -> None:
    assert error_of(register(api, **wrong)) == expected
    assert len(project.wallets.developer_accounts) == 0


def test_a_refusal_names_who_signed_the_message_of_today(api: Client) -> None:
    signature = signed(message(api, STRANGER.address))
    refused = register(api, address=STRANGER.address, signature=signature).json()["error"]
    assert f"for today's message it would be {OUTSIDER.address}'s." in refused["message"]


def test_an_address_is_registered_once(api: Client) -> None:
    made = ok(register(api))
    assert error_of(register(api)) == (409, "developer_account_already_exists", "address")
    ok(api.delete(f"{PATH}/{made['id']}"))
    assert ok(register(api))["id"] != made["id"]


# --- finding, changing, deleting -----------------------------------------------------------------------


def test_other_lists_never_show_them(api: Client) -> None:
    create(api)
    ok(register(api))
    assert ok(api.get("/v2/accounts"))["data"] == []
    assert ok(api.get("/v1/players"))["data"] == []
    assert ok(api.get("/v2/users"))["data"] == []


def test_a_name_is_changed(api: Client) -> None:
    made = create(api, name="Old")
    path = f"{PATH}/{made['id']}"
    assert ok(api.post(path, json={"name": "New"})) == {**made, "name": "New"}
    assert ok(api.post(path, json={})) == {**made, "name": "New"}
    assert error_of(api.post(path, json={"name": ""})) == (400, "invalid_parameters", "name")


def test_a_deleted_account_is_shown_by_lists_that_ask(api: Client) -> None:
    made = create(api)
    path = f"{PATH}/{made['id']}"
    assert ok(api.delete(path)) == {"id": made["id"], "object": "developerAccount", "deleted": True}
    assert ok(api.get(PATH))["data"] == []
    assert ok(api.get(PATH, params={"deleted": "true"}))["data"] == [made]
    assert error_of(api.get(path)) == (404, "developer_account_not_found", None)
    assert error_of(intent(api, made)) == (404, "developer_account_not_found", "account")


def test_an_unknown_account_is_not_found(api: Client) -> None:
    path = f"{PATH}/{NOWHERE}"
    for response in (
        api.get(path),
        api.post(path, json={}),
        api.delete(path),
        api.post(f"{path}/sign_payload", json=MAIL),
    ):
        assert error_of(response) == (404, "developer_account_not_found", None)


# --- signing -------------------------------------------------------------------------------------------


def test_typed_data_is_signed_with_the_key_of_the_account(api: Client) -> None:
    made = create(api)
    answer = ok(api.post(f"{PATH}/{made['id']}/sign_payload", json=MAIL))
    document = {**MAIL, "message": MAIL["value"]}
    document["types"] = {
        **MAIL["types"],
        "EIP712Domain": [
            {"name": "name", "type": "string"},
            {"name": "version", "type": "string"},
            {"name": "chainId", "type": "uint256"},
            {"name": "verifyingContract", "type": "address"},
        ],
    }
    signable = encode_typed_data(full_message=document)
    assert EthAccount.recover_message(signable, signature=answer["signature"]) == made["address"]
    assert (answer["object"], answer["account"], answer["address"]) == (
        "signature",
        made["id"],
        made["address"],
    )
    again = api.post(
        f"{PATH}/{made['id']}/sign_payload", json={**MAIL, "hash": answer["hash"].upper().replace("0X", "0x")}
    )
    assert ok(again) == answer


@cases(
    "wrong, param",
    ({"domain": {"name": "Mail"}}, "domain.chainId"),
    ({"domain": {"chainId": AMOY, "colour": "red"}}, "domain.colour"),
    ({"primaryType": "Letter"}, "primaryType"),
    ({"types": {"Mail": [{"name": "from"}]}}, "types.Mail[0]"),
    ({"value": {"from": {"name": "Ada", "wallet": THERE}}}, "value.contents"),
    ({"value": {"from": {"name": "Ada", "wallet": "0x1"}, "contents": ""}}, "value.from.wallet"),
    ({"value": None}, "value"),
    ({"hash": "0x" + "11" * 32}, "hash"),
    ({"hash": "0x11"}, "hash"),
)
def test_typed_data_that_makes_no_sense_is_refused(api: Client, wrong: dict[str, Any], param: str) -> None:
    made = create(api)
    response = api.post(f"{PATH}/{made['id']}/sign_payload", json={**MAIL, **wrong})
    assert error_of(response) == (400, "invalid_parameters", param)


def test_a_key_stays_when_another_account_at_its_address_goes(api: Client, project: Project) -> None:
    made = create(api)
    wallet = create_wallet(project, create_user(project, name="Ada", email=None).id)
    for chain_id in (AMOY, BASE):
        create_eoa(project, wallet, "EVM", address=made["address"], chain_id=chain_id, held_by="Developer")
    project.undo.mark()
    first = ok(api.get("/v2/accounts"))["data"][0]
    ok(api.delete(f"/v2/accounts/{first['id']}"))
    ok(api.delete(f"/v1/players/{wallet.id}"))
    ok(api.post(f"{PATH}/{made['id']}/sign_payload", json=MAIL))


def test_a_key_that_is_elsewhere_signs_nothing_here(api: Client) -> None:
    made = ok(register(api))
    response = api.post(f"{PATH}/{made['id']}/sign_payload", json=MAIL)
    assert error_of(response) == (409, "developer_account_not_custodial", "id")


# --- executing -----------------------------------------------------------------------------------------


def test_a_developer_account_executes_as_an_external_one(api: Client, project: Project) -> None:
    made = create(api, name="Escrow")
    answer = ok(intent(api, made))
    assert (answer["abstractionType"], answer["account"]) == ("standard", {"id": made["id"]})
    assert "player" not in answer
    assert (answer["response"]["status"], answer["details"]["from"]) == (1, made["address"])
    paid = int(answer["response"]["gasFee"])
    left = project.chains.accounts[f"{AMOY}:{made['address'].lower()}"].balance
    assert left == project.settings.starting_balance_wei - 7 - paid


def test_its_intents_are_filtered_and_expanded(api: Client) -> None:
    made, other = create(api, name="Escrow"), create(api)
    mine, _ = ok(intent(api, made)), ok(intent(api, other))
    page = ok(api.get("/v1/transaction_intents", params={"account": made["id"], "expand": "account"}))
    whole = ok(api.get(f"{PATH}/{made['id']}"))
    assert whole == {**made, "transactionIntents": [{"id": mine["id"]}]}
    assert page["data"] == [{**mine, "account": whole}]
    expanded = ok(api.get(f"{PATH}/{made['id']}", params={"expand": "transactionIntents"}))
    assert expanded["transactionIntents"] == [mine]
    listed = ok(api.get(PATH, params={"expand": "transactionIntents", "order": "asc"}))["data"]
    assert listed[0] == expanded


def test_the_owner_of_a_key_elsewhere_signs_what_it_sends(api: Client) -> None:
    made = ok(register(api))
    waiting = ok(intent(api, made))
    assert "response" not in waiting
    digest = waiting["nextAction"]["payload"]["signableHash"]
    path = f"/v1/transaction_intents/{waiting['id']}/signature"
    wrong = sign_hash(STRANGER, digest)
    assert error_of(api.post(path, json={"signature": wrong})) == (409, "invalid_signature", "signature")
    assert ok(api.post(path, json={"signature": sign_hash(OUTSIDER, digest)}))["response"]["status"] == 1


def test_what_waits_for_a_deleted_account_is_not_sent(api: Client) -> None:
    made = ok(register(api))
    waiting = ok(intent(api, made))
    ok(api.delete(f"{PATH}/{made['id']}"))
    digest = waiting["nextAction"]["payload"]["signableHash"]
    right = sign_hash(OUTSIDER, digest)
    response = api.post(f"/v1/transaction_intents/{waiting['id']}/signature", json={"signature": right})
    assert error_of(response)[:2] == (409, "not_awaiting_signature")


def test_it_is_on_every_chain_with_the_starting_balance(api: Client) -> None:
    made = create(api)
    for chain_id in (AMOY, BASE):
        half = [{"to": THERE, "value": str(COIN // 2)}]
        assert ok(intent(api, made, chainId=chain_id, interactions=half))["response"]["status"] == 1
    too_much = [{"to": THERE, "value": str(COIN // 2)}]
    assert ok(intent(api, made, interactions=too_much))["response"]["status"] == 0


def test_what_it_would_cost_is_estimated(api: Client) -> None:
    made = create(api)
    body = {"chainId": AMOY, "account": made["id"], "interactions": [{"to": THERE, "value": "7"}]}
    cost = ok(api.post("/v1/transaction_intents/estimate_gas_cost", json=body))
    assert cost["estimatedTXGas"] == ok(intent(api, made))["response"]["gasUsed"]


def test_it_is_not_sponsored_and_makes_one_call(api: Client, project: Project) -> None:
    made = create(api)
    rules = [{"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}]
    policy = api.post("/v2/policies", json={"scope": "project", "rules": rules}).json()["id"]
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy}
    sponsorship = api.post("/v2/fee-sponsorship", json=body).json()["id"]
    assert error_of(intent(api, made, policy=sponsorship)) == (400, "invalid_parameters", "policy")
    twice = [{"to": THERE, "value": "1"}] * 2
    assert error_of(intent(api, made, interactions=twice)) == (400, "invalid_parameters", "interactions")
    assert error_of(intent(api, {"id": NOWHERE})) == (404, "developer_account_not_found", "account")
    assert len(project.onchain.transactions) == 0


def test_a_user_may_not_use_it(
    api: Client, visitor: Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    made = create(api)
    body = {"chainId": AMOY, "account": made["id"], "interactions": [{"to": THERE, "value": "1"}]}
    response = visitor.post("/v1/transaction_intents", json=body, headers=signed_in("ada@example.com"))
    assert error_of(response) == (404, "account_not_found", "account")


def test_it_is_sent_to_by_its_id(api: Client, project: Project) -> None:
    made, other = create(api), create(api)
    answer = ok(intent(api, made, interactions=[{"to": other["id"], "value": "5"}]))
    assert answer["interactions"] == [{"to": other["address"], "value": "5"}]
    there = project.chains.accounts[f"{AMOY}:{other['address'].lower()}"]
    assert there.balance == project.settings.starting_balance_wei + 5


def test_a_test_gives_it_a_fate_and_its_key_away(api: Client, project: Project) -> None:
    made = create(api)
    control = f"/_mock/projects/{project.id}"
    fate = {"kind": "transaction", "outcome": "reverted", "account_id": made["id"]}
    assert api.post(f"{control}/fates", json=fate).status_code == 201
    assert ok(intent(api, made))["response"]["status"] == 0
    key = ok(api.get(f"{control}/accounts/{made['id']}/key"))
    assert EthAccount.from_key(key["private_key"]).address == key["address"] == made["address"]
