"""The hooks for pre-commit that other repositories use."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mockserver import cli
from tests.tables import cases

ROOT = Path(__file__).parents[2]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

each_hook = cases("hook", *HOOKS, ids=lambda hook: hook["id"])


def test_there_is_one_to_validate_and_one_to_test() -> None:
    assert [hook["id"] for hook in HOOKS] == ["mockserver-validate", "mockserver-test"]


@each_hook
def test_a_hook_accepts_a_scenario_and_refuses_what_is_none(
    hook: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, *arguments = hook["entry"].split()
    assert program == "mockserver"
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("expect: [{call: GetContracts}]\n", encoding="utf-8")
    bad.write_text("expect: [{call: GetContrcts}]\n", encoding="utf-8")
    assert cli.main([*arguments, str(good)]) == 0
    assert cli.main([*arguments, str(good), str(bad)]) > 0
    assert f"{bad}:1:17: " in capsys.readouterr().out


@each_hook
def test_a_hook_is_about_scenario_files_only(hook: dict[str, Any]) -> None:
    files = re.compile(hook["files"])
    assert files.search("scenarios/outage.yaml")
    assert files.search("tests/scenarios/outage.yml")
    assert not files.search("scenarios/README.md")
    assert not files.search("deploy/values.yaml")
