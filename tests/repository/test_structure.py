"""What the import contracts do not say of the code: no circles between files, nothing too long."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import mockserver

ROOT = Path(mockserver.__file__).parent
TESTS = Path(__file__).parents[1]
MOST_LINES = 50
MOST_CHARACTERS = 59


def test_no_file_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("mockserver", cache_dir=None)
    # Raises CycleError, which names the files of a circle.
    TopologicalSorter(
        {file: graph.find_modules_directly_imported_by(file) for file in graph.modules}
    ).prepare()


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= MOST_LINES
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
