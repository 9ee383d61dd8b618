"""What the import contracts do not say of the code: no circles between files, nothing too long."""

import ast
import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import mockserver
from mockserver.cli import COMMANDS

ROOT = Path(mockserver.__file__).parent
TESTS = Path(__file__).parents[1]
FILES = sorted(ROOT.rglob("*.py"))
MOST_LINES_OF_A_FILE = 420
MOST_LINES_OF_A_FUNCTION = 50
MOST_FILES_OF_A_FOLDER = 16

LONG_FILES = {"errors.py"}
"""A catalogue, which is searched and not read."""
WIDE_FOLDERS = {
    "state": 17,
    "cli": len(COMMANDS) + 1,  # one module a command, and their parser
    "scenario/grammar": 19,  # one module a part of a scenario
    "server/answering": 17,
}
"""Folders with more files than others, and how many they may have."""
MOST_CHARACTERS = 59


def test_no_file_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("mockserver", cache_dir=None)
    # Raises CycleError, which names the files of a circle.
    TopologicalSorter(
        {file: graph.find_modules_directly_imported_by(file) for file in graph.modules}
    ).prepare()


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_contributing_says_the_limits() -> None:
    contributing = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    said = contributing.partition("\n## Limits\n")[2].partition("\n## ")[0]
    limits = (MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_FUNCTION, MOST_FILES_OF_A_FOLDER, MOST_CHARACTERS)
    assert {str(limit) for limit in limits} < set(re.findall(r"\d+", said))


def test_no_file_is_longer_than_it_can_be_read_at_once() -> None:
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path for path, count in lines.items() if count > MOST_LINES_OF_A_FILE} == LONG_FILES


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{name(path)}:{node.lineno} {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_no_name_of_a_test_is_longer_than_a_sentence() -> None:
    names = [
        name
        for path in TESTS.rglob("*.py")
        for name in re.findall(
            r"^ *(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    ]
    assert [name for name in names if len(name) > MOST_CHARACTERS] == []


def test_no_folder_has_more_files_than_fit_one_list() -> None:
    files = Counter(name(path.parent) for path in FILES if path.name != "__init__.py")
    most = dict.fromkeys(files, MOST_FILES_OF_A_FOLDER) | WIDE_FOLDERS
    assert [f"{folder}: {count}" for folder, count in files.items() if count > most[folder]] == []
