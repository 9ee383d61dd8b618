"""`mockserver exec`: what a command gets, what comes of it, and what is left of it."""

import os
import pty
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mockserver import cli
from mockserver.launch.child import Child
from tests.cli.conftest import PYTHON, Run
from tests.tables import cases

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are of POSIX")

FETCH = """
import os, urllib.request
url = os.environ["OPENFORT_BASE_URL"] + "/v1/contracts"
key = {"authorization": "Bearer " + os.environ["OPENFORT_SECRET_KEY"]}
print(urllib.request.urlopen(urllib.request.Request(url, headers=key)).status)
"""
STUBBORN = """
import os, signal, subprocess, sys, time
for each in (signal.SIGINT, signal.SIGTERM): signal.signal(each, lambda *_: print("interrupted", flush=True))
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);"
                          "print('ready', flush=True); signal.pause(); signal.pause()"])
print(child.pid, flush=True)
while True: signal.pause()
"""


def runs(pid: int) -> bool:
    """Whether a process runs, and is no zombie that a container's first process does not reap."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def start(*arguments: str, **given: object) -> "subprocess.Popen[str]":
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [*PYTHON, "exec", *arguments]
    return subprocess.Popen(command, env=environment, text=True, **given)  # type: ignore[call-overload, no-any-return]


def test_a_command_has_the_servers_address_and_standard_output(run: Run) -> None:
    ended = run("exec", "--", sys.executable, "-c", FETCH)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "200\n", "")


@cases(
    "command, status",
    (["sh", "-c", "exit 3"], 3),
    (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
    (["there-is-no-such-command"], 127),
    (["/"], 126),
)
def test_the_status_is_the_command_s(run: Run, command: list[str], status: int) -> None:
    assert run("exec", "--", *command).returncode == status


def test_a_server_that_cannot_start_is_125_and_runs_nothing(run_here: Run, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("nmae: wrong\n")
    ended = run_here("exec", "--scenario", str(file), "--", "echo", "never")
    assert (ended.returncode, ended.stdout) == (125, "")
    assert "did you mean name?" in ended.stderr


LOST = """
import os, signal, sys, types

def lose(name):
    try: os.kill(os.getpid(), signal.{number})
    except BaseException: pass
    return lambda: 7

cli = sys.modules["mockserver.cli"] = types.ModuleType("mockserver.cli")
cli.__getattr__ = lose
sys.argv = ["mockserver", "{command}", "true"]
from mockserver.__main__ import main
sys.exit(main())
"""
"""What is imported may discard what a handler of a signal raises."""


START_UP = """
import os, signal, sys

# Where tests run in the background of a shell, it is ignored.
if signal.getsignal(signal.{number}) is signal.SIG_IGN:
    signal.signal(signal.{number}, signal.SIG_DFL)

from mockserver.launch import serve
build = serve.build_app

def build_app(options):
    os.kill(os.getpid(), signal.{number})
    return build(options)

