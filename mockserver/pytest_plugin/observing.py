"""Options about errors that tests have not met: coverage, exploring, linting."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from mockserver.kernel.spelling import quote
from mockserver.pytest_plugin.observers import OBSERVERS, Observer


def add_observing_options(parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    """Declare the options."""
    _add_coverage_options(group)
    _add_exploring_options(group)
    group.addoption(
        "--mockserver-lint", action="store_true", help="show what a client does that hurts in production"
    )
    parser.addini(
        "mockserver_not_applicable",
        "a YAML file of errors that the tests cannot meet, with reasons",
        default="",
    )
    parser.addini(
        "mockserver_noticed",
        "exceptions by which a test notices a failure, such as httpx.HTTPError or HTTPError",
        type="linelist",
    )
    parser.addini("mockserver_lint_ignore", "the findings of the linter that are not shown", type="linelist")


def _read_number(kind: type[int] | type[float], text: str) -> float:
    """The number of an option that may have none: a path behind it is taken for it."""
    try:
        return kind(text)
    except ValueError:
        told = f"{quote(text)} is no number; write paths before the option, or a number with = behind it"
        raise ArgumentTypeError(told) from None


def _add_coverage_options(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--mockserver-error-coverage",
        nargs="?",
        const=0,
        type=lambda text: _read_number(int, text),
        metavar="PERCENT",
        help="show which errors of the operations they call the tests have met; fail below this much",
    )
    group.addoption(
        "--mockserver-error-coverage-file",
        metavar="FILE",
        help="add to what earlier runs have met, and write it there as JSON",
    )
    group.addoption(
        "--mockserver-error-coverage-html",
        metavar="FILE",
        help="write error coverage there as an HTML page, with all that was met and was not",
    )


def _add_exploring_options(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--mockserver-explore",
        nargs="?",
        const=60,
        type=lambda text: _read_number(float, text),
        metavar="SECONDS",
        help="run the tests again with one failure at a time, for so long (60), and show what is missed",
    )
    group.addoption(
        "--mockserver-explore-check",
        metavar="FILE",
        help="run the test of a finding again with its failure, and fail if it is still missed",
    )
    group.addoption(
        "--mockserver-explore-since",
        metavar="REV",
        help="run and explore the tests only whose files changed since this revision of git",
    )
    group.addoption(
        "--mockserver-explore-resume",
        action="store_true",
        help="leave out what an earlier report in the directory has shown to be survived or noticed",
    )
    group.addoption("--mockserver-explore-dir", metavar="DIR", help="where findings go (.mockserver/explore)")


def observe_tests(config: pytest.Config) -> None:
    """Register what the options ask for."""
    explored = config.getoption("--mockserver-explore")
    checked = config.getoption("--mockserver-explore-check")
    coverage, lints = config.getoption("--mockserver-error-coverage"), config.getoption("--mockserver-lint")
    kept, page = (
        None if (given := config.getoption(f"--mockserver-error-coverage-{kind}")) is None else Path(given)
        for kind in ("file", "html")
    )
    if coverage is not None or lints or kept or page:
        from mockserver.pytest_plugin.seen_calls import SeenCalls

        _register(config, SeenCalls(config, least_percent=coverage, lints=lints, kept=kept, page=page))
    if explored is not None or checked is not None:
        if config.getoption("numprocesses", None):
            raise pytest.UsageError("--mockserver-explore runs tests again in this process: leave out -n")
        from mockserver.pytest_plugin.exploring import Explorer

        folder = Path(
            config.getoption("--mockserver-explore-dir") or config.rootpath / ".mockserver" / "explore"
        )
        _register(config, Explorer(config, folder, explored or 0, None if checked is None else Path(checked)))


def _register(config: pytest.Config, observer: Observer) -> None:
    config.stash.setdefault(OBSERVERS, []).append(observer)
    config.pluginmanager.register(observer)
