"""newman, httpYac and Bruno send every request of the collections, and all of them succeed.

They are npm packages: `newman`, `httpyac`, `@usebruno/cli`. The test of one that is not there is skipped.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from mockserver import cli
from mockserver.request_collections.tour import read_tour
from tests.cli.conftest import Serve
from tests.tables import cases

PROGRAMS = {
    "postman": ("newman", "run", "{path}"),
    "http": ("httpyac", "send", "{path}", "--all", "--output", "none"),
    "bruno": ("bru", "run", "-r", "--env", "local", "--disable-cookies"),
}


@cases("form", *PROGRAMS)
def test_a_program_sends_every_request_and_all_succeed(form: str, serve: Serve, tmp_path: Path) -> None:
    program, *arguments = PROGRAMS[form]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    served = serve("--clock", "frozen")
    path = tmp_path / f"mock.{form}"
    assert cli.main(["collection", "--to", form, "--url", served.url, "--out", str(path)]) == 0
    command = [program, *(part.format(path=path) for part in arguments)]
    place = path if path.is_dir() else tmp_path
    ran = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=180, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:]
    with served.client() as client:
        journal = client.get("/_mock/projects/-/journal?brief=true&limit=1000").json()["data"]
    sent = [item.name for item in read_tour().items if item.endpoint.family.public]
    # A page of errors belongs to no project, so no journal has it.
    sent.remove("authError")
    assert [exchange["operation"] for exchange in journal][-len(sent) :] == sent
