"""A server of a checkout, started for a recording or a comparison, and plain HTTP to it."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from tests.regression.exchanges import Answer, Request

# A name of loopback: the control API answers to no other.
HOST = "mock.localhost"
ARGUMENTS = ["--port", "0", "--seed", "fixed", "--clock", "frozen", "--log", "none"]
START_S = 60.0
# What differs between two servers that answer alike.
UNTOLD = frozenset({"date", "server"})


class Server:
    """Sends requests to a server, one after the other on one connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = HTTPConnection(parts.hostname or "", parts.port, timeout=60)

    def send(self, request: Request) -> Answer:
        """The answer to a request; one with status 0 if the connection broke."""
        try:
            return self._answer(request)
        except (HTTPException, OSError) as problem:
            self._connection.close()
            return Answer(0, [], type(problem).__name__)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _answer(self, request: Request) -> Answer:
        content = request.body.encode("utf-8", "surrogateescape")
        connection = self._connection
        connection.putrequest(request.method, request.path, skip_host=True, skip_accept_encoding=True)
        # The real host has a port that differs at every start, and some answers repeat it.
        connection.putheader("Host", HOST)
        for name, value in request.headers.items():
            connection.putheader(name, value.encode("utf-8"))
        if content or request.method not in ("GET", "HEAD"):
            connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content or None)
        return answer_of(connection.getresponse())


def answer_of(response: HTTPResponse) -> Answer:
    """What a response says."""
    body = response.read().decode("utf-8", "surrogateescape")
    headers = [[name.lower(), value] for name, value in response.getheaders() if name.lower() not in UNTOLD]
    return Answer(response.status, headers, body)


@contextmanager
def started(python: str = sys.executable, checkout: Path = Path()) -> Iterator[Server]:
    """A fresh server of a checkout, run by a Python that has the dependencies."""
    with tempfile.TemporaryDirectory() as directory:
        ready = Path(directory, "ready.json")
        command = [python, "-m", "mockserver", "serve", *ARGUMENTS, "--ready-file", str(ready)]
        root = checkout.resolve()
        environment = os.environ | {"PYTHONPATH": str(root)}
        process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.DEVNULL)
        try:
            with closing(Server(url_of(process, ready))) as server:
                yield server
        finally:
            process.terminate()
            process.wait()


def url_of(process: "subprocess.Popen[bytes]", ready: Path) -> str:
    """Where the process answers, once its ready file is there."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with status {process.returncode} before it was ready")
        try:
            return str(json.loads(ready.read_text())["url"])
        except (FileNotFoundError, ValueError):
            time.sleep(0.02)
    raise RuntimeError(f"the server was not ready after {START_S:.0f} s")
