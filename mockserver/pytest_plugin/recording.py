"""Recordings of tests: their options, and what makes them."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mockserver.pytest_plugin.recorded_tests import RecordedTests

KEPT = ("failed", "all")
RECORDED: "pytest.StashKey[RecordedTests]" = pytest.StashKey()
"""What records the tests, if that is asked for."""


def add_options(parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    """Declare the options of recordings."""
    group.addoption(
        "--mockserver-record",
        choices=KEPT,
        help="keep a masked recording of the tests that failed, or of all",
    )
    group.addoption("--mockserver-record-dir", metavar="DIR", help="where to (.mockserver/recordings)")
    parser.addini("mockserver_record", "see --mockserver-record", default="")
    parser.addini("mockserver_record_dir", "see --mockserver-record-dir", default=".mockserver/recordings")


def record_tests(config: pytest.Config) -> None:
    """Register what records tests, if that is asked for."""
    kept = config.getoption("--mockserver-record") or config.getini("mockserver_record")
    if not kept:
        return
    if kept not in KEPT:
        raise pytest.UsageError(f"mockserver_record is to be one of {', '.join(KEPT)}, not {kept}")
    from mockserver.pytest_plugin.recorded_tests import RecordedTests

    directory = config.getoption("--mockserver-record-dir") or config.getini("mockserver_record_dir")
    recorded = RecordedTests(config, config.rootpath / directory, keeps_all=kept == "all")
    config.stash[RECORDED] = recorded
    config.pluginmanager.register(recorded)
