"""Noting which statements of the package run: its modules are compiled with a mark before each of them.

A mark stores an item in a dict, which costs little beside the statement. coverage.py, which is told of each
line, doubled what the tests take.
"""

import ast
import builtins
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, TypeAlias

from _pytest.assertion import rewrite

MARKED = "__marked__"
UNMARKED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""They run when a module is imported, which says nothing about who uses them. What is in them is marked."""

Places: TypeAlias = list[tuple[str, set[int]]]


class Marks:
    """What ran of the modules in a folder that are imported from now on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: Places = []
        self._ran: dict[int, int] = {}
        self._compiled: dict[str, CodeType] = {}
        setattr(builtins, MARKED, self._ran)
        self._follow_imports()

    def take(self) -> list[int]:
        """The numbers of the marks that were passed since it was asked last."""
        ran = list(self._ran)
        self._ran.clear()
        return ran

    def place(self, number: int) -> tuple[str, set[int]]:
        """The file of a mark, and the lines that run when it is passed."""
        return self._places[number]

    def _follow_imports(self) -> None:
        plainly, rewrite_asserts = SourceFileLoader.source_to_code, rewrite.rewrite_asserts

        def source_to_code(loader: Any, data: Any, path: Any, **options: Any) -> CodeType:
            if not Path(path).is_relative_to(self._folder):
                return plainly(loader, data, path, **options)
            # Some tests import the package anew.
            if path not in self._compiled:
                tree = ast.parse(data)
                self._mark(path, tree)
                self._compiled[path] = compile(tree, path, "exec", dont_inherit=True)
            return self._compiled[path]

        def mark_and_rewrite(mod: ast.Module, source: bytes, module_path: Any = None, *rest: Any) -> None:
            if module_path is not None and Path(module_path).is_relative_to(self._folder):
                self._mark(module_path, mod)
            rewrite_asserts(mod, source, module_path, *rest)

        # What is compiled with marks runs in no other process.
        sys.dont_write_bytecode = True
        # Pytest compiles the modules of plugins itself.
        SourceFileLoader.source_to_code = source_to_code  # type: ignore[assignment, method-assign]
        rewrite.rewrite_asserts = mark_and_rewrite  # type: ignore[assignment]

    def _mark(self, file: str, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Lambda):
                lines = set(range(node.body.lineno, (node.body.end_lineno or 0) + 1))
                passed = self._parse(f"{MARKED}.setdefault(%d, 1) and 1", file, lines, node.body)
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
