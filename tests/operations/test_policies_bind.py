"""Policies decide what is signed and what is sent, and a test sees how."""

import base64
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from mockserver.chain.abi import Function, encode_call
from mockserver.chain.abi_grammar import parse_signature
from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from mockserver.state.world import World
from mockserver.testing.signing import WalletAuth
from tests.transport import InProcessTransport

AMOY = 80002
THERE = "0x" + "11" * 20
OTHER = "0x" + "22" * 20
HASH = "0x" + "07" * 32

Allow = Callable[..., str]


@pytest.fixture
def allow(api: httpx.Client) -> Allow:
    """Makes a policy of one rule."""

    def make(operation: str, *criteria: dict[str, Any], action: str = "accept", **members: Any) -> str:
        rule = {"action": action, "operation": operation, "criteria": list(criteria)}
        body = {"scope": "project", "rules": [rule], **members}
        made = api.post("/v2/policies", json=body)
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    return make


def to(*addresses: str) -> dict[str, Any]:
    return {"type": "evmAddress", "operator": "in", "addresses": list(addresses)}


def wallet(backend: httpx.Client, chain_type: str = "EVM") -> Any:
    return backend.post("/v2/accounts/backend", json={"chainType": chain_type}).json()


def sign(backend: httpx.Client, account: Any, data: str) -> httpx.Response:
    return backend.post(f"/v2/accounts/backend/{account['id']}/sign", json={"data": data})


def message(text: str) -> str:
    prefix = f"\x19Ethereum Signed Message:\n{len(text.encode())}"
    return "0x" + (prefix + text).encode().hex()


def unsigned(destination: str, value: int = 0, data: bytes = b"") -> str:
    transaction = FeeMarketTransaction(
        chain_id=AMOY,
        nonce=0,
        max_priority_fee_per_gas=1,
        max_fee_per_gas=2,
        gas=21_000,
        to=destination,
        value=value,
        data=data,
    )
    return "0x" + transaction.serialize_unsigned().hex()


def refused(answer: httpx.Response) -> str:
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["type"]) == (
        403,
        "policy_refused",
        "invalid_request_error",
    )
    return str(error["message"])


def smart_account(project: Project, held_by: Custody = "Developer") -> Account:
    owner = create_eoa(project, create_wallet(project), "EVM", held_by=held_by)
    account = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS["UpgradeableV6"])
    project.undo.mark()
    return account


def kept(project: Project) -> list[object]:
    """Everything that outlives a request but the tokens that signed requests spend."""
    return [tuple(table) for table in project.tables() if table is not project.wallets.spent_tokens]


# --- signing -------------------------------------------------------------------------------------------


def test_without_policies_everything_is_signed(backend: httpx.Client) -> None:
    account = wallet(backend)
    for data in (HASH, message("hello"), unsigned(THERE)):
        assert sign(backend, account, data).status_code == 200


def test_a_message_is_signed_if_a_pattern_matches_it(backend: httpx.Client, allow: Allow) -> None:
    account = wallet(backend)
    allow("signEvmMessage", {"type": "evmMessage", "operator": "match", "pattern": "^[0-9]+ apples$"})
    signed = sign(backend, account, message("12 apples"))
    assert signed.status_code == 200
    signer = EthAccount.recover_message(
        encode_defunct(text="12 apples"), signature=signed.json()["signature"]
    )
    assert signer == account["address"]
    assert "signEvmMessage" in refused(sign(backend, account, message("a pear")))
    # Where a policy has a say, what no rule accepts is refused.
    assert "signEvmHash" in refused(sign(backend, account, HASH))


def test_a_refused_signature_leaves_no_trace(backend: httpx.Client, project: Project, allow: Allow) -> None:
    account = wallet(backend)
    allow("signEvmHash", action="reject")
    before = kept(project)
    refused(sign(backend, account, HASH))
    assert kept(project) == before