serve.build_app = build_app
sys.argv = ["mockserver", "exec", "echo", "never"]
from mockserver.__main__ import main
sys.exit(main())
"""


@cases(
    "command, number, status",
    ("exec", "SIGTERM", 143),
    ("exec", "SIGINT", 130),
    ("validate", "SIGTERM", 143),
    ("serve", "SIGTERM", 0),
)
def test_a_signal_while_it_starts_is_not_lost(command: str, number: str, status: int) -> None:
    script = LOST.format(command=command, number=number)
    ended = subprocess.run([PYTHON[0], "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (status, "")


@cases("number", "SIGHUP", "SIGQUIT", "SIGUSR1")
def test_a_signal_before_the_command_leaves_it_out(number: str) -> None:
    script = START_UP.format(number=number)
    ended = subprocess.run([PYTHON[0], "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (143, "", "")


def test_a_signal_that_is_ignored_does_not_reach_the_command() -> None:
    script = "echo ready; read line; echo stayed"
    pipe, ignoring = subprocess.PIPE, partial(signal.signal, signal.SIGHUP, signal.SIG_IGN)
    with start("--", "sh", "-c", script, stdin=pipe, stdout=pipe, preexec_fn=ignoring) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGHUP)
        assert process.communicate("go on\n")[0] == "stayed\n"
    assert process.returncode == 0


def test_a_signal_is_forwarded() -> None:
    script = "trap 'echo got; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    with start("--", "sh", "-c", script, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "got\n"
    assert process.returncode == 7


def test_a_signal_while_the_command_is_started_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    child = Child(ended.set)
    start_process = subprocess.Popen

    def start_and_signal(*words: Any, **given: Any) -> Any:
        process = start_process(*words, **given)
        assert child.forward(signal.SIGTERM)
        return process

    monkeypatch.setattr(subprocess, "Popen", start_and_signal)
    child.start(["sleep", "600"], os.environ)
    assert ended.wait(20)
    assert child.status == 128 + signal.SIGTERM


def interrupt_twice(process: subprocess.Popen[str], number: int = signal.SIGINT) -> int:
    """Send what runs `STUBBORN` a signal twice; the id of the process that it has started."""
    assert process.stdout is not None
    left = int(next(line for line in process.stdout if line.strip().isdigit()))
    process.send_signal(number)
    assert "interrupted\n" in process.stdout
    process.send_signal(number)
    return left


@cases("number", signal.SIGINT, signal.SIGTERM)
def test_the_second_signal_of_a_kind_leaves_no_process_behind(number: signal.Signals) -> None:
    with start("--", sys.executable, "-c", STUBBORN, stdout=subprocess.PIPE) as process:
        left = interrupt_twice(process, number)
        process.wait(timeout=20)
    assert process.returncode == 128 + signal.SIGKILL
    assert not runs(left)


@pytest.mark.skipif(sys.platform != "linux", reason="processes below others are found in /proc")
def test_the_second_interrupt_reaches_other_process_groups() -> None:
    inner = [*PYTHON, "exec", "--", sys.executable, "-c", STUBBORN]
    with start("--", *inner, stdout=subprocess.PIPE) as process:
        left = interrupt_twice(process)
        # Its output ends when no process is left that has it.
        process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGKILL
    assert not runs(left)


def test_what_a_command_leaves_running_is_ended(run: Run) -> None:
    ended = run("exec", "--", "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!")
    assert ended.returncode == 0
    assert not runs(int(ended.stdout))


def leave_running(place: Path, trap: str) -> None:
    """Run a command that ends and leaves a shell with a trap running; return when that has ended, too.

    In five seconds it ends by itself, and leaves the file `expired`.
    """
    ended = threading.Event()
    os.mkfifo(place / "ready")
    os.mkfifo(place / "held")
    loop = "i=0; while [ $((i += 1)) -le 500 ]; do sleep 0.01; done; echo > expired"
    script = f"cd {place}; (trap {trap} TERM; exec 3> held; echo > ready; {loop}) & read line < ready"
    Child(ended.set).start(["sh", "-c", script], os.environ)
    with (place / "held").open() as held:
        assert ended.wait(20)
        assert held.read() == ""


def test_what_a_command_leaves_running_may_end_in_its_own_way(tmp_path: Path) -> None:
    leave_running(tmp_path, "'sleep 0.1; echo > done; exit'")
    assert (tmp_path / "done").exists()
    assert not (tmp_path / "expired").exists()


def test_what_a_command_leaves_running_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.launch.child._PATIENCE_S", 0.1)
    leave_running(tmp_path, "''")
    assert not (tmp_path / "expired").exists()


def test_on_a_terminal_the_command_has_it_as_in_a_shell() -> None:
    main, side = pty.openpty()
    script = "trap 'echo got; exit 5' INT; read line; echo $line; while :; do sleep 0.05; done"
    with start(
        "--",
        "sh",
        "-c",
        script,
        stdin=side,
        stdout=side,
        start_new_session=False,
        preexec_fn=lambda: _take(side),
    ) as process:
        os.close(side)
        os.write(main, b"typed\n")
        seen = b""
        while seen.count(b"typed") < 2:
            seen += os.read(main, 1000)
        os.write(main, b"\x03")
        while b"got" not in seen:
            seen += os.read(main, 1000)
        assert process.wait(timeout=20) == 5
    os.close(main)


def _take(terminal: int) -> None:
    """Make a terminal that of this process, which leads a new session."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def test_a_failure_keeps_its_recording_and_a_success_keeps_none(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "story.jsonl"
    program = [sys.executable, "-c", FETCH]
    assert run("exec", "--record-on-failure", str(kept), "--", *program).returncode == 0
    assert list(tmp_path.iterdir()) == []
    failing = [sys.executable, "-c", FETCH + "raise SystemExit(4)"]
    ended = run("exec", "--clock", "frozen", "--record-on-failure", str(kept), "--", *failing)
    assert (ended.returncode, list(tmp_path.iterdir())) == (4, [kept])
    assert f"mockserver replay {kept}" in ended.stderr
    assert "/v1/contracts" in kept.read_text()
    assert cli.main(["replay", str(kept)]) == 0


