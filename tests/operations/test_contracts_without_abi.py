"""Contracts that were registered without an ABI: publicly verified ones, and others."""

from typing import Any

from httpx import Client, Response

from mockserver.chain.abi.functions import validate_abi
from mockserver.domain.chains.tokens.public_abi import abi_of_standard
from mockserver.domain.chains.tokens.standards import Standard, standard_of
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.domain.transactions.test_calls import selector
from tests.tables import cases

AMOY = 80002
ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
HOLDER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"


def register(api: Client, **members: Any) -> str:
    """The id of a new contract without an ABI."""
    body = {"name": "Coin", "chainId": AMOY, "address": ADDRESS, **members}
    return str(api.post("/v1/contracts", json=body).json()["id"])


def read(api: Client, contract: str, name: str, *arguments: str) -> Response:
    query = {"functionName": name, "functionArgs": list(arguments)}
    return api.get(f"/v1/contracts/{contract}/read", params=query)


def call(api: Client, project: Project, contract: str, name: str, *arguments: Any) -> Response:
    """A transaction of one call."""
    called = {"contractId": contract, "functionName": name, "functionArgs": list(arguments)}
    body = {"chainId": AMOY, "accountId": account_of(project, "plain").id, "calls": [called]}
    return api.post("/v2/transactions", json=body)


def names_of(api: Client, contract: str) -> set[str]:
    return {entry["name"] for entry in api.get(f"/v1/contracts/{contract}").json()["abi"]}


def hint(answer: Response) -> bool:
    assert answer.status_code == 200, answer.text
    return "x-mockserver-hint" in answer.headers


@cases("standard", "ERC-20", "ERC-721", "ERC-1155")
def test_the_abi_of_a_standard_is_one_and_tells_its_standard(standard: Standard) -> None:
    abi = abi_of_standard(standard)
    validate_abi(abi)
    assert standard_of(abi) == standard


def test_the_abi_of_a_publicly_verified_contract_is_known(api: Client) -> None:
    contract = register(api, publicVerification=True)
    abi = api.get(f"/v1/contracts/{contract}").json()["abi"]
    assert {"transfer", "balanceOf", "Transfer"} <= names_of(api, contract)
    (transfer,) = [entry for entry in abi if entry["name"] == "transfer"]
    assert transfer == {
        "type": "function",
        "name": "transfer",
        "inputs": [{"name": "to", "type": "address"}, {"name": "value", "type": "uint256"}],
        "outputs": [{"name": "", "type": "bool"}],
        "stateMutability": "nonpayable",
    }
    (event,) = [entry["inputs"] for entry in abi if entry["name"] == "Transfer"]
    assert [(each["name"], each["indexed"]) for each in event] == [
        ("from", True),
        ("to", True),
        ("value", False),
    ]
    assert api.get("/v1/contracts").json()["data"][0]["abi"] == abi
    assert api.post(f"/v1/contracts/{contract}", json={"publicVerification": False}).json()["abi"] == []
    own = [{"type": "function", "name": "claim", "inputs": [], "outputs": []}]
    body = {"publicVerification": True, "abi": own}
    assert api.post(f"/v1/contracts/{contract}", json=body).json()["abi"] == own


def test_the_abi_of_a_standard_says_what_changes_state() -> None:
    kinds = {
        entry["name"]: entry["stateMutability"]
        for entry in abi_of_standard("ERC-20")
        if entry["type"] == "function"
    }
    assert (kinds["transfer"], kinds["balanceOf"]) == ("nonpayable", "view")


def test_a_publicly_verified_token_is_called_and_read_by_names(api: Client, project: Project) -> None:
    api.put("/_mock/projects/-/settings", json={"strict": True})
    coin = register(api, publicVerification=True)
    assert read(api, coin, "name").json()["result"] == "Coin"
    assert read(api, coin, "decimals").json()["result"] == 18
    assert call(api, project, coin, "mint", HOLDER, "7").json()["status"] == "successful"
    assert read(api, coin, "balanceOf", HOLDER).json()["result"] == "7"
    assert read(api, coin, "totalSupply").json()["result"] == "7"
    # A number in hex is bytes by itself, and a uint256 by the ABI.
    sent = call(api, project, coin, "transfer", HOLDER, "0x05").json()
    assert sent["execution"]["data"][2:10] == selector("transfer(address,uint256)").hex()
    refused = call(api, project, coin, "transfer", HOLDER, "ada")
    assert refused.json()["error"]["param"] == "calls[0].functionArgs[1]"


def test_the_abi_is_that_of_the_tokens_which_are_held(api: Client, project: Project) -> None:
    art = register(api, publicVerification=True)
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{HOLDER}"
    api.put(path, json={"tokens": [{"contract": ADDRESS, "balance": "1", "token_id": "3"}]})
    assert "ownerOf" in names_of(api, art)
    assert read(api, art, "ownerOf", "3").json()["result"] == HOLDER
    assert read(api, art, "balanceOf", HOLDER).json()["result"] == "1"
    assert read(api, art, "supportsInterface", "0x80ac58cd").json()["result"] is True
    # What the ABI of the standard lacks is there all the same.
    assert read(api, art, "balanceOf", HOLDER, "3").json()["result"] == "1"
    assert call(api, project, art, "mint", HOLDER, "4").json()["status"] == "successful"
    assert read(api, art, "ownerOf", "4").json()["result"] == HOLDER

    api.put(path, json={"tokens": [{"contract": ADDRESS, "balance": "2", "token_id": "3"}]})
    assert "safeBatchTransferFrom" in names_of(api, art)
    assert read(api, art, "balanceOf", HOLDER, "3").json()["result"] == "2"


def test_without_verification_names_are_taken_with_a_hint(api: Client, project: Project) -> None:
    coin = register(api)
    assert names_of(api, coin) == set()
    assert hint(call(api, project, coin, "mint", HOLDER, "7"))
    answer = read(api, coin, "balanceOf", HOLDER)
    assert hint(answer)
    assert answer.json()["result"] == "7"
    assert not hint(read(api, coin, "balanceOf(address)", HOLDER))
    assert read(api, coin, "balanceOfBatch", f'["{HOLDER}", "{coin}"]', "[1, 2]").json()["result"] == [
        "0",
        "0",
    ]
    assert read(api, coin, "counter").json()["result"] is None
    refused = read(api, coin, "sum", '[1, "ada"]')
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "functionArgs[0][1]")
    assert read(api, coin, "no name").status_code == 409


def test_intents_and_estimates_take_names_too(api: Client, project: Project) -> None:
    coin = register(api)
    interaction = {"contract": coin, "functionName": "mint", "functionArgs": [HOLDER, 7]}
    body = {"chainId": AMOY, "account": account_of(project).id, "interactions": [interaction]}
    assert hint(api.post("/v1/transaction_intents/estimate_gas_cost", json=body))
    intent = api.post("/v1/transaction_intents", json=body)
    assert hint(intent)
    assert intent.json()["response"]["status"] == 1
    assert read(api, coin, "balanceOf(address)", HOLDER).json()["result"] == "7"
    named = {"to": ADDRESS, "functionName": "mint", "functionArgs": [HOLDER, 7]}
    body = {"chainId": AMOY, "accountId": account_of(project).id, "calls": [named]}
    assert hint(api.post("/v2/transactions/estimate", json=body))
    interaction["functionArgs"] = [{}]
    refused = api.post(
        "/v1/transaction_intents", json={"chainId": AMOY, "interactions": [interaction]}
    ).json()
    assert refused["error"]["param"] == "interactions[0].functionArgs[0]"
