"""The action for GitHub: its steps run without GitHub, beside a stand-in for uv that installs nothing."""

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load(
    (ROOT / ".github" / "actions" / "mockserver" / "action.yml").read_text(encoding="utf-8")
)
UV = """#!/bin/sh
echo "$@" >>"$RUNNER_TEMP/uv"
[ "$1" = venv ] || exit 0
mkdir -p "$RUNNER_TEMP/mockserver/bin" && cd "$RUNNER_TEMP/mockserver/bin"
printf '#!/bin/sh\\nexec "{python}" "$@"\\n' >python
printf '#!/bin/sh\\necho $$ >"$RUNNER_TEMP/pid"\\nexec "{python}" -m mockserver "$@"\\n' >mockserver
chmod +x python mockserver
"""


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Path]:
    """The folder of a runner, whose server ends with the test."""
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(UV.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    yield tmp_path
    if (started := tmp_path / "pid").exists():
        with suppress(ProcessLookupError):
            os.kill(int(started.read_text()), signal.SIGTERM)


def run_steps(runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the steps until one fails, as GitHub does; the last of them."""
    variables = {
        "PATH": f"{runner / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(runner),
        "GITHUB_ACTION_PATH": str(ROOT / ".github" / "actions" / "mockserver"),
        **{f"GITHUB_{name}": str(runner / name) for name in ("ENV", "OUTPUT", "PATH")},
    }
    given = {f"${{{{ inputs.{name} }}}}": inputs.get(name, "") for name in ACTION["inputs"]}
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        environment = variables | {name: given[value] for name, value in step["env"].items()}
        # Its output in a file, as the server keeps it open.
        with (runner / "said").open("w") as said:
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            ran = subprocess.run(words, env=environment, stdout=said, stderr=said, timeout=60, check=False)
        if ran.returncode:
            break
    return subprocess.CompletedProcess(ran.args, ran.returncode, (runner / "said").read_text())


def set_by(text: str) -> dict[str, str]:
    """Variables, one a line."""
    return dict(line.split("=", 1) for line in text.splitlines())


def test_it_sets_the_variables_that_exec_sets(runner: Path) -> None:
    ran = run_steps(runner, arguments="--clock frozen --seed mine")
    assert ran.returncode == 0, ran.stdout
    found = set_by((runner / "ENV").read_text())
    clean = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "mockserver", "exec", "--", "env"]
    expected = set_by(subprocess.run(command, env=clean, capture_output=True, text=True, check=True).stdout)
    assert found.pop("MOCKSERVER_RECORD_TESTS") == "failed"
    assert found.keys() == expected.keys() - clean.keys() - {"LC_CTYPE"}
    assert set_by((runner / "OUTPUT").read_text()) == {"url": found["MOCKSERVER_URL"]}
    assert urllib.request.urlopen(f"{found['MOCKSERVER_URL']}/_mock/health").status == 200


def test_it_installs_its_own_version_or_what_is_asked_for(runner: Path) -> None:
    run_steps(runner, arguments="--help")
    assert (runner / "uv").read_text().splitlines()[-1].endswith("/.github/actions/mockserver/../../..")
    (runner / "mockserver" / "path" / "mockserver").unlink()
    (runner / "mockserver" / "path").rmdir()
    run_steps(runner, arguments="--help", requirement="mockserver==0.1.0")
    assert (runner / "uv").read_text().splitlines()[-1].endswith(" mockserver==0.1.0")


def test_only_the_program_comes_onto_the_path(runner: Path) -> None:
    run_steps(runner, arguments="--help")
    (folder,) = (runner / "PATH").read_text().splitlines()
    assert os.listdir(folder) == ["mockserver"]


def test_what_the_server_says_is_shown_when_it_cannot_start(runner: Path) -> None:
    ran = run_steps(runner, arguments="--clok frozen")
    assert ran.returncode == 1
    assert "did you mean --clock" in ran.stdout
