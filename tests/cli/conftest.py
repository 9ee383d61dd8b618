"""A real process that serves."""

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from mockserver import cli

PYTHON = (sys.executable, "-X", "utf8", "-m", "mockserver")


@dataclass
class Served:
    """A process that serves, once it says that it is ready."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]
    banner: list[str]

    @property
    def url(self) -> str:
        """Where it listens."""
        url: str = self.ready["url"]
        return url

    def client(self) -> Client:
        """A client with the secret key."""
        headers = {"authorization": f"Bearer {self.ready['secret_key']}"}
        return Client(base_url=self.url, headers=headers, trust_env=False)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; the exit code, and what it wrote to standard error."""
        self.process.send_signal(number)
        _, log = self.process.communicate(timeout=20)
        return self.process.returncode, log


Serve = Callable[..., Served]
Run = Callable[..., subprocess.CompletedProcess[str]]


@contextmanager
def serving(folder: Path) -> Iterator[Serve]:
    """Start `mockserver serve` on a free port, with more arguments; its ready file is in a folder."""
    with ExitStack() as stack:

        def start(*arguments: str) -> Served:
            ready_file = folder / "ready.json"
            process = stack.enter_context(
                subprocess.Popen(
                    [*PYTHON, "serve", "--port", "0", "--ready-file", str(ready_file), *arguments],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
                )
            )
            stack.callback(process.kill)
            assert process.stdout is not None
            banner = []
            for line in process.stdout:
                banner.append(line.rstrip("\n"))
                if len(banner) > 1 and banner[-1] == "" and "Try:" in banner:
                    break
            else:
                pytest.fail(f"it did not start: {process.communicate()[1]}")
            return Served(process, json.loads(ready_file.read_text()), banner)

        yield start


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """See `serving`."""
    with serving(tmp_path) as start:
        yield start


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `mockserver` to its end."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [*PYTHON, *arguments], capture_output=True, text=True, timeout=60, env=environment, check=False
    )


@pytest.fixture(name="run")
def run_fixture() -> Run:
    """Run `mockserver` to its end, with arguments."""
    return run


@pytest.fixture
def run_here(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """The same in this process, which is for what ends before it serves."""

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        code = cli.main([*arguments])
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    yield start
    # A start-up does without it until the server is ready.
    gc.enable()
