"""The rooms are plugged in by the assembly alone: without one, all else works as before."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.tables import cases

ROOT = Path(__file__).parents[2]

ROOMS = {
    "funding": "/v2/funding/chains",
    "nodes": "/rpc",
    "shield": "/_mock/projects/-/shield/keychain",
    "webhooks": "/v1/subscriptions",
    "agents": "/_mock/mcp",
}
"""A path of each."""

STORY = """
import sys
from mockserver.testing.server import LiveServer
from tests.replay.runs import play

with LiveServer() as server:
    shop = server.control.create_project(name="shop")
    server.control.start_recording()
    account = shop.given.funded_account()
    shop.load("name: late\\nrules: [{when: ListPolicies, then: {delay: 2s}}]")
    shop.clock.advance(seconds=5)
    with shop.connect() as api:
        assert api.get(sys.argv[1]).status_code == 404
        assert api.get("/v2/policies").status_code == 200
    shop.restore(shop.snapshot())
    player, found = play(server.control.stop_recording())
    assert (found, player.number > 3) == ([], True), found
"""


@cases("room, path", *ROOMS.items())
def test_the_rest_works_without_a_room(tmp_path: Path, room: str, path: str) -> None:
    shutil.copytree(
        ROOT / "mockserver", tmp_path / "mockserver", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "tests" / "replay", tmp_path / "tests" / "replay")
    shutil.rmtree(tmp_path / "mockserver" / room)
    assembly = tmp_path / "mockserver" / "server" / "assembly.py"
    text = assembly.read_text(encoding="utf-8")
    text = re.sub(rf"from mockserver(\.{room} import .*| import {room})\n", "", text)
    others = "".join(f"{other}, " for other in ROOMS if other != room)
    text, count = re.subn(r"^ROOMS = \(.*\)$", f"ROOMS = ({others})", text, flags=re.MULTILINE)
    assert count == 1
    assembly.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", STORY, path],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
