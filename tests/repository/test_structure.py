"""What the import contracts do not say of the code: no circles between files, no long functions."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import mockserver

ROOT = Path(mockserver.__file__).parent
MOST_LINES = 50


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
