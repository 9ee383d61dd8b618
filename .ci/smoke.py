"""Starts a server by a command, asks for some answers, and stops it: `.ci/smoke.py COMMAND...`.

`--port 0 --ready-file PATH` is added to the command. A line for the shell is given as a single word.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

_START_LIMIT_S = 300
# Besides its health, what takes files of the package, or a module that is imported by name.
_PATHS = ("/_mock/health", "/_mock/", "/_mock/docs", "/_mock/openapi.json", "/v1/contracts")
_ON_WINDOWS = sys.platform == "win32"


def main(command: list[str]) -> int:
    """Start, ask and stop; the exit code of the server, or 1 when it does not become ready."""
    with tempfile.TemporaryDirectory() as place:
        ready_file = Path(place, "ready.json")
        options = ["--port", "0", "--ready-file", str(ready_file)]
        is_line = len(command) == 1
        words = ["bash", "-c", f"{command[0]} {shlex.join(options)}"] if is_line else [*command, *options]
        with subprocess.Popen(words, start_new_session=True) as started:
            try:
                ready = _wait(started, ready_file)
                for path in _PATHS:
                    headers = {"authorization": f"Bearer {ready['secret_key']}"}
                    request = urllib.request.Request(ready["url"] + path, headers=headers)
                    print(path, urllib.request.urlopen(request, timeout=60).read()[:100], flush=True)
                # The server itself, and not the shell that waits for it. On Windows the signal is its status.
                os.kill(ready["pid"], signal.SIGTERM)
                return started.wait(timeout=30) - (signal.SIGTERM if _ON_WINDOWS else 0)
            finally:
                if started.poll() is None:
                    started.kill() if _ON_WINDOWS else os.killpg(started.pid, signal.SIGKILL)


def _wait(started: "subprocess.Popen[bytes]", ready_file: Path) -> dict[str, Any]:
    for _ in range(_START_LIMIT_S * 10):
        if ready_file.exists():
            found: dict[str, Any] = json.loads(ready_file.read_text())
            return found
        if started.poll() is not None:
            sys.exit(f"the server ended early, with {started.returncode}")
        time.sleep(0.1)
    sys.exit(f"the server is not ready after {_START_LIMIT_S} s")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
