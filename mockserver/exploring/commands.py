"""Exploring any command: it is run again against a server of this process, with one failure at a time."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mockserver.api.call import Request
from mockserver.exploring.judging import FINDINGS, PATIENCE, SLOWER, Ending, Judgement, judge
from mockserver.exploring.plan import Trial, plan, plan_webhooks
from mockserver.exploring.report import Result, open_folder, write_report
from mockserver.exploring.world import Things, compare, deliveries_of, find_random, has_happened, look_at
from mockserver.server.answering.pipeline import Observer, Outcome
from mockserver.server.answering.render import Response
from mockserver.server.edge.ticker import Ticker
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer

DEFAULT_KEY = "sk_test_default"
_LEAST_LIMIT_S = 10.0
_SHOWN = 2_000
_ASSERTION = re.compile(r"Assert\w*(?:Error|Exception|Failed)|ERR_ASSERTION|AssertionError|expect\(")
_EXCEPTION = re.compile(r"^(?:Uncaught )?([A-Za-z_][\w.]*(?:Error|Exception|Timeout))\b", re.MULTILINE)
_PROJECTS = "/_mock/projects"


class Ran(NamedTuple):
    """A run of the command."""

    returncode: int
    output: str
    is_hung: bool
    seconds: float


@dataclass(slots=True)
class ProjectAfterRun:
    """A project after a run."""

    world: Things
    trials: list[Trial]
    """What can be tried with what it was asked."""
    reached: bool


@dataclass(slots=True)
class Settings:
    """How a command is explored."""

    command: Sequence[str]
    budget_s: float
    folder: Path
    jobs: int = 1
    """How many runs go on at once, each against a server of its own."""
    noticed: frozenset[str] = frozenset()
    """The names of exceptions by which the consumer notices a failure."""
    known: Mapping[str, Judgement] = field(default_factory=dict)
    """What is known of trials, by their ids: they are not tried again."""
    tell: Callable[[Result, int, int], None] = field(default=lambda result, number, total: None)
    """Is told of each result, with its number and how many there are."""


class CannotExplore(Exception):
    """The command fails without any failure, or asks nothing. The message says which."""


@dataclass(slots=True)
class _Baseline:
    """The command as it runs without a failure."""

    seen: Mapping[str, ProjectAfterRun]
    random: Mapping[str, frozenset[str]]
    """By project: the kinds of things that are told apart by random data."""
    limit_s: float


def explore(settings: Settings) -> tuple[list[Result], int]:
    """Run a command with each failure; what it shows, and how many are untried. CannotExplore, OSError."""
    open_folder(settings.folder)
    read_ms = Ticker().real_ms
    until_ms = read_ms() + 1000 * settings.budget_s
    base = _run_without(settings)
    trials = [trial for seen in base.seen.values() for trial in seen.trials]
    if not trials:
        raise CannotExplore("the command has asked nothing of the API: does it read the environment?")
    trials.sort(key=lambda trial: trial.rank)

    def attempt(trial: Trial) -> Result | None:
        if trial.id in settings.known:
            return Result(trial, settings.known[trial.id])
        if read_ms() > until_ms:
            return None
        result = _try(settings, trial, base)
        if result.judgement.verdict not in FINDINGS or result.judgement.verdict == "hung":
            return result
        again = _try(settings, trial, base)
        return result._replace(is_stable=again.judgement == result.judgement)

    results: list[Result] = []
    with ThreadPoolExecutor(settings.jobs) as pool:
        # In their order, so that the report is the same however many run at once.
        for result in pool.map(attempt, trials):
            if result is not None:
                results.append(result)
                settings.tell(result, len(results), len(trials))
    write_report(settings.folder, results, len(trials) - len(results), settings.command)
    return results, len(trials) - len(results)


def check(settings: Settings, trial: Trial) -> Result:
    """Run a command with one failure. CannotExplore."""
    base = _run_without(settings)
    if trial.test not in base.seen:
        raise CannotExplore(f"the command has no project {trial.test}")
    return _try(settings, trial, base)


def _run_without(settings: Settings) -> _Baseline:
    """Run the command twice without a failure. CannotExplore if it fails."""
    ran, seen = _run(settings, None, settings.budget_s)
    if ran.returncode:
        shown = f"status {ran.returncode}\n{ran.output[-_SHOWN:]}"
        raise CannotExplore(f"the command fails without any failure: {shown}")
    ran_again, again = _run(settings, None, settings.budget_s)
    random = {
        name: find_random(each.world, again[name].world) for name, each in seen.items() if name in again
    }
    return _Baseline(seen, random, max(_LEAST_LIMIT_S, SLOWER * max(ran.seconds, ran_again.seconds)))


def _try(settings: Settings, trial: Trial, base: _Baseline) -> Result:
    ran, after = _run(settings, trial, base.limit_s)
    if ran.is_hung:
        ran, after = _run(settings, trial, PATIENCE * base.limit_s)
    seen, random = after.get(trial.test), base.random.get(trial.test, frozenset())
    ending = Ending(
        passed=ran.returncode == 0,
        raised=_raised(ran.output),
        is_own=_is_own(ran.output, settings.noticed),
        is_hung=ran.is_hung,
        is_reached=seen is not None and seen.reached,
    )
    before = base.seen[trial.test].world
    wrong = [] if seen is None else compare(before, seen.world, trial, random)
    return Result(trial, judge(ending, wrong))


def _run(settings: Settings, trial: Trial | None, limit_s: float) -> tuple[Ran, dict[str, ProjectAfterRun]]:
    """Run the command against an empty server; how it went, and each of its projects by name."""
    with LiveServer() as server:
        default = server.control.project(DEFAULT_KEY)
        injection = _Injection(server, trial)
        if trial is not None and trial.test == default.name:
            injection.inject(default.id)
        environment = {**os.environ, **default.env, "MOCKSERVER_URL": server.url}
        ran = _run_command(settings.command, environment, limit_s)
        injection.end()
        found = {project.name: _look(project, trial) for project in server.control.projects()}
    return ran, found


def _look(project: MockProject, trial: Trial | None) -> ProjectAfterRun:
    if trial is not None:
        return ProjectAfterRun(look_at(project), [], has_happened(project, trial))
    trials = [*plan(project.name, [*project.journal]), *plan_webhooks(project.name, deliveries_of(project))]
    return ProjectAfterRun(look_at(project), trials, False)


class _Injection(Observer):
    """Scripts the failure in the project of its test as soon as it is made, and keeps projects for a look."""

    def __init__(self, server: LiveServer, trial: Trial | None) -> None:
        self._pipeline = server.app.pipeline
        self._trial = trial
        self._pipeline.observer = self

    def answer(self, request: Request, make: Callable[[Request], Outcome]) -> Outcome:
        """See `Observer`."""
        place, _, _ = request.path.rpartition("/")
        if (request.method, place) == ("DELETE", _PROJECTS):
            return Response(204, (), b"")
        outcome = make(request)
        if (request.method, request.path) == ("POST", _PROJECTS) and isinstance(outcome, Response):
            made = json.loads(outcome.body)
            if self._trial is not None and made.get("name") == self._trial.test:
                self.inject(made["id"])
        return outcome

    def inject(self, project_id: str) -> None:
        """Load the scenario of the failure."""
        assert self._trial is not None
        yaml = {"content-type": "application/yaml"}
        path, body = f"{_PROJECTS}/{project_id}/scenarios", self._trial.scenario.encode()
        self._pipeline.finish(self._pipeline.answer_unobserved(Request("POST", path, "", yaml, body)))

    def end(self) -> None:
        """Let projects be deleted."""
        self._pipeline.observer = None


def _run_command(command: Sequence[str], environment: Mapping[str, str], limit_s: float) -> Ran:
    read_ms = Ticker().real_ms
    began_ms = read_ms()
    process = subprocess.Popen(
        command,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit_s)
        is_hung = False
    except subprocess.TimeoutExpired:
        with suppress(OSError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        is_hung = True
    seconds = (read_ms() - began_ms) / 1000
    return Ran(process.returncode, output.decode("utf-8", "replace"), is_hung, seconds)


def _raised(output: str) -> str | None:
    found = _EXCEPTION.findall(output)
    return found[-1] if found else None


def _is_own(output: str, noticed: frozenset[str]) -> bool:
    """Whether a command failed at an assertion, with a named exception, or without any that it shows."""
    raised = _raised(output)
    return raised is None or raised in noticed or _ASSERTION.search(output) is not None
