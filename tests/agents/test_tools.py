"""What the tools answer: what is asked for, bounded, without secrets, and what to do next."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mockserver.agents import context
from mockserver.agents.bounds import MOST_BYTES
from mockserver.agents.context import Context
from mockserver.agents.serving import run_tool
from mockserver.agents.tools import TOOLS
from mockserver.errors import catalogue
from mockserver.testing.client import MockServer
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import server, shop
from tests.tables import cases

__all__ = ["server", "shop"]

TOKEN = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


class Tools:
    """Calls tools without the protocol."""

    def __init__(self, control: Any) -> None:
        self._context = Context(control)

    def text(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        result = run_tool(self._context, TOOLS, tool, arguments)
        (content,) = result.content
        assert content.type == "text"
        assert len(content.text.encode()) <= MOST_BYTES
        return content.text, bool(result.is_error)

    def read(self, tool: str, **arguments: Any) -> Any:
        text, is_error = self.text(tool, **arguments)
        assert not is_error, text
        return json.loads(text)

    def refused(self, tool: str, **arguments: Any) -> str:
        text, is_error = self.text(tool, **arguments)
        assert is_error, text
        assert "\nNext: " in text
        return text


@pytest.fixture
def tools(server: LiveServer, shop: MockProject) -> Tools:
    """The tools of a server with the project `shop`."""
    return Tools(server.control)


def test_a_project_comes_with_what_its_clients_need(tools: Tools) -> None:
    made = tools.read("create_project", name="orders", settings={"strict": True})
    assert made["env"]["OPENFORT_SECRET_KEY"] == "sk_test_orders"
    assert made["project"]["secret_key"] == "sk_test_or…"


def test_a_mail_has_its_code(tools: Tools) -> None:
    asked = {"email": "ada@example.com", "type": "sign-in"}
    sent = tools.read(
        "call_operation", operation="sendVerificationOTP", body=asked, key="publishable", project="shop"
    )
    assert sent["status"] == 200
    (mail,) = tools.read("read_outbox", to="ada@example.com", project="shop")["data"]
    assert mail["code"] in mail["text"]


def test_a_call_is_made_as_a_user_who_signed_in(tools: Tools) -> None:
    def call(operation: str, **given: object) -> Any:
        return tools.read("call_operation", operation=operation, project="shop", **given)

    for name in ("ada", "grace"):
        body = {"email": f"{name}@example.com", "password": "long enough", "name": name}
        signed_up = call("signUpEmail", body=body, key="publishable")
    for user, name in (("ada@example.com", "ada"), (signed_up["response"]["body"]["user"]["id"], "grace")):
        asked = call("getUserSession", user=user)
        assert asked["response"]["body"]["user"]["name"] == name
        assert asked["request"]["headers"]["authorization"] == "Bearer …"
    said = tools.refused(
        "call_operation", operation="getUserSession", user="joan@example.com", project="shop"
    )
    assert said.startswith("no call has signed in 'joan@example.com'")


def test_a_delivery_has_what_its_attempts_were_answered(tools: Tools, shop: MockProject) -> None:
    shop.webhooks.subscribe(shop.webhooks.inbox("orders"), "test")
    tools.read("call_operation", operation="TestTrigger", project="shop")
    (delivered,) = tools.read("list_deliveries", project="shop")["data"]
    assert (delivered["verified"], delivered["attempts"][0]["answered"]) == (True, 200)


def test_a_moved_clock_says_what_came_due(tools: Tools, shop: MockProject) -> None:
    before = shop.clock.now_s
    assert "now" in tools.read("move_clock", seconds=90, project="shop")
    assert shop.clock.now_s == before + 90


def test_a_refused_call_is_explained_with_what_to_do(tools: Tools) -> None:
    for status in (200, 409):
        made = tools.read("call_operation", operation="CreateContract", body=TOKEN, project="shop")
        assert made["status"] == status
    assert tools.read("call_operation", operation="GetContracts", project="shop")["status"] == 200
    found = tools.read("explain_call", project="shop")
    error = found["call"]["response"]["body"]["error"]
    assert error["code"] == "contract_already_exists"
    assert found["why"] == error["message"]
    assert found["next"].startswith("Use the registered contract")


def test_a_call_without_a_key_is_told_where_none_else_failed(tools: Tools, shop: MockProject) -> None:
    httpx.get(f"{shop.url}/v1/contracts")
    first, second, *_ = tools.text("explain_call", project="shop")[0].splitlines()
    assert first == "no call of this project has failed, but there was"
    assert second.startswith("of no project: GET GetContracts  401  api_key_missing: No API key was sent.")


def test_a_code_in_capitals_is_not_explained_as_another(tools: Tools) -> None:
    tools.read("call_operation", operation="listSessions", key="publishable", project="shop")
    found = tools.read("explain_call", project="shop")
    assert (found["why"], found["next"][:20]) == ("Unauthorized", "Let the user sign in")


def test_a_refused_call_of_a_node_is_explained_by_its_message(tools: Tools, shop: MockProject) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [{"to": "0x12"}]}
    with shop.connect() as api:
        answer = api.post(f"/_mock/projects/{shop.id}/chains/80002/rpc", json=asked)
    found = tools.read("explain_call", project="shop")
    assert found["why"] == answer.json()["error"]["message"]


def test_a_rule_that_nearly_fired_is_named(tools: Tools) -> None:
    tools.read("set_fault", operation="CreateContract", then={"answer": 503}, nth=3, project="shop")
    tools.read("call_operation", operation="CreateContract", body={}, project="shop")
    (miss,) = tools.read("explain_call", project="shop")["near_misses"]
    assert miss["rule"] == "fault"


def test_a_call_that_got_no_answer_says_so(tools: Tools) -> None:
    tools.read("set_fault", operation="GetContracts", then={"fault": "empty_response"}, project="shop")
    found = tools.read("call_operation", operation="GetContracts", project="shop")
    assert (found["client_got"], found["lost"]) == ("RemoteProtocolError", True)


def test_a_fate_and_a_fork(tools: Tools, shop: MockProject) -> None:
    wallet = shop.given.sponsored_wallet()
    tools.read("set_fate", outcome="reverted", reason="paused", project="shop")
    wanted = {
        "chainId": wallet.chain_id,
        "accountId": wallet.id,
        "calls": [{"to": "0x" + "ab" * 20, "value": "1"}],
    }
    sent = tools.read("call_operation", operation="CreateTransaction", body=wanted, project="shop")
    assert sent["response"]["body"]["status"] == "reverted"
    moment = tools.read("list_timeline", project="shop")["data"][-1]["n"]
    forked = tools.read("fork_project", at=moment, name="again", project="shop")
    assert forked["env"]["OPENFORT_SECRET_KEY"] == "sk_test_again"
    tools.read("travel_to", to=moment, project="shop")
    assert tools.read("verify_calls", call="CreateTransaction", exactly=1, project="shop") == {"found": 1}


def test_a_recording_replays_and_is_shortened(tools: Tools) -> None:
    tools.read("start_recording")
    tools.read("call_operation", operation="CreateContract", body=TOKEN)
    for _ in range(3):
        tools.read("call_operation", operation="CreateContract", body=TOKEN, project="shop")
    tools.read("stop_recording")
    assert tools.read("replay_recording")["differing"] == 0
    exported = tools.read("export_recording", to="pytest")
    whole = exported["text"]
    assert any("calls of others are left out (1)" in note for note in exported["notes"])
    short = tools.read("export_recording", to="pytest", condition="status 409 at CreateContract")["text"]
    assert short.count("mock_api.request") < whole.count("mock_api.request")
    assert "or name another condition" in tools.refused("export_recording", to="pytest", condition="late")


def test_what_was_never_met_comes_as_scenarios(tools: Tools) -> None:
    tools.read("call_operation", operation="CreateContract", body=TOKEN, project="shop")
    found = tools.read("unhappy_paths", project="shop")
    assert "lost answer" in found["operations"]["CreateContract"]["not_met"]
    for each in found["next"]:
        assert tools.read("check_scenario", scenario=each["scenario"])["findings"] == []


def test_rules_end_when_they_are_unloaded(tools: Tools) -> None:
    tools.read(
        "load_scenario",
        scenario="name: x\nrules: [{when: GetContracts, then: {answer: 503}}]",
        project="shop",
    )
    assert tools.read("unload_scenarios", project="shop") == {"deleted": 1}
    assert tools.read("call_operation", operation="GetContracts", project="shop")["status"] == 200


REFUSALS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a project": ("read_journal", {"project": "shpo"}, "did you mean shop?"),
    "an argument": ("move_clock", {"secnds": 1}, "did you mean seconds?"),
    "secrets": ("read_journal", {"unmasked": True}, "is not an argument"),
    "an argument of a function": ("explain_call", {"nn": 1}, "'nn' is not an argument of explain_call"),
    "an operation": ("call_operation", {"operation": "CreateContrct"}, "did you mean CreateContract?"),
    "a part of a path": ("call_operation", {"operation": "GetContract"}, "/v1/contracts/{id} needs id"),
    "no part of a path": (
        "call_operation",
        {"operation": "GetContract", "path": {"id": "con_1", "idd": "x"}},
        "did you mean id?",
    ),
    "a part that leads elsewhere": (
        "call_operation",
        {"operation": "GetContract", "path": {"id": ".."}},
        "path.id: '..' cannot be",
    ),
    "a section": ("read_docs", {"words": "errors#rate_limted"}, "did you mean rate_limited?"),
    "what no URL can hold": ("read_journal", {"text": "x" * 70_000}, "an argument cannot be sent"),
    "a member that is too long": (
        "call_operation",
        {"operation": "GetContracts", "query": {"limit": "x" * 70_000}},
        "an argument cannot be sent",
    ),
    "an outcome": ("set_fate", {"outcome": "revrted"}, "did you mean reverted?"),
    "a rule": ("load_scenario", {"scenario": "rules: [{wen: 1}]"}, "did you mean when?"),
    "an action": ("set_fault", {"operation": "GetContracts", "then": {"anser": 503}}, "did you mean answer?"),
    "a moment": ("travel_to", {"to": 9}, "list_timeline"),
    "an exchange": ("explain_call", {"n": 9}, "read_journal lists the calls"),
    "no failure": ("explain_call", {}, "no call of this project has failed"),
    "no recording": ("export_recording", {"to": "pytest"}, "start_recording begins one"),
    "a kind of export": ("export_recording", {"to": "jest"}, "'pytest'"),
    "words": ("read_docs", {"words": "xyzzy"}, "nothing has these words"),
    "a tool": ("read_jurnal", {}, "did you mean read_journal?"),
    "a count of calls": ("verify_calls", {"call": "GetContracts", "exactly": 2}, "found 0"),
}


@cases("case", *REFUSALS)
def test_a_refusal_says_what_is_near_and_what_is_next(tools: Tools, case: str) -> None:
    tool, arguments, said = REFUSALS[case]
    assert said in tools.refused(tool, **arguments)


def test_what_is_next_is_said_of_errors_that_there_are() -> None:
    assert {*context.NEXT_STEPS} <= {row.problem for row in catalogue()}


@cases(
    "url, is_sent",
    ("http://named.example", True),
    ("http://127.0.0.1:1", True),
    ("http://localhost:1", True),
    ("http://other.example", False),
    ("http://127.0.0.1.other.example", False),
)
def test_other_servers_get_no_token(monkeypatch: pytest.MonkeyPatch, url: str, is_sent: bool) -> None:
    class Ready(MockServer):
        def ready(self) -> bool:
            return True

    monkeypatch.setenv("MOCKSERVER_CONTROL_TOKEN", "secret")
    monkeypatch.setattr(context, "MockServer", Ready)
    found = Context(url="http://named.example").find(url)
    assert found.control_token == ("secret" if is_sent else None)


def test_no_server_is_said_with_the_tool_that_starts_one() -> None:
    result = run_tool(Context(url="http://127.0.0.1:1"), TOOLS, "list_projects", {})
    assert result.is_error
    assert "start starts one" in result.content[0].text  # type: ignore[union-attr]


def test_a_server_with_a_token_says_where_it_is_set() -> None:
    with LiveServer(control_token="token-of-this-test") as server:
        context = Context(url=server.url)
        result = run_tool(context, TOOLS, "list_projects", {})
        context.control.close()
    assert "set MOCKSERVER_CONTROL_TOKEN where" in result.content[0].text  # type: ignore[union-attr]


def test_a_scenario_may_be_an_object(tools: Tools) -> None:
    assert tools.read("load_scenario", scenario={"name": "a\\b"})["name"] == "a\\b"


def test_a_recording_that_is_not_masked_stays_hidden(tools: Tools, server: LiveServer) -> None:
    server.control.start_recording()
    server.control.stop_recording()
    for tool, arguments in (("export_recording", {"to": "har"}), ("replay_recording", {})):
        assert "it was started without `mask`" in tools.refused(tool, **arguments)


def test_a_recording_of_a_newer_server_says_what_reads_it(
    tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MockServer, "recording", lambda _: b'{"mockserver_recording": 9999}')
    for tool, arguments in (("export_recording", {"to": "har"}), ("replay_recording", {})):
        assert "take the version that made it" in tools.refused(tool, **arguments)


@cases(
    "error, said",
    (httpx.ReadTimeout("late"), "the server does not answer: ReadTimeout"),
    (RuntimeError("odd"), "the tool replay_recording failed: RuntimeError"),
)
def test_whatever_fails_is_said_with_what_is_next(
    tools: Tools,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    said: str,
) -> None:
    def fail(_: MockServer) -> bytes:
        raise error

    monkeypatch.setattr(MockServer, "recording", fail)
    assert said in tools.refused("replay_recording")
    assert ("odd" in caplog.text) == isinstance(error, RuntimeError)


def test_secrets_stay_hidden(tools: Tools, server: LiveServer) -> None:
    password, live = "correct-horse-battery", "sk_live_default"
    server.control.create_project(name="paid", livemode=True)
    person = {"email": "ada@example.com", "password": password, "name": "Ada"}
    made = tools.read(
        "call_operation", operation="signUpEmail", body=person, key="publishable", project="shop"
    )
    assert made["status"] == 200
    shown = [
        json.dumps(made),
        tools.text("read_journal", project="shop", brief=False)[0],
        tools.text("explain_call", n=made["n"], project="shop")[0],
        tools.text("list_timeline", project="shop")[0],
        tools.text("list_projects")[0],
    ]
    entry = MockProject.call(
        server.control.project("sk_test_shop"), "GET", f"/journal/{made['n']}?unmasked=true"
    )
    token = entry["response"]["body"]["token"]
    for text in shown:
        assert not [
            secret for secret in (password, token, live, "sk_test_shop", "sk_live_paid") if secret in text
        ]


@cases("name", *TOOLS)
def test_a_tool_says_what_it_takes(name: str) -> None:
    schema, text = TOOLS[name].schema(), TOOLS[name].describe()
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema.keys() <= {"type", "properties", "required"}
    assert 40 < len(text) < 400
    for member in schema["properties"].values():
        # Some clients send texts for what may be null, by type or by default, or is behind a reference.
        assert '"type": "null"' not in json.dumps(member)
        assert '"$ref"' not in json.dumps(member)
        assert "enum" not in member or "type" in member
        assert None not in member.values()


def test_a_page_that_is_too_long_names_its_sections(tools: Tools) -> None:
    found = tools.read("read_docs", words="errors")
    assert "errors#rate_limited" in found["sections"]
    assert tools.text("read_docs", words="errors#rate_limited")[0].startswith("### `rate_limited`")
    assert "faults" in json.dumps(tools.read("read_docs", words="how does a connection break"))


def test_a_part_of_a_path_may_be_anything(tools: Tools) -> None:
    found = tools.read("call_operation", operation="GetContract", path={"id": "a/../é{x}"}, project="shop")
    assert (found["operation"], found["status"]) == ("GetContract", 404)


def test_a_long_journal_comes_in_pages(tools: Tools, shop: MockProject) -> None:
    with shop.connect() as api:
        for _ in range(300):
            api.get("/v1/contracts")
    page = tools.read("read_journal", project="shop")
    assert (len(page["data"]), page["total"]) == (20, 300)
    tools.read("read_journal", project="shop", limit=300, brief=False)


def test_operations_are_listed_by_tag_or_found_by_words(tools: Tools) -> None:
    assert "CreateContract" in tools.read("list_operations")["Contracts"]
    found = tools.read("list_operations", words="contracts POST")
    assert found["CreateContract"].startswith("POST /v1/contracts (Contracts): ")
    assert "GetContracts" not in found
    # Methods of nodes are no operations that a call is sent to.
    assert tools.read("list_operations", words="eth_getBalance") == {}


def test_a_call_is_explained_by_its_rule_or_its_path(tools: Tools, shop: MockProject) -> None:
    shop.load("{name: away, rules: [{name: cut, when: GetContracts, then: {fault: malformed_json}}]}")
    with shop.connect() as api:
        api.get("/v1/contracts")
        api.get("/v1/nowhere")
    assert (
        "the rule cut decided about it, by the fault malformed_json"
        in tools.text("explain_call", n=2, project="shop")[0]
    )
    assert "no operation has this method" in tools.read("explain_call", project="shop")["why"]


def test_unhappy_paths_may_be_those_of_an_operation(tools: Tools, shop: MockProject) -> None:
    asked = {"operation": "GetContracts", "project": "shop"}
    (paths,) = tools.read("unhappy_paths", **asked)["operations"].values()
    assert (paths["met"], "500" in paths["not_met"]) == ([], True)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
WAITS = {"wait", "within", "url"}


@st.composite
def invented_calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool with arguments that are it own, or not, and whose values may be anything."""
    name = draw(st.sampled_from(sorted(set(TOOLS) - {"start"})))
    known = sorted(TOOLS[name].schema()["properties"].keys() - WAITS)
    names = st.sampled_from(known) if known else st.just("project")
    chosen = draw(st.dictionaries(names | st.text(max_size=5), JSON | st.just("CreateContract"), max_size=4))
    return name, {each: value for each, value in chosen.items() if each not in WAITS}


@pytest.fixture(scope="module")
def lasting() -> Iterator[Tools]:
    """The tools of a server that outlives an example."""
    with LiveServer() as running:
        yield Tools(running.control)


@settings(max_examples=60)
@given(call=invented_calls())
def test_no_arguments_take_the_server_down(lasting: Tools, call: tuple[str, dict[str, Any]]) -> None:
    tool, arguments = call
    text, is_error = lasting.text(tool, **arguments)
    assert not (is_error and text.startswith(f"the tool {tool} failed")), text
    assert "data" in lasting.read("list_projects")
