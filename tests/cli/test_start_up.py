"""What happens before the server is ready, and what a start must not pay for."""

import asyncio
import re
import subprocess
import sys

import pytest
from httpx import ASGITransport, AsyncClient

from mockserver.launch.application import AppOptions, build_app
from mockserver.launch.serve import prepare
from tests.tables import cases

HEAVY = (
    # It hashes where there is no safe-pysha3, and starts cffi's parser, which cryptography does not need.
    "Crypto",
    "cffi",
    "pycparser",
    "eth_account",
    "eth_abi",
    "eth_keys",
    "eth_utils",
    "jwt",
    "httpx",
    "websockets",
    "hypothesis",
    "pytest",
    "opentelemetry",
    "mcp",
    "mcp_types",
)


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has after running some code."""
    code += "\nimport sys; print(*sorted(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ended.stdout.split())


OTHER = {"authorization": "Bearer sk_test_other"}


def test_scenarios_are_loaded_before_their_project_is_asked() -> None:
    app = build_app(AppOptions())
    project = app.pipeline.world.key("sk_test_default").project

    async def story() -> None:
        transport = ASGITransport(app)
        async with AsyncClient(transport=transport, base_url="http://mock") as client:
            assert (await client.get("/_mock/health")).status_code == 200
            assert len(project.scenarios) == 0
            assert (await client.get("/v1/contracts", headers=OTHER)).json()["total"] == 0
            created = (await client.post("/_mock/projects", json={})).json()
            assert (await client.get(f"/_mock/projects/{created['id']}/journal")).json()["total"] == 0
            assert len(project.scenarios) == 0
            behalf = {"x-behalf-of-project": project.id}
            assert (await client.get("/v1/contracts", headers=OTHER | behalf)).status_code == 200
            assert len(project.scenarios) == 1

    asyncio.run(story())


def test_the_command_line_loads_nothing_only_some_commands_need() -> None:
    some = {"email", "pydantic", "ssl", "starlette", "subprocess", "uvicorn", "zipfile"}
    assert loaded_after("import mockserver.cli").isdisjoint(some)


START = """
import os, sys
from mockserver.launch import announcement

def stop_at(ready, _):
    announcement.ready_content(ready)
    print(*sys.modules, flush=True)
    os._exit(0)

announcement.announce = stop_at
from mockserver.cli import main
main(["serve", "--port", "0", "--log", "none"])
"""
"""A server that ends as soon as it is ready, and says which modules it has imported."""


def test_a_server_is_ready_before_anything_is_read() -> None:
    ended = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True)
    loaded = set(ended.stdout.split())
    assert "mockserver.server.edge.app" in loaded
    assert loaded.isdisjoint({*HEAVY, "click", "pydantic", "pydantic_core", "uvicorn.main", "yaml"})
    later = (
        "mockserver.resources.",
        "mockserver.responses.",
        "mockserver.scenario.",
        "mockserver.server.control.",
    )
    assert [name for name in loaded if name.startswith(later)] == []


def test_a_server_looks_for_no_plugins_of_pydantic() -> None:
    # Their search is all that reads the metadata of packages.
    model = "from pydantic import TypeAdapter; TypeAdapter(int)"
    code = START.replace("announcement.ready_content(ready)", model)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ended.stdout.split())
    assert "pydantic.plugin._schema_validator" in loaded
    assert "importlib.metadata" not in loaded


def test_a_start_imports_few_modules() -> None:
    # A budget of modules and not of time, which depends on what else the machine has to do.
    command = [sys.executable, "-X", "importtime", "-c", START]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.findall(r"import time: +(\d+) \| +\d+ \| *(\S+)", ended.stderr)
    own = sorted((int(took), name) for took, name in found if name.startswith("mockserver."))
    said = ", ".join(f"{name} {took / 1000:.1f} ms" for took, name in reversed(own))
    assert len(own) <= 148, f"a start imports {len(own)} modules: {said}"


def test_what_first_requests_need_is_prepared_in_steps() -> None:
    app = build_app(AppOptions())
    project = app.pipeline.world.key("sk_test_default").project
    steps = prepare(app)
    while not len(project.scenarios):
        next(steps)
    unread = {each.unread for each in app.pipeline.server.routes.by_operation.values()} - {None}
    assert len([*steps]) == len(unread)
    assert unread <= sys.modules.keys()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere pycryptodome hashes, which is heavy")
def test_the_default_scenario_loads_nothing_heavy() -> None:
    code = "from mockserver.launch.application import AppOptions, build_app\nbuild_app(AppOptions()).start()"
    loaded = loaded_after(code)
    assert loaded.isdisjoint(HEAVY)
    recording = "mockserver.server.recording."
    assert {name for name in loaded if name.startswith(recording)} == {f"{recording}recordings"}


def test_only_verifying_a_token_loads_the_library_that_does() -> None:
    keys = [{"kty": "oct", "k": "AAAA"}]
    code = "from mockserver.crypto.key_sets import read_signed, require_keys\n"
    code += "from mockserver.crypto.tokens import BadToken\n"
    code += f"keys = require_keys({keys})\n"
    assert "jwt" not in loaded_after(code)
    code += "try: read_signed('eyJhbGciOiJIUzI1NiJ9.e30.AAAA', keys)\nexcept BadToken: pass"
    assert "jwt" in loaded_after(code)


@cases("asked", "import uvicorn; uvicorn.run", "from uvicorn import run", "from uvicorn import *; run")
def test_uvicorn_is_whole_for_those_who_ask_it(asked: str) -> None:
    assert "uvicorn.main" in loaded_after(f"import mockserver.server.edge.listening\n{asked}")


@cases("code", "import mockserver.cli", "import pytest, mockserver.pytest_plugin")
def test_what_every_run_imports_loads_no_server(code: str) -> None:
    server = {"starlette", "pydantic", "uvicorn", "cryptography", "yaml", "httpx"}
    assert loaded_after(code).isdisjoint(server)
