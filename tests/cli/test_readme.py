"""The two commands of the README, which the continuous integration runs as they stand there."""

import re
from pathlib import Path

from mockserver import cli
from tests.tables import cases

README = Path(__file__).parents[2] / "README.md"


def command(mark: str) -> list[str]:
    """The steps of a marked command."""
    found: list[str] = re.findall(
        rf"^```sh {mark}\n(.*?)\n```$", README.read_text(), re.MULTILINE | re.DOTALL
    )
    (line,) = found
    assert "\n" not in line
    return line.split(" && ")


def test_the_server_starts_with_one_line() -> None:
    *steps, last = command("start")
    assert steps == ["python -m venv .venv", ".venv/bin/pip install -q ."]
    program, *arguments = last.split()
    assert program == ".venv/bin/mockserver"
    cli.build_parser().parse_args(arguments)


def test_the_tests_run_with_one_line() -> None:
    *steps, last = command("test")
    assert steps == ["python -m venv .venv", ".venv/bin/pip install -q '.[test]'"]
    assert last == ".venv/bin/python -m pytest -n auto"


@cases("mark", "start", "test")
def test_the_continuous_integration_reads_it(mark: str) -> None:
    assert f"from_readme {mark}" in (README.parent / ".ci" / "run").read_text()
