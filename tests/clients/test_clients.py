"""The official npm clients, unmodified, get what they expect."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.clients

SCRIPTS = sorted(Path(__file__).parent.glob("*.flows.mjs"))
_FLOW = re.compile(r'^flow\("([^"]+)"', re.MULTILINE)


def flows_of(script: Path) -> list[str]:
    """The names of the flows that a script declares."""
    return _FLOW.findall(script.read_text(encoding="utf-8"))


def label(value: Any) -> str:
    """How a parameter reads in the id of a test."""
    return value.name.removesuffix(".flows.mjs") if isinstance(value, Path) else str(value)


@pytest.mark.parametrize(
    ("script", "flow"), [(script, flow) for script in SCRIPTS for flow in flows_of(script)], ids=label
)
def test_a_client_gets_what_it_expects(play: Callable[[Path], Any], script: Path, flow: str) -> None:
    played = play(script).flows[flow]

    exchanges = json.dumps(played.get("exchanges"), indent=1)
    assert played["ok"], f"{flow}\n\n{played['error']}\n\nThe last exchanges: {exchanges}"


@pytest.mark.parametrize("script", SCRIPTS, ids=label)
def test_a_script_plays_what_it_declares_and_reaches_nobody_but_the_mock(
    play: Callable[[Path], Any], script: Path
) -> None:
    played = play(script)

    assert list(played.flows) == flows_of(script)
    assert played.strangers == []
