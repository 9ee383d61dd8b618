"""The official npm clients, unmodified, get what they expect."""

import json
import re
from typing import Any

import pytest

from tests.clients.conftest import Played
from tests.clients.editions import Edition, editions, flows_of
from tests.tables import cases

pytestmark = pytest.mark.clients

EDITIONS = editions()
# Versions before 1.5 report their errors whatever the configuration says.
TELEMETRY = re.compile(r".*\.ingest\.us\.sentry\.io")


def _cases() -> list[Any]:
    return [
        pytest.param(
            edition,
            script,
            flow.name,
            id=f"{edition}-{script.removesuffix('.flows.mjs')}-{flow.name}",
            marks=[pytest.mark.xfail(strict=True, reason=flow.fails)] if flow.fails else [],
        )
        for edition in EDITIONS
        for script in edition.scripts
        for flow in flows_of(script, edition)
    ]


@cases("edition, script, flow", *_cases())
def test_a_client_gets_what_it_expects(
    played: dict[Edition, Played], edition: Edition, script: str, flow: str
) -> None:
    result = next(each for each in played[edition].scripts[script] if each["name"] == flow)

    exchanges = json.dumps(result.get("exchanges"), indent=1)
    assert result["ok"], f"{flow}\n\n{result['error']}\n\nThe last exchanges: {exchanges}"


@cases("edition", *EDITIONS, ids=str)
def test_scripts_play_what_they_declare(played: dict[Edition, Played], edition: Edition) -> None:
    found = played[edition]

    names = {script: [flow["name"] for flow in flows] for script, flows in found.scripts.items()}
    assert names == {script: [flow.name for flow in flows_of(script, edition)] for script in edition.scripts}
    assert [host for host in found.strangers if not TELEMETRY.fullmatch(host)] == []
