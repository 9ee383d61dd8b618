"""Records the run that is kept for a format, such as `format-1.jsonl`, anew.

    python -m tests.replay.format_runs

A recording of a released format is never made anew: that it can still be read is what a format promises.
"""

import json
from pathlib import Path
from typing import Any

from httpx import Client as Http
from httpx import TransportError

from mockserver.server.assembly import assemble
from mockserver.server.recording.lines import FORMAT
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.version import __version__
from tests.replay.recorded import account_of, contract, sign_up, transfer
from tests.replay.runs import RULES, play
from tests.transport import InProcessTransport

KEPT = Path(__file__).parent / f"format-{FORMAT}.jsonl"


def record() -> bytes:
    """A run with a sign-up, a transfer, faults, a restore and a reset."""
    transport = InProcessTransport(assemble(World()))
    server = MockServer("http://mock", transport=transport)
    project = server.create_project(name="kept")
    project.load(RULES)
    project.snapshot("s")
    server.start_recording()
    headers = {"authorization": f"Bearer {project.secret_key}", "x-project-key": project.publishable_key}
    with Http(transport=transport, base_url="http://mock", headers=headers) as http:
        _call(http, project)
    project.clock.advance(60)
    project.restore("s")
    project.reset()
    lines = server.stop_recording().splitlines(keepends=True)
    # When it was made is the one thing that is not the same each time.
    lines[1] = (
        json.dumps({"meta": {"at": "2026-01-01T00:00:00.000Z", "mockserver": __version__}}).encode() + b"\n"
    )
    return b"".join(lines)


def _call(http: Http, project: Any) -> None:
    sign_up(http, project, "ada")
    transfer(http, project, account_of(http, http.get("/v2/users").json()["data"][0]["id"]))
    for fault in ("reset", "random", "short"):
        try:
            http.get(f"/v1/contracts/{fault}")
        except TransportError:
            continue
    contract(http, "a1")


if __name__ == "__main__":
    KEPT.write_bytes(record())
    player, found = play(KEPT.read_bytes())
    print(f"{KEPT.name}: {player.number} exchanges, {len(found)} differ")