@pytest.mark.parametrize(
    ("criterion", "accepted", "rejected"),
    [
        (to(THERE), unsigned(THERE), unsigned(OTHER)),
        ({"type": "ethValue", "operator": "<=", "ethValue": "5"}, unsigned(OTHER, 5), unsigned(OTHER, 6)),
        (
            {
                "type": "evmData",
                "operator": "<=",
                "abi": '[{"type":"function","name":"mint","inputs":[{"name":"n","type":"uint256"}]}]',
                "functionName": "mint",
                "args": {"n": "9"},
            },
            unsigned(THERE, data=bytes.fromhex("a0712d68") + (9).to_bytes(32, "big")),
            unsigned(THERE, data=bytes.fromhex("a0712d68") + (10).to_bytes(32, "big")),
        ),
    ],
    ids=["evmAddress", "ethValue", "evmData"],
)
def test_a_transaction_is_signed_for_what_it_does(
    backend: httpx.Client, allow: Allow, criterion: dict[str, Any], accepted: str, rejected: str
) -> None:
    account = wallet(backend)
    allow("signEvmTransaction", criterion)
    assert sign(backend, account, accepted).status_code == 200
    assert "signEvmTransaction" in refused(sign(backend, account, rejected))


def test_an_accounts_policy_binds_that_account_alone(backend: httpx.Client, allow: Allow) -> None:
    bound, free = wallet(backend), wallet(backend)
    allow("signEvmHash", action="reject", scope="account", accountId=bound["id"])
    refused(sign(backend, bound, HASH))
    assert sign(backend, free, HASH).status_code == 200


def test_a_disabled_policy_binds_nobody(backend: httpx.Client, api: httpx.Client, allow: Allow) -> None:
    account, policy = wallet(backend), allow("signEvmHash", action="reject")
    refused(sign(backend, account, HASH))
    api.post(f"/v2/policies/{policy}", json={"enabled": False})
    assert sign(backend, account, HASH).status_code == 200


def test_a_policy_that_only_sponsors_closes_no_door(
    backend: httpx.Client, project: Project, allow: Allow
) -> None:
    allow("sponsorEvmTransaction", to(OTHER))
    assert sign(backend, wallet(backend), HASH).status_code == 200
    sent = {"chainId": AMOY, "accountId": smart_account(project).id, "calls": [{"to": THERE}]}
    assert backend.post("/v2/transactions", json=sent).json()["status"] == "successful"


