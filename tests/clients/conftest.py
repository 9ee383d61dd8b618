"""The official npm clients, installed once, and the flows they play against a live server."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mockserver.testing.server import LiveServer

HERE = Path(__file__).parent
_PINNED = ("package.json", "package-lock.json", ".npmrc")
_INSTALL_LIMIT_S = 600
_PLAY_LIMIT_S = 120


@dataclass(frozen=True)
class Played:
    """What became of the flows of one script, by their names, and whom else the client tried to reach."""

    flows: dict[str, dict[str, Any]]
    strangers: list[str]


Play = Callable[[Path], Played]


@pytest.fixture(scope="session")
def clients() -> Path:
    """A directory with `node_modules` as the lockfile has it, kept between runs."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        reason = "the npm clients need node and npm"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and nothing is to be skipped where CI is set")
        pytest.skip(reason)
    digest = hashlib.sha256(b"\0".join((HERE / name).read_bytes() for name in _PINNED)).hexdigest()[:16]
    place = _cache() / digest
    if not place.exists():
        _install(place)
    return place


def _cache() -> Path:
    wanted = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mockserver-clients"
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError:
        wanted = Path(tempfile.gettempdir()) / "mockserver-clients"
        wanted.mkdir(exist_ok=True)
    return wanted


def _install(place: Path) -> None:
    """Install beside the place and move it there at once, so that no run ever sees half of it."""
    with tempfile.TemporaryDirectory(dir=place.parent, prefix="installing-") as made:
        half = Path(made) / "clients"
        half.mkdir()
        for name in _PINNED:
            shutil.copy(HERE / name, half)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        ran = subprocess.run(command, cwd=half, capture_output=True, text=True, timeout=_INSTALL_LIMIT_S)
        if ran.returncode != 0:
            pytest.fail(f"npm ci: {ran.stdout}{ran.stderr}")
        try:
            half.rename(place)
        except OSError:
            # Another run was faster, and what it installed is the same.
            if not place.exists():
                raise


@pytest.fixture(scope="session")
def play(clients: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    """Play a script's flows against the live server; each script is played once."""
    stage = tmp_path_factory.mktemp("clients")
    # Node looks for packages beside the script, and the repository is to stay without them.
    (stage / "node_modules").symlink_to(clients / "node_modules", target_is_directory=True)
    for script in HERE.glob("*.mjs"):
        shutil.copy(script, stage)

    @cache
    def play_once(script: Path) -> Played:
        ran = subprocess.run(
            ["node", "--import", (stage / "guard.mjs").as_uri(), script.name],
            cwd=stage,
            env={"PATH": os.environ["PATH"], "HOME": str(stage), "MOCK_URL": server.url},
            capture_output=True,
            text=True,
            timeout=_PLAY_LIMIT_S,
        )
        if ran.returncode != 0:
            pytest.fail(f"{script.name}: {ran.stdout}{ran.stderr}")
        found = json.loads(ran.stdout.splitlines()[-1])
        return Played({flow["name"]: flow for flow in found["flows"]}, found["strangers"])

    with LiveServer() as server:
        yield play_once
