"""`mockserver test`: plays what scenario files expect, each file in a fresh project in this process."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mockserver.api.call import Request
from mockserver.launch.application import DEFAULT_PROJECT
from mockserver.launch.streams import paint
from mockserver.scenario.checking.files import read_files, scenario_files
from mockserver.scenario.reading.findings import Finding, ScenarioError
from mockserver.scenario.running.apply import apply
from mockserver.scenario.running.playing import play
from mockserver.server.answering.render import Response
from mockserver.server.assembly import ROUTES, assemble
from mockserver.server.edge.app import is_ready
from mockserver.state.world import World

PASSED, FAILED, INVALID = 0, 1, 2
"""The exit codes: all is as expected; something is not; something is no scenario, or cannot be read."""


_LOOPBACK = "127.0.0.1"


class Outcome(NamedTuple):
    """What came of a file: the code, the lines that say why, and how many steps it expects."""

    code: int
    lines: list[str]
    steps: int = 0


def play_files(paths: Iterable[Path]) -> int:
    """Print a line a file and what is not as expected. The exit code is the highest of all files."""
    outcomes = [_print(path, outcome) for path, outcome in _play_all(paths)]
    codes = [outcome.code for outcome in outcomes]
    counts = ((PASSED, "passed"), (FAILED, "failed"), (INVALID, "invalid"))
    said = [f"{codes.count(code)} {word}" for code, word in counts if code in codes]
    untested = sum(outcome.code == PASSED and not outcome.steps for outcome in outcomes)
    print(", ".join(said) + (f" ({untested} without expect)" if untested else ""))
    return max(codes)


def _print(path: Path, outcome: Outcome) -> Outcome:
    words = {PASSED: "passed" if outcome.steps else "no expect", FAILED: "failed", INVALID: "invalid"}
    steps = f" ({outcome.steps} step{'s' * (outcome.steps > 1)})" if outcome.steps else ""
    print(f"{path}: {paint(words[outcome.code], 'red' if outcome.code else 'green')}{steps}")
    for line in outcome.lines:
        print(f"  {line}")
    return outcome


def _play_all(paths: Iterable[Path]) -> Iterator[tuple[Path, Outcome]]:
    for path in paths:
        try:
            files = scenario_files([path])
        except OSError as error:
            yield path, Outcome(INVALID, [f"cannot be read: {error.strerror}"])
            continue
        if not files:
            yield path, Outcome(INVALID, ["no *.yaml is in this directory"])
        for file in files:
            yield file, play_file(file)


def play_file(file: Path) -> Outcome:
    """Play a file in a world of its own, on a frozen clock and without pauses of real time.

    The files that it requires are loaded before it; what they expect is not played.
    """
    try:
        *required, scenario = read_files([file], ROUTES)
    except ScenarioError as error:
        return Outcome(INVALID, _lines(error.findings))
    except OSError as error:
        return Outcome(INVALID, [f"cannot be read: {error.strerror}"])
    world = World()
    project = world.create(name=DEFAULT_PROJECT)
    app = assemble(world)
    # Without waits, what is slow or delayed takes no real time.
    app.close()
    try:
        for needed in required:
            apply(world, project, needed, app.pipeline.answer)
        loaded = apply(world, project, scenario, app.pipeline.answer)
    except ScenarioError as error:
        return Outcome(FAILED, _lines(error.findings), len(scenario.expect))
    for each in world:
        each.clock.freeze()

    def send(request: Request) -> Response:
        """What a client would get, or what httpx raises when a fault breaks the connection."""
        outcome = app.answer(replace(request, client=_LOOPBACK))
        return outcome if is_ready(outcome) else asyncio.run(app.finish_in_process(outcome))

    found = play(scenario, project, loaded.captured, send)
    return Outcome(FAILED if found else PASSED, _lines(found), len(scenario.expect))


def _lines(findings: Iterable[Finding]) -> list[str]:
    return [str(finding) for finding in findings]
