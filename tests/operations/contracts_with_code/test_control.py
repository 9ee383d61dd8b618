"""Contracts that a test puts on a chain, and states of other chains."""

import gzip
import json
from typing import Any

from eth_utils import keccak, to_checksum_address
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.state.project import Project
from tests.chain.evm.machines import CONTRACTS
from tests.operations.contracts_with_code.chain import AMOY, CONTROL, THERE, Chain, artifact_of, created
from tests.operations.responses import ok
from tests.tables import cases


def test_a_contract_is_created_where_it_is_wanted(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    assert chain.deploy("Counter", "1", address=THERE)["address"] == to_checksum_address(THERE)
    ledger.set_slot(project, AMOY, THERE, 9, 5)
    project.undo.mark()
    assert chain.deploy("Counter", "2", address=THERE)["address"] == to_checksum_address(THERE)
    assert ledger.slot_at(project, AMOY, THERE, 9) == 0, "nothing of the former one stays"
    first, second = chain.deploy("Counter", "3"), chain.deploy("Counter", "4")
    assert first["address"] != second["address"]
    assert chain.read(second, "count") == "4"


def test_a_salt_gives_the_address_of_the_deployment_proxy(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    made = chain.deploy("Factory", salt="0x" + "00" * 32)
    code = bytes.fromhex(CONTRACTS["Factory"]["creation_cancun"].removeprefix("0x"))
    proxy = bytes.fromhex("4e59b44847b379578588920ca78fbf26c0b4956c")
    expected = keccak(b"\xff" + proxy + bytes(32) + keccak(code))[12:]
    assert made["address"] == to_checksum_address(expected)
    # A transaction to the proxy itself creates one, too.
    sent = chain.send_calls({"to": "0x" + proxy.hex(), "data": "0x" + "01".zfill(64) + code.hex()})
    assert sent["status"] == "successful"
    other = keccak(b"\xff" + proxy + (1).to_bytes(32, "big") + keccak(code))[12:]
    assert chain.address("0x" + other.hex())["deployed"]


def test_code_is_created_where_a_contract_is_registered(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    code = CONTRACTS["Factory"]["creation_cancun"].removeprefix("0x")
    proxy = "0x4e59b44847b379578588920ca78fbf26c0b4956c"
    address = keccak(bytes.fromhex("ff" + proxy[2:]) + bytes(32) + keccak(bytes.fromhex(code)))[12:]
    here = to_checksum_address(address)
    api.post("/v1/contracts", json={"name": "F", "chainId": AMOY, "address": here}).raise_for_status()
    assert chain.address(here)["code"] == "0x"
    sent = chain.send_calls({"to": proxy, "data": "0x" + "00" * 32 + code})
    assert sent["status"] == "successful"
    assert len(chain.address(here)["code"]) > 100


@cases(
    "shape",
    {"contractName": "Factory", "abi": None, "bytecode": "code"},
    {"abi": None, "bytecode": {"object": "code"}},
    {"contracts": {"F.sol": {"Factory": {"abi": None, "evm": {"bytecode": {"object": "code"}}}}}},
    {"contracts": {"F.sol:Factory": {"abi": None, "bin": "code"}, "F.sol:Other": {"abi": [], "bin": "00"}}},
    ids=["hardhat", "foundry", "solc standard", "solc combined"],
)
def test_artifacts_of_every_compiler_are_read(api: Client, shape: object) -> None:
    contract = CONTRACTS["Factory"]
    text = json.dumps(shape).replace("null", json.dumps(contract["abi"]))
    artifact = json.loads(text.replace('"code"', json.dumps(contract["creation_cancun"])))
    body = {"artifact": artifact, "contract": "Factory"}
    assert created(api.post(f"{CONTROL}/contracts", json=body))["gas_used"] > 200_000


@cases(
    "body, field, said",
    ({}, "artifact", "either an artifact or bytecode"),
    ({"artifact": {"abi": [], "bytecode": "0x"}}, "artifact", "interface or an abstract contract"),
    ({"artifact": {"abi": [], "bytecode": "0xzz"}}, "artifact", "not hexadecimal"),
    ({"artifact": {"contracts": {"a:A": {}, "a:B": {}}}}, "artifact", "which of its contracts"),
    ({"artifact": {"contracts": {"a": "A"}}}, "artifact", "not of the form that Foundry"),
    ({"artifact": {"abi": [], "bytecode": "0x00", "linkReferences": 1}}, "artifact", "not of the form"),
    ({"artifact": {"contractName": 1, "abi": [], "bytecode": "0x00"}}, "artifact", "not of the form"),
    ({"bytecode": "0x00", "entry_point": "0.7"}, "entry_point", "no function handleOps"),
    ({"bytecode": "0x00", "entry_point": "0.7", "address": THERE}, "entry_point", "an address of its own"),
    ({"bytecode": "0x00", "entry_point": "0.5"}, "entry_point", "0.9"),
    ({"artifact": "out/Token.json"}, "artifact", "a path works in a scenario file"),
    ({"bytecode": "0x5f5ffd"}, "args", "the constructor fails: execution reverted"),
    ({"bytecode": "0x00", "args": ["1"]}, "args", "takes 0 arguments, 1 given"),
    # Memory of 3.2 MB takes 19.8 million units, more than a transaction may (EIP-7825).
    ({"bytecode": "0x6230d400515000"}, "args", "the constructor fails: out of gas"),
)
def test_what_cannot_be_created_is_refused(api: Client, body: object, field: str, said: str) -> None:
    refused = api.post(f"{CONTROL}/contracts", json=body)
    assert refused.status_code == 400
    assert field in refused.text
    assert said in refused.text


@cases(
    "constructor, args, code",
    (
        [{"name": "pair", "type": "tuple", "components": [{"name": "a", "type": "uint256"}] * 2}],
        [["1", "2"]],
        "1".zfill(64) + "2".zfill(64),
    ),
    (None, [], ""),
    ids=["struct", "null"],
)
def test_a_constructor_may_take_structs_or_nothing(
    api: Client, project: Project, constructor: Any, args: list[Any], code: str
) -> None:
    # The arguments become the code. An entry without a type is a function, as in the oldest compilers.
    init_code = "0x600b380380600b5f395ff3"
    abi = [{"name": "first", "inputs": []}, {"type": "constructor", "inputs": constructor}]
    made = created(api.post(f"{CONTROL}/contracts", json={"bytecode": init_code, "abi": abi, "args": args}))
    assert Chain.of(api, project).address(made["address"])["code"] == f"0x{code}"


def test_an_artifact_is_linked_to_its_libraries(api: Client) -> None:
    artifact = artifact_of("Factory")
    code = artifact["bytecode"]["object"].removeprefix("0x")
    artifact["bytecode"] = {
        "object": "0x" + code + "__$0123456789abcdef0123456789abcdef01$__",
        "linkReferences": {"L.sol": {"Math": [{"start": len(code) // 2, "length": 20}]}},
    }
    refused = api.post(f"{CONTROL}/contracts", json={"artifact": artifact})
    assert "library Math" in refused.text
    created(api.post(f"{CONTROL}/contracts", json={"artifact": artifact, "libraries": {"Math": THERE}}))


def test_code_and_storage_are_set_like_balances(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    runtime = "0x" + CONTRACTS["Counter"]["runtime_cancun"].removeprefix("0x")
    abi = CONTRACTS["Counter"]["abi"]
    contract = ok(
        api.post("/v1/contracts", json={"name": "C", "chainId": AMOY, "address": THERE, "abi": abi})
    )
    counter = {"contract_id": contract["id"]}
    assert chain.read(counter, "count") == "0"
    ok(
        api.put(
            f"{CONTROL}/addresses/{THERE}", json={"code": runtime, "storage": {"0x0": "0x29"}, "nonce": 7}
        )
    )
    assert chain.read(counter, "count") == "41"
    shown = chain.address(THERE)
    assert (shown["nonce"], shown["storage"], shown["code"]) == (7, {"0x0": "0x29"}, runtime)
    ok(api.put(f"{CONTROL}/addresses/{THERE}", json={"code": "0x"}))
    assert chain.read(counter, "count") == "0"


@cases("packed", True, False)
def test_a_state_of_another_chain_is_loaded(api: Client, project: Project, packed: bool) -> None:
    chain = Chain.of(api, project)
    token = chain.deploy("Token", "Gold", "GLD", "1000", sender=THERE)
    state = ok(api.get(f"{CONTROL}/state"))
    assert int(state["block"]["timestamp"], 16) <= project.clock.now_ms // 1000
    api.post("/_mock/projects/-/reset")
    raw = json.dumps(state).encode()
    body = {"state": "0x" + gzip.compress(raw).hex()} if packed else {"state": state}
    loaded = ok(api.put(f"{CONTROL}/state", json=body))
    assert loaded["contracts"] == 1
    abi = CONTRACTS["Token"]["abi"]
    contract = {"name": "T", "chainId": AMOY, "address": token["address"], "abi": abi}
    known = ok(api.post("/v1/contracts", json=contract))
    assert chain.read({"contract_id": known["id"]}, "balanceOf", THERE) == "1000"
    assert ok(api.get(f"{CONTROL}/state"))["accounts"] == state["accounts"]


def test_a_state_may_unpack_to_so_many_bytes_and_no_more(api: Client) -> None:
    for more, status in ((0, 200), (1, 400)):
        raw = b'{"accounts": {}}'.ljust(16 * 1024 * 1024 + more)
        answer = api.put(f"{CONTROL}/state", json={"state": "0x" + gzip.compress(raw).hex()})
        assert answer.status_code == status, answer.text


def test_a_state_of_geth_has_decimal_numbers_and_bare_slots(api: Client, project: Project) -> None:
    account = {"balance": "12", "nonce": 3, "code": "0x5f5ff3", "storage": {"00" * 31 + "05": "07"}}
    ok(api.put(f"{CONTROL}/state", json={"state": {"root": "ab", "accounts": {THERE: account}}}))
    shown = Chain.of(api, project).address(THERE)
    assert (shown["balance_wei"], shown["nonce"], shown["storage"]) == ("12", 3, {"0x5": "0x7"})


@cases(
    "state, said",
    ({"accounts": []}, "state.accounts: Input should be an object"),
    (5, "state: Input should be a valid string"),
    ({"0x12": {}}, "state: has no accounts"),
    ("0xzz", "state: is neither"),
    ("0x7b", "state: is neither"),
    ({"accounts": {THERE: {"balance": "x"}}}, "base 0: 'x'"),
    ({"accounts": {THERE: {"nonce": hex(2**64)}}}, "18446744073709551616 is beyond 64 bits"),
)
def test_a_state_that_cannot_be_read_changes_nothing(api: Client, state: object, said: str) -> None:
    refused = api.put(f"{CONTROL}/state", json={"state": state})
    assert refused.status_code == 400, refused.text
    assert said in refused.json()["detail"]
