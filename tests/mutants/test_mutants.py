"""Mutants: what they change, which tests are asked, and that the checkout stays as it is."""

import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutants.__main__ import draw
from tests.mutants.covering import CoverageMap
from tests.mutants.sites import Mutant, mutants_of
from tests.mutants.trials import Trial, Verdicts
from tests.mutants.typechecking import TypeChecker
from tests.tables import cases

ROOT = Path(__file__).parents[2]

SOURCE = """
LIMIT = 3

def fits(size: int, names: list[str]) -> bool:
    if not names or "x" in names:
        raise ValueError("no")
    names.append("y")
    return size + 1 <= LIMIT
"""
CHANGED = {
    "constant": ["LIMIT = 4", "size + 2 <= LIMIT"],
    "condition": [
        'if ("x" in names):',
        "if (not names):",
        'if (not (not names or "x" in names)):',
        'if not names and "x" in names:',
    ],
    "comparison": ['if not names or "x" not in names:', "return size + 1 < LIMIT"],
    "dropped raise": ["        pass"],
    "dropped call": ["    pass"],
    "arithmetic": ["return size - 1 <= LIMIT"],
}


def test_each_kind_of_mutant_changes_one_place() -> None:
    source = SOURCE.encode()
    found = mutants_of("fits.py", source)
    for kind, lines in CHANGED.items():
        added = [_added(mutant.diff(source)) for mutant in found if mutant.kind == kind]
        assert len(added) == len(lines)
        assert all(any(line in each for each in added) for line in lines), (kind, added)
    assert {mutant.kind for mutant in found} == set(CHANGED)


def test_what_saves_or_forbids_something_is_not_changed() -> None:
    row = b"@dataclass(frozen=True, kw_only=True, slots=True, eq=False)\nclass Row: ...\n"
    source = row + b"keep = lru_cache(maxsize=9)\npairs = zip(a, b, strict=True)\n"
    (mutant,) = mutants_of("row.py", source)
    assert mutant.apply(source).startswith(row.replace(b"eq=False", b"eq=True"))


def _added(diff: str) -> str:
    (line,) = [line[1:] for line in diff.splitlines()[2:] if line.startswith("+")]
    return line


@cases("text", "name = 'ä'; x = 'ö' < name", "x = (1) # < 2\n", "x = (1 +\\\n  2)")
def test_mutants_of_unusual_sources_are_still_programs(text: str) -> None:
    found = mutants_of("x.py", text.encode())
    assert found
    for mutant in found:
        compile(mutant.apply(text.encode()), "x.py", "exec")


def test_a_sample_follows_from_its_seed_and_has_all_kinds_alike() -> None:
    first, again, other = (draw(ROOT, "mockserver/chain", seed, 60) for seed in ("1", "1", "2"))
    assert first == again != other
    assert set(Counter(mutant.kind for mutant in first).values()) == {10}
    assert {mutant.file.split("/")[1] for mutant in first} == {"chain"}


def line_of(file: str, text: str) -> int:
    """The first line of a file that begins with a text, blanks aside."""
    lines = enumerate((ROOT / file).read_text().splitlines(), 1)
    return next(number for number, line in lines if line.lstrip().startswith(text))


BASE58 = "mockserver/chain/base58.py"

PART: dict[str, Any] = {
    "tests": [
        ["tests/a.py::one", 2.0],
        ["tests/rlp.py::two", 9.0],
    ],
    "failed": [],
    "files": {
        "mockserver/chain/rlp.py": {"26": [0, 1], "27": [0]},
        BASE58: {str(line_of(BASE58, "symbols.append(_ALPHABET")): [0]},
    },
}


@cache
def coverage_map() -> CoverageMap:
    return CoverageMap(ROOT, [PART])


def asked(file: str, line: int, budget_s: float = 60) -> list[str]:
    mutant = Mutant(file, line, "constant", 0, 0, "")
    return [test.id.partition("::")[2] for test in coverage_map().tests_for(mutant, budget_s)]


def test_the_tests_of_a_line_are_asked_that_fit_into_the_budget() -> None:
    assert asked("mockserver/chain/rlp.py", 26) == ["two", "one"]
    assert asked("mockserver/chain/rlp.py", 27) == ["one"]
    assert asked("mockserver/chain/rlp.py", 26, budget_s=10) == ["two"]


def test_tests_of_the_line_come_before_namesakes_and_slow_ones() -> None:
    assert asked("mockserver/chain/rlp.py", 26, budget_s=3) == ["one"]
    assert asked("mockserver/chain/rlp.py", 26, budget_s=1) == ["one"]
    tests = [["tests/chain/test_rlp.py::named", 5.0], ["tests/chain/a.py::slow", 7.0]]
    ran = {"mockserver/chain/rlp.py": {"26": [1, 2]}}
    known = CoverageMap(ROOT, [{"tests": [*tests, ["tests/a.py::quick", 1.0]], "failed": [], "files": ran}])
    for budget_s, expected in ((6, ["quick", "named"]), (8, ["slow", "quick"]), (4, ["quick"])):
        found = known.tests_for(Mutant("mockserver/chain/rlp.py", 26, "constant", 0, 0, ""), budget_s)
        assert [test.id.partition("::")[2] for test in found] == expected


