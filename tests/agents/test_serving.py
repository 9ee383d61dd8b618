"""The protocol: over standard streams and HTTP, in both of its eras, and who may speak it."""

import json
import os
import signal
import subprocess
import sys

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from mockserver import cli
from mockserver.agents.context import Context
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.agents.clients import Agent, beside, by_http, by_stdio, use
from tests.live import server, shop
from tests.tables import cases

__all__ = ["server", "shop"]

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
HEADERS = {"accept": "application/json, text/event-stream"}


async def look_at_everything(agent: Agent) -> None:
    """Ask for all that a client may ask for."""
    client = agent.client
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"create_project", "explain_call", "export_recording"} <= tools
    resources = [str(each.uri) for each in (await client.list_resources()).resources]
    assert "mockserver://docs/reference/errors" in resources
    templates = (await client.list_resource_templates()).resource_templates
    assert "mockserver://projects/{project}/timeline" in [each.uri_template for each in templates]
    for uri in ("mockserver://docs/CreateContract", "mockserver://scenario-schema"):
        (content,) = (await client.read_resource(uri)).contents
        assert content.text  # type: ignore[union-attr]
    assert [each.name for each in (await client.list_prompts()).prompts] == [
        "write_a_test",
        "why_did_this_fail",
    ]
    with pytest.raises(MCPError, match="there is no resource"):
        await client.read_resource("mockserver://nothing")
    with pytest.raises(MCPError, match="use write_a_test or"):
        await client.get_prompt("nothing")
    with pytest.raises(MCPError, match="operation is missing"):
        await client.get_prompt("write_a_test")
    with pytest.raises(MCPError, match="\nNext: "):
        await client.read_resource("mockserver://projects/nothing/timeline")


@cases("mode", "auto", "legacy")
def test_a_server_speaks_the_protocol_over_http(server: LiveServer, mode: str) -> None:
    async def work(agent: Agent) -> None:
        await look_at_everything(agent)
        project = (await agent.read("create_project", name="shop"))["env"]
        assert project["MOCKSERVER_URL"] == server.url
        made = {"operation": "CreateContract", "body": {}, "project": "shop"}
        assert (await agent.read("call_operation", **made))["status"] == 400
        timeline = await agent.client.read_resource("mockserver://projects/shop/timeline")
        assert "CreateContract" in timeline.contents[0].text  # type: ignore[union-attr]
        prompt = await agent.client.get_prompt("why_did_this_fail", {"project": "shop"})
        assert "invalid_parameters" in prompt.messages[0].content.text  # type: ignore[union-attr]

    use(by_http(server.url, mode=mode), work)


def test_a_command_speaks_the_protocol_over_standard_streams(server: LiveServer) -> None:
    async def work(agent: Agent) -> None:
        await look_at_everything(agent)
        assert (await agent.read("start", url=server.url))["url"] == server.url
        await agent.read("create_project", name="here")

    use(by_stdio("--url", "http://127.0.0.1:1", mode="legacy"), work)
    assert "here" in [project.name for project in server.control.projects()]


