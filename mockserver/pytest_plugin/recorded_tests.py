"""A recording of each test, for `--mockserver-record`: one file for a test, a worker and an attempt."""

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockserver.errors import ApiError
from mockserver.testing.names import name_of_test

if TYPE_CHECKING:
    from mockserver.testing.server import LiveServer


class RecordedTests:
    """Records what the live server of this process answers during each attempt at a test.

    A file is written while its test runs, so that it is there when the process ends in between. Masked: it
    is made to leave the machine.
    """

    def __init__(self, config: pytest.Config, directory: Path, *, keeps_all: bool) -> None:
        self._keeps_all = keeps_all
        """Whether recordings of tests that passed are kept, too."""
        self._directory = directory
        worker: dict[str, str] = getattr(config, "workerinput", {})
        self._worker = worker.get("workerid", "main")
        self._shown_from = config.invocation_params.dir
        self._server: LiveServer | None = None
        self._item: pytest.Item | None = None
        self._file: Path | None = None
        """The file that is being written."""
        self._has_failed = False
        self._has_asked = False
        """Whether anything was asked of the server."""
        self._problem: str | None = None

    # --- the server --------------------------------------------------------------------------------

    def attach(self, server: "LiveServer") -> None:
        """Record a server from now on, and from the beginning of each test."""
        self._server = server
        if self._item is not None:
            self._start(self._item)

    def detach(self) -> None:
        """End the recording, before the server stops."""
        if self._server is not None and self._file is not None:
            self._server.stop_recording()
        self._server = None

    # --- hooks -------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin a recording with the state that fixtures of a wider scope have made."""
        self._item, self._problem = item, None
        self._has_failed = self._has_asked = False
        if self._server is not None:
            self._start(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Say in the report of a failure how to replay it, and end the recording after the last report."""
        # Before anything else asks the server, such as for the journal that is shown.
        number = 0 if self._server is None or self._file is None else self._server.recorded_exchanges
        self._has_asked = self._has_asked or number > 0
        report = yield
        if report.failed:
            self._has_failed = True
            report.sections += self._sections(number)
        if call.when == "teardown":
            self._finish()
        return report

    def _start(self, item: pytest.Item) -> None:
        assert self._server is not None
        attempt = getattr(item, "execution_count", 1)
        file = self._directory / f"{name_of_test(item)}.{self._worker}.{attempt}.jsonl"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._server.start_recording(file)
        except (ApiError, OSError) as error:
            self._problem = str(error)
        else:
            self._file = file

    def _sections(self, number: int) -> list[tuple[str, str]]:
        if self._file is None:
            return [] if self._problem is None else [("mockserver recording", f"none: {self._problem}")]
        replay = f"mockserver replay {self._shown(self._file)}"
        if not number:
            return []
        at_failure = f"{replay} --to {number}  # serves the state at this failure"
        return [("mockserver recording", f"{replay}\n{at_failure}")]

    def _finish(self) -> None:
        file, self._file, self._item = self._file, None, None
        if file is None:
            return
        is_kept = self._has_asked and (self._keeps_all or self._has_failed)
        if self._server is not None:
            self._server.stop_recording(is_kept=is_kept)
        if not is_kept:
            file.unlink(missing_ok=True)

    def _shown(self, file: Path) -> Path:
        return file.relative_to(self._shown_from) if file.is_relative_to(self._shown_from) else file
