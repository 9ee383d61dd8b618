"""A browser reaches the TLS server without a flag, once its user has made the authority known to it."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import run
from tests.tables import cases

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "command-line.md"
VISIT = """
import os
from playwright.sync_api import Error, sync_playwright
with sync_playwright() as driver:
    browser = driver.chromium.launch(executable_path=os.environ["BROWSER"], args=os.environ["ROOT"].split())
    page = browser.new_page()
    for host in ("127.0.0.1", "localhost"):
        try:
            url = os.environ["OPENFORT_BASE_URL"].replace("127.0.0.1", host)
            print(page.goto(url + "/_mock/health").status)
        except Error as error:
            print(error.message.split()[1])
    browser.close()
"""


def commands() -> str:
    """What the guide says to run once, with the variables that `exec` sets."""
    (block,) = (
        text.partition("```")[0] for text in GUIDE.read_text().split("```sh\n") if text.startswith("certutil")
    )
    return f"mkdir -p ~/.pki/nssdb\n{block}"


@cases("is_known, printed", (True, "200"), (False, "net::ERR_CERT_AUTHORITY_INVALID"))
def test_a_browser_trusts_a_known_authority(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_known: bool, printed: str
) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None or shutil.which("certutil") is None:
        pytest.skip("needs Chromium and certutil")
    pytest.importorskip("playwright.sync_api", reason="the extra `page` is not installed")
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("BROWSER", program)
    # Its sandbox is not for root.
    monkeypatch.setenv("ROOT", "--no-sandbox" if os.geteuid() == 0 else "")
    script = f'{commands() if is_known else ""}exec "$@"'
    ended = run("exec", "--tls", "--", "sh", "-ec", script, "-", sys.executable, "-c", VISIT)
    assert (ended.returncode, ended.stdout.split()) == (0, [printed] * 2), ended.stderr
