"""Registered contracts: changing, deleting and reading them."""

from typing import Any

import pytest
from httpx import Client, Response

from mockserver.state.project import Project
from tests.tables import cases

AMOY = 80002
ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
OTHER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"


def function(name: str, inputs: list[str], outputs: list[Any]) -> dict[str, Any]:
    """A view function of an ABI."""
    return {
        "type": "function",
        "name": name,
        "stateMutability": "view",
        "inputs": [{"name": "", "type": kind} for kind in inputs],
        "outputs": [kind if isinstance(kind, dict) else {"name": "", "type": kind} for kind in outputs],
    }


POINT = {
    "type": "tuple",
    "name": "",
    "components": [{"name": "x", "type": "uint256"}, {"name": "tag", "type": "bytes4"}],
}
ABI = [
    function("balanceOf", ["address"], ["uint256"]),
    function("decimals", [], ["uint8"]),
    function("name", [], ["string"]),
    function("owner", [], ["address"]),
    function("paused", [], ["bool"]),
    function("pair", [], ["int128", "bool"]),
    function("point", [], [POINT]),
    function("grid", [], ["uint256[2]"]),
    function("raw", [], ["bytes"]),
    function("touch", [], []),
    function("sum", ["uint256[]", "bool"], ["uint256"]),
]


@pytest.fixture
def contract(api: Client) -> Any:
    """A registered contract."""
    body = {"name": "Coin", "chainId": AMOY, "address": ADDRESS, "abi": ABI}
    return api.post("/v1/contracts", json=body).json()


def read(api: Client, contract: Any, name: str, *arguments: str) -> Response:
    """A read."""
    query = {"functionName": name, "functionArgs": list(arguments)}
    return api.get(f"/v1/contracts/{contract['id']}/read", params=query)


def test_only_what_is_named_changes(api: Client, contract: Any) -> None:
    changed = api.post(f"/v1/contracts/{contract['id']}", json={"name": "Token"}).json()
    assert changed == contract | {"name": "Token"}
    abi = [function("owner", [], ["address"])]
    body = {"address": OTHER.lower(), "abi": abi, "publicVerification": True, "chainId": 84532}
    changed = api.post(f"/v1/contracts/{contract['id']}", json=body).json()
    assert changed == contract | {
        "name": "Token",
        "address": OTHER,
        "abi": abi,
        "publicVerification": True,
        "chainId": 84532,
    }
    assert api.get(f"/v1/contracts/{contract['id']}").json() == changed


def test_a_change_that_does_not_fit_changes_nothing(api: Client, contract: Any) -> None:
    taken = api.post("/v1/contracts", json={"name": "x", "chainId": AMOY, "address": OTHER}).json()
    path = f"/v1/contracts/{contract['id']}"
    for body, status in (
        ({"address": OTHER}, 409),
        ({"chainId": 1}, 400),
        ({"abi": [{"type": "funktion"}]}, 400),
        ({"address": "0x12"}, 400),
    ):
        assert api.post(path, json=body).status_code == status
    assert api.get(path).json() == contract
    assert api.post("/v1/contracts/con_unknown", json={}).status_code == 404
    assert api.post(f"/v1/contracts/{taken['id']}", json={"address": OTHER}).status_code == 200


@cases(
    "body, param",
    ({"address": OTHER}, "address"),
    ({"chainId": 84532}, "chainId"),
    ({"deleted": False}, "deleted"),
)
def test_a_change_of_what_is_registered_names_what_changed(
    api: Client, contract: Any, body: dict[str, object], param: str
) -> None:
    path = f"/v1/contracts/{contract['id']}"
    if "deleted" in body:
        api.delete(path)
    for taken in ({"address": OTHER}, {"chainId": 84532}, {"address": ADDRESS}):
        api.post("/v1/contracts", json={"name": "x", "chainId": AMOY, "address": ADDRESS} | taken)
    refused = api.post(path, json=body)
    assert (refused.status_code, refused.json()["error"]["param"]) == (409, param)


def test_an_abi_is_shown_in_the_types_of_the_reference_alone(api: Client, project: Project) -> None:
    body = {"name": "x", "chainId": AMOY, "address": ADDRESS, "abi": [{"name": "f", "gas": 2300}]}
    refused = api.post("/v1/contracts", json=body)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "abi[0].gas")
    assert len(project.onchain.contracts) == 0


def test_an_abi_may_come_in_a_form(api: Client) -> None:
    form = {
        "name": "x",
        "chainId": str(AMOY),
        "address": ADDRESS,
        "publicVerification": "true",
        "abi[0][type]": "event",
        "abi[0][name]": "true",
        "abi[0][anonymous]": "false",
        "abi[0][inputs][0][type]": "bool",
        "abi[0][inputs][0][indexed]": "true",
    }
    made = api.post("/v1/contracts", data=form).json()
    event = {"type": "event", "name": "true", "anonymous": False}
    assert made["abi"] == [event | {"inputs": [{"type": "bool", "indexed": True}]}]
    refused = api.post("/v1/contracts", data=form | {"abi[0][anonymous]": "no"})
    assert refused.json()["error"]["param"] == "abi[0].anonymous"
    body = {"name": "x", "chainId": AMOY, "address": OTHER, "abi": [{"name": "f", "payable": "true"}]}
    assert api.post("/v1/contracts", json=body).json()["error"]["param"] == "abi[0].payable"


