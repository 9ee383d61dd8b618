"""Consumers with planted mistakes: each is found, and nothing in the one without."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from mockserver import cli
from mockserver.exploring import lint
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS, sampled

PLANTED = Path(__file__).parent / "planted"
ROOT = PLANTED.parents[2]
EXAMPLES = ROOT / "examples" / "python"
NOTICED = "-o", "mockserver_noticed=httpx.HTTPError"
GUIDE = ROOT / "docs" / "guides" / "unhappy-paths.md"
PAYS = """
from shop import pay

def test_pays(mock_project, mock_api):
    wallet = mock_project.given.sponsored_wallet(chain_id=84532)
    assert pay(mock_api, wallet.id, "0x" + "ab" * 20)["status"] == "successful"
"""

CHECK = """
def pytest_mockserver_check_world(project):
    return [f"{each['operation']} was answered 503" for each in project.journal if each["status"] == 503]
"""
IMPATIENT = """
import mockserver.pytest_plugin.exploring as exploring
exploring._LEAST_LIMIT_S = 0.2
"""
SLOW = """
import threading
import httpx
import pytest

@pytest.fixture
def slow_to_set_up():
    threading.Event().wait(0.25)

def test_is_slow_when_a_call_fails(slow_to_set_up, mock_api):
    try:
        failed = mock_api.get("/v1/contracts").status_code != 200
    except httpx.HTTPError:
        failed = True
    threading.Event().wait(0.4 if failed else 0)
"""
READS = """
def test_shares(mock_module_project):
    with mock_module_project.connect() as api:
        api.get("/v1/contracts")

def test_reads(mock_api):
    mock_api.get("/v1/contracts")
"""

MISTAKES = {
    "retries_without_a_key": ("missed", "paid twice"),
    "retries_with_another_key": ("missed", "paid twice"),
    "does_not_look_whether_it_reverted": ("missed", "1 reverted in place of 1"),
    "takes_a_dropped_one_for_paid": ("missed", "1 failed in place of 1"),
    "takes_one_that_is_sent_for_paid": ("missed", "left pending"),
    "polls_without_an_end": ("hung", ""),
    "tries_again_for_ever": ("hung", ""),
    "swallows_an_outage": ("missed", "lost"),
    "swallows_a_rate_limit": ("missed", "lost"),
    "swallows_a_server_error": ("missed", "lost"),
    "swallows_a_broken_connection": ("missed", "lost"),
    "swallows_any_exception": ("missed", "lost"),
    "does_not_catch_a_broken_answer": ("crashed", "JSONDecodeError"),
    "reads_a_member_that_an_error_lacks": ("crashed", "KeyError"),
    "reads_the_text_of_an_error": ("crashed", "JSONDecodeError"),
    "does_not_look_whether_signing_out_succeeded": ("missed", "session: kept"),
    "does_not_look_whether_a_policy_is_off": ("missed", "policy"),
    "does_not_look_whether_a_contract_is_gone": ("missed", "contract"),
    "expects_a_session_to_last": ("crashed", "KeyError"),
    "expects_a_code_to_last": ("missed", "user"),
    "sends_an_order_without_a_key": ("missed", "paid twice"),
    "works_a_webhook_off_each_time": ("missed", "policy project: made twice"),
    "works_the_second_webhook_off_each_time": ("missed", "policy project: made twice"),
    "works_a_webhook_off_unverified": ("missed", "webhook test: taken unverified"),
}
"""The verdict about each mistake, and what its reasons say."""
SAMPLE = sampled(MISTAKES, 9)
CLEAN = "not (twice or policy or asks)" if THOROUGHNESS == 1 else ""
RULES = re.findall(r'@_check\(\s*"([\w-]+)"', Path(lint.__file__).read_text())
LINTED = [rule for rule in RULES if rule != "beyond-specification"]


def run(*arguments: str, cwd: Path = ROOT, path: str = "") -> tuple[int, str]:
    """Run a module; the exit code, and what was shown."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PATH": path}
    command = [sys.executable, "-m", *arguments]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def play(file: str, *options: str) -> tuple[int, str]:
    """Run the tests of a consumer."""
    alone = "-q", "-p", "no:cacheprovider", f"--confcutdir={PLANTED}"
    return run("pytest", *alone, file, *options, cwd=PLANTED)


