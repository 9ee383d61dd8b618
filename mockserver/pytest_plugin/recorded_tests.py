"""A recording of each test, for `--mockserver-record`: one file for a test, a worker and an attempt.

On a server of this process it is of the whole server, on one that others use of the test's projects.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from mockserver.pytest_plugin.sharing import worker_id
from mockserver.testing.names import name_of_node_id, name_of_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockserver.testing.client import MockServer
    from mockserver.testing.project import MockProject


class RecordedServer(Protocol):
    """A server whose answers are recorded: a `LiveServer`, or `SharedServer`."""

    def start_recording(self, file: Path) -> None:
        """Record in a file from now on, masked. ApiError, ControlApiError or OSError if that cannot be."""

    def stop_recording(self, *, is_kept: bool = True) -> None:
        """End the recording; of one that is kept, the file is whole then."""

    @property
    def recorded_exchanges(self) -> int:
        """How many requests the recording has."""


class SharedServer:
    """A server that others use, too: its control API records the projects that fixtures hold open."""

    def __init__(self, control: "MockServer", projects: "Sequence[MockProject]") -> None:
        self._control = control
        self._open = projects
        """Those that are open at any time."""
        self._recorded: Sequence[MockProject] = ()
        self._file: Path | None = None

    def start_recording(self, file: Path) -> None:
        """See `RecordedServer`. Without a project nothing is recorded yet."""
        self._file = file
        self.include()

    def include(self) -> None:
        """Begin anew, with the state of a project that was opened meanwhile."""
        found = [project for project in self._open if not project.is_deleted]
        if self._file is not None and found:
            self._end()
            self._control.start_recording(mask=True, projects=found)
            self._recorded = found

    def save(self) -> None:
        """End the recording, before one of its projects is deleted, and write the file."""
        recording = self._end()
        if recording and self._file is not None:
            self._file.write_bytes(recording)

    def stop_recording(self, *, is_kept: bool = True) -> None:
        """See `RecordedServer`."""
        self.save()
        self._file = None

    @property
    def recorded_exchanges(self) -> int:
        """See `RecordedServer`."""
        if not self._recorded:
            return 0
        params = {"project": self._recorded[0].id}
        status: dict[str, int] = self._control.call("GET", "/_mock/recording/status", params=params)
        return status["exchanges"]

    def _end(self) -> bytes:
        recorded, self._recorded = self._recorded, ()
        return self._control.stop_recording(recorded[0]) if recorded else b""


class RecordedTests:
    """Records what a server answers during each attempt at a test.

    On a server of this process a file is written while its test runs, so that it is there when the process
    ends in between. Masked: it is made to leave the machine.
    """

    def __init__(self, config: pytest.Config, directory: Path, *, keeps_all: bool) -> None:
        self._keeps_all = keeps_all
        """Whether recordings of tests that passed are kept, too."""
        self._directory = directory
        self._worker = worker_id(config) or "main"
        self._shown_from = config.invocation_params.dir
        self._server: RecordedServer | None = None
        self._item: pytest.Item | None = None
        self._file: Path | None = None
        """The file that is being written."""
        self._has_failed = self._is_skipped = False
        self._has_asked = False
        """Whether anything was asked of the server."""
        self._problem: str | None = None

    # --- the server --------------------------------------------------------------------------------

    def attach(self, server: RecordedServer) -> None:
        """Record a server from now on, and from the beginning of each test."""
        self._server = server
        if self._item is not None:
            self._start(self._item)

    def detach(self) -> None:
        """End the recording, before the server stops."""
        with self._noting_problems():
            if self._server is not None and self._file is not None:
                self._server.stop_recording()
        self._server = None

    def include(self) -> None:
        """Record a project that a fixture has just opened, too."""
        if isinstance(self._server, SharedServer):
            with self._noting_problems():
                self._server.include()

    def save(self) -> None:
        """Write what there is before a fixture deletes its project."""
        if isinstance(self._server, SharedServer):
            with self._noting_problems():
                self._server.save()

    @contextmanager
    def _noting_problems(self) -> Iterator[None]:
        """Say in the report why there is no recording; a test does not fail for that, and the run goes on."""
        try:
            yield
        except Exception as error:
            self._problem = str(error)

    # --- hooks -------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin a recording with the state that fixtures of a wider scope have made."""
        self._item, self._problem = item, None
        self._has_failed = self._is_skipped = self._has_asked = False
        if self._server is not None:
            self._start(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Say in the report of a failure how to replay it, and end the recording after the last report."""
        # Before anything else asks the server, such as for the journal that is shown.
        number = 0
        with self._noting_problems():
            number = 0 if self._server is None or self._file is None else self._server.recorded_exchanges
        self._has_asked = self._has_asked or number > 0
        report = yield
        # pytest counts what was expected to fail as skipped, too.
        self._is_skipped |= report.skipped and not hasattr(report, "wasxfail")
        if report.failed:
            self._has_failed = True
            report.sections += self._sections(number)
        if call.when == "teardown":
            self._finish()
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any) -> None:
        """Say in the report of a test in which a worker of xdist crashed how to replay what it recorded."""
        pattern = f"{name_of_node_id(crashitem)}.{report.node.gateway.id}.*.jsonl"
        for file in sorted(self._directory.glob(pattern))[-1:]:
            report.sections.append(
                ("mockserver recording", f"mockserver replay --allow-cut {self._shown(file)}")
            )

    def _start(self, item: pytest.Item) -> None:
        assert self._server is not None
        attempt = getattr(item, "execution_count", 1)
        file = self._directory / f"{name_of_test(item)}.{self._worker}.{attempt}.jsonl"
        with self._noting_problems():
            file.parent.mkdir(parents=True, exist_ok=True)
            self._server.start_recording(file)
            self._file = file

    def _sections(self, number: int) -> list[tuple[str, str]]:
        if self._problem is not None:
            return [("mockserver recording", f"none: {self._problem}")]
        if self._file is None or not number:
            return []
        replay = f"mockserver replay {self._shown(self._file)}"
        at_failure = f"{replay} --to {number}  # serves the state at this failure"
        return [("mockserver recording", f"{replay}\n{at_failure}")]

    def _finish(self) -> None:
        file, self._file, self._item = self._file, None, None
        if file is None:
            return
        is_wanted = self._has_failed or (self._keeps_all and not self._is_skipped)
        is_kept = self._has_asked and is_wanted
        with self._noting_problems():
            if self._server is not None:
                self._server.stop_recording(is_kept=is_kept)
            if not is_kept:
                file.unlink(missing_ok=True)

    def _shown(self, file: Path) -> Path:
        return file.relative_to(self._shown_from) if file.is_relative_to(self._shown_from) else file
