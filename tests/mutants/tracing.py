"""A pytest plugin that measures test functions: the lines that they and their processes run, and seconds."""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mutants.marking import Marks
from tests.mutants.running import OUTPUT

PACKAGE = "mockserver"
# Made as soon as pytest reads its options: other plugins and the fixtures import the package.
MARKS = Marks(Path.cwd() / PACKAGE)


class Tracer:
    """Notes the lines that each test function runs; the cases of one function share them.

    What was measured of a module is written when its last test has run. A test that fails is left out: it
    would fail with every mutant.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._outputs = dict(pair.split("=", 1) for pair in os.environ[OUTPUT].split(os.pathsep))
        self._begin()

    def _begin(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._ran: dict[str, set[int]] = defaultdict(set)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        """Charge what follows to the test."""
        MARKS.take()
        try:
            return (yield)
        finally:
            self._ran[item.nodeid.partition("[")[0]].update(MARKS.take())
            if nextitem is None or nextitem.path != item.path:
                self._write(item.path.relative_to(self._root).as_posix())
                self._begin()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the time of a test's phases and cases."""
        test = report.nodeid.partition("[")[0]
        self._seconds[test] += report.duration
        if report.failed:
            self._failed.add(test)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write that modules without a test, which need what is not installed, run nothing."""
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            for module, output in self._outputs.items():
                if not Path(output).exists():
                    self._write(module)

    def _write(self, module: str) -> None:
        """Write what was measured: tests, and for each file the numbers of the tests that run each line."""
        tests = sorted(self._seconds.keys() - self._failed)
        files: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, test in enumerate(tests):
            places = defaultdict[str, set[int]](set)
            for mark in self._ran[test]:
                file, lines = MARKS.place(mark)
                places[file] |= lines
            for file, lines in places.items():
                for line in lines:
                    files[Path(file).relative_to(self._root).as_posix()][line].append(number)
        found = {
            "tests": [[test, round(self._seconds[test], 3)] for test in tests],
            "failed": sorted(self._failed),
            "files": files,
        }
        # Renamed when it is whole: the run may be ended at any time.
        output = Path(self._outputs[module])
        partial = output.with_suffix(".partial")
        partial.write_text(json.dumps(found), encoding="utf-8")
        partial.replace(output)


def pytest_configure(config: pytest.Config) -> None:
    """Begin to measure."""
    config.pluginmanager.register(Tracer(config.rootpath))
