"""The way that the guide shows first, as it stands there: from a red test in CI to a regression test."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mockserver import cli
from tests.docs.test_snippets import PRINTED_URL, ROOT, commands, read_blocks

pytest_plugins = ["pytester"]

GUIDE = ROOT / "docs" / "guides" / "record-replay.md"


class Desk:
    """A directory in which the files and the commands of the guide's first section are followed."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
        before, heading, rest = GUIDE.read_text(encoding="utf-8").partition("\n## ")
        end = f"{before}{heading}{rest.partition(heading)[0]}".count("\n")
        self._blocks = [block for block in read_blocks(GUIDE) if block.line < end]
        self._commands: list[list[str]] = []

    def next(self, *expected: str) -> list[str]:
        """The command that comes next, which begins as expected; the files before it are written."""
        while not self._commands:
            block = self._blocks.pop(0)
            file = self._pytester.path / block.word
            if block.kind == "sh":
                self._commands = commands(block.text)
            elif block.kind == "yaml":
                assert file.read_text() == block.text, "the guide shows what was exported"
            else:
                file.write_text(block.text)
        command = self._commands.pop(0)
        assert command[: len(expected)] == [*expected]
        return command

    def test(self) -> pytest.RunResult:
        """Run the guide's next pytest."""
        return self.run_tests(*self.next("pytest")[1:])

    def run_tests(self, *arguments: str) -> pytest.RunResult:
        """Run the tests that are there."""
        return self._pytester.runpytest_inprocess(
            "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments
        )

    def run_script(self, url: str) -> "subprocess.CompletedProcess[str]":
        """Run the guide's next script, with a server at another address than the printed one."""
        script = self.next("python")[1]
        source = (self._pytester.path / script).read_text()
        assert PRINTED_URL in source
        code = [sys.executable, "-c", source.replace(PRINTED_URL, url)]
        return subprocess.run(code, capture_output=True, text=True, check=False)

    @property
    def is_done(self) -> bool:
        """Whether nothing of the section is left."""
        return not self._blocks and not self._commands


@contextmanager
def served(command: list[str]) -> Iterator[str]:
    """The URL at which a command serves, on a free port."""
    arguments = [sys.executable, "-m", *command, "--port", "0"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stderr is not None
            lines = [process.stderr.readline()]
            while " http" not in lines[-1]:
                lines.append(process.stderr.readline())
                assert lines[-1], lines
            yield lines[-1].rpartition(" ")[2].strip()
        finally:
            process.terminate()


def test_a_red_test_becomes_another(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(pytester)
    red = desk.test()
    red.assert_outcomes(failed=1)
    broken = (pytester.path / "shop.py").read_text()
    (artefact,) = Path(".mockserver/recordings").iterdir()
    replayed = desk.next("mockserver", "replay", str(artefact))
    assert cli.main(replayed[1:]) == 0
    serving = desk.next("mockserver", "replay", str(artefact), "--to")
    red.stdout.fnmatch_lines([" ".join(replayed), f"{' '.join(serving)}  # serves the state at this failure"])

    with served(serving) as url:
        assert "409 Conflict" in desk.run_script(url).stderr
        fixed = desk.run_script(url)
    assert fixed.stdout.startswith("con_"), fixed.stderr

    assert cli.main(desk.next("mockserver", "shrink", str(artefact))[1:]) == 0
    assert "12 exchanges, 2 are left" in capsys.readouterr().out
    assert cli.main(desk.next("mockserver", "export")[1:]) == 0
    desk.test().assert_outcomes(passed=2)
    assert desk.is_done

    (pytester.path / "shop.py").write_text(broken)
    desk.run_tests("test_regression.py").assert_outcomes(failed=1)
