"""The examples tell one story: they have the same tests, which ask the same of the server."""

import re
from pathlib import Path

from tests.examples.consumers import (
    EXAMPLES,
    FOLDERS,
    ROOT,
    TOOLCHAINS,
    commands_of,
    controls,
    environment,
    run,
    serving,
    stage,
    stories,
    succeed,
    without_exec,
)
from tests.tables import cases

NAMES = ["customer signs in by code", "lost answer is retried once", "sponsored payment confirms"]
_SEND_CODE, _SIGN_IN = (
    "POST /iam/v2/auth/email-otp/send-verification-otp",
    "POST /iam/v2/auth/sign-in/email-otp",
)
STORIES = {
    (_SEND_CODE, _SIGN_IN, "GET /iam/v2/auth/get-session", _SEND_CODE, _SIGN_IN),
    ("POST /v2/transactions", "GET /v2/transactions/{id}"),
    ("POST /v2/transactions", "POST /v2/transactions", "GET /v2/transactions"),
}
CONTROLS = {
    "POST/scenarios",
    "GET/outbox",
    "POST/clock/advance",
    "GET/fee-sponsorships/{id}/budget",
    "POST/verify",
}
DECLARED_BY = {
    ".go": r"^func (Test\w+)\(t",
    ".java": r"^    @Test\n    void (\w+)\(",
    ".py": r"^ *(?:async )?def (test_\w+)\(",
    ".sh": r"^(\w+_\w+_\w+_\w+_\w+)\(\) \{$|^(sponsored_payment_confirms)\(\) \{$",
    ".mjs": r"""^ *(?:test|it)\(["']([^"']+)""",
    ".ts": r"""^ *(?:test|it)\(["']([^"']+)""",
}
"""How a file of each language names its tests."""


def declared(path: Path) -> list[str]:
    """The tests of a file, in words."""
    pattern = DECLARED_BY.get(path.suffix)
    if pattern is None or not re.search(r"test", path.name, re.IGNORECASE):
        return []
    names = re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return sorted(_in_words("".join(name)) for name in names)


def _in_words(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()
    return spaced.removeprefix("test ")


def files_of(folder: str) -> list[Path]:
    """The files of an example that have tests."""
    found = (EXAMPLES / folder).rglob("*")
    return [path for path in found if "node_modules" not in path.parts and path.is_file() and declared(path)]


@cases("folder", *FOLDERS)
def test_an_example_has_the_tests_that_all_have(folder: str) -> None:
    files = files_of(folder)
    assert files
    for path in files:
        assert declared(path) == NAMES, path


@cases("folder", *TOOLCHAINS)
def test_an_example_asks_of_the_server_what_all_ask(folder: str, tmp_path: Path) -> None:
    recording = tmp_path / "recording.jsonl"
    run(folder, tmp_path / "examples", recording)
    assert stories(recording) == STORIES
    assert controls(recording) >= CONTROLS


@cases("options", (), ("-n2", "--mockserver-share"))
def test_the_python_example_needs_no_server(options: tuple[str, ...], tmp_path: Path) -> None:
    place = stage("python", tmp_path / "examples")
    succeed(commands_of("python")["test"], place, environment(None, *options))


def test_a_failed_test_in_java_shows_the_report(tmp_path: Path) -> None:
    place = stage("java", tmp_path / "examples")
    test = place / "src" / "test" / "java" / "shop" / "ShopTest.java"
    test.write_text(test.read_text().replace("assertEquals(1, all.size())", "assertEquals(2, all.size())"))
    with serving() as server:
        printed = succeed(without_exec(commands_of("java")["test"]), place, environment(server), status=1)
        assert server.control.projects() == []
    assert "--- mockserver journal ---" in printed
    assert "POST /v2/transactions  200  rule lost answer #1  fault connection_reset_by_peer" in printed
    assert "POST /iam" not in printed


@cases("folder", *FOLDERS)
def test_a_readme_is_a_screen_with_two_commands(folder: str) -> None:
    assert len((EXAMPLES / folder / "README.md").read_text(encoding="utf-8").splitlines()) <= 50
    commands = commands_of(folder)
    assert set(commands) == {"install", "test"}
    assert without_exec(commands["test"])


def test_every_example_is_listed() -> None:
    listed = re.findall(
        r"^\| \[`(\w+)`\]", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(listed) == FOLDERS


def test_every_toolchain_is_installed_where_all_examples_run() -> None:
    script = (ROOT / ".ci" / "packages").read_text(encoding="utf-8")
    for name in ("curl", "golang-go", "jq", "junit5", "libgoogle-gson-java", "libsurefire-java", "maven"):
        assert name in script