def test_a_deleted_contract_is_flagged_and_makes_room(api: Client, contract: Any) -> None:
    path = f"/v1/contracts/{contract['id']}"
    assert api.delete(path).json() == {"id": contract["id"], "object": "contract", "deleted": True}
    assert api.get(path).json() == contract | {"deleted": True}
    assert api.get("/v1/contracts").json()["total"] == 0
    assert api.get("/v1/contracts", params={"deleted": "true"}).json()["total"] == 1
    assert read(api, contract, "name").status_code == 404
    again = {"name": "Coin", "chainId": AMOY, "address": ADDRESS}
    assert api.post("/v1/contracts", json=again).status_code == 200
    assert api.post(path, json={"deleted": False}).status_code == 409
    assert api.delete("/v1/contracts/con_unknown").status_code == 404


@cases(
    "name, arguments, result",
    ("balanceOf", [ADDRESS], "0"),
    ("balanceOf(address)", [ADDRESS], "0"),
    ("decimals", [], 18),
    ("name", [], "Coin"),
    ("owner", [], "0x" + "0" * 40),
    ("paused", [], False),
    ("pair", [], ["0", False]),
    ("point", [], {"x": "0", "tag": "0x00000000"}),
    ("grid", [], ["0", "0"]),
    ("raw", [], "0x"),
    ("touch", [], None),
    ("sum", ["[1, 2]", "true"], "0"),
)
def test_what_nothing_was_written_to_reads_as_typed_zero(
    api: Client, contract: Any, name: str, arguments: list[str], result: object
) -> None:
    assert read(api, contract, name, *arguments).json() == {
        "id": contract["id"],
        "object": "readContract",
        "createdAt": contract["createdAt"],
        "functionName": name,
        "result": result,
    }


def test_ids_stand_for_addresses(api: Client, contract: Any) -> None:
    made = api.post("/v2/users/pregenerate", json={"email": "a@example.com", "accounts": [{}]}).json()
    account = made["accounts"][0]
    for row_id in (contract["id"], account["id"], account["wallet"]):
        assert read(api, contract, "balanceOf", row_id).status_code == 200
    for row_id in ("con_unknown", "acc_unknown", "pla_unknown"):
        assert read(api, contract, "balanceOf", row_id).status_code == 404


def test_an_unknown_function_conflicts_with_the_nearest_name(api: Client, contract: Any) -> None:
    refused = read(api, contract, "balanceOff", ADDRESS)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "function_not_found")
    assert "did you mean balanceOf?" in refused.json()["error"]["message"]


@cases(
    "name, arguments",
    ("balanceOf", []),
    ("balanceOf", ["0x12"]),
    ("name", ["1"]),
    ("sum", ["[1", "true"]),
    ("sum", ["[-1]", "x"]),
)
def test_unfit_arguments_are_refused(api: Client, contract: Any, name: str, arguments: list[str]) -> None:
    refused = read(api, contract, name, *arguments)
    assert refused.status_code == 400
    assert refused.json()["error"]["param"].startswith("functionArgs")


@cases("then", '{patch: {result: "1000"}}', '{answer: {status: 200, body: {result: "1000"}}}')
def test_a_scenario_answers_with_what_the_chain_would_say(api: Client, contract: Any, then: str) -> None:
    text = f"""
rules:
  - name: a rich holder
    when: {{call: ReadContract, query: {{functionName: balanceOf}}}}
    then: {then}
"""
    loaded = api.post(
        "/_mock/projects/-/scenarios", content=text, headers={"content-type": "application/yaml"}
    )
    assert loaded.status_code < 300, loaded.text
    assert read(api, contract, "paused").json()["result"] is False
    assert read(api, contract, "balanceOf", ADDRESS).json()["result"] == "1000"


def test_a_wrong_argument_count_is_refused_with_the_overloads(api: Client) -> None:
    abi = [function("get", ["uint256"], ["bool"]), function("get", ["uint256", "bool"], ["bool"])]
    body = {"name": "Coin", "chainId": AMOY, "address": ADDRESS, "abi": abi}
    contract = api.post("/v1/contracts", json=body).json()
    assert read(api, contract, "get", "1").json()["result"] is False
    refused = read(api, contract, "get", "1", "true", "2")
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert error["param"] == "functionArgs"
    assert "there are get(uint256), get(uint256,bool)" in error["message"]
    assert read(api, contract, "got", "1").status_code == 409
