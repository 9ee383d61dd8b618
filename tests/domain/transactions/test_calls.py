"""Calls: from what a client asks for to destination, value and calldata, checked by eth_abi."""

import re
from typing import Any

import pytest
from eth_abi import decode
from eth_utils import keccak
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.transactions import calls
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.developer_accounts import create_developer_account
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.errors import ApiError
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases

CHAIN = 80002
THERE = "0x" + "ab" * 20


def inputs(*types: str) -> list[dict[str, Any]]:
    return [{"name": f"a{i}", "type": each} for i, each in enumerate(types)]


ORDER = {
    "name": "order",
    "type": "tuple[]",
    "components": [{"name": "who", "type": "address"}, {"name": "rest", "type": "address[2]"}],
}
ABI: tuple[dict[str, Any], ...] = (
    {"type": "function", "name": "mint", "inputs": inputs("address")},
    {"type": "function", "name": "mint", "inputs": inputs("address", "uint256")},
    {"type": "function", "name": "pay", "inputs": inputs("uint256", "uint8")},
    {"type": "function", "name": "pay", "inputs": inputs("address", "uint8")},
    {"type": "function", "name": "say", "inputs": inputs("string", "string[]")},
    {"type": "function", "name": "list", "inputs": inputs("address[]")},
    {"type": "function", "name": "place", "inputs": [ORDER]},
    {"type": "function", "name": "ping", "inputs": []},
)


@pytest.fixture
def registered(project: Project) -> Project:
    for contract_id, chain_id, deleted in (
        ("con_1", CHAIN, False),
        ("con_2", 1, False),
        ("con_3", CHAIN, True),
    ):
        contract = Contract(contract_id, 0, None, chain_id, "0x" + "Cc" * 20, ABI, deleted=deleted)
        project.onchain.contracts.insert(contract)
    return project


def resolve(project: Project, **call: Any) -> CallRecord:
    (found,) = resolve_calls(project, CHAIN, [call])
    return found


def selector(signature: str) -> bytes:
    return keccak(text=signature)[:4]


def test_a_transfer_has_no_data(project: Project) -> None:
    call = resolve(project, to=THERE, value="7")
    assert (call.value, call.data) == (7, b"")
    assert call.to.lower() == THERE
    assert call.requested == {"to": call.to, "value": "7"}


@cases("name", "mint", "mint(address,uint256)", "mint(address to, uint256 amount)")
def test_a_function_is_meant_by_its_name_or_its_signature(registered: Project, name: str) -> None:
    call = resolve(registered, contractId="con_1", functionName=name, functionArgs=[THERE, "9"])
    assert call.data[:4] == selector("mint(address,uint256)")
    assert decode(["address", "uint256"], call.data[4:]) == (THERE, 9)
    assert call.to == "0x" + "Cc" * 20
    assert "to" not in call.requested


def test_overloads_are_told_apart_by_the_number_of_arguments(registered: Project) -> None:
    call = resolve(registered, contractId="con_1", functionName="mint", functionArgs=[THERE])
    assert call.data[:4] == selector("mint(address)")


def test_without_an_abi_a_signature_speaks_for_itself(project: Project) -> None:
    call = resolve(project, to=THERE, functionName="f(int8[])", functionArgs=[["-1", 2]])
    assert decode(["int8[]"], call.data[4:]) == ((-1, 2),)