def test_each_mistake_is_found_and_kept_to_be_checked(tmp_path: Path) -> None:
    options = "--mockserver-explore=300", f"--mockserver-explore-dir={tmp_path}"
    code, shown = play("mistakes.py", "-k", " or ".join(SAMPLE), *options)
    assert code == 0, shown
    report = json.loads((tmp_path / "report.json").read_text())
    findings = report["findings"]
    for mistake in SAMPLE:
        verdict, reason = MISTAKES[mistake]
        found = [each for each in findings if each["test"].endswith(f"::test_{mistake}")]
        shown_by = [" ".join(each["reasons"]) for each in found if each["verdict"] == verdict]
        assert any(reason in each for each in shown_by), (mistake, found)
        assert all(each["stable"] for each in found), (mistake, found)

    places = [("missed", "hung", "crashed").index(each["verdict"]) for each in findings]
    assert (places, report["untried"]) == (sorted(places), 0)

    first = tmp_path / findings[0]["scenario"]
    assert cli.main(["validate", str(first)]) == 0
    assert cli.main(["replay", "--keep-going", str(tmp_path / findings[0]["recording"])]) in (0, 4)
    code, shown = play("mistakes.py", f"--mockserver-explore-check={first}")
    assert (code, "your client survives 0 of 1 failures" in shown) == (1, True), shown
    mended = tmp_path / "mended.yaml"
    mended.write_text(
        first.read_text().replace(findings[0]["test"], "tests/exploring/planted/clean.py::test_pays")
    )
    code, shown = play("clean.py", f"--mockserver-explore-check={mended}")
    assert (code, "your client survives 1 of 1 failures" in shown) == (0, True), shown


def test_the_same_code_gives_the_same_report(tmp_path: Path) -> None:
    reports = []
    for number in "12":
        options = "--mockserver-explore=60", f"--mockserver-explore-dir={tmp_path / number}"
        code, shown = play("mistakes.py", "-k", "another_key", *options)
        assert code == 0, shown
        reports.append((tmp_path / number / "report.json").read_bytes())
    assert reports[0] == reports[1]


def test_nothing_is_found_in_the_consumer_without_mistakes(tmp_path: Path) -> None:
    budget = f"--mockserver-explore={60 * THOROUGHNESS}"
    options = budget, f"--mockserver-explore-dir={tmp_path}", "--mockserver-lint"
    code, shown = play("clean.py", "-k", CLEAN, *options)
    assert code == 0, shown
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["findings"] == [], shown
    assert report["results"]["survived"] > 40
    assert "nothing to mend" in shown


def test_what_a_consumer_checks_is_judged(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CHECK)
    (tmp_path / "test_shop.py").write_text(READS)
    options = "-q", "-p", "no:cacheprovider", "--mockserver-explore", f"--mockserver-explore-dir={tmp_path}"
    code, shown = run("pytest", *options, cwd=tmp_path)
    assert (code, "missed: the service is away for one call (GetContracts 1)" in shown) == (0, True), shown
    assert "GetContracts was answered 503" in shown
    assert "1 tests have no `mock_project` of their own: left alone" in shown
    first = (tmp_path / "report.json").read_bytes()
    code, shown = run("pytest", *options, "--mockserver-explore-resume", cwd=tmp_path)
    # What was survived is left out, and what was not is tried again.
    assert "exploring: MMC 3 of 3" in shown, shown
    assert (tmp_path / "report.json").read_bytes() == first


