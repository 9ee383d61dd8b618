"""A mixin for `unittest.TestCase`: a project of its own for each test, with the report of a failure."""

import inspect
import unittest
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, update_wrapper, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from unittest.mock import patch

from mockserver.testing.connection import Json
from mockserver.testing.names import name_of_id
from mockserver.testing.project import MockProject
from mockserver.testing.reporting import check_rules, reporting, run_reporting
from mockserver.testing.server import LiveServer

if TYPE_CHECKING:
    import httpx

    from mockserver.testing.clock import ClockStart

__tracebackhide__ = True
# unittest leaves out the frames of modules with this name.
__unittest = True


class MockServerTestCase(unittest.TestCase):
    """A test case whose tests each have a project, on a server that its class starts.

    It goes before `IsolatedAsyncioTestCase` or a framework's own class, if there is one. The attributes
    `scenario`, `seed`, `clock` and `settings` of a class are the options of its projects.
    """

    scenario: ClassVar[str | Path | None] = None
    """A file, beside the class's module or in the working directory, or the text of a scenario."""
    seed: ClassVar[str | None] = None
    """The seed of the projects' randomness; derived from the test's id unless given."""
    clock: "ClassVar[ClockStart | None]" = None
    """How the clocks begin, as `create_project` takes it."""
    settings: ClassVar[Mapping[str, Json] | None] = None
    """Settings that are to be otherwise than usual."""
    unused_rules: ClassVar[Literal["fail", "allow"]] = "fail"
    """Whether a test fails if rules of its scenarios never fired: `fail` or `allow`."""

    mockserver: ClassVar[LiveServer]
    """The server of the class."""
    mock_project: MockProject
    """The project of the test."""
    mock_api: "httpx.Client"
    """A client that calls the API in process with the project's secret key."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start the server."""
        super().setUpClass()
        cls.mockserver = LiveServer()
        cls.addClassCleanup(cls.mockserver.stop)

    def setUp(self) -> None:
        """Create the project."""
        super().setUp()
        project = self.mockserver.control.create_project(
            name=name_of_id(self.id()), seed=self.seed, clock=self.clock, settings=self.settings
        )
        self.addCleanup(project.delete)
        project.places = (Path(inspect.getfile(type(self))).parent,)
        project.inline_name = f"{self._testMethodName} inline scenario"
        if self.scenario is not None:
            project.load(self.scenario)
        self.mock_project = project
        self.mock_api = project.connect()
        self.addCleanup(self.mock_api.close)

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        """See `unittest.TestCase`."""
        # Not before: cases are pickled for the processes of Django's and other parallel runners.
        reporting_method = self._with_report(getattr(self, self._testMethodName))
        with patch.object(self, self._testMethodName, reporting_method):
            return super().run(result)

    @contextmanager
    def subTest(self, *args: Any, **params: Any) -> Iterator[None]:  # noqa: N802
        """See `unittest.TestCase`: its failure does not end the test, and has a report of its own."""
        with super().subTest(*args, **params), reporting(self.mock_project):
            yield

    def _with_report(self, method: Callable[[], Any]) -> Callable[[], Any]:
        """The test method, whose failure has the report as a note, and which fails when rules never fired."""

        if inspect.iscoroutinefunction(method):
            awaiting = partial(run_reporting, lambda: self.mock_project, method, self.check_rules)
            return update_wrapper(awaiting, method)

        @wraps(method)
        def run() -> None:
            with reporting(self.mock_project):
                method()
            self.check_rules()

        return run

    def check_rules(self) -> None:
        """Fail if rules of the scenarios never fired, unless the class allows it."""
        if self.unused_rules == "fail":
            check_rules(self.mock_project)