@cases("called", {"to": THERE}, {"contractId": "con_4"}, {"contractId": "con_5"})
def test_without_an_abi_the_arguments_tell_their_types(registered: Project, called: dict[str, str]) -> None:
    for contract_id, verified in (("con_4", False), ("con_5", True)):
        contract = Contract(contract_id, 0, None, CHAIN, "0x" + "dd" * 20, public_verification=verified)
        registered.onchain.contracts.insert(contract)
    args = ["con_1", "5", 6, True, "0xbeef", "ada", ["con_1", THERE]]
    asked: list[str | None] = []
    wanted = {**called, "functionName": "mint", "functionArgs": args}
    (call,) = resolve_calls(registered, CHAIN, [wanted], accept=lambda _, param: asked.append(param))
    types = ["address", "uint256", "uint256", "bool", "bytes", "string", "address[]"]
    assert call.data[:4] == selector(f"mint({','.join(types)})")
    contract_1 = "0x" + "cc" * 20
    assert decode(types, call.data[4:]) == (contract_1, 5, 6, True, b"\xbe\xef", "ada", (contract_1, THERE))
    checksummed = "0x" + "Cc" * 20
    assert call.requested["functionArgs"] == [checksummed, *args[1:6], [checksummed, THERE]]
    # What is publicly verified has an ABI, although the mock does not know all of it.
    assert asked == ([] if called == {"contractId": "con_5"} else ["calls[0].functionName"])


@cases(
    "call, whole",
    ({"to": THERE, "dataSuffix": "0xbeef"}, "beef"),
    ({"to": THERE, "data": "0x01", "dataSuffix": "0xbeef"}, "01beef"),
    ({"contractId": "con_1", "functionName": "ping", "dataSuffix": "0xbeef"}, "5c36b186beef"),
    ({"contractId": "con_1", "data": "0x01"}, "01"),
    ({"contractId": "con_1", "data": "0x"}, ""),
)
def test_a_suffix_follows_the_calldata(registered: Project, call: dict[str, Any], whole: str) -> None:
    assert resolve(registered, **call).data.hex() == whole


def test_ids_become_addresses_wherever_an_address_is_meant(registered: Project) -> None:
    wallet = create_wallet(registered)
    owner = create_eoa(registered, wallet, "EVM")
    smart = create_contract_account(registered, owner, CHAIN, IMPLEMENTATIONS["Simple"])
    elsewhere = create_contract_account(registered, owner, 84532, IMPLEMENTATIONS["UpgradeableV6"])
    contract = "0x" + "Cc" * 20
    assert resolve(registered, to=owner.id).to == owner.address
    assert resolve(registered, to=wallet.id).to == smart.address
    assert resolve_calls(registered, 84532, [{"to": wallet.id}])[0].to == elsewhere.address
    assert resolve_calls(registered, 11155111, [{"to": wallet.id}])[0].to == smart.address
    args: list[Any] = [[{"who": "con_1", "rest": [owner.id, wallet.id]}, [THERE, [smart.id, "con_1"]]]]
    call = resolve(registered, contractId="con_1", functionName="place", functionArgs=args)
    (orders,) = decode(["(address,address[2])[]"], call.data[4:])
    lower = [contract.lower(), owner.address.lower(), smart.address.lower()]
    assert orders == ((lower[0], (lower[1], lower[2])), (THERE, (lower[2], lower[0])))
    assert call.requested["functionArgs"] == [
        [{"who": contract, "rest": [owner.address, smart.address]}, [THERE, [smart.address, contract]]]
    ]
    assert args[0][0]["who"] == "con_1"


def test_ids_become_addresses_in_json_texts_too(registered: Project) -> None:
    owner = create_eoa(registered, create_wallet(registered), "EVM")
    developer = create_developer_account(registered, None)
    text = f' [{{"who": "con_1", "rest": ["{owner.id}", "{developer.id}"]}}]'
    call = resolve(registered, contractId="con_1", functionName="place", functionArgs=[text])
    (orders,) = decode(["(address,address[2])[]"], call.data[4:])
    contract = "0x" + "cc" * 20
    assert orders == ((contract, (owner.address.lower(), developer.address.lower())),)
    shown = {"who": "0x" + "Cc" * 20, "rest": [owner.address, developer.address]}
    assert call.requested["functionArgs"] == [[shown]]


