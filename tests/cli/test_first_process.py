"""How a server lives in a container: as its first process, on a read-only root, with wrong mounts."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import PYTHON, Serve
from tests.tables import cases

NAMESPACES = ["unshare", "--pid", "--fork", "--mount"]
"""A process 1 of its own, as in a container, and mounts of its own."""
LIMIT_S = 2
"""Twice the second within which it ends, for machines that are busy."""


def test_an_unreadable_mount_ends_the_start_with_one_line(tmp_path: Path) -> None:
    directory = tmp_path / "scenarios"
    directory.mkdir(mode=0)
    command = [*PYTHON, "serve", "--port", "0", "--scenario", str(directory)]
    if os.geteuid() == 0:
        # Root reads everything, until it has given that up.
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not installed")
        rights = "-dac_override,-dac_read_search"
        command = ["setpriv", "--bounding-set", rights, "--inh-caps", rights, *command]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment(), check=False
    )
    directory.chmod(0o700)
    assert ended.returncode == 1
    assert ended.stderr == f"mockserver: cannot read {directory}: Permission denied\n"


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}


@contextmanager
def in_namespaces(*arguments: str, before: str = "") -> "Iterator[subprocess.Popen[str]]":
    """`mockserver` as the first process of a container, after a command of the shell that sets it up."""
    if shutil.which("unshare") is None or subprocess.run([*NAMESPACES, "true"], check=False).returncode:
        pytest.skip("needs namespaces, as root has them")
    script = f'{before}exec "$@"'
    command = [*NAMESPACES, "--kill-child", "sh", "-c", script, "-", *PYTHON[:1], *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment()) as process:
        try:
            yield process
        finally:
            process.kill()


def first_process(unshare: "subprocess.Popen[str]") -> int:
    """The first process of the namespace, by its id outside."""
    return int(Path(f"/proc/{unshare.pid}/task/{unshare.pid}/children").read_text().split()[0])


def lines_until(stream: Iterator[str], text: str) -> list[str]:
    """The lines of a stream up to the first that has a text."""
    seen = []
    for line in stream:
        seen.append(line)
        if text in line:
            return seen
    pytest.fail(f"{text!r} is not in {seen}")


SERVE = ("-m", "mockserver", "serve", "--port", "0")


def test_on_sigterm_the_first_process_answers_and_ends_in_1_s() -> None:
    with in_namespaces(*SERVE) as process:
        assert process.stdout is not None
        url = lines_until(process.stdout, " at http")[-1].split()[-1]
        lines_until(process.stdout, "Try:")
        headers = {"authorization": "Bearer sk_test_default"}
        with httpx.Client(base_url=url, headers=headers) as client:
            assert client.get("/v1/contracts").status_code == 200
            begun = time.monotonic()
            os.kill(first_process(process), signal.SIGTERM)
            assert process.wait(timeout=20) == 0
            assert time.monotonic() - begun < LIMIT_S


@cases("number", signal.SIGTERM, signal.SIGINT)
@cases(
    "moment",
    "mockserver.kernel.spelling",
    "mockserver.launch.options",
    "mockserver.launch.serve",
    "mockserver.state.world",
)
def test_the_first_process_heeds_a_signal_before_it_listens(moment: str, number: int) -> None:
    with in_namespaces("-X", "importtime", *SERVE) as process:
        assert process.stderr is not None
        lines_until(process.stderr, moment)
        os.kill(first_process(process), number)
        out, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert "Try:" not in out


def test_another_command_says_that_a_signal_ended_it() -> None:
    with in_namespaces("-X", "importtime", "-m", "mockserver", "validate", "/") as process:
        assert process.stderr is not None
        lines_until(process.stderr, "mockserver.launch.options")
        os.kill(first_process(process), signal.SIGTERM)
        assert process.wait(timeout=20) == 128 + signal.SIGTERM


def test_it_serves_from_a_root_that_is_read_only() -> None:
    read_only = "mount --bind / / && mount -o remount,ro,bind / && ! touch /mockserver 2>/dev/null && "
    with in_namespaces(*SERVE, before=read_only) as process:
        assert process.stdout is not None
        url = lines_until(process.stdout, " at http")[-1].split()[-1]
        assert httpx.get(f"{url}/_mock/ready").status_code == 200


def test_a_body_that_never_comes_keeps_it_at_most_a_second(serve: Serve) -> None:
    served = serve("--log", "none")
    address = httpx.URL(served.url)
    with socket.create_connection((address.host, address.port)) as connection:
        connection.sendall(b"POST /v1/contracts HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
        assert httpx.get(f"{served.url}/_mock/health").status_code == 200
        begun = time.monotonic()
        assert served.end() == (0, "")
        assert time.monotonic() - begun < LIMIT_S
        assert connection.recv(1) == b""
