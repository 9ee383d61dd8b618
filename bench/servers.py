"""Servers in processes of their own, and what they cost."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal, NamedTuple

import httpx

_PATIENCE_S = 30.0

LogTarget = Literal["none", "file", "closed", "unread"]
"""Where a server logs to: nowhere, a file, a pipe whose reader is gone, or one that is never read."""


class Server(NamedTuple):
    """A server that answers."""

    port: int
    pid: int
    key: str = "none"

    def client(self) -> httpx.Client:
        """A client of the project with the key, whose bodies are JSON unless it is told otherwise."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers=headers, trust_env=False)

    def cpu_s(self) -> float:
        """The processor time it has used."""
        ticks = _proc_ticks(self.pid)
        if ticks is not None:
            return ticks / os.sysconf("SC_CLK_TCK")
        minutes, _, seconds = _ps(self.pid, "cputime").rpartition(":")
        return float(seconds) + 60 * float(minutes.rpartition(":")[2] or 0)

    def memory_mb(self) -> float:
        """The memory it holds."""
        return int(_ps(self.pid, "rss")) / 1024


def _ps(pid: int, column: str) -> str:
    command = ["ps", "-o", f"{column}=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _proc_ticks(pid: int) -> int | None:
    """User and system time in clock ticks, where the system tells so finely."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[11]) + int(fields[12])


@contextmanager
def mock_server(log: LogTarget = "none") -> Iterator[Server]:
    """The mock server as users start it, with an empty scenario and a frozen clock."""
    form = "none" if log == "none" else "text"
    with tempfile.TemporaryDirectory() as folder, _log_stream(log) as stream:
        ready = Path(folder) / "ready.json"
        arguments = ["serve", "--port", "0", "--clock", "frozen", "--log", form, "--ready-file", str(ready)]
        with _process([sys.executable, "-m", "mockserver", *arguments], stderr=stream) as process:
            _wait(ready.exists, process)
            facts = json.loads(ready.read_text())
            port = int(facts["url"].rpartition(":")[2])
            # A project of its own name has no scenario: `serve` loads one into its default project.
            yield Server(port, process.pid, "sk_test_bench")


@contextmanager
def _log_stream(log: LogTarget) -> Iterator[IO[bytes] | None]:
    """What stands for a server's standard error; None for that of this process."""
    if log == "none":
        yield None
    elif log == "file":
        with tempfile.TemporaryFile() as file:
            yield file
    else:
        reader, writer = os.pipe()
        with os.fdopen(writer, "wb") as stream:
            if log == "closed":
                os.close(reader)
            yield stream
        if log == "unread":
            os.close(reader)


@contextmanager
def starting_server() -> Iterator[int]:
    """The mock server from its first moment on: the port on which it will listen."""
    port = free_port()
    with _process([sys.executable, "-m", "mockserver", "serve", "--port", str(port), "--log", "none"]):
        yield port


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def bare_server(kind: str, body: bytes) -> Iterator[Server]:
    """One of the two bare applications."""
    port = free_port()
    with _process([sys.executable, "-m", "bench.bare", kind, str(port)], body) as process:
        _wait(lambda: _answers(port), process)
        yield Server(port, process.pid)


def environment() -> dict[str, str]:
    """The environment of a measured process: installed packages have their bytecode, and so has ours."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@contextmanager
def _process(
    command: list[str], stdin: bytes = b"", stderr: IO[bytes] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=stderr, env=environment()
    )
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.close()
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def _wait(ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not ready():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{process.args!r} did not start")
        time.sleep(0.01)
