"""Every scenario of the library does what it says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpx import Client
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from mockserver import create_app
from mockserver.launch.application import DEFAULT_SCENARIO
from mockserver.launch.play import PASSED, play_file
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.compose import parse
from mockserver.scenario.reading.findings import Findings
from mockserver.scenario.running.apply import apply
from mockserver.server.assembly import ROUTES
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases
from tests.transport import InProcessTransport

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))
README = (FOLDER / "README.md").read_text(encoding="utf-8")
FIRST_LINE = "# yaml-language-server: $schema=scenario.schema.json"

each_file = cases("path", *FILES, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    """What an editor holds the files against."""
    return Draft202012Validator(json.loads((FOLDER / "scenario.schema.json").read_text(encoding="utf-8")))


def test_there_are_many() -> None:
    assert len(FILES) >= 30


@each_file
def test_all_is_as_it_expects_and_the_same_again(path: Path) -> None:
    played = play_file(path)
    assert (played.code, played.lines) == (PASSED, [])
    assert played.steps > 0
    assert play_file(path) == played


@each_file
def test_it_is_short_and_explains_itself(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == FIRST_LINE
    assert lines[1].startswith("name: ")
    assert lines[2].startswith("about: ")
    assert len(lines) <= 65
    assert max(map(len, lines)) <= 120


@each_file
def test_it_fits_the_schema_that_its_editor_uses(path: Path, schema: Draft202012Validator) -> None:
    document = parse(path.read_text(encoding="utf-8"), Findings(path.name)).plain()
    assert [error.message for error in schema.iter_errors(document)] == []


def test_names_are_their_own() -> None:
    names = [read(path.read_text(encoding="utf-8"), path.name, ROUTES).name for path in FILES]
    assert sorted(set(names)) == sorted(names)


def test_the_readme_lists_each_once() -> None:
    listed = re.findall(r"^\| \[[^]]+\]\(([^)]+\.yaml)\)", README, re.M)
    assert sorted(listed) == [path.name for path in FILES]


def test_all_load_together_as_a_mounted_directory() -> None:
    with TestClient(create_app(scenarios=FOLDER, clock="frozen")) as client:
        headers = {"authorization": "Bearer sk_test_default"}
        listed = client.get("/_mock/projects/-/scenarios", params={"limit": 1000}, headers=headers).json()
        assert listed["total"] == len(FILES)
        assert client.post("/_mock/projects/-/reset", headers=headers).status_code == 200


def test_all_load_together_on_a_clock_that_ticks() -> None:
    with TestClient(create_app(scenarios=FOLDER)) as client:
        assert client.get("/_mock/ready").status_code == 200


# --- other scenarios ------------------------------------------------------------------------------------


@pytest.fixture
def client(app: App) -> Iterator[Client]:
    """A client without credentials."""
    with Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        yield client


def test_the_readmes_grammar_is_a_scenario(app: App, world: World, project: Project, api: Client) -> None:
    text = README.partition("```yaml\n")[2].partition("```")[0]
    loaded = apply(world, project, read(text, "README.md", ROUTES), app.pipeline.answer)
    assert loaded.name == "checkout"
    assert len(loaded.rules) == 7
    assert api.get("/v1/contracts").json() == {"error": {"message": "Away"}}


def test_a_live_key_opens_live_mode(app: App, world: World, project: Project, client: Client) -> None:
    path = FOLDER / "declared-live-key.yaml"
    apply(world, project, read(path.read_text(encoding="utf-8"), path.name, ROUTES), app.pipeline.answer)
    headers = {"authorization": "Bearer sk_live_made_up_for_this_test"}
    body = {"name": "Token", "chainId": 137, "address": f"0x{1:040x}"}
    assert client.post("/v1/contracts", json=body, headers=headers).json()["chainId"] == 137


def test_the_default_scenario_has_something(app: App, world: World, project: Project, api: Client) -> None:
    apply(world, project, read(DEFAULT_SCENARIO.read_text(), "default.yaml", ROUTES), app.pipeline.answer)
    account = next(
        row for row in api.get("/v2/accounts").json()["data"] if row["accountType"] == "Smart Account"
    )
    assert account["chainId"] == 80002
    assert api.get("/v1/contracts").json()["data"][0]["name"] == "Token"
    sponsorship = api.get("/v2/fee-sponsorship").json()["data"][0]
    assert sponsorship["chainId"] == 80002
    assert api.get(f"/v2/policies/{sponsorship['policyId']}").status_code == 200
