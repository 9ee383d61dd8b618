"""Measuring which tests run which lines: a file for each module of tests, kept until it changes."""

import hashlib
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.mutants.running import OUTPUT, copy_checkout, preload, start_pytest

KEPT = ".mutants"
# Clients, examples and schemas need more than the extra `test`, two processes with the same code differ in
# nothing, and the pins tell that something changed but not what it does.
LEFT_OUT = ("clients", "examples", "mutants", "pins", "regression", "repository", "schemas")


def measured_parts(root: Path, work: Path, jobs: int) -> list[Path]:
    """The parts of the coverage map, a file for each module of tests.

    Those that are not there are measured by so many processes. What is interrupted goes on where it was.
    """
    folder = root / KEPT / package_digest(root)
    parts = {module: folder / part_name(root, module) for module in test_modules(root)}
    missing = {module: part for module, part in parts.items() if not part.exists()}
    if missing:
        print(f"measuring which lines {len(missing)} modules of tests run, for {folder}", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        _measure(root, work, missing, jobs)
    return sorted(parts.values())


def package_digest(root: Path) -> str:
    """A hash of what every test runs: the package, the scenarios, and what the tests share."""
    shared = [
        path
        for name in ("mockserver", "tests", "scenarios")
        for path in (root / name).rglob("*")
        if path.suffix in (".py", ".yaml") and not (_is_left_out(root, path) or _is_module(path))
    ]
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(shared):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def part_name(root: Path, module: str) -> str:
    """The name of the file with what was measured of a module of tests: its path, and a hash of it."""
    digest = hashlib.sha256((root / module).read_bytes()).hexdigest()[:16]
    return f"{module.removesuffix('.py').replace('/', '.')}-{digest}.json"


def test_modules(root: Path) -> list[str]:
    """The modules of tests that are asked."""
    found = sorted((root / "tests").rglob("test_*.py"))
    return [path.relative_to(root).as_posix() for path in found if not _is_left_out(root, path)]


def _is_module(path: Path) -> bool:
    return path.name.startswith("test_") and path.suffix == ".py"


def _is_left_out(root: Path, path: Path) -> bool:
    return path.relative_to(root).parts[:2] in {("tests", name) for name in LEFT_OUT}


def _measure(root: Path, work: Path, parts: Mapping[str, Path], jobs: int) -> None:
    # In forks, as mutants are tried: a test that does not pass there would kill all of them.
    preload()
    modules = list(parts)
    children = []
    for number in range(jobs):
        shares = modules[number::jobs]
        os.environ[OUTPUT] = os.pathsep.join(f"{module}={parts[module]}" for module in shares)
        # What marks lines is in the copy.
        copy, log = work / f"measured-{number}", work / f"measured-{number}.log"
        copy_checkout(root, copy)
        children.append(start_pytest(copy, ["-p", "tests.mutants.tracing", *shares], log))
    try:
        for child in children:
            os.waitpid(child, 0)
    except BaseException:
        for child in children:
            os.killpg(child, signal.SIGTERM)
        raise
    _explain_missing(parts.values(), work.glob("measured-*.log"))


def _explain_missing(parts: Iterable[Path], logs: Iterable[Path]) -> None:
    if all(part.exists() for part in parts):
        return
    said = "\n".join(log.read_text(encoding="utf-8")[-3000:] for log in logs)
    raise SystemExit(f"some tests could not be measured:\n{said}")
