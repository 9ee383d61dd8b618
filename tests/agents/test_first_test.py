"""An agent that knows nothing but the tools and the prompts gets from an empty folder to a green test."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.agents.clients import Agent, by_stdio, use

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "agents.md"
MOST_CALLS = 12
SHOWN = 90

SCENARIO = """\
name: outage
rules:
  - name: one outage
    when: {call: CreateContract, nth: 1}
    then: {answer: {status: 503}}
"""
BODY = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


async def write_first_test(agent: Agent) -> str:
    """The text of a test, with a scenario and a fault."""
    known = {tool.name: tool.input_schema for tool in (await agent.client.list_tools()).tools}
    prompt = await agent.client.get_prompt("write_a_test", {"operation": "CreateContract"})
    (message,) = prompt.messages
    assert message.content.type == "text"
    assert '"chainId"' in message.content.text

    async def call(tool: str, **arguments: Any) -> Any:
        assert arguments.keys() <= known[tool]["properties"].keys()
        return await agent.read(tool, **arguments)

    await call("start")
    project = (await call("create_project", name="shop", clock={"mode": "frozen"}))["project"]["name"]
    assert "CreateContract" in await call("list_operations", words="contract register")
    await call("start_recording")
    await call("load_scenario", scenario=SCENARIO, project=project)
    made = {"operation": "CreateContract", "body": BODY, "project": project}
    assert (await call("call_operation", **made))["status"] == 503
    assert "one outage" in (await call("explain_call", project=project))["why"]
    assert (await call("call_operation", **made))["status"] == 200
    await call("set_fault", operation="GetContracts", then={"fault": "empty_response"}, project=project)
    assert (await call("call_operation", operation="GetContracts", project=project))["lost"]
    await call("stop_recording")
    text: str = (await call("export_recording", to="pytest"))["text"]
    return text


def transcript_of(agent: Agent) -> str:
    """The calls as the guide shows them: what differs between machines and what is long is left out."""
    lines: list[str] = []
    for number, (tool, arguments, answer) in enumerate(agent.transcript, 1):
        shown = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:…", answer)
        shown = re.sub(r'"(exchanges|size)": \d+', r'"\1": …', shown)
        shown = re.sub(r"\b(pro|scn|con)_[0-9a-f-]{36}", r"\1_…", shown)
        lines += [
            f"{number}. {tool} {json.dumps(arguments)}",
            f"   {shown[:SHOWN]}…" if len(shown) > SHOWN else f"   {shown}",
        ]
    return "\n".join(lines) + "\n"


def test_an_agent_gets_to_a_green_first_test(tmp_path: Path) -> None:
    async def work(agent: Agent) -> None:
        text = await write_first_test(agent)
        assert len(agent.transcript) <= MOST_CALLS
        (tmp_path / "test_first.py").write_text(text, encoding="utf-8")
        # What the guide shows is what happened.
        assert transcript_of(agent) in GUIDE.read_text(encoding="utf-8"), transcript_of(agent)

    use(by_stdio(folder=tmp_path), work)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_first.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in ran.stdout, ran.stdout
    recorded = (tmp_path / "test_first.py").read_text(encoding="utf-8")
    assert "one outage" in recorded
    assert "empty_response" in recorded
