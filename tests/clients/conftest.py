"""The official npm clients, installed once, and the flows they play against a live server."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mockserver.testing.server import LiveServer
from tests.clients.editions import HERE, Edition, editions
from tests.clients.installing import installed
from tests.fleet.balancers import BALANCERS

EDITIONS = editions()
_PLAY_LIMIT_S = 120


@dataclass(frozen=True)
class Played:
    """What a version of a client did.

    `scripts` has what became of the flows of each script, `strangers` the hosts beside the mock that it
    tried to reach, `methods` whether each method of the client was called, `asked` method and path of each
    request.
    """

    scripts: dict[str, list[dict[str, Any]]]
    strangers: list[str]
    methods: dict[str, bool]
    asked: list[str]


Viem = Callable[[str, list[Any]], list[Any]]


@pytest.fixture(scope="session")
def clients() -> Path:
    """A directory with `node_modules` as the lockfile has it, kept between runs."""
    return installed(HERE).parent


@pytest.fixture(scope="session")
def stage(clients: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the scripts and what they import, and one such directory for each version in it."""
    place = tmp_path_factory.mktemp("clients")
    # Node looks for packages beside the script, and the repository is to stay without them.
    (place / "node_modules").symlink_to(clients / "node_modules", target_is_directory=True)
    _copy_scripts(place)
    for edition in EDITIONS:
        own = place / str(edition)
        own.mkdir()
        _copy_scripts(own)
        if edition.installed:
            # What is found nearer to the script hides the package of the same name further up.
            package = own / "node_modules" / edition.package
            package.parent.mkdir(parents=True)
            package.symlink_to(clients / "node_modules" / edition.installed, target_is_directory=True)
    return place


def _copy_scripts(place: Path) -> None:
    for script in HERE.glob("*.mjs"):
        shutil.copy(script, place)


@pytest.fixture(scope="session")
def mock_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that all clients share, each flow in a project of its own.

    With TESTS_BEHIND=haproxy, or nginx, it is that of a fleet.
    """
    name = os.environ.get("TESTS_BEHIND")
    with LiveServer() as server, LiveServer() as other:
        if name is None:
            yield server.url
            return
        with BALANCERS[name]([server.url, other.url], tmp_path_factory.mktemp("fleet")) as url:
            yield url


@pytest.fixture(scope="session")
def played(request: pytest.FixtureRequest, stage: Path, mock_url: str) -> Mapping[Edition, Played]:
    """What became of the flows of each version that the selected tests are about, played side by side."""
    wanted = {
        item.callspec.params.get("edition") for item in request.session.items if hasattr(item, "callspec")
    }
    chosen = [edition for edition in EDITIONS if edition in wanted]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = pool.map(lambda edition: _play(edition, stage, mock_url), chosen)
        return dict(zip(chosen, results, strict=True))


def _play(edition: Edition, stage: Path, url: str) -> Played:
    place = stage / str(edition)
    answer = run_node(place, url, "main.mjs", edition.client, edition.version, *edition.scripts)
    return Played(**answer)


def run_node(place: Path, url: str, *arguments: str) -> Any:
    """Run a script of a place, and read the JSON of its last line."""
    ran = subprocess.run(
        ["node", "--import", (place / "guard.mjs").as_uri(), *arguments],
        cwd=place,
        env={"PATH": os.environ["PATH"], "HOME": str(place), "MOCK_URL": url},
        capture_output=True,
        text=True,
        timeout=_PLAY_LIMIT_S,
    )
    if ran.returncode != 0:
        pytest.fail(f"{place.name}: {ran.stdout}{ran.stderr}")
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def viem(stage: Path) -> Iterator[Viem]:
    """Ask viem about all cases of a kind; one process of node answers for every kind.

    In questions and answers bytes are 0x hex; integers are whole, however large.
    """

    def ask(kind: str, cases: list[Any]) -> list[Any]:
        assert node.stdin is not None
        assert node.stdout is not None
        node.stdin.write(json.dumps(_tagged({"kind": kind, "cases": cases})) + "\n")
        node.stdin.flush()
        answers = json.loads(node.stdout.readline() or "[]", object_hook=_untagged)
        assert len(answers) == len(cases), f"viem gave up: {errors.read_text()}"
        for case, answer in zip(cases, answers, strict=True):
            assert "error" not in answer, f"{case}\n{answer['error']}"
        return [answer.get("found") for answer in answers]

    errors = stage / "viem.stderr"
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            ["node", "--import", (stage / "guard.mjs").as_uri(), "viem_judge.mjs"],
            cwd=stage,
            env={"PATH": os.environ["PATH"], "HOME": str(stage)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
        ) as node,
    ):
        yield ask


def _tagged(value: Any) -> Any:
    """The value as JSON can carry it to JavaScript, which has no large numbers."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return {"$int": str(value)}
        case bytes():
            return f"0x{value.hex()}"
        case dict():
            return {name: _tagged(each) for name, each in value.items()}
        case _:
            return [_tagged(each) for each in value]


def _untagged(value: dict[str, Any]) -> Any:
    return int(value["$int"]) if "$int" in value else value
