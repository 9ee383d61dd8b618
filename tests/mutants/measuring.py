"""Measuring the coverage map of a checkout, which is kept until its content changes."""

import hashlib
import os
import shutil
import signal
import sys
from pathlib import Path

from tests.mutants.running import copy_checkout, preload, start_pytest
from tests.mutants.tracing import OUTPUT

KEPT = ".mutants"
# Clients and schemas need more than the extra `test`, two processes with the same code differ in nothing,
# and the pins tell that something changed but not what it does.
LEFT_OUT = ("clients", "mutants", "pins", "regression", "repository", "schemas")


def measured_parts(root: Path, work: Path, jobs: int) -> list[Path]:
    """The files of the coverage map, measured by so many processes unless they are there."""
    folder = root / KEPT / content_digest(root)
    if not folder.exists():
        print(f"measuring which tests run which lines, for {folder}", flush=True)
        copy_checkout(root, work / "measured")
        parts = work / "parts"
        parts.mkdir()
        _measure(work / "measured", parts, jobs)
        shutil.copytree(parts, folder)
    return sorted(folder.glob("*.json"))


def content_digest(root: Path) -> str:
    """A hash of what decides which test runs which line."""
    digest = hashlib.sha256(sys.version.encode())
    for name in ("mockserver", "tests", "scenarios"):
        for path in sorted((root / name).rglob("*")):
            file = path.relative_to(root)
            if path.suffix in (".py", ".yaml") and not (name == "tests" and file.parts[1] in LEFT_OUT):
                digest.update(file.as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def test_files(root: Path) -> list[str]:
    """The modules of tests that are asked."""
    found = sorted((root / "tests").rglob("test_*.py"))
    return [
        path.relative_to(root).as_posix()
        for path in found
        if path.relative_to(root / "tests").parts[0] not in LEFT_OUT
    ]


def _measure(copy: Path, parts: Path, jobs: int) -> None:
    # In forks, as mutants are tried: a test that does not pass there would kill all of them.
    preload()
    files = test_files(copy)
    children = []
    for number in range(jobs):
        os.environ[OUTPUT] = str(parts / f"{number}.json")
        arguments = ["-p", "tests.mutants.tracing", *files[number::jobs]]
        children.append(start_pytest(copy, arguments, parts / f"{number}.log"))
    try:
        statuses = [os.waitpid(child, 0)[1] for child in children]
    except BaseException:
        for child in children:
            os.killpg(child, signal.SIGTERM)
        raise
    for number, status in enumerate(statuses):
        if status != 0:
            said = (parts / f"{number}.log").read_text(encoding="utf-8")
            raise SystemExit(f"the tests have to pass without a mutant:\n{said[-3000:]}")