def test_solana_transactions_and_messages_are_told_apart(backend: httpx.Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, there = Pubkey.from_string(account["address"]), Pubkey.from_bytes(bytes([9] * 32))
    allow(
        "signSolTransaction",
        {"type": "solAddress", "operator": "in", "addresses": [str(there)]},
        {"type": "solValue", "operator": "<=", "value": "100"},
    )

    def moving(*moves: tuple[Pubkey, int]) -> str:
        steps = [
            transfer(TransferParams(from_pubkey=me, to_pubkey=whom, lamports=amount))
            for whom, amount in moves
        ]
        return "0x" + bytes(Message.new_with_blockhash(steps, me, Hash.default())).hex()

    assert sign(backend, account, moving((there, 100))).status_code == 200
    assert sign(backend, account, moving((there, 60), (there, 40))).status_code == 200
    assert "signSolTransaction" in refused(sign(backend, account, moving((there, 60), (there, 41))))
    refused(sign(backend, account, moving((there, 1), (me, 1))))
    assert "signSolMessage" in refused(sign(backend, account, "0x" + b"hello".hex()))
    allow("signSolMessage", {"type": "solMessage", "operator": "match", "pattern": "^hello$"}, priority=1)
    assert sign(backend, account, "0x" + b"hello".hex()).status_code == 200


def test_the_programs_of_a_solana_transaction_are_seen(backend: httpx.Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, program = Pubkey.from_string(account["address"]), Pubkey.from_bytes(bytes([8] * 32))
    allow("signSolTransaction", {"type": "programId", "operator": "in", "programIds": [str(program)]})
    call = Instruction(program, b"go", [AccountMeta(me, True, True)])
    raw = "0x" + bytes(Message.new_with_blockhash([call], me, Hash.default())).hex()
    assert sign(backend, account, raw).status_code == 200
    both = [call, transfer(TransferParams(from_pubkey=me, to_pubkey=me, lamports=1))]
    refused(sign(backend, account, "0x" + bytes(Message.new_with_blockhash(both, me, Hash.default())).hex()))


LOOKED_UP = [
    ("solAddress", {"addresses": [str(Pubkey(bytes([7] * 32)))]}),
    ("programId", {"programIds": [str(Pubkey(bytes([7] * 32)))]}),
]


@pytest.mark.parametrize(("type_", "members"), LOOKED_UP)
def test_what_a_lookup_table_hides_is_not_taken_for_something_else(
    backend: httpx.Client, allow: Allow, type_: str, members: dict[str, Any]
) -> None:
    account = wallet(backend, "SVM")
    me, hidden = Pubkey.from_string(account["address"]), Pubkey(bytes([7] * 32))
    allow("signSolTransaction", {"type": type_, "operator": "not in", **members})
    step = transfer(TransferParams(from_pubkey=me, to_pubkey=hidden, lamports=1))
    table = AddressLookupTableAccount(Pubkey(bytes([6] * 32)), [hidden])
    # The last byte of the keys' indexes: the recipient, or the program, is the one of the table.
    raw = bytearray(to_bytes_versioned(MessageV0.try_compile(me, [step], [table], Hash.default())))
    if type_ == "programId":
        place = raw.index(bytes(Hash.default()), 5 + 2 * 32) + 33
        raw[place] = 2
    refused(sign(backend, account, "0x" + raw.hex()))


def test_a_transfer_without_a_mint_does_not_hide_behind_one_with(backend: httpx.Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, mint, there = Pubkey.from_string(account["address"]), Pubkey(bytes([5] * 32)), Pubkey(bytes([9] * 32))
    tokens = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
    allow("signSolTransaction", {"type": "mintAddress", "operator": "in", "addresses": [str(mint)]})
    amount = (1).to_bytes(8, "little")
    plain = [AccountMeta(key, key == me, True) for key in (there, there, me)]
    named = [AccountMeta(key, key == me, key != mint) for key in (there, mint, there, me)]
    checked = Instruction(tokens, b"\x0c" + amount + b"\x06", named)
    unchecked = Instruction(tokens, b"\x03" + amount, plain)

    def raw(*steps: Instruction) -> str:
        return "0x" + bytes(Message.new_with_blockhash(list(steps), me, Hash.default())).hex()

    assert sign(backend, account, raw(checked)).status_code == 200
    refused(sign(backend, account, raw(checked, unchecked)))


def test_a_message_of_many_digits_is_signed(backend: httpx.Client, allow: Allow) -> None:
    account = wallet(backend)
    allow("signEvmMessage", {"type": "evmMessage", "operator": "match", "pattern": "^1+$"})
    assert (
        sign(backend, account, "0x" + (b"\x19Ethereum Signed Message:\n" + b"1" * 5000).hex()).status_code
        == 200
    )
    assert sign(backend, account, message("1" * 5000)).status_code == 200


# --- sending -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("held_by", ["Developer", "User"])
def test_what_may_not_be_sent_fails_at_once(
    api: httpx.Client, project: Project, allow: Allow, held_by: Custody
) -> None:
    account = smart_account(project, held_by)
    allow("sendEvmTransaction", to(THERE))
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}, {"to": OTHER}]}
    row = api.post("/v2/transactions", json=body).json()
    assert row["status"] == "failed"
    assert "execution" not in row
    assert row["receipt"]["error"]["reason"].startswith("calls[1]: No policy rule matched")
    body["calls"] = [{"to": THERE}]
    wanted = "successful" if held_by == "Developer" else "awaiting_signature"
    assert api.post("/v2/transactions", json=body).json()["status"] == wanted


def test_intents_are_bound_too(api: httpx.Client, allow: Allow) -> None:
    allow("sendEvmTransaction", {"type": "ethValue", "operator": "<", "ethValue": "10"})
    body = {"chainId": AMOY, "interactions": [{"to": THERE, "value": "10"}]}
    answer = api.post("/v1/transaction_intents", json=body).json()
    assert answer["response"]["status"] == 0
    assert "ethValue" in answer["response"]["error"]["reason"]
    body["interactions"] = [{"to": THERE, "value": "9"}]
    assert api.post("/v1/transaction_intents", json=body).json()["response"]["status"] == 1


