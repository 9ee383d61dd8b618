"""What the calls of all tests show at the end of a run: error coverage, and findings of the linter."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockserver.exploring.coverage import merge_into, read_not_applicable
from mockserver.exploring.lint import Finding, lines_of, lint
from mockserver.pytest_plugin.observers import EXPLORES, Observer
from mockserver.server.assembly import ROUTES
from mockserver.server.control.history.coverage import ErrorCoverage

if TYPE_CHECKING:
    from mockserver.testing.project import MockProject

_OUTPUT = "mockserver_seen_calls"


class SeenCalls(Observer):
    """Asks about the calls of each project before it is deleted. Workers of pytest-xdist hand theirs over."""

    def __init__(
        self,
        config: pytest.Config,
        *,
        least_percent: int | None,
        lints: bool,
        kept: Path | None,
        page: Path | None,
    ) -> None:
        given = str(config.getini("mockserver_not_applicable"))
        try:
            left_out = read_not_applicable(config.rootpath / given) if given else None
        except ValueError as error:
            raise pytest.UsageError(f"mockserver_not_applicable: {error}") from None
        self._config = config
        self._least_percent = least_percent
        self._lints = lints
        self._kept = kept
        """The file with what earlier runs have met."""
        self._page = page
        """The file that has error coverage as HTML in the end."""
        self._ignored = frozenset(config.getini("mockserver_lint_ignore"))
        self._coverage = ErrorCoverage(ROUTES.by_operation, left_out)
        self._findings: list[Finding] = []

    def on_close(self, project: "MockProject") -> None:
        """See `Observer`."""
        if self._config.stash.get(EXPLORES, False):
            return
        if self._lints:
            # Unmasked: with another code or password it is another request.
            self._findings += lint(project.name, project.journal.list(unmasked=True), self._ignored)
        self._coverage.add(project.call("GET", "/error-coverage")["met"])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take what a worker has seen."""
        seen = json.loads(getattr(node, "workeroutput", {}).get(_OUTPUT, "{}"))
        self._coverage.add(seen.get("met", {}))
        self._findings += [Finding(*each) for each in seen.get("findings", ())]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand over what a worker has seen, or fail a run that has met too little."""
        output: dict[str, str] | None = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = json.dumps({"met": self._coverage.answer()["met"], "findings": self._findings})
            return
        self._write_files()
        if self._is_too_low and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _write_files(self) -> None:
        try:
            if self._kept is not None:
                merge_into(self._kept, self._coverage)
            if self._page is not None:
                self._page.write_text(self._coverage.page(), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"error coverage: {error}") from None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show what was seen."""
        if self._least_percent is not None:
            terminalreporter.section("mockserver error coverage")
            for line in self._coverage.lines():
                terminalreporter.line(line)
            if self._is_too_low:
                terminalreporter.line(f"that is less than {self._least_percent} %", red=True)
        if self._lints:
            terminalreporter.section("mockserver lint")
            for line in lines_of(self._findings):
                terminalreporter.line(line)

    @property
    def _is_too_low(self) -> bool:
        return self._least_percent is not None and self._coverage.percent < self._least_percent