def test_a_json_text_without_ids_is_shown_as_it_came(registered: Project) -> None:
    text = f'[ "{THERE}" ]'
    call = resolve(registered, contractId="con_1", functionName="list", functionArgs=[text])
    assert decode(["address[]"], call.data[4:]) == ((THERE,),)
    assert call.requested["functionArgs"] == [text]


@cases(
    "args, path",
    (["[[" + "1," * 400_000 + "1]]"], "[0][0]"),
    (["[" + "[]," * 300_000 + "[]]"], "[0]"),
    ([["[" + "1," * 9_999 + "1]"] * 2], "[0][1]"),
    ([[[1] * 10_000, "[" + "1," * 9_998 + "1]"]], "[0][1]"),
)
def test_values_in_json_texts_count_and_too_many_are_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch, args: list[Any], path: str
) -> None:
    monkeypatch.setattr(calls, "encode_call", None)
    with pytest.raises(ApiError) as caught:
        resolve(project, to=THERE, functionName="f(uint256[][])", functionArgs=args)
    assert (caught.value.row.status, caught.value.param) == (400, f"calls[0].functionArgs{path}")
    assert "more than 20,000 values, those in JSON texts included" in caught.value.message


def test_as_many_values_as_a_body_may_have_are_taken(project: Project) -> None:
    # The argument, and the lists in it.
    args = ["[[" + "1," * 19_996 + "1],[]]"]
    assert len(resolve(project, to=THERE, functionName="f(uint256[][])", functionArgs=args).data) > 600_000


def test_the_values_of_all_calls_of_a_request_count_together(project: Project) -> None:
    text = "[" + "1," * 6_999 + "1]"
    call = {"to": THERE, "functionName": "f(uint256[])", "functionArgs": [text]}
    assert len(resolve_calls(project, CHAIN, [call] * 2)) == 2
    with pytest.raises(ApiError) as caught:
        resolve_calls(project, CHAIN, [call] * 3)
    assert caught.value.param == "calls[2].functionArgs[0]"


def test_a_text_argument_may_have_any_json(project: Project) -> None:
    text = "[" + "1," * 30_000 + "1]"
    call = resolve(project, to=THERE, functionName="f(string)", functionArgs=[text])
    assert decode(["string"], call.data[4:]) == (text,)


def test_a_text_that_looks_like_an_id_stays_a_text(registered: Project) -> None:
    args = ["con_carne", ["pla_net", "acc_ent"]]
    call = resolve(registered, contractId="con_1", functionName="say", functionArgs=args)
    assert decode(["string", "string[]"], call.data[4:]) == ("con_carne", ("pla_net", "acc_ent"))
    assert call.requested["functionArgs"] == args


