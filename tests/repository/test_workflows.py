"""The workflows are well formed, ask for little, and run only what the repository has."""

import os
import re
import shlex
import tomllib
from operator import attrgetter
from pathlib import Path
from typing import Any

from mockserver.yaml_files import read_yaml_file
from tests.tables import cases

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CONFIGURATIONS = sorted(
    [*(ROOT / ".github").rglob("*.yml"), ROOT / ".pre-commit-config.yaml"], key=lambda path: path.name
)
# What a fresh runner has, and what the steps before have installed.
PROGRAMS = {"python", "pip", "coverage", "test", "grep", "curl", "git", "gh", "npm", "sudo", "empty/bin/pip"}
# What a job makes for itself, and packages of npm.
MADE = ("empty", "dist", "@")


def load(path: Path) -> Any:
    """A configuration as data."""
    return read_yaml_file(path)


def jobs() -> list[tuple[str, dict[str, Any]]]:
    """Every job of every workflow, with its name."""
    return [(f"{path.stem}.{name}", job) for path in WORKFLOWS for name, job in load(path)["jobs"].items()]


def steps(member: str) -> list[str]:
    """What the steps of all jobs have under `uses` or `run`."""
    return [step[member] for _, job in jobs() for step in job["steps"] if member in step]


def commands() -> list[list[str]]:
    """The words of every command that a step runs."""
    lines = [line for run in steps("run") for line in run.splitlines()]
    return [shlex.split(part) for line in lines for part in line.split("&&")]


@cases("path", *CONFIGURATIONS, ids=attrgetter("name"))
def test_a_configuration_is_a_mapping_in_yaml(path: Path) -> None:
    assert isinstance(load(path), dict)


@cases("path", *WORKFLOWS, ids=attrgetter("name"))
def test_a_workflow_never_writes_nor_runs_beside_itself(path: Path) -> None:
    workflow = load(path)
    assert set(workflow["permissions"].values()) <= {"read"}
    assert workflow["concurrency"]["group"]


@cases("name, job", *jobs(), ids=[name for name, _ in jobs()])
def test_a_job_ends_by_itself_and_writes_only_to_publish(name: str, job: dict[str, Any]) -> None:
    assert job["timeout-minutes"] <= 30
    if "write" in job.get("permissions", {}).values():
        assert name in {"release.publish", "release.image", "release.site", "release.attach"}


@cases("action", *sorted(set(steps("uses"))))
def test_an_action_is_pinned_to_its_major_version(action: str) -> None:
    assert re.fullmatch(r"[\w-]+/[\w-]+@(?:release/)?v\d+", action) or (ROOT / action / "action.yml").exists()


@cases("words", *commands(), ids=" ".join)
def test_a_command_is_there_and_so_are_the_files_that_it_names(words: list[str]) -> None:
    program = ROOT / words[0]
    assert words[0] in PROGRAMS or os.access(program, os.X_OK), f"{words[0]} is no program"
    for word in words[1:]:
        if "/" in word and "$" not in word and not word.startswith(MADE):
            assert (ROOT / word).exists(), f"{word} does not exist"


def test_every_script_runs_in_a_workflow_and_by_hand() -> None:
    scripts = {f".ci/{path.name}" for path in (ROOT / ".ci").iterdir() if path.name != "run"}
    own = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert scripts <= {word for words in commands() for word in words}
    assert scripts <= set(re.findall(r"\.ci/[\w.]+", own))


def test_the_tests_run_on_every_python_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    tested = load(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert tested == named
    assert project["requires-python"] == f">={tested[0]}"


def test_a_release_is_built_smoked_and_only_then_published() -> None:
    found = dict(jobs())
    assert found["release.smoke"]["needs"] == "build"
    published = ("release.publish", "release.image", "release.site")
    assert {found[name]["needs"] for name in published} == {"smoke"}
    assert found["release.attach"]["needs"] == ["smoke", "executable"]
    systems = found["release.executable"]["strategy"]["matrix"]["system"]
    assert {system.partition("-")[0] for system in systems} == {"ubuntu", "macos", "windows"}


def test_the_image_is_published_for_both_with_its_contents() -> None:
    found = dict(jobs())["release.image"]["steps"]
    (build,) = (
        step["with"] for step in found if step.get("uses", "").startswith("docker/build-push-action@")
    )
    assert build["platforms"].split(",") == ["linux/amd64", "linux/arm64"]
    assert build["push"]
    assert build["sbom"]
    used = [step.get("uses", "").partition("@")[0] for step in found]
    assert used.index("docker/setup-qemu-action") < used.index("docker/build-push-action")
    assert used.index("docker/setup-buildx-action") < used.index("docker/build-push-action")
