"""Running tests again with one failure at a time, for `--mockserver-explore`."""

import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

import pytest
from _pytest.runner import runtestprotocol

from mockserver.exploring.changed import find_changed, is_affected
from mockserver.exploring.judging import FINDINGS, PATIENCE, SLOWER, Ending, Judgement, judge
from mockserver.exploring.plan import Trial, plan, plan_webhooks
from mockserver.exploring.report import Result, lines_of, open_folder, read_known, trial_of, write_report
from mockserver.exploring.world import Things, compare, deliveries_of, find_random, has_happened, look_at
from mockserver.pytest_plugin.observers import EXPLORES, Observer
from mockserver.pytest_plugin.sessions import OWN_PROJECT, SESSION, uses_server
from mockserver.server.edge.ticker import Ticker

if TYPE_CHECKING:
    from mockserver.testing.project import MockProject

_LEAST_LIMIT_S = 1.0
_PER_LINE = 60
_LETTERS = {"missed": "M", "hung": "H", "crashed": "C", "noticed": ".", "survived": ".", "not reached": "-"}
_CHECKED_S = 600

Reported = Generator[None, pytest.TestReport, pytest.TestReport]


class _Hung(BaseException):
    """A test takes too long. No `except Exception` of a consumer takes it."""


class _Parents:
    """In place of the test that comes next: only what is of a test itself is torn down."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def listchain(self) -> list[Any]:
        """See `pytest.Item`."""
        return self._item.listchain()[:-1]


@dataclass(slots=True)
class _Baseline:
    """A test as it runs without a failure."""

    item: pytest.Function
    world: Things
    seconds: float
    trials: list[Trial]
    wrong: frozenset[str]
    """What the consumer finds wrong without a failure."""
    random: frozenset[str] = frozenset()
    """The kinds of things that are told apart by random data."""


@dataclass(slots=True)
class _Run:
    """What is known of a run while it goes on."""

    trial: Trial | None = None
    limit_s: float | None = None
    """How long the test may take."""
    is_hung: bool = False
    began: int = 0
    """The number of the last exchange before the test."""
    set_up: int = 0
    """That of the last one of its fixtures."""
    told: int = 0
    """How many webhooks were made in them."""
    ending: Ending | None = None
    world: Things = field(default_factory=Things)
    wrong: tuple[str, ...] = ()
    """What the consumer finds wrong."""
    project: "MockProject | None" = None


class Explorer(Observer):
    """Runs the tests once, and then those that passed again: for each call and each of its unhappy paths."""

    def __init__(self, config: pytest.Config, folder: Path, budget_s: float, checked: Path | None) -> None:
        try:
            self._only = None if checked is None else trial_of(checked)
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"--mockserver-explore-check: {error}") from None
        try:
            if checked is None:
                open_folder(folder)
        except OSError as error:
            raise pytest.UsageError(f"--mockserver-explore-dir: {error}") from None
        since = config.getoption("--mockserver-explore-since")
        try:
            self._changed = None if since is None else find_changed(config.rootpath, since)
        except ValueError as error:
            raise pytest.UsageError(f"--mockserver-explore-since: {error}") from None
        self._config = config
        self._folder = folder
        self._budget_s = budget_s
        self._noticed: Sequence[str] = config.getini("mockserver_noticed")
        self._run = _Run()
        self._baselines: dict[str, _Baseline] = {}
        self._results: list[Result] = []
        self._known = read_known(folder) if config.getoption("--mockserver-explore-resume") else {}
        self._untried = 0
        self._left_alone = 0
        """How many tests have no project of their own, whose world could be compared."""

    # --- what runs -----------------------------------------------------------------------------------

    def on_open(self, node: pytest.Item | pytest.Collector, project: "MockProject") -> None:
        """See `Observer`: script the failure of the run."""
        if not isinstance(node, pytest.Item):
            return
        run = self._run
        run.project, run.began = project, project.journal.last_number
        if run.trial is not None:
            yaml = {"content-type": "application/yaml"}
            project.call("POST", "/scenarios", content=run.trial.scenario.encode(), headers=yaml)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Reported:
        """Look at the world while it is there."""
        report = yield
        run, project = self._run, item.stash.get(OWN_PROJECT, None)
        if project is None:
            self._left_alone += call.when == "call" and uses_server(item)
        elif call.when == "setup" and report.passed:
            run.set_up = project.journal.last_number
            run.told = 0 if run.trial else len(deliveries_of(project))
        elif call.when == "call" or (call.when == "setup" and report.failed):
            run.ending = self._ending_of(call, report, project)
            run.world = look_at(project)
            checked = item.ihook.pytest_mockserver_check_world(project=project)
            run.wrong = tuple(text for each in checked for text in each or ())
            is_first = item.nodeid not in self._baselines
            if is_first and report.passed and isinstance(item, pytest.Function):
                entries = project.journal.list(since=run.began)
                of_webhooks = plan_webhooks(item.nodeid, deliveries_of(project), run.told)
                trials = [*plan(item.nodeid, entries, run.set_up), *of_webhooks]
                self._baselines[item.nodeid] = _Baseline(
                    item, run.world, call.duration, trials, frozenset(run.wrong)
                )
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Explore after all tests have run."""
        result = yield
        if not session.config.option.collectonly:
            self._config.stash[EXPLORES] = True
            # Tracebacks are not shown, and take as long as most tests.
            self._config.option.tbstyle = "no"
            self._explore()
            session._setupstate.teardown_exact(None)
        return result

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Run the test of a finding only, if one is to be checked, or those of files that changed."""
        chosen = [item for item in items if self._is_chosen(item)]
        others = [item for item in items if item not in chosen]
        if others:
            items[:] = chosen
            config.hook.pytest_deselected(items=others)

    def _is_chosen(self, item: pytest.Item) -> bool:
        if self._only is not None:
            return item.nodeid == self._only.test
        return self._changed is None or is_affected(item.path, self._changed)

    # --- exploring -----------------------------------------------------------------------------------

    def _explore(self) -> None:
        for base in self._baselines.values():
            if base.trials:
                self._run = again = _Run(limit_s=_CHECKED_S)
                self._play(base)
                base.random = find_random(base.world, again.world)
        planned = self._plan()
        read_ms = Ticker().real_ms
        until_ms = read_ms() + 1000 * (self._budget_s if self._only is None else _CHECKED_S)
        terminal = self._config.pluginmanager.getplugin("terminalreporter")
        for number, (base, trial) in enumerate(planned):
            if read_ms() > until_ms:
                self._untried = len(planned) - number
                break
            judgement = self._try(base, trial)
            result = Result(trial, judgement)
            # Of a finding that is checked there is a recording.
            if judgement.verdict in FINDINGS and self._only is None:
                result = self._record(base, trial, judgement, len(self._results))
            elif judgement.verdict == "hung":
                result = Result(trial, self._try(base, trial, PATIENCE))
            self._results.append(result)
            if terminal is not None:
                _show_progress(terminal, result, number + 1, len(planned), (until_ms - read_ms()) / 1000)

    def _plan(self) -> list[tuple[_Baseline, Trial]]:
        """What is to be tried, the most likely first; what an earlier run has shown is a result already."""
        planned = [(base, trial) for base in self._baselines.values() for trial in base.trials]
        if self._only is not None:
            return [(base, trial) for base, trial in planned if trial.id == self._only.id]
        known = [trial for _, trial in planned if trial.id in self._known]
        self._results += [Result(trial, self._known[trial.id]) for trial in known]
        unknown = [(base, trial) for base, trial in planned if trial.id not in self._known]
        return sorted(unknown, key=lambda each: each[1].rank)

    def _try(self, base: _Baseline, trial: Trial, patience: int = 1) -> Judgement:
        """Run a test with a failure."""
        self._run = run = _Run(trial, patience * max(_LEAST_LIMIT_S, SLOWER * base.seconds))
        self._play(base)
        self._run = _Run()
        ending = run.ending or Ending(passed=False, is_reached=False)
        wrong = [
            *compare(base.world, run.world, trial, base.random),
            *(text for text in run.wrong if text not in base.wrong),
        ]
        return judge(ending._replace(is_hung=run.is_hung), wrong)

    def _play(self, base: _Baseline) -> None:
        """Run a test."""
        # What fixtures of wider scopes have made stays for the next run, if its test has the same.
        base.item.session._setupstate.teardown_exact(base.item)
        base.item._initrequest()
        runtestprotocol(base.item, log=False, nextitem=cast(pytest.Item, _Parents(base.item)))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """End a test that takes too long, but none of its fixtures: what they share would be half made."""
        with _time_limit(self._run):
            return (yield)

    def _record(self, base: _Baseline, trial: Trial, judgement: Judgement, number: int) -> Result:
        """Run it once more for a recording, and to see whether it happens again. What hung has more time."""
        from mockserver.testing.server import LiveServer

        hung = judgement.verdict == "hung"
        session = self._config.stash.get(SESSION, None)
        server = None if session is None else session.server
        if not isinstance(server, LiveServer):
            return Result(trial, self._try(base, trial, PATIENCE) if hung else judgement)
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._folder / f"{number:04}.jsonl"
        server.start_recording(file)
        try:
            again = self._try(base, trial, PATIENCE if hung else 1)
        finally:
            if session is self._config.stash.get(SESSION, None):
                server.stop_recording()
        return Result(trial, again if hung else judgement, file.name, is_stable=hung or again == judgement)

    def _ending_of(
        self, call: pytest.CallInfo[None], report: pytest.TestReport, project: "MockProject"
    ) -> Ending:
        trial = self._run.trial
        reached = trial is not None and has_happened(project, trial)
        if call.excinfo is None:
            return Ending(report.passed, is_reached=reached)
        kind = call.excinfo.type
        raised = f"{kind.__module__}.{kind.__qualname__}"
        return Ending(False, raised, self._is_own(kind), kind is _Hung, reached)

    def _is_own(self, kind: type[BaseException]) -> bool:
        """Whether an exception is an assertion's, the consumer's own, or named in the configuration."""
        if issubclass(kind, (AssertionError, pytest.fail.Exception)):
            return True
        for each in kind.__mro__:
            if {each.__qualname__, f"{each.__module__}.{each.__qualname__}"} & {*self._noticed}:
                return True
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return (
            file is not None
            and Path(file).is_relative_to(self._config.rootpath)
            and "site-packages" not in Path(file).parts
        )

    # --- what it comes to ----------------------------------------------------------------------------

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report; fail the check of a finding that is still one."""
        if self._changed is not None and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        if self._only is None:
            write_report(self._folder, self._results, self._untried)
        elif any(each.judgement.verdict in FINDINGS for each in self._results) or not self._results:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the findings."""
        terminalreporter.section("mockserver explore")
        for line in lines_of(self._results, self._untried, self._folder):
            terminalreporter.line(line)
        if self._left_alone:
            terminalreporter.line(f"{self._left_alone} tests have no `mock_project` of their own: left alone")


def _show_progress(terminal: Any, result: Result, number: int, total: int, left_s: float) -> None:
    if number == 1:
        terminal.ensure_newline()
        terminal.write("exploring: ")
    terminal.write(_LETTERS[result.judgement.verdict])
    if number % _PER_LINE == 0 or number == total:
        terminal.write_line(f" {number} of {total}, {max(0, left_s):.0f} s left")


@contextmanager
def _time_limit(run: _Run) -> Iterator[None]:
    """End what takes longer than a run may, where the system can."""
    if sys.platform == "win32" or run.limit_s is None:
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        run.is_hung = True
        raise _Hung

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, run.limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
