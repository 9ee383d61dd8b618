"""Scenario files: those at paths, and those that they require, in the order in which they are loaded."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from stat import S_ISREG

from mockserver.api.endpoint import Routes
from mockserver.scenario.checking.load import Scenario, read
from mockserver.scenario.reading.artifacts import include_artifacts
from mockserver.scenario.reading.compose import MAX_LENGTH, parse
from mockserver.scenario.reading.findings import Finding, Findings, ScenarioError, decode

SUFFIXES = (".yaml", ".yml")
MOST_BYTES = 4 * MAX_LENGTH
"""A character takes at most four bytes."""


def scenario_files(paths: Iterable[Path]) -> list[Path]:
    """The files at paths: the path itself, or a directory's `*.yaml` and `*.yml` by name."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(entry for entry in path.iterdir() if entry.suffix in SUFFIXES)
        else:
            found.append(path)
    return found


def read_text(file: Path) -> str:
    """A scenario file's text. An OSError, or a ScenarioError when it is not UTF-8 or cannot be a scenario."""
    # To open a pipe may take for ever; but what a shell writes as `<(...)` is one in /dev.
    if not S_ISREG(file.stat().st_mode) and not file.is_relative_to("/dev"):
        raise ScenarioError([Finding(str(file), 1, 1, "is no regular file")])
    with file.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ScenarioError([Finding(str(file), 1, 1, f"the file is longer than {MOST_BYTES:,} bytes")])
    return include_artifacts(decode(content, str(file)), file)


def read_files(files: Iterable[Path], routes: Routes) -> list[Scenario]:
    """The scenarios of files, each once and after those that it requires. ScenarioError or an OSError."""
    found: dict[str, Scenario] = {}
    for file in files:
        _add(file, routes, found, [])
    return list(found.values())


def required_files(file: Path) -> list[Path]:
    """The files that a file requires, directly or not, in the order in which they are to be loaded.

    A file that cannot be read requires none: what is wrong with it shows when it is loaded.
    """
    found: dict[Path, None] = {}

    def visit(file: Path) -> None:
        try:
            for required in _requirements(file):
                if required.is_file() and _place_of(required) not in seen:
                    seen.add(_place_of(required))
                    visit(required)
                    found[required] = None
        except (OSError, ScenarioError):
            return

    seen = {_place_of(file)}
    visit(file)
    return list(found)


def _place_of(file: Path) -> str:
    """Where a file really is. Unlike `Path.resolve`, it takes a link that leads to itself."""
    return os.path.realpath(file)


def _requirements(file: Path) -> Iterator[Path]:
    text = read_text(file)
    if "requires" not in text:
        return
    root = parse(text, Findings(str(file))).value
    required = root.get("requires") if isinstance(root, dict) else None
    if required is None:
        return
    for scalar in required.scalars():
        yield file.parent / scalar.text


def _add(file: Path, routes: Routes, found: dict[str, Scenario], above: list[str]) -> None:
    """Read a file after those that it requires, unless it was read before. `above` require it."""
    place = _place_of(file)
    if place in found:
        return
    scenario = read(read_text(file), str(file), routes)
    for number, name in enumerate(scenario.requires):
        required = file.parent / name
        _check_required(scenario, number, required, [*above, place])
        _add(required, routes, found, [*above, place])
    found[place] = scenario


def _check_required(scenario: Scenario, number: int, required: Path, above: list[str]) -> None:
    findings = Findings(scenario.source)
    place, path = scenario.place("requires", number), _place_of(required)
    if path in above:
        circle = " > ".join(os.path.basename(file) for file in (*above[above.index(path) :], path))
        findings.add(place, f"files require each other in a circle: {circle}")
    elif not required.is_file():
        beside = scenario_files([required.parent]) if required.parent.is_dir() else []
        what = "a file beside this one"
        findings.add_unknown(place, what, scenario.requires[number], [file.name for file in beside])
    findings.stop_if_any()
