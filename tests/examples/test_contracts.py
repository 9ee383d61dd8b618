"""The example of compiled contracts, run as it stands there."""

import shutil
from pathlib import Path

import pytest

from tests.examples.consumers import EXAMPLES

pytest_plugins = ["pytester"]


def test_the_tests_of_contracts_pass_without_a_server(pytester: pytest.Pytester, tmp_path: Path) -> None:
    place = tmp_path / "contracts"
    shutil.copytree(EXAMPLES / "contracts", place, ignore=shutil.ignore_patterns("__pycache__"))
    pytester.chdir()
    pytester.runpytest_inprocess(
        "--rootdir", str(place), "-c", str(place / "pytest.ini"), str(place)
    ).assert_outcomes(passed=4)