@pytest.mark.parametrize("operation", ["sendEvmTransaction", "signEvmHash", "signEvmMessage"])
@pytest.mark.parametrize("action", ["accept", "reject"])
@pytest.mark.parametrize("about", ["sendEvmTransaction", "signEvmHash", "sponsorEvmTransaction"])
def test_evaluating_and_doing_agree(
    backend: httpx.Client, project: Project, allow: Allow, operation: str, action: str, about: str
) -> None:
    account, key = smart_account(project), wallet(backend)
    allow(about, action=action)
    done = {
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


# --- how it came about ---------------------------------------------------------------------------------


def test_the_control_api_says_how_policies_decide(api: httpx.Client, allow: Allow) -> None:
    narrow = allow("sendEvmTransaction", to(OTHER), priority=2)
    wide = allow("sendEvmTransaction", {"type": "ethValue", "operator": "<", "ethValue": "10"})
    asked = {"operation": "sendEvmTransaction", "payload": {"to": THERE, "value": "3", "chainId": AMOY}}
    answer = api.post("/_mock/projects/-/policies/evaluate", json=asked).json()
    assert (answer["allowed"], answer["policy_id"]) == (True, wide)
    assert [policy["id"] for policy in answer["policies"]] == [narrow, wide]
    (missed,) = answer["policies"][0]["rules"][0]["criteria"]
    assert (missed["type"], missed["matched"], missed["observed"]) == ("evmAddress", False, THERE)
    assert THERE in missed["reason"]
    (met,) = answer["policies"][1]["rules"][0]["criteria"]
    assert (met["matched"], met["observed"]) == (True, "3")
    public = api.post("/v2/policies/evaluate", json=asked).json()
    assert (public["matchedPolicyId"], public["reason"]) == (wide, answer["reason"])
    unknown = {**asked, "accountId": "acc_unknown"}
    assert api.post("/_mock/projects/-/policies/evaluate", json=unknown).status_code == 404


def test_the_control_api_says_why_policies_and_rules_had_no_say(
    api: httpx.Client, project: Project, allow: Allow
) -> None:
    account, other = smart_account(project).id, smart_account(project).id
    deciding = allow("sendEvmTransaction", priority=2)
    late = allow("sendEvmTransaction", to(OTHER), priority=1)
    disabled = allow("sendEvmTransaction", priority=3, enabled=False)
    elsewhere = allow("sendEvmTransaction", scope="account", accountId=other)
    passed = allow("sendEvmTransaction", scope="transaction")
    sponsoring = allow("sponsorEvmTransaction")
    rule = {"action": "reject", "operation": "sendEvmTransaction"}
    rules = [{**rule, "action": "accept"}, rule]
    api.post(f"/v2/policies/{deciding}", json={"rules": rules})
    gone = allow("sendEvmTransaction")
    api.delete(f"/v2/policies/{gone}")

    asked = {"operation": "sendEvmTransaction", "accountId": account, "payload": {"to": THERE}}
    answer = api.post("/_mock/projects/-/policies/evaluate", json=asked).json()
    assert (answer["allowed"], answer["policy_id"]) == (True, deciding)
    assert {policy["id"]: policy["skipped_reason"] for policy in answer["policies"]} == {
        deciding: None,
        late: f"it comes after {deciding}, which decided",
        disabled: "it is disabled",
        elsewhere: f"it is for the account {other}",
        passed: "its scope is transaction: it is asked about transactions whose fee sponsorship names it",
        sponsoring: "all of its rules are about sponsoring",
    }
    assert [policy["id"] for policy in answer["policies"]][:3] == [deciding, late, disabled]
    first, second = answer["policies"][0]["rules"]
    assert (first["matched"], first["skipped_reason"]) == (True, None)
    assert (second["matched"], second["skipped_reason"]) == (
        True,
        f"it comes after the rule {first['id']}, which decided",
    )
    (missed,) = answer["policies"][1]["rules"][0]["criteria"]
    assert (missed["matched"], missed["observed"]) == (False, THERE)


def test_a_policy_that_is_not_about_sponsoring_has_no_say_in_it(api: httpx.Client, allow: Allow) -> None:
    allow("sendEvmTransaction")
    asked = {"operation": "sponsorEvmTransaction"}
    answer = api.post("/_mock/projects/-/policies/evaluate", json=asked).json()
    assert [policy["skipped_reason"] for policy in answer["policies"]] == [
        "no rule of it is about sponsoring"
    ]


def test_a_transaction_remembers_how_it_was_decided(
    api: httpx.Client, project: Project, allow: Allow
) -> None:
    account = smart_account(project)
    allow("sendEvmTransaction")
    sponsoring = allow("sponsorEvmTransaction", to(THERE))
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": sponsoring}
    sponsorship = api.post("/v2/fee-sponsorship", json=body).json()["id"]
    sent = {
        "chainId": AMOY,
        "accountId": account.id,
        "calls": [{"to": THERE}, {"to": OTHER}],
        "feeSponsorshipId": sponsorship,
    }
    row = api.post("/v2/transactions", json=sent).json()
    assert "feeSponsorshipId" not in row
    answer = api.get(f"/_mock/projects/-/transactions/{row['id']}/decisions").json()
    assert [each["allowed"] for each in answer["sending"]] == [True, True]
    asked = answer["sponsoring"]
    assert (asked["fee_sponsorship_id"], asked["pays"]) == (sponsorship, False)
    assert [each["allowed"] for each in asked["calls"]] == [True, False]
    assert asked["calls"][1]["policies"][0]["rules"][0]["criteria"][0]["observed"] == OTHER


def test_instruction_data_is_held_against_an_idl(backend: httpx.Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, program = Pubkey.from_string(account["address"]), Pubkey.from_bytes(bytes([8] * 32))
    discriminator = list(range(8))
    instruction = {"name": "deposit", "discriminator": discriminator, "accounts": []}
    instruction["args"] = [{"name": "amount", "type": "u64"}]
    idl = json.dumps({"instructions": [instruction]})
    deposit = {"type": "solData", "operator": "<=", "idl": idl, "instructionName": "deposit"}
    allow("signSolTransaction", {**deposit, "args": {"amount": "50"}})

    def depositing(amount: int) -> str:
        data = bytes(discriminator) + amount.to_bytes(8, "little")
        call = Instruction(program, data, [AccountMeta(me, True, True)])
        return "0x" + bytes(Message.new_with_blockhash([call], me, Hash.default())).hex()

    assert sign(backend, account, depositing(50)).status_code == 200
    refused(sign(backend, account, depositing(51)))
    evaluated = {
        "operation": "signSolTransaction",
        "payload": {
            "instructionData": base64.b64encode(bytes(discriminator) + (51).to_bytes(8, "little")).decode()
        },
    }
    assert backend.post("/v2/policies/evaluate", json=evaluated).json()["allowed"] is False


# --- agreement -----------------------------------------------------------------------------------------

PLACES = st.sampled_from([THERE, OTHER])
VALUES = st.sampled_from([0, 5, 6])
MINT = Function("mint", parse_signature("mint(uint256)")[1])
ABI = '[{"type":"function","name":"mint","inputs":[{"name":"n","type":"uint256"}]}]'
DATA = st.sampled_from([b"", b"\x01\x02", encode_call(MINT, [5]), encode_call(MINT, [6])])
BINDING = ("signEvmTransaction", "sendEvmTransaction")


def criteria(operation: str) -> st.SearchStrategy[dict[str, Any]]:
    among = st.sampled_from(["in", "not in"])
    kinds = [
        st.fixed_dictionaries(
            {"type": st.just("evmAddress"), "operator": among, "addresses": st.lists(PLACES, min_size=1)}
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("ethValue"),
                "operator": st.sampled_from(["<=", ">=", "<", ">"]),
                "ethValue": VALUES.map(str),
            }
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("evmData"),
                "operator": st.sampled_from(["<=", ">=", "==", "<", ">"]),
                "abi": st.just(ABI),
                "functionName": st.just("mint"),
                "args": st.fixed_dictionaries({}, optional={"n": VALUES.map(str)}),
            }
        ),
    ]
    if operation == "sendEvmTransaction":
        chains = st.lists(st.sampled_from([AMOY, 84532]), min_size=1, max_size=2)
        kinds.append(
            st.fixed_dictionaries({"type": st.just("evmNetwork"), "operator": among, "chainIds": chains})
        )
    return st.one_of(kinds)


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


@settings(max_examples=60)
@given(st.lists(POLICIES, max_size=3), PLACES, VALUES, DATA)
def test_evaluating_says_what_signing_and_sending_do(
    policies: list[dict[str, Any]], place: str, value: int, data: bytes
) -> None:
    world = World()
    project = world.create(name="agreement")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with httpx.Client(transport=transport, base_url="http://mock", headers=headers) as api:
        wallet = create_eoa(project, create_wallet(project), "EVM", held_by="Developer", backend=True)
        accounts = {"signEvmTransaction": wallet, "sendEvmTransaction": smart_account(project)}
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
        assert (row["status"] == "successful") == said["allowed"], (row, said)
        if not said["allowed"]:
            assert said["reason"] in row["receipt"]["error"]["reason"]

        api.auth = WalletAuth(lambda: default_secret(project), lambda: project.clock.now_s)
        signed = sign(api, {"id": wallet.id}, unsigned(place, value, data))
        said = evaluated("signEvmTransaction")
        assert (signed.status_code == 200) == said["allowed"], (signed.text, said)
        if not said["allowed"]:
            assert said["reason"] in refused(signed)
