"""The package for Node, and the examples that use it: each runs its own tests, as `npm test` does."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.installing import ROOT, installed, linked_projects
from tests.tables import cases

pytestmark = pytest.mark.clients

PROJECTS = ("clients/node", "examples/node", "examples/browser")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_LIMIT_S = 240


@cases("name", *PROJECTS)
def test_the_tests_of_an_npm_project_pass(name: str, tmp_path: Path) -> None:
    project = _stage(ROOT / name, tmp_path)
    ran = subprocess.run(
        ["npm", "test"],
        cwd=project,
        env=_environment(name),
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"


@cases("name", *PROJECTS)
def test_a_lockfile_names_no_registry(name: str) -> None:
    packages = json.loads((ROOT / name / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert {entry["resolved"] for entry in packages.values() if "resolved" in entry} <= {"../../clients/node"}


CONSUMER = """
import { test as base } from "vitest";
import { MockServer } from "wallet-api-double";
import { mockTest } from "wallet-api-double/vitest";

export const server: MockServer = new MockServer({ url: "http://127.0.0.1:4242" });
mockTest(base)("a user", async ({ mockProject }) => {
  const code: string | undefined = (await mockProject.outbox.latest()).code;
  // @ts-expect-error there is no such member
  mockProject.nothing(code);
});
"""


def test_types_reach_users_by_the_documented_install(tmp_path: Path) -> None:
    package = ROOT / "clients" / "node"
    modules = installed(package)
    guide = (ROOT / "docs" / "guides" / "node.md").read_text(encoding="utf-8")
    command = "npm install --save-dev --install-links"
    assert f"{command} path/to/mockserver/clients/node vitest" in guide
    _succeed([*command.split(), "--offline", "--no-audit", "--no-fund", str(package)], tmp_path)
    # What else a user installs, which the registry would have.
    for name in ("vitest", "@types"):
        (tmp_path / "node_modules" / name).symlink_to(modules / name, target_is_directory=True)
    (tmp_path / "shop.test.ts").write_text(CONSUMER, encoding="utf-8")
    compiler = ["node", str(modules / "typescript" / "bin" / "tsc"), "--strict", "--noEmit"]
    _succeed([*compiler, "--module", "nodenext", "--target", "es2022", "shop.test.ts"], tmp_path)


def _succeed(words: list[str], place: Path) -> None:
    ran = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"


def _stage(project: Path, place: Path) -> Path:
    """A copy of a project with its packages, and of what it takes from elsewhere in the repository."""
    linked = linked_projects(project)
    for path in (project, *linked, ROOT / "examples"):
        ignored = shutil.ignore_patterns("node_modules")
        shutil.copytree(path, place / path.relative_to(ROOT), ignore=ignored, dirs_exist_ok=True)
    for path in (ROOT / "scenarios", ROOT / "docs"):
        (place / path.name).symlink_to(path, target_is_directory=True)
    copy = place / project.relative_to(ROOT)
    (copy / "node_modules").mkdir()
    # The packages of the cache, except for those of this repository, which change without their lockfiles.
    for package in installed(project).iterdir():
        (copy / "node_modules" / package.name).symlink_to(package, target_is_directory=package.is_dir())
    for path in linked:
        link = copy / "node_modules" / json.loads((path / "package.json").read_text())["name"]
        link.unlink()
        link.symlink_to(place / path.relative_to(ROOT), target_is_directory=True)
    return copy


def _environment(name: str) -> dict[str, str]:
    """That of a user, with the command `mockserver` of this environment."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = {"PATH": programs, "HOME": os.environ["HOME"], "PYTHONPATH": str(ROOT)}
    if name != "examples/browser":
        return found
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"the example needs one of {', '.join(BROWSERS)}")
    return {**found, "CHROMIUM": browser}
