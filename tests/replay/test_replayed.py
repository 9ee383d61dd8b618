"""The plugin by which what other tests ask is recorded and replayed: a sample of them."""

import subprocess
import sys
from pathlib import Path

from tests.tables import cases

ROOT = Path(__file__).parents[2]
OTHERWISE = """
import pytest

@pytest.mark.parametrize("digits", [4, 6])
def test_a_code(api, project, digits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mockserver.domain.identity.email_rules.CODE_LENGTH", digits)
        sent = {"email": "ada@example.com", "type": "sign-in"}
        headers = {"x-project-key": project.publishable_key}
        api.post("/iam/v2/auth/email-otp/send-verification-otp", json=sent, headers=headers)
"""


def run(*arguments: str) -> str:
    """What a run with the plugin says in the end."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.replay.replayed"]
    done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1]


@cases("options", (), ("--masked",))
def test_what_tests_ask_replays(options: tuple[str, ...]) -> None:
    assert " passed in " in run(*options, "tests/operations/test_provider_configs.py")


def test_a_run_that_does_not_replay_is_found(tmp_path: Path) -> None:
    file = tmp_path / "test_otherwise.py"
    file.write_text(OTHERWISE)
    assert "2 passed, 1 error in" in run("-p", "tests.conftest", str(file))
