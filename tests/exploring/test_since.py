"""Exploring only the tests whose files changed since a revision of git."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mockserver.cli import main
from mockserver.exploring.changed import find_changed, is_affected
from mockserver.exploring.report import read_known
from tests.exploring.test_planted import READS, run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
READ = """
import os
from http.client import HTTPConnection
from urllib.parse import urlsplit
api = HTTPConnection(urlsplit(os.environ["MOCKSERVER_URL"]).netloc)
api.request("GET", "/v1/contracts", headers={"authorization": "Bearer " + os.environ["OPENFORT_SECRET_KEY"]})
try:
    is_read = api.getresponse().status == 200
except OSError:
    is_read = False
assert is_read
"""
IDENTITY = "-c", "user.name=Ada", "-c", "user.email=ada@example.com"


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    subprocess.run(["git", "-C", str(folder), *IDENTITY, *words], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder of a repository, with two tests that are committed."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name in ("test_one.py", "test_two.py", "conftest.py"):
        (folder / name).write_text(READS if name.startswith("test") else "")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "two tests")
    return folder


def test_what_changed_and_what_is_new_is_found(checkout: Path) -> None:
    assert find_changed(checkout, "HEAD") == frozenset()
    (checkout / "test_two.py").write_text("")
    (checkout / "test_three.py").write_text("")
    changed = find_changed(checkout, "HEAD")
    assert changed == {checkout / "test_two.py", checkout / "test_three.py"}
    assert not is_affected(checkout / "test_one.py", changed)


def test_a_conftest_that_changed_affects_the_tests_below_it(checkout: Path) -> None:
    (checkout / "conftest.py").write_text("import json")
    changed = find_changed(checkout, "HEAD")
    assert is_affected(checkout / "deeper" / "test_one.py", changed)
    assert not is_affected(checkout.parent / "test_one.py", changed)


def test_a_revision_that_is_none_is_refused(checkout: Path) -> None:
    with pytest.raises(ValueError, match="nowhere"):
        find_changed(checkout, "nowhere")


def test_only_tests_that_changed_are_run_and_explored(checkout: Path) -> None:
    options = "-q", "-p", "no:cacheprovider", "--mockserver-explore", "--mockserver-explore-since"
    path = os.environ["PATH"]
    code, shown = run("pytest", *options, "HEAD", cwd=checkout, path=path)
    assert (code, "4 deselected" in shown) == (0, True), shown
    (checkout / "test_two.py").write_text(READS + "\n")
    code, shown = run("pytest", *options, "HEAD", cwd=checkout, path=path)
    assert (code, "test_two.py::test_reads" in shown, "test_one.py" in shown) == (0, True, False), shown
    code, shown = run("pytest", *options, "nowhere", cwd=checkout, path=path)
    assert (code, "--mockserver-explore-since: " in shown) == (4, True), shown
    code, shown = run(
        "pytest", *options, "HEAD", "--mockserver-explore-dir=test_one.py", cwd=checkout, path=path
    )
    assert (code, "--mockserver-explore-dir: " in shown) == (4, True), shown


def test_what_is_known_of_a_command_is_not_tried_again(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)
    command = sys.executable, "-c", READ
    options = ["explore", "--out", "out", "--since", "HEAD", "--jobs", "2", "--", *command]
    report = checkout / "out" / "report.json"
    assert main(options) == 0
    first = report.read_text()
    report.write_text(first.replace('"noticed"', '"survived"'))
    assert main(options) == 0
    verdicts = {each["verdict"] for each in json.loads(report.read_text())["tried"]}
    assert (verdicts, read_known(checkout / "out", ["another"])) == ({"survived"}, {})
    (checkout / "test_two.py").write_text("")
    assert main(options) == 0
    assert report.read_text() == first
    assert "test_two.py has changed since HEAD: every failure is tried" in capsys.readouterr().err


def test_a_revision_of_a_command_that_is_none_is_refused(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)
    with pytest.raises(SystemExit) as raised:
        main(["explore", "--since", "nowhere", "--", "npm", "test"])
    assert (raised.value.code, "--since: " in capsys.readouterr().err) == (2, True)