def test_pages_are_compared_first_for_what_is_declared_only() -> None:
    pages = ["tests/docs/test_reference.py::pages", 9.0]
    ran = {"mockserver/chain/rlp.py": {"26": [0, 1]}}
    tests = [pages, ["tests/a.py::quick", 2.0]]
    known = CoverageMap(ROOT, [{"tests": tests, "failed": [], "files": ran}])
    for line, budget_s, expected in ((26, 11, ["quick", "pages"]), (26, 9, ["quick"]), (14, 9, ["pages"])):
        found = known.tests_for(Mutant("mockserver/chain/rlp.py", line, "constant", 0, 0, ""), budget_s)
        assert [test.id.partition("::")[2] for test in found] == expected, line


def test_a_definitions_mutant_is_for_the_tests_of_its_users() -> None:
    assert "one" in asked(BASE58, line_of(BASE58, "_ALPHABET"))


def test_a_definitions_mutant_is_for_the_tests_that_name_it() -> None:
    module = "tests/domain/chains/test_networks.py"
    known = CoverageMap(ROOT, [{"tests": [[f"{module}::one", 1.0]], "failed": [], "files": {}}])
    file = "mockserver/chain/networks.py"
    mutant = Mutant(file, line_of(file, "Network(1,"), "constant", 0, 0, "")
    assert [test.id for test in known.tests_for(mutant, 60)] == [f"{module}::one"]


def test_a_mutants_outcome_is_kept_until_its_tests_change(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("")
    file = tmp_path / "verdicts.jsonl"
    trial = Trial(Mutant("a.py", 1, "constant", 0, 1, "2"), ["test_a.py::test_it"], 1.0)
    assert Verdicts(tmp_path, file).get(trial) is None
    Verdicts(tmp_path, file).add(trial, "killed")
    assert Verdicts(tmp_path, file).get(trial) == "killed"
    (tmp_path / "test_a.py").write_text("def test_it(): ...")
    assert Verdicts(tmp_path, file).get(trial) is None


def test_mypy_refuses_a_mutant_with_an_error_of_types(tmp_path: Path) -> None:
    source = b"def show(name: str | None, default: str) -> str:\n    return name or default\n"
    (tmp_path / "mockserver").mkdir()
    (tmp_path / "mockserver/show.py").write_bytes(source)
    checker = TypeChecker(tmp_path, tmp_path)
    refused = [m.text for m in mutants_of("mockserver/show.py", source) if checker.refuses(m)]
    assert refused == ["(name)", "and"]
    assert (tmp_path / "mockserver/show.py").read_bytes() == source


PACKAGE = """
def run(first, *,
        second=2):
    'Say what runs.'
    if (first
            and second):
        return 1
    try:
        given = later(
            first)
    except KeyError:
        return 2
    else:
        return given

later = lambda key: {}[
    key]
"""
MEASURED = {
    "mockserver/__init__.py": PACKAGE,
    "conftest.py": "import pytest; pytest.register_assert_rewrite('mockserver')",
    "test_one.py": "import mockserver\ndef test_it(): mockserver.run(0)",
    "test_two.py": """
import os, subprocess, sys
def test_it():
    code = "import mockserver, os; mockserver.run(1); os._exit(0)"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": ""})
""",
    "test_none.py": "import pytest\npytest.importorskip('nil')",
}


def test_lines_that_tests_and_their_processes_run_are_measured(tmp_path: Path) -> None:
    (tmp_path / "mockserver").mkdir()
    for name, source in MEASURED.items():
        (tmp_path / name).write_text(source)
    _, _, *modules = MEASURED
    outputs = os.pathsep.join(f"{name}={tmp_path / name}.json" for name in modules)
    # The package's own plugin is not in the package that stands in for it here.
    own = {"MUTANTS_MAP": outputs, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": ""}
    environment = os.environ | own | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-W", "error", "-p", "tests.mutants.tracing", *modules]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    one, two, none = (json.loads((tmp_path / f"{name}.json").read_text()) for name in modules)
    assert [test for test, *_ in one["tests"]] == ["test_one.py::test_it"]
    assert sorted(map(int, one["files"]["mockserver/__init__.py"])) == [5, 6, 8, 9, 10, 11, 12, 13, 16, 17]
    assert sorted(map(int, two["files"]["mockserver/__init__.py"])) == [5, 6, 7, 16, 17]
    assert (none["tests"], none["files"]) == ([], {})


TRY = """
import sys, time
from pathlib import Path
from tests.mutants import running
from tests.mutants.sites import mutants_of
root, copy = Path.cwd(), Path(sys.argv[1])
running.copy_checkout(root, copy)
(copy / "tests/kernel/test_busy.py").write_text("def test_it():\\n    while True: ...")
file = "mockserver/kernel/spelling.py"
source = (root / file).read_bytes()
mutant = next(each for each in mutants_of(file, source) if b"close[1]" in each.apply(source))
shop = running.Workshop(copy)
for test, timeout_s, running.WALL in (
    ("spelling", 90, 5), ("timers", 90, 5), ("busy", 2, 1000), ("clock", 1, 0)
):
    shop.start(mutant, [f"tests/kernel/test_{test}.py"], timeout_s)
    while (verdict := shop.verdict()) is None:
        time.sleep(0.02)
    print(verdict, (copy / file).read_bytes() == source == (root / file).read_bytes())
"""


def test_a_failing_busy_or_waiting_test_kills_a_mutant(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TRY, str(tmp_path / "copy")]
    # What the tests are does not matter here, so they need not import the server.
    environment = os.environ | {"PYTEST_ADDOPTS": "--noconftest -p hypothesispytest"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        word for verdict in ("killed", "survived", "timeout", "timeout") for word in (verdict, "True")
    ]
