"""What a start must not pay for."""

import subprocess
import sys

import pytest

HEAVY = (
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


def test_serving_loads_nothing_heavy():
    code = "import mockserver.cli, mockserver.server.listening, mockserver.announcement as a\n"
    code += "from mockserver.serve import ServeOptions, build\n"
    code += "app, project, live = build(ServeOptions()); a.environment('', project)"
    assert loaded_after(code).isdisjoint(HEAVY)


@pytest.mark.parametrize("code", ["import mockserver.cli", "import pytest, mockserver.pytest_plugin"])
def test_what_every_run_imports_loads_no_server(code):
    assert loaded_after(code).isdisjoint({"starlette", "pydantic", "uvicorn", "cryptography", "yaml"})
