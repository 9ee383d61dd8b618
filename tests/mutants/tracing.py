"""A pytest plugin that measures test functions: the lines they run, seconds, whether they start processes."""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

OUTPUT = "MUTANTS_MAP"
PACKAGE = "mockserver"


class Tracer:
    """Measures lines with a context for each test function; the cases of one function share it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, branch=False, source=[str(root / PACKAGE)]
        )
        self._seconds: dict[str, float] = defaultdict(float)
        self._spawning: set[str] = set()
        self._test = ""
        self._coverage.start()
        sys.addaudithook(self._watch)

    def _watch(self, event: str, _: object) -> None:
        if event in ("subprocess.Popen", "os.posix_spawn") and self._test:
            self._spawning.add(self._test)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Charge what follows to the test."""
        self._test = item.nodeid.partition("[")[0]
        self._coverage.switch_context(self._test)
        try:
            return (yield)
        finally:
            self._coverage.switch_context("")
            self._test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the time of a test's phases and cases."""
        self._seconds[report.nodeid.partition("[")[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write what was measured: tests, and for each file the numbers of the tests that run each line."""
        self._coverage.stop()
        tests = sorted(self._seconds)
        number = {test: index for index, test in enumerate(tests)}
        data = self._coverage.get_data()
        files: dict[str, dict[int, list[int]]] = {}
        for file in data.measured_files():
            lines = {
                line: sorted(number[each] for each in contexts if each in number)
                for line, contexts in data.contexts_by_lineno(file).items()
            }
            files[Path(file).relative_to(self._root).as_posix()] = lines
        found = {
            "tests": [[test, round(self._seconds[test], 3), test in self._spawning] for test in tests],
            "files": files,
        }
        Path(os.environ[OUTPUT]).write_text(json.dumps(found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to measure, before the package is imported by tests."""
    config.pluginmanager.register(Tracer(config.rootpath))
