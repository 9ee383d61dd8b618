"""Installing npm packages as their lockfiles have them, once, into a cache that stays between runs."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINNED = ("package.json", "package-lock.json", ".npmrc")
_LIMIT_S = 600


def installed(project: Path) -> Path:
    """The `node_modules` of an npm project of this repository. Skips the test without node and npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        reason = "the npm clients need node and npm"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and nothing is to be skipped where CI is set")
        pytest.skip(reason)
    linked = linked_projects(project)
    pinned = [*(project / name for name in PINNED), *(other / "package.json" for other in linked)]
    # With the paths: the same files elsewhere are installed elsewhere.
    parts = [part for path in pinned for part in (str(path.relative_to(ROOT)).encode(), path.read_bytes())]
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    place = _cache() / digest
    if not place.exists():
        _install(place, project.relative_to(ROOT), pinned)
    return place / project.relative_to(ROOT) / "node_modules"


def linked_projects(project: Path) -> list[Path]:
    """Other npm projects of this repository that a project depends on, by their paths."""
    lockfile = (project / "package-lock.json").read_text(encoding="utf-8")
    found = [each for each in ROOT.glob("clients/*/package.json") if f'"../../{_inside(each)}"' in lockfile]
    return [path.parent for path in found]


def _inside(package: Path) -> Path:
    return package.parent.relative_to(ROOT)


def _cache() -> Path:
    wanted = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mockserver-clients"
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError:
        wanted = Path(tempfile.gettempdir()) / "mockserver-clients"
        wanted.mkdir(exist_ok=True)
    return wanted


def _install(place: Path, project: Path, pinned: list[Path]) -> None:
    """Install beside the place and move it there at once, so that no run ever sees half of it."""
    with tempfile.TemporaryDirectory(dir=place.parent, prefix="installing-") as made:
        half = Path(made) / "tree"
        for path in pinned:
            copy = half / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        ran = subprocess.run(
            command, cwd=half / project, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
        if ran.returncode != 0:
            pytest.fail(f"npm ci: {ran.stdout}{ran.stderr}")
        try:
            half.rename(place)
        except OSError:
            # Another run was faster, and what it installed is the same.
            if not place.exists():
                raise
