"""Which tests run the line of a mutant, and which of them to ask first."""

import ast
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutants.sites import Mutant

MOST_HOPS = 400
REFERENCE = ("tests/docs/test_reference.py::", "tests/specification/test_bounds.py::")
"""Tests that compare all that is declared with the pages of the reference, and with the list of bounds."""
FEW = 10
"""Of what is made once and used by many tests, only the first is known to run it."""
WORD = re.compile(r"[a-z0-9]+")
NAME = re.compile(r"\w+")


class Measured(NamedTuple):
    """A test function: its id, and how long all of its cases take."""

    id: str
    seconds: float

    @property
    def module(self) -> str:
        """The file that it is in."""
        return self.id.partition("::")[0]


class CoverageMap:
    """The tests that run each line, and the definitions of a checkout."""

    def __init__(self, root: Path, parts: Iterable[Any]) -> None:
        self._lines: dict[str, dict[int, set[Measured]]] = {}
        self._definitions = {
            path.relative_to(root).as_posix(): _Definitions(path.read_text(encoding="utf-8"))
            for path in sorted((root / "mockserver").rglob("*.py"))
        }
        self._root = root
        self._tests: list[Measured] = []
        self.failed: list[str] = []
        """The tests that fail without a mutant."""
        for part in parts:
            self.failed += part["failed"]
            tests = [Measured(*each) for each in part["tests"]]
            self._tests += tests
            for file, lines in part["files"].items():
                known = self._lines.setdefault(file, {})
                for line, numbers in lines.items():
                    known.setdefault(int(line), set()).update(tests[number] for number in numbers)

    @classmethod
    def read(cls, root: Path, files: Iterable[Path]) -> "CoverageMap":
        """The map that several runs measured, each of a part of the tests."""
        return cls(root, [json.loads(file.read_text(encoding="utf-8")) for file in sorted(files)])

    def tests_for(self, mutant: Mutant, budget_s: float) -> list[Measured]:
        """The tests to ask, the likeliest to notice first, that take no longer than the budget together.

        What is declared is compared with the pages of the reference first. Tests that run the line come
        before those that are only named like its file; of all that take too long the quickest is asked.
        """
        covering, reference, named = self._covering(mutant), set[Measured](), set[Measured]()
        if not self._definitions[mutant.file].body_of(mutant.line):
            reference = {test for test in self._tests if test.id.startswith(REFERENCE)}
        if len(covering) < FEW:
            named = {test for test in self._tests if len(_common_words(test, mutant)) > 1} - covering
        ranked = [
            test
            for tests in (reference, covering - reference, named - reference)
            for test in _ranked(tests, mutant)
        ]
        return _fitting(ranked, budget_s) or sorted(ranked, key=lambda test: test.seconds)[:1]

    def _covering(self, mutant: Mutant) -> set[Measured]:
        """The tests that run a line; for one that runs on import those that run what uses its name."""
        lines = self._lines.get(mutant.file, {})
        body = self._definitions[mutant.file].body_of(mutant.line)
        found = set(lines.get(mutant.line, ())) or {test for line in body for test in lines.get(line, ())}
        return found if found and body else self._users(mutant) or found

    def _users(self, mutant: Mutant) -> set[Measured]:
        """The tests of the functions that use a name, or a name whose definition uses it, and so on.

        Tests that have one of these names themselves use it where no line of the package runs.
        """
        first = self._definitions[mutant.file].name_at(mutant.line)
        names, seen = deque([first] if first else []), {first}
        found: set[Measured] = set()
        while names and len(seen) < MOST_HOPS and not found:
            name = names.popleft()
            for file, definitions in self._definitions.items():
                for line in definitions.lines_with(name):
                    body = definitions.body_of(line)
                    found |= {test for each in body for test in self._lines.get(file, {}).get(each, ())}
                    outer = definitions.name_at(line)
                    if not body and outer and outer not in seen:
                        seen.add(outer)
                        names.append(outer)
        return found | {
            test for test in self._tests if not seen.isdisjoint(_names_in(self._root / test.module))
        }


class _Definitions:
    """What a file defines, by line."""

    def __init__(self, source: str) -> None:
        self._source_lines = source.splitlines()
        self._bodies: dict[int, range] = {}
        self._names: dict[int, str] = {}
        for node in ast.parse(source).body:
            self._note(node)

    def _note(self, node: ast.stmt) -> None:
        assert node.end_lineno is not None
        first = min((each.lineno for each in getattr(node, "decorator_list", ())), default=node.lineno)
        whole = range(first, node.end_lineno + 1)
        name = _name_of(node)
        if name is not None:
            self._names |= dict.fromkeys(whole, name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._bodies |= dict.fromkeys(whole, range(node.body[0].lineno, node.end_lineno + 1))
        elif isinstance(node, ast.ClassDef | ast.If):
            for each in node.body:
                if not isinstance(node, ast.ClassDef) or isinstance(each, ast.FunctionDef | ast.ClassDef):
                    self._note(each)
            if isinstance(node, ast.ClassDef):
                self._names |= dict.fromkeys(whole, node.name)

    def body_of(self, line: int) -> range:
        """The lines of the body of the function that a line is in, decorators and signature included."""
        return self._bodies.get(line, range(0))

    def name_at(self, line: int) -> str | None:
        """The name of the module that the statement at a line defines."""
        return self._names.get(line)

    def lines_with(self, name: str) -> Iterator[int]:
        """The lines in which a name stands."""
        pattern = re.compile(rf"\b{re.escape(name)}\b")
        return (number for number, line in enumerate(self._source_lines, 1) if pattern.search(line))


def _name_of(node: ast.stmt) -> str | None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return next((target.id for target in targets if isinstance(target, ast.Name)), None)


@cache
def _names_in(module: Path) -> frozenset[str]:
    return frozenset(NAME.findall(module.read_text(encoding="utf-8")) if module.exists() else ())


def _fitting(ranked: Iterable[Measured], budget_s: float) -> list[Measured]:
    """The tests that fit into the budget: one that does not leaves room for those after it."""
    chosen: list[Measured] = []
    spent_s = 0.0
    for test in ranked:
        if spent_s + test.seconds <= budget_s:
            chosen.append(test)
            spent_s += test.seconds
    return chosen


def _ranked(tests: Iterable[Measured], mutant: Mutant) -> list[Measured]:
    """Tests whose path has more words of the file's path come first, and then the quick ones."""
    return sorted(tests, key=lambda test: (-len(_common_words(test, mutant)), test.seconds, test.id))


def _common_words(test: Measured, mutant: Mutant) -> set[str]:
    return _words(mutant.file) & _words(test.module)


def _words(path: str) -> set[str]:
    return {word.rstrip("s") for word in WORD.findall(path.lower())} - {"py", "test", "mockserver"}
