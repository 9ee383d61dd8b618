"""The examples, and how they are run: as their READMEs say, in a copy, against a server that records."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mockserver import cli
from mockserver.cli.parser import command_of
from mockserver.server.answering.control_token import TOKEN_VARIABLE
from mockserver.server.edge.ticker import Ticker
from mockserver.state.world import ProjectDefaults, World
from mockserver.testing.server import LiveServer

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FOLDERS = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))
DEBIAN_MAVEN = Path("/usr/share/maven/bin/mvn")
"""One whose plugins are those that Debian packages. Another one would want to download its own."""
DEBIAN_REPOSITORY = Path("/usr/share/maven-repo")
RUNNER_OF_MAVEN = "org/apache/maven/surefire/surefire-junit-platform"
_LIMIT_S = 240
TOKEN = "a-token-of-the-test"


@dataclass(frozen=True)
class Toolchain:
    """What an example needs, and whether its first command is run, too: one that needs no network."""

    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    is_built_first: bool = False

    def missing(self) -> list[str]:
        """What this machine does not have."""
        return [
            *(name for name in self.programs if shutil.which(name) is None),
            *(name for name in self.modules if importlib.util.find_spec(name) is None),
            *(str(path) for path in self.files if not path.exists()),
        ]


TOOLCHAINS = {
    "curl": Toolchain(("bash", "curl", "jq")),
    "go": Toolchain(("go",), is_built_first=True),
    "java": Toolchain(("javac",), files=(DEBIAN_MAVEN, DEBIAN_REPOSITORY / RUNNER_OF_MAVEN)),
    "python": Toolchain(modules=("anyio", "httpx", "requests")),
}
"""By folder. Examples that are tested elsewhere, with toolchains of their own, are not here."""


def commands_of(folder: str) -> dict[str, list[str]]:
    """The words of the two commands of an example's README, by what they do."""
    page = (EXAMPLES / folder / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^```sh (install|test)\n(.*)\n```$", page, re.MULTILINE)
    return {purpose: shlex.split(command) for purpose, command in found}


def without_exec(words: list[str]) -> list[str]:
    """A command without `mockserver exec` in front of it."""
    if words[:2] != ["mockserver", "exec"]:
        return words
    return command_of(cli.build_parser().parse_args(words[1:]))


def stage(folder: str, place: Path) -> Path:
    """A copy of an example. Skips the test without its toolchain."""
    missing = TOOLCHAINS[folder].missing()
    if missing:
        pytest.skip(f"the example needs {', '.join(missing)}")
    shutil.copytree(EXAMPLES, place, ignore=shutil.ignore_patterns("build", "target", "node_modules"))
    if folder == "java":
        _use_debian_repository(place / folder, place / "m2")
    return place / folder


def run(folder: str, place: Path, recording: Path) -> None:
    """Run an example's commands, and record what the tests ask of a server."""
    staged, commands = stage(folder, place), commands_of(folder)
    with serving() as server:
        server.start_recording(recording)
        if TOOLCHAINS[folder].is_built_first:
            succeed(commands["install"], staged, environment(server))
        succeed(without_exec(commands["test"]), staged, environment(server))
        server.stop_recording()


def serving() -> LiveServer:
    """A server as `serve` starts it in a container: its clocks tick, its seed is not that of tests."""
    ticking = ProjectDefaults(now_ms=None, mode="ticking")
    return LiveServer(World("container", real_ms=Ticker().real_ms, defaults=ticking), control_token=TOKEN)


def environment(server: LiveServer | None, *options: str) -> dict[str, str]:
    """The variables of a program whose tests use a server, or for pytest these options."""
    url = None if server is None else server.url
    tools = os.pathsep.join([str(DEBIAN_MAVEN.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    return {
        **plain,
        "PATH": tools,
        "PYTHONPATH": str(ROOT),
        **({} if url is None else {"MOCKSERVER_URL": url, TOKEN_VARIABLE: TOKEN}),
        # The plugin would use a server in the test's process, which nothing records.
        "PYTEST_ADDOPTS": shlex.join(
            ["-p", "no:cacheprovider", *options, *(() if url is None else ("--mockserver-url", url))]
        ),
    }


def succeed(words: list[str], place: Path, environment: dict[str, str], status: int = 0) -> str:
    """Run a command, which ends with a status; what it printed."""
    ran = subprocess.run(
        words, cwd=place, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
    )
    assert ran.returncode == status, f"{shlex.join(words)}\n{ran.stdout}{ran.stderr}"
    return f"{ran.stdout}{ran.stderr}"


def _use_debian_repository(project: Path, repository: Path) -> None:
    """Make Maven take what Debian packages, in the versions that it has, and nothing from elsewhere."""
    shutil.copytree(DEBIAN_REPOSITORY, repository, copy_function=os.symlink)
    versions = {
        "gson": _version("com/google/code/gson/gson"),
        "junit": _version("org/junit/jupiter/junit-jupiter"),
        "surefire": _version(RUNNER_OF_MAVEN),
    }
    options = ["--offline", f"-Dmaven.repo.local={repository}"]
    options += [f"-D{name}.version={version}" for name, version in versions.items()]
    (project / ".mvn").mkdir()
    (project / ".mvn" / "maven.config").write_text("\n".join(options) + "\n", encoding="utf-8")


def _version(artifact: str) -> str:
    found = {path.name for path in (DEBIAN_REPOSITORY / artifact).iterdir() if path.is_dir()} - {"debian"}
    return max(found)


def requests_of(recording: Path) -> list[dict[str, Any]]:
    """The requests of a recording, in order."""
    lines = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()]
    return [line["request"] for line in lines if line.get("request")]


def stories(recording: Path) -> set[tuple[str, ...]]:
    """What was asked of the public API, for each project in order: methods and paths, without ids."""
    found: dict[str, list[str]] = {}
    for request in requests_of(recording):
        if not request["path"].startswith("/_mock"):
            found.setdefault(_key(request["headers"]), []).append(_shape(request))
    return {tuple(calls) for calls in found.values()}


def controls(recording: Path) -> set[str]:
    """What was asked of the control API about a project, without ids."""
    asked = [_shape(request) for request in requests_of(recording)]
    return {shape.replace(" /_mock/projects/{id}", "") for shape in asked if "/_mock/projects/{id}/" in shape}


def _key(headers: list[list[str]]) -> str:
    sent = {name.lower(): value for name, value in headers}
    key = sent.get("x-project-key") or sent["authorization"].removeprefix("Bearer ")
    return re.sub("^[ps]k_test_", "", key)


def _shape(request: dict[str, Any]) -> str:
    return f"{request['method']} {re.sub('/[a-z]{3}_[0-9a-f-]+', '/{id}', request['path'])}"
