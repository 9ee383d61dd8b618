"""The rooms are plugged in by the assembly alone: without one, all else works as before."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.tables import cases
from tests.thoroughness import sampled

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

PINNED = """
from tests.pins.pinned import NAMED, digest_of, read
from tests.thoroughness import sampled

pinned = read()["journeys"]
others = [name for name in NAMED if not name.startswith(("funding.", "webhooks."))]
assert len(others) > 20
differing = [name for name in sampled(others, 12) if digest_of(NAMED[name]) != pinned[name]]
assert differing == [], differing
"""


def run_without(rooms: set[str], folder: Path, code: str, *arguments: str) -> None:
    """Run code with a copy of the package that lacks rooms."""
    shutil.copytree(ROOT / "mockserver", folder / "mockserver")
    for room in rooms:
        shutil.rmtree(folder / "mockserver" / room)
    assembly = folder / "mockserver" / "server" / "assembly.py"
    text = assembly.read_text(encoding="utf-8")
    for room in rooms:
        text = re.sub(
            rf"from mockserver\.{room} import .*\n|(?<=from mockserver import ){room}, |, {room}$",
            "",
            text,
            flags=re.M,
        )
    others = "".join(f"{other}, " for other in ROOMS if other not in rooms)
    text, count = re.subn(r"^ROOMS = \(.*\)$", f"ROOMS = ({others})", text, flags=re.MULTILINE)
    assert count == 1
    assembly.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()


@cases("room, path", *sampled(ROOMS.items(), 3))
def test_the_rest_works_without_a_room(tmp_path: Path, room: str, path: str) -> None:
    run_without({room}, tmp_path, STORY, path)


def test_all_other_operations_answer_the_same_without_rooms(tmp_path: Path) -> None:
    run_without({"funding", "webhooks"}, tmp_path, PINNED)
