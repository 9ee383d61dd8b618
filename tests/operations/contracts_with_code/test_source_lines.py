"""What undid a call is named by its line, where the artifact has a source map."""

import json
from pathlib import Path
from typing import Any

from httpx import Client

from mockserver.chain.artifacts import add_source, read_artifact
from mockserver.scenario.checking.files import read_text
from mockserver.state.project import Project
from tests.operations.contracts_with_code.chain import CONTROL, THERE, Chain, created
from tests.tables import cases

FILE = Path(__file__).parents[3] / "examples" / "contracts" / "out" / "Token.sol" / "Token.json"
PATH = "src/Token.sol"
TEXT = (FILE.parents[2] / PATH).read_text()
WRITTEN: dict[str, Any] = json.loads(FILE.read_text())
MOST = 2**256 - 1


def line_of(text: str) -> str:
    """Where a text is in the source file."""
    (number,) = (number for number, line in enumerate(TEXT.splitlines(), 1) if text in line)
    return f"{PATH}:{number}"


def deploy(api: Client, artifact: dict[str, Any], **members: Any) -> Any:
    body = {"artifact": artifact, "name": "Token", "args": ["Gold", "GLD", "3"], **members}
    return created(api.post(f"{CONTROL}/contracts", json=body))


def as_standard_json(document: dict[str, Any]) -> dict[str, Any]:
    """The same contract in the output of `solc --standard-json`."""
    evm = {each: document[each] for each in ("bytecode", "deployedBytecode")}
    contract = {"abi": document["abi"], "evm": evm, "metadata": json.dumps(document["metadata"])}
    return {"contracts": {PATH: {"Token": contract}}, "sources": {PATH: {"id": document["id"]}}}


def as_combined_json(document: dict[str, Any]) -> dict[str, Any]:
    """The same contract in the output of `solc --combined-json`, with a source file before its own."""
    source_map = document["deployedBytecode"]["sourceMap"].split(";")
    moved = [
        ":".join([*each.split(":")[:2], str(int(each.split(":")[2]) + 1), *each.split(":")[3:]])
        if each.count(":") > 1 and each.split(":")[2]
        else each
        for each in source_map
    ]
    contract = {
        "abi": document["abi"],
        "bin": document["bytecode"]["object"][2:],
        "bin-runtime": document["deployedBytecode"]["object"][2:],
        "srcmap-runtime": ";".join(moved),
        "metadata": json.dumps(document["metadata"]),
    }
    return {"contracts": {f"{PATH}:Token": contract}, "sourceList": ["src/Other.sol", PATH]}


@cases(
    "function, args, reason, place",
    ("transfer", (THERE, "10"), "ERC20InsufficientBalance", "revert ERC20InsufficientBalance"),
    ("transfer", ("0x" + "00" * 20, "1"), "ERC20InvalidReceiver", "revert ERC20InvalidReceiver"),
    ("transferFrom", (THERE, THERE, "1"), "ERC20InsufficientAllowance", "revert ERC20InsufficientAllowance"),
)
@cases("form", dict, as_standard_json, as_combined_json)
def test_a_revert_is_named_by_its_line(
    api: Client, project: Project, function: str, args: tuple[str, ...], reason: str, place: str, form: Any
) -> None:
    chain = Chain.of(api, project)
    artifact = form(WRITTEN) | {"source": TEXT}
    row = chain.send(deploy(api, artifact, sender=chain.account.address), function, *args)
    traced = chain.trace(row)
    assert traced["failure"].startswith(f"reverted in Token.{function} ({line_of(place)}): {reason}(")
    assert traced["calls"][-1]["line"] == line_of(place)


def test_what_succeeds_has_no_line(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    token = deploy(api, WRITTEN | {"source": TEXT}, sender=chain.account.address)
    assert chain.trace(chain.send(token, "transfer", THERE, "1"))["calls"][-1]["line"] is None


def test_the_text_is_found_from_a_folder_of_the_artifact(tmp_path: Path) -> None:
    assert add_source(WRITTEN, FILE)["source"] == TEXT
    assert add_source(WRITTEN, tmp_path / "Token.json") == WRITTEN
    assert add_source(WRITTEN | {"source": "mine"}, FILE)["source"] == "mine"
    assert add_source({"contracts": {"a.sol": {"A": {}}, "b.sol": {"B": {}}}}, FILE).keys() == {"contracts"}


def test_a_scenario_has_the_lines_too(api: Client, project: Project) -> None:
    headers = {"content-type": "application/yaml"}
    text = read_text(FILE.parents[2] / "token.yaml").encode()
    loaded = created(api.post("/_mock/projects/-/scenarios", content=text, headers=headers))
    chain = Chain.of(api, project)
    row = chain.send(loaded["captured"]["token"], "transfer", THERE, "5000")
    assert f"({line_of('revert ERC20InsufficientBalance')})" in chain.trace(row)["failure"]


OPTIMIZED = {"settings": {**WRITTEN["metadata"]["settings"], "optimizer": {"enabled": True}}}


@cases(
    "change",
    {"source": None},
    {"metadata": OPTIMIZED},
    {"metadata": {}},
    {"metadata": "no JSON"},
    {"id": None},
    {"deployedBytecode": {}},
    {"deployedBytecode": {**WRITTEN["deployedBytecode"], "sourceMap": ""}},
)
def test_without_what_it_takes_no_line_is_named(change: dict[str, Any]) -> None:
    assert read_artifact(WRITTEN | {"source": TEXT}).source is not None
    assert read_artifact(WRITTEN | {"source": TEXT} | change).source is None


def test_a_source_map_that_is_none_is_refused(api: Client) -> None:
    deployed = {**WRITTEN["deployedBytecode"], "sourceMap": "1:x:y"}
    artifact = WRITTEN | {"source": TEXT, "deployedBytecode": deployed}
    refused = api.post(f"{CONTROL}/contracts", json={"artifact": artifact, "args": ["Gold", "GLD", "3"]})
    assert refused.status_code == 400
    assert "sourceMap is not one of solc" in refused.text


def test_a_contract_in_the_place_of_another_has_no_lines_of_it(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    token = deploy(api, WRITTEN | {"source": TEXT}, sender=chain.account.address)
    again = deploy(api, WRITTEN, sender=chain.account.address, address=token["address"])
    assert again["contract_id"] == token["contract_id"]
    failure = chain.trace(chain.send(again, "transfer", THERE, "10"))["failure"]
    assert failure.startswith("reverted in Token.transfer: ")