def test_a_success_is_recorded_as_well(run: Run, tmp_path: Path) -> None:
    kept = str(tmp_path / "story.jsonl")
    assert run("exec", "--record", kept, "--", sys.executable, "-c", FETCH).returncode == 0
    assert cli.main(["replay", kept]) == 0
    ended = run("exec", "--record", kept, "--record-on-failure", kept, "--", "true")
    assert (ended.returncode, "exclude each other" in ended.stderr) == (2, True)


def test_a_recording_needs_a_directory(run_here: Run, tmp_path: Path) -> None:
    kept = tmp_path / "missing" / "story.jsonl"
    ended = run_here("exec", "--record-on-failure", str(kept), "--", "true")
    assert ended.returncode == 125
    assert ended.stderr == f"mockserver: cannot record in {kept}: there is no directory {kept.parent}\n"


def test_a_recording_takes_no_place_of_a_device(run_here: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "device")
    ended = run_here("exec", "--record-on-failure", str(tmp_path / "device"), "--", "false")
    assert (ended.returncode, (tmp_path / "device").is_fifo()) == (125, True)
    assert "it is no regular file, which can be replaced" in ended.stderr


def test_a_recording_that_cannot_be_put_in_place_is_named(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "story.jsonl"
    program = [sys.executable, "-c", FETCH + f"import os; os.mkdir({str(kept)!r}); raise SystemExit(4)"]
    ended = run("exec", "--record-on-failure", str(kept), "--", *program)
    assert ended.returncode == 4
    (draft,) = tmp_path.glob(".story.jsonl.*")
    assert f"cannot write {kept}: it is a directory; it is in {draft}" in ended.stderr


def test_a_recording_cannot_be_kept_in_place_of_a_directory(run_here: Run, tmp_path: Path) -> None:
    ended = run_here("exec", "--record-on-failure", str(tmp_path), "--", "false")
    assert ended.returncode == 125
    assert ended.stderr == f"mockserver: cannot record in {tmp_path}: it is a directory\n"


@cases("separator", [], ["--"])
def test_what_follows_the_command_is_its_own(run: Run, separator: list[str]) -> None:
    ended = run("exec", "--clock", "frozen", *separator, "echo", "--port", "3", "--", "--clock")
    assert (ended.returncode, ended.stdout) == (0, "--port 3 -- --clock\n")


def test_clients_go_around_a_proxy(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "intra.example")
    ended = run("exec", "--", sys.executable, "-c", "import os; print(os.environ['NO_PROXY'])")
    assert ended.stdout == "intra.example,localhost,127.0.0.1,::1\n"


@cases("own, found", (None, "true"), ("false", "false"))
def test_foundry_keeps_no_forks_on_disk(
    run: Run, monkeypatch: pytest.MonkeyPatch, own: str | None, found: str
) -> None:
    name = "FOUNDRY_NO_STORAGE_CACHING"
    monkeypatch.delenv(name, raising=False)
    if own is not None:
        monkeypatch.setenv(name, own)
    ended = run("exec", "--", sys.executable, "-c", f"import os; print(os.environ[{name!r}])")
    assert ended.stdout == f"{found}\n"


@cases(
    "text, finding",
    ("- sepolia.base.org", "is to map hosts to chains"),
    ("https://sepolia.base.org: 84532", "is no host"),
    ("sepolia.base.org: base", "is neither a chain id nor a cluster"),
    ("sepolia.base.org: true", "is neither a chain id nor a cluster"),
    ("a: {", "while parsing"),
)
def test_hosts_that_cannot_be_redirected_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, finding: str
) -> None:
    file = tmp_path / "hosts.yaml"
    file.write_text(text)
    with pytest.raises(SystemExit) as ended:
        cli.main(["exec", "--redirect-hosts", str(file), "--", "true"])
    assert (ended.value.code, finding in capsys.readouterr().err) == (2, True)
