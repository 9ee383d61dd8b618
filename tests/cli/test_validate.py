"""`mockserver validate`, and scenarios that are loaded at the start."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockserver import cli
from tests.cli.conftest import Run, Serve
from tests.tables import cases

GOOD = "name: nothing much\nsettings:\n  one_time_code: '424242'\n"
BAD = "name: wrong\nsettings:\n  one_time_cod: '424242'\nrulez: []\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.yaml"
    file.write_text(GOOD)
    return file


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.yaml"
    file.write_text(BAD)
    return file


def test_a_good_file_is_ok(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    assert cli.main(["validate", str(good)]) == 0
    assert capsys.readouterr().out == "ok: 1 file, 0 rules, 0 steps\n"


def test_a_finding_has_place_and_meaning(capsys: pytest.CaptureFixture[str], good: Path, bad: Path) -> None:
    assert cli.main(["validate", str(good), str(bad)]) == 1
    first, second, last = capsys.readouterr().out.splitlines()
    assert last == "2 mistakes in 2 files, 0 rules, 0 steps"
    assert first.startswith(f"{bad}:3:3: ")
    assert first.endswith("(did you mean one_time_code?)")
    assert second.startswith(f"{bad}:4:1: ")
    assert second.endswith("(did you mean rules?)")


def test_a_missing_file_is_a_finding(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"name: x\n\xff\n")
    missing = tmp_path / "missing.yaml"
    assert cli.main(["validate", str(binary), str(missing)]) == 1
    first, second, _ = capsys.readouterr().out.splitlines()
    assert first == f"{binary}:2:1: is not UTF-8"
    assert second == f"{missing}:1:1: cannot be read: No such file or directory"


def test_a_directory_means_its_files(capsys: pytest.CaptureFixture[str], good: Path, bad: Path) -> None:
    assert cli.main(["validate", str(good.parent)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == [str(bad), str(bad)]
    bad.unlink()
    assert cli.main(["validate", str(good.parent)]) == 0
    good.unlink()
    assert cli.main(["validate", str(good.parent)]) == 1


def test_a_reader_that_has_had_enough_gets_no_traceback(bad: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as unread:
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
        command = [sys.executable, "-m", "mockserver", "validate", str(bad)]
        ended = subprocess.run(command, stdout=unread, stderr=subprocess.PIPE, env=environment, check=False)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_a_scenario_is_loaded_into_the_default_project(serve: Serve, good: Path) -> None:
    with serve("--scenario", str(good)).client() as client:
        assert client.get("/_mock/projects/-/settings").json()["one_time_code"] == "424242"


def test_every_scenario_of_a_directory_is_loaded_by_name(serve: Serve, tmp_path: Path) -> None:
    directory = tmp_path / "scenarios"
    directory.mkdir()
    for name, code in (("b.yaml", "2222"), ("a.yml", "1111")):
        (directory / name).write_text(f"settings:\n  one_time_code: '{code}'\n")
    with serve("--scenario", str(directory)).client() as client:
        assert client.get("/_mock/projects/-/settings").json()["one_time_code"] == "2222"


def test_a_wrong_scenario_keeps_the_server_from_starting(run_here: Run, bad: Path) -> None:
    ended = run_here("serve", "--port", "0", "--scenario", str(bad))
    assert ended.returncode == 1
    lines = ended.stderr.splitlines()
    assert lines[0] == "mockserver: a scenario is refused"
    assert [line.partition(": ")[0] for line in lines[1:]] == [f"{bad}:3:3", f"{bad}:4:1"]


def test_a_missing_scenario_keeps_the_server_from_starting(run_here: Run, tmp_path: Path) -> None:
    ended = run_here("serve", "--port", "0", "--scenario", str(tmp_path / "missing.yaml"))
    assert ended.returncode == 1
    assert ended.stderr == f"mockserver: cannot read {tmp_path / 'missing.yaml'}: No such file or directory\n"


def test_a_directory_that_cannot_be_read_is_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert cli.main(["validate", str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith(f"{tmp_path}: cannot be read: Permission denied\n")


TOKEN = '{name: T, chainId: 80002, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3"}'
CREATES = f"given:\n  - {{call: CreateContract, body: {TOKEN}}}\n"


def test_steps_are_played_in_a_spare_project(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "gone.yaml"
    file.write_text("given:\n  - {call: GetContract, path: {id: con_gone}}\n")
    assert cli.main(["validate", str(file)]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{file}:2:5: GetContract was refused with 404")
    assert last == "1 mistake in 1 file, 0 rules, 1 step"


def test_a_step_of_the_control_api_says_why_it_failed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "code.yaml"
    file.write_text('given: [{call: DeployContract, path: {chain: 80002}, body: {bytecode: "0xfe"}}]')
    assert cli.main(["validate", str(file)]) == 1
    assert "refused with 400 args: the constructor fails: invalid opcode" in capsys.readouterr().out


def test_a_directorys_files_load_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(CREATES)
        assert cli.main(["validate", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert cli.main(["validate", str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith(
        f"{tmp_path / 'b.yaml'}:2:5: CreateContract was refused with 409"
    )


def test_a_required_file_is_loaded_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "z.yaml").write_text(CREATES)
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("requires: z.yaml\ngiven:\n  - {call: GetContracts, as: z}\n")
    assert cli.main(["validate", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "ok: 3 files, 0 rules, 3 steps\n"


@cases(
    "requires, message",
    ("bse.yaml", "'bse.yaml' is not a file beside this one (did you mean base.yaml?)"),
    ("base.yaml", "files require each other in a circle: top.yaml > base.yaml > top.yaml"),
    ("top.yaml", "files require each other in a circle: top.yaml > top.yaml"),
)
def test_what_is_required_has_to_be_there_and_in_no_circle(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, requires: str, message: str
) -> None:
    (tmp_path / "base.yaml").write_text("requires: [top.yaml]\n")
    (tmp_path / "top.yaml").write_text(f"name: top\nrequires:\n  - {requires}\n")
    assert cli.main(["validate", str(tmp_path / "top.yaml")]) == 1
    assert message in capsys.readouterr().out


def validate_rules(folder: Path, rules: list[str]) -> Path:
    """Validate a scenario file with rules, which are right; the file."""
    file = folder / "shadow.yaml"
    file.write_text("rules:\n" + "".join(f"  - {rule}\n" for rule in rules))
    assert cli.main(["validate", str(file)]) == 0
    return file


def test_a_shadowed_rule_is_a_warning(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wide = "{name: wide, when: CreateContract, then: {answer: 503}}"
    narrow = "{when: {call: POST /v1/contracts, body: {name: a}}, then: {answer: 500}}"
    file = validate_rules(tmp_path, [wide, narrow])
    warning, last = capsys.readouterr().out.splitlines()
    assert warning.startswith(f"{file}:3:5: warning: this rule never decides: the rule 'wide' before it")
    assert last == "ok: 1 file, 2 rules, 0 steps"


def test_a_nameless_shadow_has_a_number(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = [f"{{when: {call}, then: {{answer: 503}}}}" for call in ("GetContracts", "GetContract")]
    validate_rules(tmp_path, [*rules, rules[1], rules[0]])
    *warnings, _ = capsys.readouterr().out.splitlines()
    told = [warning.partition("never decides: ")[2] for warning in warnings]
    assert told == [f"the rule number {number} before it decides about all of its calls" for number in (2, 1)]


@cases(
    "before, after, shadowed",
    ("{}", "{state: paid}", True),
    ("{state: paid}", "{}", False),
    ("{state: [paid, sent]}", "{state: paid}", True),
    ("{state: paid}", "{state: [paid, sent]}", False),
    ("{clock: {after: 1h}}", "{clock: {after: 1h}}", True),
    ("{clock: {after: 1h}}", "{clock: {after: 2h}}", False),
    ("{clock: {after: 1h}}", "{}", False),
    ("{}", "{clock: {after: 1h}}", True),
    ("{headers: {x-a: {matches: b.*}}}", "{headers: {x-a: bc}}", True),
    ("{headers: {x-a: {matches: ^c}}}", "{headers: {x-a: bc}}", False),
    ("{headers: {x-a: {present: true}}}", "{headers: {x-a: {matches: b.*}}}", True),
    ("{headers: {x-a: bc}}", "{headers: {x-a: {present: true}}}", False),
    ("{headers: {x-a: bc}}", "{headers: {x-b: bc}}", False),
    ("{}", "{headers: {x-a: bc}}", True),
)
def test_a_rule_is_shadowed_by_one_that_holds_of_all_its_calls(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, before: str, after: str, shadowed: bool
) -> None:
    conditions = (f"{{call: CreateContract, {when[1:]}".replace(", }", "}") for when in (before, after))
    rules = [f"{{when: {when}, then: {{answer: 503}}}}" for when in conditions]
    leading = ["{when: GetContracts, then: {state: paid}}", "{when: GetContract, then: {state: sent}}"]
    validate_rules(tmp_path, rules + leading)
    assert ("never decides" in capsys.readouterr().out) == shadowed


def test_a_general_rule_is_not_shadowed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    some = "{when: {call: CreateContract}, then: {answer: 503}}"
    every = "{when: {headers: {x-a: b}}, then: {answer: 500}}"
    validate_rules(tmp_path, [some, every])
    assert "never decides" not in capsys.readouterr().out


@cases("other", "", "notes.txt")
def test_a_directory_without_scenarios_is_said_loudly(serve: Serve, tmp_path: Path, other: str) -> None:
    directory = tmp_path / "scenarois"
    directory.mkdir()
    if other:
        (directory / other).write_text("no scenario")
    _, log = serve("--scenario", str(directory)).end()
    what = f"which has only {other}" if other else "which is empty"
    warning = f"mockserver: warning: no scenario file (*.yaml, *.yml) is in {directory}, {what}"
    assert f"{warning}; the default scenario is loaded instead" in log
