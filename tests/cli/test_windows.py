"""The command line without what Windows has not: groups of processes, most signals, locks, places in files.

Its own calls are not tried here. What the types of its standard library say is checked by `.ci/check`.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.test_exec import FETCH
from tests.tables import cases

WITHOUT_POSIX = """
import asyncio, os, shutil, signal, socket, subprocess, sys, sysconfig, tempfile, types, httpx, uvicorn
sysconfig.get_config_vars()
for name in ("HUP", "QUIT", "USR1", "USR2", "KILL", "ALRM", "TTOU", "CONT"):
    delattr(signal, f"SIG{name}")
for name in ("killpg", "geteuid", "getpgrp", "tcsetpgrp", "tcgetpgrp", "fchmod", "pread", "pwrite"):
    delattr(os, name)
sys.modules["fcntl"] = None
shutil._winapi = types.SimpleNamespace(NeedCurrentDirectoryForExePath=lambda command: True)
sys.platform = "win32"
from mockserver.__main__ import main
sys.exit(main())
"""


def run(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])} | variables
    command = [sys.executable, "-c", WITHOUT_POSIX, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@cases("code, status", (FETCH, 0), ("raise SystemExit(3)", 3))
def test_a_command_runs_with_a_server(code: str, status: int) -> None:
    ended = run("exec", "--", sys.executable, "-c", code)
    assert (ended.returncode, ended.stderr) == (status, "")


def test_a_command_that_is_not_there_is_127() -> None:
    ended = run("exec", "--", "no-such-command")
    assert ended.returncode == 127
    assert "cannot run no-such-command" in ended.stderr


def test_a_signal_ends_the_command() -> None:
    script = "import os, signal; os.kill(os.getppid(), signal.SIGTERM); signal.pause()"
    assert run("exec", "--", sys.executable, "-c", script).returncode == 128 + 15


def test_a_run_is_recorded_and_replayed(tmp_path: Path) -> None:
    kept = tmp_path / "red.jsonl"
    code = f"{FETCH}\nraise SystemExit(3)"
    ended = run("exec", "--record-on-failure", str(kept), "--", sys.executable, "-c", code)
    assert (ended.returncode, ended.stdout) == (3, "200\n")
    replayed = run("replay", str(kept))
    assert (replayed.returncode, replayed.stderr) == (0, "")


def test_tls_needs_no_owner_of_its_folder(tmp_path: Path) -> None:
    for _ in range(2):
        ended = run("exec", "--tls", "--", sys.executable, "-c", FETCH, XDG_STATE_HOME=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (0, "200\n"), ended.stderr
