"""Requests of JSON-RPC, one by one and in batches, and what is none."""

from typing import Any

import orjson
import pytest
from httpx import Client
from hypothesis import given
from hypothesis import strategies as st

from mockserver.api.call import Request
from mockserver.nodes import endpoints
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import ROUTES, assemble
from mockserver.server.edge.app import App
from mockserver.state.world import World
from tests.nodes.node import ALICE, BOB, CHAIN, Node
from tests.tables import cases
from tests.transport import InProcessTransport

LOOP = "0x5b600056"
TEXTS = ["0x", "0x00", "latest", "0x" + "11" * 20]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(TEXTS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
METHODS = sorted(ROUTES.methods_at("/_mock/projects/{p}/chains/{chain}/rpc"))


@cases(
    "body, code",
    (5, -32600),
    ({}, -32600),
    ({"method": 5}, -32600),
    ({"method": "eth_chainId"}, -32600),
    ({"method": "eth_chainId", "jsonrpc": "1.0"}, -32600),
    ({"method": "eth_chainId", "id": {}}, -32600),
    ({"id": 1, "method": "eth_nothing"}, -32601),
    ({"id": 1, "method": "eth_getBalance", "params": 5}, -32602),
    ({"id": 1, "method": "eth_getBalance", "params": []}, -32602),
    ({"id": 1, "method": "eth_chainId", "params": [1]}, -32602),
    ([], -32600),
    ([{"method": "eth_chainId"}] * 1001, -32005),
)
def test_a_request_that_is_none_is_refused(node: Node, body: Any, code: int) -> None:
    assert node.send(body)["error"]["code"] == code


def test_a_method_of_another_path_is_said_to_be_there(node: Node) -> None:
    unknown = "the method {} does not exist/is not available"
    assert node.bundle("eth_getBalance") == {
        "code": -32601,
        "message": f"{unknown.format('eth_getBalance')}. POST {endpoints.NODE} has it.",
    }
    assert "POST /rpc/{chainId} has it." in node.ask("pm_getPaymasterData")["message"]
    assert "POST /rpc has it." in node.ask("wallet_getAssets")["message"]
    assert "Did you mean eth_getBalance?" in node.ask("eth_getBalanc")["message"]
    assert node.ask("nothing")["message"] == unknown.format("nothing")


def test_bytes_that_are_no_json_are_refused(node: Node) -> None:
    answer = node.api.post(node.path, content=b"{", headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32700)


def test_a_number_that_is_no_double_is_refused(node: Node) -> None:
    body = b'{"id": 1e400, "method": "eth_chainId"}'
    answer = node.api.post(node.path, content=body, headers={"content-type": "application/json"})
    assert answer.json()["error"] == {"code": -32700, "message": "parse error: a number is out of range"}


def test_clients_are_met_half_way(node: Node) -> None:
    assert node.send({"id": "a", "method": "eth_chainId"}) == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": hex(CHAIN),
    }
    assert node.ask("eth_getBalance", "0x" + "11" * 20, "0x00") == "0x0"
    named = {"id": 1, "method": "eth_getBalance", "params": {"address": "0x" + "11" * 20}}
    assert node.send(named)["result"] == "0x0"


def test_a_notification_has_no_answer(node: Node) -> None:
    answer = node.api.post(
        node.path, json={"jsonrpc": "2.0", "method": "anvil_setBalance", "params": ["0x" + "11" * 20, "0x1"]}
    )
    assert (answer.status_code, answer.content) == (200, b"")
    assert node.number("eth_getBalance", "0x" + "11" * 20) == 1


@cases("method", "eth_getBalance", "eth_nothing", "eth_getProof")
def test_nor_has_a_notification_that_is_refused(node: Node, method: str) -> None:
    notification = {"jsonrpc": "2.0", "method": method}
    answer = node.api.post(node.path, json=notification)
    assert (answer.status_code, answer.content) == (200, b"")
    (answered,) = node.send([notification, {"id": 1, "method": "eth_chainId"}])
    assert answered["id"] == 1


def test_an_idempotency_key_says_nothing_about_a_call(node: Node) -> None:
    asked = [
        {"id": n, "method": "eth_getBalance", "params": [address]}
        for n, address in enumerate((ALICE.address, BOB.address))
    ]
    headers = {"x-idempotency-key": "of the HTTP request"}
    for body in (asked, [1, 2]):
        answers = node.api.post(node.path, json=body, headers=headers).text
        assert "-Key was used before" not in answers


def test_each_request_of_a_batch_is_answered_by_itself(node: Node) -> None:
    answers = node.send(
        [
            {"id": 1, "method": "eth_chainId"},
            {"id": 2, "method": "eth_nothing"},
            [],
            {"jsonrpc": "2.0", "method": "eth_chainId"},
            {"id": 3, "method": "net_version"},
        ]
    )
    assert [answer["id"] for answer in answers] == [1, 2, None, 3]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, -32601, -32600, None]


def test_a_batch_has_at_most_a_thousand_requests(node: Node) -> None:
    request = {"id": 1, "method": "eth_chainId"}
    assert len(node.send([request] * 1_000)) == 1_000
    assert "at most 1000 requests" in node.send([request] * 1_001)["error"]["message"]


def test_a_batch_may_have_numbers_of_any_size(node: Node) -> None:
    content = b'[{"id": 1, "method": "eth_chainId", "more": [123456789012345678901234567890]}]'
    answer = node.api.post(node.path, content=content, headers={"content-type": "application/json"})
    assert answer.json() == [{"jsonrpc": "2.0", "id": 1, "result": hex(CHAIN)}]