def test_a_slow_machine_is_no_hang(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(IMPATIENT)
    (tmp_path / "test_shop.py").write_text(SLOW)
    options = "-q", "-p", "no:cacheprovider", "--mockserver-explore", f"--mockserver-explore-dir={tmp_path}"
    code, shown = run("pytest", *options, cwd=tmp_path)
    results = json.loads((tmp_path / "report.json").read_text())["results"]
    assert (code, results["hung"], results["not reached"], results["survived"] > 3) == (0, 0, 0, True), shown


def test_the_examples_miss_nothing(tmp_path: Path) -> None:
    options = "--mockserver-explore=100", f"--mockserver-explore-dir={tmp_path}", *NOTICED
    alone = "-q", "-p", "no:cacheprovider", "-k", "payment" if THOROUGHNESS == 1 else ""
    code, shown = run("pytest", *alone, "test_httpx.py", *options, cwd=EXAMPLES)
    assert code == 0, shown
    results = json.loads((tmp_path / "report.json").read_text())["results"]
    assert (results["missed"], results["hung"], results["noticed"] > 12) == (0, 0, True), shown


def test_the_linter_finds_each_of_its_mistakes() -> None:
    code, shown = play("mistakes.py", "-k", "lint", "--mockserver-lint")
    assert code == 0, shown
    assert [rule for rule in LINTED if f"\n{rule}: " not in shown] == []
    assert [rule for rule in LINTED if f"  see docs/guides/linter.md#{rule}\n" not in shown] == []


def test_each_rule_of_the_linter_has_its_place_in_the_guide() -> None:
    headings = re.findall(r"^## `(.+)`$", (ROOT / "docs/guides/linter.md").read_text(), re.MULTILINE)
    assert headings == RULES != []


def test_error_coverage_adds_up_over_workers_and_fails_a_run() -> None:
    ran = [
        play("mistakes.py", "-k", "lint_no", "--mockserver-error-coverage=0", "-n", "2"),
        play("mistakes.py", "-k", "lint_no", "--mockserver-error-coverage=90"),
    ]
    tables = [text[text.index("operation ") : text.index("% of the errors")] for _, text in ran]
    assert ([code for code, _ in ran], tables[0] == tables[1]) == ([0, 1], True), ran


@cases(
    "options, finding",
    (["--mockserver-explore", "-n", "2"], "leave out -n"),
    (["--mockserver-explore", "test_shop.py"], "write paths before the option"),
    (["--mockserver-error-coverage", "test_shop.py"], "write paths before the option"),
    (["--mockserver-explore-check=nothing.yaml"], "nothing.yaml"),
    (["--mockserver-error-coverage", "-o", "mockserver_not_applicable=none.yaml"], "none.yaml"),
)
def test_an_option_that_cannot_be_is_refused(options: list[str], finding: str) -> None:
    code, shown = play("clean.py", *options)
    assert (code, finding in shown) == (4, True), shown


def test_the_coverage_of_runs_adds_up_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "met.json"
    option, page = f"--mockserver-error-coverage-file={file}", tmp_path / "met.html"
    html = f"--mockserver-error-coverage-html={page}"
    for name in ("retry_after", "no_backoff"):
        assert play("mistakes.py", "-k", name, option, html)[0] == 0
    assert "<td>429</td>" in page.read_text()
    assert "<th scope=row>CreateContract</th>" in page.read_text()
    met = json.loads(file.read_text())["met"]
    assert met == {"CreateContract": [], "GetContracts": ["429"]}
    file.write_text("{}")
    code, shown = play("mistakes.py", "-k", "no_backoff", "--mockserver-error-coverage", option)
    assert (code, "is not what an earlier run has written" in shown) == (4, True), shown


def test_the_guide_shows_what_exploring_says(tmp_path: Path) -> None:
    guide = GUIDE.read_text()
    (code,) = re.findall(r"^```python shop.py\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    (shown,) = re.findall(r"^```text\n(your client.*?)^```", guide, re.DOTALL | re.MULTILINE)
    (tmp_path / "shop.py").write_text(code)
    (tmp_path / "test_shop.py").write_text(PAYS)
    options = "-q", "--mockserver-explore", "-o", "mockserver_noticed=HTTPError"
    _, said = run("pytest", *options, cwd=tmp_path, path=os.environ["PATH"])
    assert shown in said
