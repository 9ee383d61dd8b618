"""`mockserver validate`: what is wrong with scenario files, and where."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from mockserver.api.endpoint import Routes
from mockserver.scenario.findings import Finding, ScenarioError
from mockserver.scenario.load import read
from mockserver.server.assembly import ROUTES


def validate(paths: Iterable[Path]) -> int:
    """Print every finding, or `ok`; the exit code is 1 if there are findings, else 0."""
    lines = [line for path in paths for line in _find_all(path, ROUTES)]
    print("\n".join(lines) if lines else "ok")
    return 1 if lines else 0


def scenario_files(paths: Iterable[Path]) -> list[Path]:
    """The files at paths: the path itself, or a directory's `*.yaml` and `*.yml` by name."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(entry for entry in path.iterdir() if entry.suffix in (".yaml", ".yml"))
        else:
            found.append(path)
    return found


def _find_all(path: Path, routes: Routes) -> Iterator[str]:
    try:
        files = scenario_files([path])
    except OSError as error:
        yield f"{path}: cannot be read: {error.strerror}"
        return
    if not files:
        yield f"{path}: no *.yaml is in this directory"
    for file in files:
        yield from _findings(file, routes)


def _findings(file: Path, routes: Routes) -> Iterator[str]:
    try:
        read(read_text(file), str(file), routes)
    except ScenarioError as error:
        yield from (str(finding) for finding in error.findings)
    except OSError as error:
        yield f"{file}:1:1: cannot be read: {error.strerror}"


def read_text(file: Path) -> str:
    """A scenario file's text. An OSError, or a ScenarioError when it is not UTF-8."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ScenarioError([Finding(str(file), line, 1, "is not UTF-8")]) from None