@cases(
    "call, status, param, message",
    ({}, 400, "to", "needs to or contractId"),
    ({"to": "0x12"}, 400, "to", "must be an address"),
    ({"to": "0x" + "zz" * 20}, 400, "to", "must be an address"),
    ({"to": "con_1"}, 400, "to", "must be an address, or the id of an account or wallet"),
    ({"to": "acc_1"}, 404, "to", "no account acc_1"),
    ({"to": "pla_1"}, 404, "to", "no wallet pla_1"),
    ({"to": "acc_" + "x" * 99}, 404, "to", "no account"),
    ({"to": THERE, "contractId": "con_1"}, 400, "to", "not both"),
    ({"contractId": "con_9", "functionName": "ping"}, 404, "contractId", "no contract con_9"),
    ({"contractId": "con_3", "functionName": "ping"}, 404, "contractId", "no contract con_3"),
    ({"contractId": "con_2", "functionName": "ping"}, 400, "contractId", "is on chain 1, not 80002"),
    ({"contractId": "con_1"}, 400, "functionName", "needs a functionName or data"),
    ({"contractId": "con_1", "functionName": "mimt"}, 400, "functionName", "did you mean mint?"),
    ({"contractId": "con_1", "functionName": "mint(adress)"}, 400, "functionName", "adress"),
    (
        {"contractId": "con_1", "functionName": "mint(address,uint8)"},
        400,
        "functionName",
        "did you mean mint(address,uint256)?",
    ),
    (
        {"contractId": "con_1", "functionName": "pay", "functionArgs": ["1", "2"]},
        400,
        "functionName",
        "Several functions are meant",
    ),
    ({"contractId": "con_1", "functionName": "mint"}, 400, "functionArgs", "takes 0 arguments"),
    ({"contractId": "con_1", "functionName": "ping", "functionArgs": [1]}, 400, "functionArgs", "1 given"),
    (
        {"contractId": "con_1", "functionName": "mint", "functionArgs": [THERE, "-1"]},
        400,
        "functionArgs[1]",
        "out of range",
    ),
    (
        {"contractId": "con_1", "functionName": "mint", "functionArgs": ["acc_9"]},
        404,
        "functionArgs[0]",
        "no account acc_9",
    ),
    (
        {"contractId": "con_1", "functionName": "list", "functionArgs": [[THERE, "con_3"]]},
        404,
        "functionArgs[0][1]",
        "no contract con_3",
    ),
    (
        {"contractId": "con_1", "functionName": "place", "functionArgs": ['[{"who": "pla_9", "rest": []}]']},
        404,
        "functionArgs[0][0].who",
        "no wallet pla_9",
    ),
    (
        {"contractId": "con_1", "functionName": "place", "functionArgs": [[{"whom": 5}]]},
        400,
        "functionArgs[0][0]",
        "who is missing",
    ),
    ({"to": THERE, "functionName": "mint me"}, 400, "functionName", "not the name of a function"),
    (
        {"to": THERE, "functionName": "mint", "functionArgs": ["5", [1, "ada"]]},
        400,
        "functionArgs[1][1]",
        "is of the type string",
    ),
    ({"to": THERE, "functionArgs": []}, 400, "functionArgs", "need a functionName"),
    ({"to": THERE, "data": "0x", "functionName": "f()"}, 400, "data", "not both"),
)
def test_a_call_that_cannot_be_made_is_refused_by_its_path(
    registered: Project, call: dict[str, Any], status: int, param: str, message: str
) -> None:
    with pytest.raises(ApiError, match=re.escape(message)) as refused:
        resolve_calls(registered, CHAIN, [{"to": THERE}, call])
    assert (refused.value.row.status, refused.value.param) == (status, f"calls[1].{param}")


def test_an_account_on_solana_is_no_destination(project: Project) -> None:
    wallet = create_wallet(project)
    account = create_eoa(project, wallet, "SVM")
    for there in (account.id, wallet.id):
        with pytest.raises(ApiError) as refused:
            resolve(project, to=there)
        assert refused.value.row.status == 404


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(
        [THERE, "con_1", "acc_x", "pla_", "[]", "{}", "[[", '["con_1"]', "9" * 100_000, 10**4000, "\ud800"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
TYPES = (
    "address",
    "uint256",
    "bytes",
    "string",
    "bool",
    "address[2]",
    "(address,string)[]",
    "bytes4",
    "int8[][]",
)


@given(st.lists(st.tuples(st.sampled_from(TYPES), ANYTHING), max_size=4), st.booleans())
def test_any_arguments_are_encoded_or_refused(wanted: list[tuple[str, object]], short: bool) -> None:
    project = World().create(name="arguments")
    signature = f"f({','.join(each for each, _ in wanted)})"
    args = [value for _, value in wanted][: -1 if short else None]
    refusal = None
    try:
        call = resolve(project, to=THERE, functionName=signature, functionArgs=args)
    except ApiError as found:
        refusal = found
    if refusal is not None:
        assert refusal.row.status in (400, 404)
        assert (refusal.param or "").startswith("calls[0].functionArgs")
        assert len(refusal.message) < 1000
        return
    assert call.data[:4] == selector(signature)
    decode([each for each, _ in wanted], call.data[4:])
