"""`mockserver validate`: what is wrong with scenario files, and where."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from mockserver.api.endpoint import Routes
from mockserver.launch.application import DEFAULT_PROJECT
from mockserver.launch.streams import paint
from mockserver.scenario.checking.files import read_files, scenario_files
from mockserver.scenario.checking.load import Scenario
from mockserver.scenario.checking.shadows import find_shadows
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.running.apply import apply
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.world import World


class Summary(NamedTuple):
    """What was looked at, and what is wrong with it."""

    files: int = 0
    rules: int = 0
    steps: int = 0
    mistakes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        looked = [_count(self.files, "file"), _count(self.rules, "rule"), _count(self.steps, "step")]
        if not self.mistakes:
            return f"ok: {', '.join(looked)}"
        return f"{_count(len(self.mistakes), 'mistake')} in {', '.join(looked)}"


def _together(each: Iterable[Summary]) -> Summary:
    files, rules, steps, mistakes, warnings = zip(Summary(), *each, strict=True)
    return Summary(sum(files), sum(rules), sum(steps), sum(mistakes, ()), sum(warnings, ()))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def validate(paths: Iterable[Path]) -> int:
    """Print every mistake and warning, and what was looked at; the exit code is 1 for mistakes, else 0.

    Every scenario is loaded into a project that is thrown away, with the files that it requires; those of
    a directory also all together, as `serve` loads them.
    """
    seen = _together(_look_at(path, ROUTES) for path in paths)
    told = paint(str(seen), "red" if seen.mistakes else "yellow" if seen.warnings else "green")
    print("\n".join((*seen.mistakes, *seen.warnings, told)))
    return 1 if seen.mistakes else 0


def _look_at(path: Path, routes: Routes) -> Summary:
    try:
        files = scenario_files([path])
    except OSError as error:
        return Summary(mistakes=(f"{path}: cannot be read: {error.strerror}",))
    if not files:
        return Summary(mistakes=(f"{path}: no *.yaml is in this directory",))
    seen = _together(_look_at_file(file, routes) for file in files)
    if len(files) > 1 and not seen.mistakes:
        return seen._replace(mistakes=_find_mistakes(read_files(files, routes)))
    return seen


def _look_at_file(file: Path, routes: Routes) -> Summary:
    try:
        scenarios = read_files([file], routes)
    except ScenarioError as error:
        return Summary(files=1, mistakes=tuple(map(str, error.findings)))
    except OSError as error:
        return Summary(files=1, mistakes=(f"{file}:1:1: cannot be read: {error.strerror}",))
    scenario = scenarios[-1]
    warnings = tuple(
        f"{file}:{place.line}:{place.column}: warning: {message}" for place, message in find_shadows(scenario)
    )
    return Summary(1, scenario.root_size("rules"), len(scenario.calls), _find_mistakes(scenarios), warnings)


def _find_mistakes(scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    try:
        load_together(scenarios)
    except ScenarioError as error:
        return tuple(map(str, error.findings))
    return ()


def load_together(scenarios: Sequence[Scenario]) -> None:
    """Load scenarios into a new project, one after the other; a ScenarioError says what goes wrong."""
    world = World()
    project = world.create(name=DEFAULT_PROJECT)
    world.create(name=DEFAULT_PROJECT, livemode=True)
    pipeline = assemble(world).pipeline
    for scenario in scenarios:
        apply(world, project, scenario, pipeline.answer)
