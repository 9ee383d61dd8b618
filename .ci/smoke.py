"""Starts a server by the command that is given, asks for its health, and stops it: `.ci/smoke.py COMMAND...`.

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


def main(command: str) -> int:
    """Start, ask and stop; the exit code of the server, or 1 when it does not become ready."""
    with tempfile.TemporaryDirectory() as place:
        ready_file = Path(place, "ready.json")
        line = f"{command} --port 0 --ready-file {shlex.quote(str(ready_file))}"
        with subprocess.Popen(["bash", "-c", line], start_new_session=True) as started:
            try:
                ready = _wait(started, ready_file)
                health = urllib.request.urlopen(f"{ready['url']}/_mock/health", timeout=10).read().decode()
                print(ready["url"], health, flush=True)
                # The server itself, and not the shell that waits for it.
                os.kill(ready["pid"], signal.SIGTERM)
                return started.wait(timeout=30)
            finally:
                if started.poll() is None:
                    os.killpg(started.pid, signal.SIGKILL)


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
    arguments = sys.argv[1:]
    sys.exit(main(arguments[0] if len(arguments) == 1 else shlex.join(arguments)))