def test_a_call_is_in_the_journal_by_its_method(node: Node) -> None:
    node.ask("eth_chainId")
    entries = node.api.get(f"/_mock/projects/{node.project.id}/journal").json()["data"]
    assert [entry["operation"] for entry in entries] == ["eth_chainId"]


def test_a_rule_answers_for_a_method(node: Node) -> None:
    scenario = """
        rules:
          - when: {call: eth_getBalance, nth: 1}
            then: {error: rpc_server_error}
          - when: {call: eth_chainId}
            then: {answer: {status: 503}}
          - when: {call: net_version}
            then: {limit: {count: 1, per: 10s}}
    """
    loaded = node.api.post(
        f"/_mock/projects/{node.project.id}/scenarios",
        content=scenario,
        headers={"content-type": "application/yaml"},
    )
    assert loaded.is_success, loaded.text
    address = "0x" + "11" * 20
    assert node.ask("eth_getBalance", address)["code"] == -32000
    assert node.ask("eth_getBalance", address) == "0x0"
    assert node.api.post(node.path, json={"id": 1, "method": "eth_chainId"}).status_code == 503
    answers = [node.api.post(node.path, json={"id": 1, "method": "net_version"}) for _ in range(2)]
    assert [answer.headers.get("retry-after") for answer in answers] == [None, "10"]


@cases("chain", "0", "01x", str(2**53), "9" * 5000, "\u0661")
def test_what_is_no_chain_is_refused_by_each_door(node: Node, chain: str) -> None:
    place = f"/_mock/projects/{node.project.id}/chains"
    answer = node.api.post(f"{place}/{chain}/rpc", json={"id": 1, "method": "eth_chainId"})
    assert "is not a chain id" in answer.json()["error"]["message"]
    assert node.api.get(f"{place}/{chain}/state").json()["param"] == "chain"


def test_the_largest_chain_is_taken_by_each_door(node: Node) -> None:
    place = f"/_mock/projects/{node.project.id}/chains/{2**53 - 1}"
    answer = node.api.post(f"{place}/rpc", json={"id": 1, "method": "eth_chainId"})
    assert int(answer.json()["result"], 16) == 2**53 - 1
    assert node.api.get(f"{place}/state").json()["accounts"] == {}


def test_an_unknown_project_or_chain_is_said(node: Node) -> None:
    body = {"id": 1, "method": "eth_chainId"}
    answer = node.api.post(f"/_mock/projects/pro_nothing/chains/{CHAIN}/rpc", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32001)
    for chain in ("x", "²", "-1", "0", str(2**53)):
        answer = node.api.post(f"/_mock/projects/{node.project.id}/chains/{chain}/rpc", json=body)
        assert answer.json()["error"]["message"].endswith(f"{chain!r} is not a chain id")
    answer = node.api.post(f"/_mock/projects/{node.project.id}/chains/1/rpc", json=body)
    assert "mainnet" in answer.json()["error"]["message"]


@given(st.sampled_from(METHODS), JSON)
def test_no_parameters_make_a_node_fail(method: str, params: Any) -> None:
    world = World()
    project = world.create(name="fuzz")
    failures: list[str] = []
    app = assemble(world)
    app.pipeline.server.on_failure = failures.append
    with Client(transport=InProcessTransport(app), base_url="http://mock") as api:
        path = f"/_mock/projects/{project.id}/chains/{CHAIN}/rpc"
        answer = api.post(path, json={"id": 1, "method": method, "params": params})
    assert failures == []
    assert answer.status_code in (200, 400, 404)


@cases("method, slices", ("eth_chainId", 2), ("eth_call", 30), ("eth_sendTransaction", 30))
def test_other_calls_are_answered_between_those_of_a_batch(
    node: Node, app: App, method: str, slices: int
) -> None:
    node.ask("anvil_autoImpersonateAccount", True)
    node.fund(ALICE.address)
    node.ask("anvil_setCode", BOB.address, LOOP)
    params = [] if slices == 2 else [{"from": ALICE.address, "to": BOB.address, "gas": hex(150_000)}]
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    batch = Request("POST", node.path, "", {}, orjson.dumps([call] * 17))
    outcome, waits = app.pipeline.answer(batch), 0
    while isinstance(outcome, WaitingCall):
        outcome, waits = app.pipeline.resume(outcome), waits + 1
    answers = orjson.loads(outcome.body)
    assert (len(answers), waits >= slices) == (17, True), waits
    assert ["result" in answer for answer in answers] == [method != "eth_call"] * 17
    assert node.number("eth_getTransactionCount", ALICE.address) == 17 * (method == "eth_sendTransaction")
    assert node.project.waiting == 0


def test_a_batch_of_long_calls_comes_to_an_end(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_MOST_SLICES", 5)
    node.ask("anvil_setCode", BOB.address, LOOP)
    call = {"to": BOB.address, "gas": hex(150_000)}
    answers = node.send([{"id": 1, "method": "eth_call", "params": [call]}] * 3)
    assert [answer["error"]["message"] for answer in answers] == [
        "out of gas",
        "out of gas",
        "the batch takes too long: send fewer requests",
    ]


def test_short_calls_count_towards_the_end_of_a_batch(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_MOST_SLICES", 2)
    answers = node.send([{"id": 1, "method": "eth_chainId"}] * 33)
    refused = ["error" in answer for answer in answers]
    assert refused == sorted(refused)
    assert 8 < refused.count(False) < 32


def test_members_of_an_argument_that_are_null_are_left_out(node: Node) -> None:
    asked = {"to": BOB.address, "data": None, "gas": None, "accessList": None}
    assert node.ask("eth_call", asked) == "0x"
    assert node.ask("eth_estimateGas", {"from": None, **asked}) == hex(21_000)
