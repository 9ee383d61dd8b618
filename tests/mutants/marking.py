"""Noting which statements of the package run: its modules are compiled with a mark before each of them.

What is compiled lies where Python and pytest look for it, and the marks in a file that is mapped into memory.
So what the tests start marks what it runs, too, however it is started and ended. A mark stores a byte, which
costs little beside the statement. coverage.py, which is told of each line, doubled what the tests take.
"""

import ast
import marshal
import mmap
import re
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path

from _pytest.assertion.rewrite import PYC_TAIL

MARKED = "__marked__"
BEGIN = f"""
import builtins, mmap
with open(%r, "r+b") as marks:
    builtins.{MARKED} = mmap.mmap(marks.fileno(), 0)
del builtins, mmap, marks
"""
HASHED = bytes((3, 0, 0, 0))
"""What is compiled is valid for a source with its hash (PEP 552)."""
UNMARKED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""They run when a module is imported, which says nothing about who uses them. What is in them is marked."""


class Marks:
    """What runs of the modules in a folder, in every process that imports them from now on."""

    def __init__(self, folder: Path) -> None:
        self._places: list[tuple[str, set[int]]] = []
        marks = folder.with_suffix(".marks")
        for path in sorted(folder.rglob("*.py")):
            tree = ast.parse(path.read_bytes())
            self._mark(str(path), tree)
            if path == folder / "__init__.py":
                first = next(number for number, each in enumerate(tree.body) if not _has_to_be_first(each))
                tree.body[first:first] = ast.parse(BEGIN % str(marks)).body
            _write_compiled(path, tree)
        marks.write_bytes(bytes(len(self._places)))
        with marks.open("r+b") as file:
            self._ran = mmap.mmap(file.fileno(), 0)

    def take(self) -> list[int]:
        """The numbers of the marks that were passed since it was asked last."""
        ran = [match.start() for match in re.finditer(b"\1", self._ran)]
        self._ran[:] = bytes(len(self._places))
        return ran

    def place(self, number: int) -> tuple[str, set[int]]:
        """The file of a mark, and the lines that run when it is passed."""
        return self._places[number]

    def _mark(self, file: str, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Lambda):
                lines = set(range(node.body.lineno, (node.body.end_lineno or 0) + 1))
                passed = self._parse(f"{MARKED}.__setitem__(%d, 1) or 1", file, lines, node.body)
                assert isinstance(passed, ast.Expr)
                assert isinstance(passed.value, ast.BoolOp)
                passed.value.values[1] = node.body
                node.body = passed.value
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list):
                    block[:] = self._marked(file, block)

    def _marked(self, file: str, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            if not isinstance(statement, UNMARKED) and not _has_to_be_first(statement):
                yield self._parse(f"{MARKED}[%d] = 1", file, _own_lines(statement), statement)
            yield statement

    def _parse(self, code: str, file: str, lines: set[int], node: ast.expr | ast.stmt) -> ast.stmt:
        mark = ast.parse(code % len(self._places)).body[0]
        self._places.append((file, lines))
        for each in ast.walk(mark):
            ast.copy_location(each, node)
        return mark


def _write_compiled(path: Path, tree: ast.Module) -> None:
    """Write what a module is compiled to where Python looks for it, and pytest, which compiles plugins."""
    head = MAGIC_NUMBER + HASHED + source_hash(path.read_bytes())
    compiled = Path(cache_from_source(str(path)))
    compiled.parent.mkdir(exist_ok=True)
    code = head + marshal.dumps(compile(tree, path, "exec", dont_inherit=True))
    for name in (compiled.name, f"{path.stem}{PYC_TAIL}"):
        compiled.with_name(name).write_bytes(code)


def _has_to_be_first(statement: ast.stmt) -> bool:
    """Whether a statement is a docstring or an import from the future."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _own_lines(statement: ast.stmt) -> set[int]:
    """The lines of a statement without those of the statements in it."""
    lines = _lines(statement)
    for each in ast.walk(statement):
        if isinstance(each, ast.stmt) and each is not statement:
            lines -= _lines(each)
    return lines | {statement.lineno}


def _lines(statement: ast.stmt) -> set[int]:
    return set(range(statement.lineno, (statement.end_lineno or 0) + 1))
