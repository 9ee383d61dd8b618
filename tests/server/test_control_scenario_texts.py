"""What is wrong with a scenario, by the control API; the editor that shows it."""

import json
from pathlib import Path

from httpx import Client

from mockserver.scenario.checking.load import read
from mockserver.scenario.checking.shadows import find_shadows
from mockserver.server.assembly import ROUTES
from mockserver.server.page import page_file

ROOT = Path(__file__).parents[2]
CHECK = "/_mock/scenarios/check"
YAML = {"content-type": "application/yaml"}
MOST_BYTES = 200_000


def check(api: Client, text: str | bytes) -> list[tuple[str, int, int, str | None]]:
    answer = api.post(CHECK, content=text, headers=YAML)
    assert answer.status_code == 200
    return [
        (each["severity"], each["line"], each["column"], each["nearest"])
        for each in answer.json()["findings"]
    ]


def test_what_is_wrong_is_listed_at_its_place(api: Client) -> None:
    assert check(api, "rules:\n  - wen: GetContracts\n    then: {answer: 503}\n")[0] == (
        "error",
        2,
        5,
        "when",
    )
    assert check(api, b"name: \xff") == [("error", 1, 1, None)]


def test_a_rule_that_never_decides_is_a_warning(api: Client) -> None:
    rule = "  - {when: GetContracts, then: {answer: 503}}\n"
    assert [each[:2] for each in check(api, f"rules:\n{rule}{rule}")] == [("warning", 3)]


def test_a_valid_scenario_has_no_findings_and_is_not_loaded(api: Client) -> None:
    assert check(api, "rules: []\nname: none\n") == []
    assert api.get("/_mock/projects/-/scenarios").json()["total"] == 0


def test_a_text_too_large_is_refused_at_its_first_place_beyond(api: Client) -> None:
    for part, most, what in (
        ("rules", 1_000, "entries"),
        ("fates", 1_000, "entries"),
        ("given", 500, "steps"),
    ):
        text = f"{part}:\n" + "- x\n" * (most + 1)
        assert check(api, text) == [("error", most + 2, 3, None)]
        answer = api.post("/_mock/projects/-/scenarios", content=text, headers=YAML)
        assert answer.status_code == 400
        assert f"{part} has more than {most} {what}" in answer.json()["detail"]
    # The mapping, its key and the list are values, too.
    for entries, refused in ((9_997, False), (9_998, True)):
        answer = api.post(CHECK, content="rules:\n" + "- x\n" * entries, headers=YAML)
        assert ("the scenario has more than 10000 values" in answer.text) == refused
    assert api.get("/_mock/projects/-/scenarios").json()["total"] == 0


def test_rules_are_compared_up_to_an_effort() -> None:
    rule = "- {when: GetContracts, then: {answer: 503}}\n"
    scenario = read(f"rules:\n{rule}{rule}", "test.yaml", ROUTES)
    assert [len(list(find_shadows(scenario, effort))) for effort in (None, 100, 4)] == [1, 1, 0]


def test_the_editor_is_the_bundle_of_the_locked_packages() -> None:
    locked = json.loads((ROOT / "docs/editor/package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted = {
        f"{path.removeprefix('node_modules/')} {entry['version']}"
        for path, entry in locked.items()
        if path and not entry.get("dev")
    }
    place = ROOT / "mockserver/server/page/codemirror"
    assert set((place / "VERSION").read_text(encoding="utf-8").splitlines()) == wanted
    licences = (place / "LICENSE").read_text(encoding="utf-8")
    assert all(line.split()[0] in licences for line in wanted)


def test_the_editor_is_small_and_compressed_on_demand() -> None:
    plain, packed = (page_file("codemirror.js", accepted) for accepted in ("identity", "br, gzip"))
    assert plain is not None
    assert packed is not None
    assert isinstance(plain.body, bytes)
    assert isinstance(packed.body, bytes)
    assert len(packed.body) < MOST_BYTES < len(plain.body)
    assert ("content-encoding", "gzip") in packed.headers
