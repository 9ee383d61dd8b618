"""The package is plugged in by the assembly alone: without it, all else works as before."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

STORY = """
from mockserver.testing.server import LiveServer
from tests.replay.runs import play

with LiveServer() as server:
    shop = server.control.create_project(name="shop")
    server.control.start_recording()
    account = shop.given.funded_account()
    shop.load("name: late\\nrules: [{when: ListPolicies, then: {delay: 2s}}]")
    shop.clock.advance(seconds=5)
    with shop.connect() as api:
        assert api.get("/v1/subscriptions").status_code == 404
        assert api.get("/v2/policies").status_code == 200
    shop.restore(shop.snapshot())
    player, found = play(server.control.stop_recording())
    assert (found, player.number > 3) == ([], True), found
"""


def test_the_rest_works_without_the_package(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "mockserver", tmp_path / "mockserver", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "tests" / "replay", tmp_path / "tests" / "replay")
    shutil.rmtree(tmp_path / "mockserver" / "webhooks")
    assembly = tmp_path / "mockserver" / "server" / "assembly.py"
    text = assembly.read_text(encoding="utf-8")
    text = re.sub(r"from mockserver\.webhooks import .*\n", "", text)
    text, count = re.subn(r"^ROOMS = \(webhooks,\)$", "ROOMS = ()", text, flags=re.MULTILINE)
    assert count == 1
    assembly.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", STORY],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