def test_the_command_ends_with_its_input() -> None:
    command = [sys.executable, "-m", "mockserver", "mcp"]
    message = json.dumps(INITIALIZE)
    ended = subprocess.run(command, input=message, capture_output=True, text=True, check=False, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == "mockserver"


@pytest.mark.skipif(os.name == "nt", reason="the signals of POSIX")
@cases("number", signal.SIGTERM, signal.SIGINT)
def test_a_signal_ends_the_command(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "mockserver", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin
        assert running.stdout
        print(json.dumps(INITIALIZE), file=running.stdin, flush=True)
        # It reads on, with the handlers that it has while it serves.
        assert "serverInfo" in running.stdout.readline()
        running.send_signal(number)
        try:
            assert running.wait(timeout=60) == 128 + number
        finally:
            running.kill()


def test_a_prompt_may_be_the_first_that_is_asked_for(server: LiveServer, shop: MockProject) -> None:
    async def work(agent: Agent) -> None:
        asked = {"operation": "CreateContract"}
        written = (await agent.client.get_prompt("write_a_test", asked)).messages[0]
        assert "CreateContract" in written.content.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="no call of this project has failed"):
            await agent.client.get_prompt("why_did_this_fail", {"project": "shop", "n": ""})
        with pytest.raises(MCPError, match="n: Input should be a valid integer"):
            await agent.client.get_prompt("why_did_this_fail", {"project": "shop", "n": "first"})

    # In a process of its own, which has built no bodies yet.
    use(by_stdio("--url", server.url), work)


def test_a_server_that_does_not_answer_is_said_of_resources() -> None:
    async def work(agent: Agent) -> None:
        with pytest.raises(MCPError, match="\nNext: start starts one"):
            await agent.client.read_resource("mockserver://projects/shop/timeline")

    use(beside(Context(url="http://127.0.0.1:1")), work)


def test_the_password_of_a_url_is_not_repeated() -> None:
    async def work(agent: Agent) -> None:
        said = await agent.refused("start", url="http://ada:secret@127.0.0.1:1")
        assert ("no password" in said, "\nNext: " in said, "secret" in said) == (True, True, False)

    use(beside(Context()), work)


def test_what_is_no_number_in_json_is_refused(server: LiveServer) -> None:
    call = {"name": "list_projects", "arguments": {"limit": float("nan")}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
    headers = {**HEADERS, "content-type": "application/json"}
    answer = httpx.post(f"{server.url}/_mock/mcp", content=asked, headers=headers)
    assert (answer.status_code, answer.json()["detail"][:17]) == (400, "body: is not JSON")


def test_a_recording_has_the_calls_of_the_tools_alone(server: LiveServer) -> None:
    async def work(agent: Agent) -> None:
        await agent.read("start_recording")
        await agent.read("create_project", name="shop")
        await agent.read("stop_recording")
        # Made again against a server, a message would make its calls a second time.
        script = (await agent.read("export_recording", to="curl"))["text"]
        assert "CreateProject" in script
        assert "/_mock/mcp" not in script

    use(by_http(server.url), work)


def test_a_client_is_told_what_changes_something(server: LiveServer) -> None:
    async def work(agent: Agent) -> None:
        hints = {tool.name: tool.annotations for tool in (await agent.client.list_tools()).tools}
        read, travel = hints["read_journal"], hints["travel_to"]
        assert read is not None
        assert travel is not None
        assert (read.read_only_hint, read.destructive_hint, read.idempotent_hint) == (True, False, True)
        assert (travel.read_only_hint, travel.destructive_hint) == (False, True)

    use(by_http(server.url), work)


def test_reading_only_leaves_the_tools_that_change_nothing(server: LiveServer) -> None:
    async def work(agent: Agent) -> None:
        tools = (await agent.client.list_tools()).tools
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert {"read_journal", "check_scenario"} <= {tool.name for tool in tools}
        assert "'create_project' is not a tool here" in await agent.refused("create_project")
        assert "there is no project 'default'" in await agent.refused("read_journal")

    # Its key would create it.
    assert server.control.projects() == []
    use(by_http(server.url, "?read_only=true"), work)
    assert server.control.projects() == []


def test_only_who_may_use_the_control_api_may_use_tools(server: LiveServer) -> None:
    def ask(method: str = "POST", **headers: str) -> int:
        given = {**HEADERS, **headers}
        body = None if method == "GET" else INITIALIZE
        return httpx.request(method, f"{server.url}/_mock/mcp", json=body, headers=given).status_code

    assert ask() == 200
    assert ask(host="rebound.example") == 403
    assert ask(origin="https://elsewhere.example") == 403
    assert ask(**{"content-type": "text/plain"}) == 415
    assert ask("GET") == 405


def test_a_server_with_a_token_asks_for_it() -> None:
    with LiveServer(control_token="token-of-this-test") as server:
        url = f"{server.url}/_mock/mcp"
        assert httpx.post(url, json=INITIALIZE, headers=HEADERS).status_code == 401
        given = {**HEADERS, "x-mockserver-token": "token-of-this-test"}
        assert httpx.post(url, json=INITIALIZE, headers=given).status_code == 200
        call = {"name": "create_project", "arguments": {"name": "shop"}}
        asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        answer = httpx.post(url, json=asked, headers=given)
        assert "sk_test_shop" in answer.text
        assert "token-of-this-test" not in answer.text


def test_in_one_process_it_says_what_it_needs(server: LiveServer) -> None:
    with httpx.Client(transport=server.transport, base_url="http://mock") as client:
        refused = client.post("/_mock/mcp", json=INITIALIZE, headers=HEADERS)
    assert refused.status_code == 501
    assert "needs a connection" in refused.json()["detail"]


def test_without_the_extra_it_says_what_to_install(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("mockserver.cli.mcp", "mockserver.agents.control"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None)
    assert cli.main(["mcp"]) == 3
    assert "pip install 'mockserver[mcp]'" in capsys.readouterr().err
    refused = httpx.post(f"{server.url}/_mock/mcp", json=INITIALIZE, headers=HEADERS)
    assert refused.status_code == 501
    assert refused.json()["detail"] == "The server lacks mcp: pip install 'mockserver[mcp]'."
