"""What happens before the server is ready, and what a start must not pay for."""

import asyncio
import subprocess
import sys

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from mockserver.serve import ServeOptions, build, load_scenarios
from mockserver.server.start_up import Gate
from tests.transport import InProcessTransport

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
)


def loaded_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after running some code."""
    code += "\nimport sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ended.stdout.split())


def test_only_liveness_is_answered_before_start_up_is_over():
    async def story() -> None:
        answered: list[str] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            answered.append(scope["path"])

        gate = Gate(app)

        async def ask(path: str) -> None:
            await gate({"type": "http", "path": path}, None, None)

        early = asyncio.create_task(ask("/v1/contracts"))
        await ask("/_mock/health")
        await ask("/_mock/ready")
        await asyncio.sleep(0)
        assert answered == ["/_mock/health", "/_mock/ready"]
        gate.open()
        await early
        await ask("/v2/users")
        assert answered[2:] == ["/v1/contracts", "/v2/users"]

    asyncio.run(story())


def test_the_server_is_not_ready_before_its_scenarios_are_in():
    app, project, _ = build(ServeOptions(log="none"))
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        early = client.get("/_mock/ready")
        assert (early.status_code, early.json()["detail"]) == (503, "The scenarios are being loaded.")
        load_scenarios(app, project, ())
        assert client.get("/_mock/ready").status_code == 200


def test_serving_loads_nothing_heavy():
    code = "import mockserver.cli, mockserver.server.listening, mockserver.announcement as a\n"
    code += "from mockserver.serve import ServeOptions, build\n"
    code += "app, project, live = build(ServeOptions()); a.environment('', project)"
    assert loaded_after(code).isdisjoint(HEAVY)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere pycryptodome hashes, which is heavy")
def test_the_default_scenario_loads_nothing_heavy():
    code = "from mockserver.serve import ServeOptions, build, load_scenarios\n"
    code += "app, project, live = build(ServeOptions(log='none')); load_scenarios(app, project, ())"
    assert loaded_after(code).isdisjoint(HEAVY)


def test_only_verifying_a_token_loads_the_library_that_does():
    keys = [{"kty": "oct", "k": "AAAA"}]
    code = "from mockserver.crypto.key_sets import read_signed, require_keys\n"
    code += "from mockserver.crypto.tokens import BadToken\n"
    code += f"keys = require_keys({keys})\n"
    assert "jwt" not in loaded_after(code)
    code += "try: read_signed('eyJhbGciOiJIUzI1NiJ9.e30.AAAA', keys)\nexcept BadToken: pass"
    assert "jwt" in loaded_after(code)


@pytest.mark.parametrize("code", ["import mockserver.cli", "import pytest, mockserver.pytest_plugin"])
def test_what_every_run_imports_loads_no_server(code):
    assert loaded_after(code).isdisjoint({"starlette", "pydantic", "uvicorn", "cryptography", "yaml"})
