"""Running tests against mutants: in a copy of the checkout, each in a fork that has its imports."""

import importlib
import math
import os
import resource
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from compileall import compile_dir
from contextlib import suppress
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import NoReturn

import pytest

from tests.mutants.sites import Mutant

# What tests import and no mutant changes; a fork has it for nothing. None of it imports a plugin of
# pytest, such as anyio: of those imported before it pytest warns, which fails tests that run pytest.
PRELOADED = (
    "cryptography.hazmat.primitives.asymmetric.ec",
    "eth_abi",
    "eth_account",
    "jsonschema",
    "jwt",
    "orjson",
    "pydantic",
    "solders",
    "uvicorn",
    "yaml",
)
IGNORED = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", ".mutants", "node_modules", "build", "dist"
)
OUTPUT = "MUTANTS_MAP"
"""The variable that says into which file what is measured of a module goes: `module=file`, separated."""
QUIET = ["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
UNTIL_ONE_FAILS = ["-x", "--tb=no"]
# Most mutants are killed by these, and pytest reads the modules of all tests before it runs the first.
FIRST_ASKED = 10
# A mutant that waits for ever takes no time of the processor.
WALL = 5
"""How many seconds may pass for each second of the processor: the machine may have other work."""


def copy_checkout(root: Path, copy: Path) -> None:
    """Copy a checkout without what tools left in it, compiled: a mutant's hash differs from the file's."""
    shutil.copytree(root, copy, ignore=IGNORED, symlinks=True)
    compile_dir(copy / "mockserver", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def preload() -> None:
    """Import what every run needs, once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in PRELOADED:
            with suppress(ImportError):
                importlib.import_module(name)


class Workshop:
    """A copy of a checkout in which one mutant after the other is tried."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy
        self._mutant: Mutant | None = None
        self._asked_next: Sequence[str] = ()
        self._source = b""
        self._child = 0
        self._timeout_s = self._deadline_s = 0.0

    def start(self, mutant: Mutant, tests: Sequence[str], timeout_s: float) -> None:
        """Begin to run tests with a mutant in place, for so much time of the processor."""
        path = self._copy / mutant.file
        self._mutant, self._source = mutant, path.read_bytes()
        path.write_bytes(mutant.apply(self._source))
        self._timeout_s, self._deadline_s = timeout_s, time.monotonic() + WALL * timeout_s
        self._asked_next = tests[FIRST_ASKED:]
        self._ask(tests[:FIRST_ASKED])

    def _ask(self, tests: Sequence[str]) -> None:
        arguments = [*UNTIL_ONE_FAILS, *tests]
        self._child = start_pytest(self._copy, arguments, Path(os.devnull), math.ceil(self._timeout_s))

    def verdict(self) -> str | None:
        """What became of the mutant, `killed`, `timeout` or `survived`; None while its tests run."""
        done, status = os.waitpid(self._child, os.WNOHANG)
        if not done:
            if time.monotonic() < self._deadline_s:
                return None
            self.stop()
            return "timeout"
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGXCPU:
            self._end_group()
            self._restore()
            return "timeout"
        if not code and self._asked_next:
            rest, self._asked_next = self._asked_next, ()
            self._ask(rest)
            return None
        self._restore()
        if code == pytest.ExitCode.NO_TESTS_COLLECTED:
            raise RuntimeError("the tests of a mutant are gone: the map is of another checkout")
        return "killed" if code else "survived"

    def stop(self) -> None:
        """End what runs, with all that it started."""
        if self._mutant is not None:
            self._end_group()
            os.waitpid(self._child, 0)
            self._restore()

    def _end_group(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._child, signal.SIGKILL)

    def _restore(self) -> None:
        if self._mutant is not None:
            (self._copy / self._mutant.file).write_bytes(self._source)
        self._mutant = None


def start_pytest(
    copy: Path, arguments: Sequence[str], output: Path, cpu_s: int = resource.RLIM_INFINITY
) -> int:
    """Run pytest on a copy in a fork of this process, which leads a group; its process id.

    It is ended by SIGXCPU when it, or a process that it starts, has taken so much time of the processor.
    """
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, resource.RLIM_INFINITY))
        _become_pytest(copy, arguments, output)
    os.setpgid(child, child)
    return child


def _become_pytest(copy: Path, arguments: Sequence[str], output: Path) -> NoReturn:
    status = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.chdir(copy)
        # Nothing compiled is written: Python takes sources of one second and one size for the same.
        sys.dont_write_bytecode = True
        os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.path[:] = [str(copy), *(each for each in sys.path if not _is_checkout(each))]
        for name in [each for each in sys.modules if each.partition(".")[0] in ("mockserver", "tests")]:
            del sys.modules[name]
        with output.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        status = int(pytest.main([*QUIET, *arguments]))
    finally:
        os._exit(status)


def _is_checkout(path: str) -> bool:
    # An installed package has no project file beside it.
    return Path(path, "mockserver", "version.py").exists() and Path(path, "pyproject.toml").exists()
