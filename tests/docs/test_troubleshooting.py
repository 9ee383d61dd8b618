"""What the guide to troubleshooting quotes is what users see."""

import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.test_snippets import BLOCKS, Block
from tests.tables import cases

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "troubleshooting.md"
# By its module: the environment of these tests need not be active.
COMMAND = (sys.executable, "-m", "mockserver")
QUOTED = [block for block in BLOCKS if block.page == GUIDE and block.kind == "text"]

pytest_plugins = ["pytester"]


def _of_a_port_in_use(pytester: pytest.Pytester) -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = pytester.run(*COMMAND, "serve", "--port", str(port))
    return result.stderr.str().replace(str(port), "4242")


def _of_a_missing_plugin(pytester: pytest.Pytester) -> str:
    pytester.makepyfile("def test_list(mock_api): pass")
    return pytester.runpytest_inprocess("-p", "no:mockserver").stdout.str()


def _of_a_scenario(pytester: pytest.Pytester) -> str:
    path = pytester.path / "bad.yaml"
    path.write_text("rules:\n- when: CreateContracts\n  then: {anser: 503}\n", encoding="utf-8")
    return pytester.run(*COMMAND, "validate", "bad.yaml").stdout.str()


def _of_a_rule(pytester: pytest.Pytester) -> str:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.mockserver(scenario="rules: [{name: away, when: GetContracts, then: {answer: 503}}]")
        def test_list(mock_api):
            mock_api.get("/v2/accounts")
        """)
    return pytester.runpytest_inprocess("-p", "no:hypothesispytest", "-p", "no:cacheprovider").stdout.str()


PRODUCED: dict[str, Callable[[pytest.Pytester], str]] = {
    "cannot listen": _of_a_port_in_use,
    "fixture": _of_a_missing_plugin,
    "bad.yaml": _of_a_scenario,
    "never fired": _of_a_rule,
}


@cases("block", *QUOTED, ids=str)
def test_a_quoted_message_is_what_is_shown(
    block: Block, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A user's pytest loads the plugins that are installed, by their entry points.
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.delenv("PYTEST_PLUGINS")
    (produce,) = [produce for part, produce in PRODUCED.items() if part in block.text]
    shown = produce(pytester)
    for line in block.text.splitlines():
        assert line.strip() in shown


def test_every_heading_that_quotes_a_message_shows_it_below() -> None:
    sections = re.split(r"^### ", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for section in sections:
        heading, _, text = section.partition("\n")
        for quoted in re.findall(r"`([^`/]{20,})`", heading):
            assert quoted in text, f"{quoted} is not in the section about it"
