"""A server whose output has no reader, or that was started without any."""

import json
import os
import pty
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import PYTHON, Served
from tests.tables import cases

Start = Callable[..., Served]

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start `mockserver serve` with redirections of a shell; its ready file is a FIFO."""
    with ExitStack() as stack:

        def start(redirection: str, *arguments: str) -> Served:
            fifo = tmp_path / "ready"
            os.mkfifo(fifo)
            command = [*PYTHON, "serve", "--port", "0", "--ready-file", str(fifo), *arguments]
            process = stack.enter_context(
                subprocess.Popen(
                    ["sh", "-c", f"exec {shlex.join(command)} {redirection}"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=ENVIRONMENT,
                )
            )
            stack.callback(process.kill)
            return Served(process, json.loads(fifo.read_text()), [])

        yield start


def dropped(served: Served) -> int:
    count: int = httpx.get(f"{served.url}/_mock/health").json()["log"]["dropped"]
    return count


@cases("form", "text", "json")
def test_a_log_that_nobody_reads_stops_no_request(start: Start, form: str) -> None:
    served = start("", "--log", form)
    target = f"/v1/contracts?{'&'.join(f'{name}=1' for name in 'abcdefghijklmnop' * 5)}"
    with served.client() as client:
        # Each of the lines has 400 bytes, and a pipe takes 64 KiB.
        for _ in range(200):
            assert client.get(target).status_code == 200
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(timeout=20) == 0


def test_a_log_is_whole_when_it_is_read_in_time(start: Start) -> None:
    served = start("")
    with served.client() as client:
        for _ in range(100):
            client.get("/v1/contracts")
        assert dropped(served) == 0
    code, log = served.end()
    assert code == 0
    assert log.count(" 200 GET /v1/contracts operation=GetContracts ") == 100


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_shown_by_health_and_changes_no_answer(start: Start) -> None:
    served = start("2>/dev/full")
    contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
    with served.client() as client:
        assert client.post("/v1/contracts", json=contract).status_code == 200
        while not dropped(served):
            pass
    assert served.end()[0] == 0


@cases("redirection", "2>&-", ">&-", "<&- >&- 2>&-", ">/dev/full")
def test_streams_that_are_closed_or_full_are_done_without(start: Start, redirection: str) -> None:
    served = start(redirection)
    with served.client() as client:
        assert client.get("/v1/contracts").status_code == 200
    code, log = served.end()
    assert code == 0
    assert "Traceback" not in log


@cases("encoding", "ascii", "cp1252", "utf-8")
def test_any_character_is_written_to_a_pipe(encoding: str) -> None:
    command, environment = [*PYTHON, "docs", "nonce"], ENVIRONMENT | {"PYTHONIOENCODING": encoding}
    ended = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert ("…" in ended.stdout.decode(), ended.stderr) == (True, b"")


@cases("encoding", "ascii", "utf-8")
def test_a_terminal_gets_what_its_encoding_has(encoding: str) -> None:
    ours, theirs = pty.openpty()
    command, environment = [*PYTHON, "docs", "nonce"], ENVIRONMENT | {"PYTHONIOENCODING": encoding}
    process = subprocess.Popen(command, env=environment, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    # Linux says by an error that a terminal has no writer any more.
    with open(ours, "rb", buffering=0) as terminal, suppress(OSError):
        while part := terminal.read(1 << 16):
            shown += part
    assert process.wait() == 0
    assert (b"\\u2026" in shown) == (encoding == "ascii")
