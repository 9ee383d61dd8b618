"""Scenarios, loaded through the control API."""

from httpx import Client, Response

from mockserver.scenario.checking import load
from mockserver.scenario.running import apply
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases

SCENARIOS = "/_mock/projects/-/scenarios"
YAML = {"content-type": "application/yaml"}
CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}

BUSY = """\
name: busy
given:
  - call: CreateContract
    body: {name: Given, chainId: 80002, address: "0x1111111111111111111111111111111111111111"}
rules:
  - name: the second list is refused
    when: {call: GetContracts, nth: 2}
    then: {error: rate_limited}
"""


def _load(api: Client, text: str) -> Response:
    return api.post(SCENARIOS, content=text.encode(), headers=YAML)


def test_a_loaded_scenario_sets_the_scene_and_plays_its_rules(api: Client) -> None:
    loaded = _load(api, BUSY)
    assert loaded.status_code == 201, loaded.text
    assert loaded.json()["name"] == "busy"
    answers = [api.get("/v1/contracts") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 429, 200]
    assert answers[0].json()["data"][0]["name"] == "Given"
    assert answers[1].headers["x-mockserver-rule"] == "the second list is refused"


def test_rules_tell_how_often_they_were_met_and_fired(api: Client) -> None:
    _load(api, BUSY)
    for _ in range(3):
        api.get("/v1/contracts")
    listed = api.get(SCENARIOS).json()
    assert (listed["total"], listed["data"][0]["state"], listed["data"][0]["text"]) == (1, "start", BUSY)
    rule = {"name": "the second list is refused", "met": 3, "fired": 1, "optional": False}
    assert listed["data"][0]["rules"] == [rule]


def test_a_rule_may_be_optional(api: Client) -> None:
    loaded = _load(api, "rules: [{when: GetContracts, then: {answer: 503}, optional: true}]").json()
    assert loaded["rules"][0]["optional"] is True
    refused = _load(api, "rules: [{when: GetContracts, then: {answer: 503}, optional: maybe}]")
    assert "optional is true or false" in refused.json()["detail"]


def test_a_scenario_tells_what_its_steps_captured(api: Client) -> None:
    loaded = _load(api, BUSY.replace("    body:", "    as: given\n    body:")).json()
    (contract,) = api.get("/v1/contracts").json()["data"]
    assert loaded["captured"] == {"given": contract}
    assert api.get(SCENARIOS).json()["data"][0]["captured"] == {"given": contract}


def test_an_exchange_tells_which_rules_it_nearly_met(api: Client) -> None:
    _load(api, BUSY)
    api.get("/v1/contracts")
    api.get("/v1/nowhere")
    near = [api.get(f"/_mock/projects/-/journal/{number}/near-misses") for number in (2, 3, 4)]
    assert near[0].json()["data"] == []
    assert near[1].json() == {"data": [], "total": 0}
    assert near[2].status_code == 404
    api.post("/v1/contracts", json=CONTRACT)
    api.get("/v1/contracts")
    answer = api.get("/_mock/projects/-/journal/5/near-misses").json()
    lacks = ["it would be call number 3 of its kind, which the rule's nth leaves out, and is over"]
    assert answer["data"] == [{"scenario": "busy", "rule": "the second list is refused", "missed": lacks}]


SECRETIVE = """
name: secretive
rules:
  - name: sign-up
    when:
      call: signUpEmail
      headers: {authorization: another, x-kind: another}
      body: {password: another, name: Grace, callbackURL: "https://shop.example"}
    then: {error: rate_limited}
"""


def test_near_misses_show_no_secrets_unless_they_are_asked_for(api: Client) -> None:
    assert _load(api, SECRETIVE).status_code == 201
    body = {"name": "Ada", "email": "ada@example.com", "password": "opensesame"}
    api.post("/iam/v2/auth/sign-up/email", json=body, headers={"x-kind": "mine"})
    near = "/_mock/projects/-/journal/2/near-misses"
    (masked,) = api.get(near).json()["data"]
    (plain,) = api.get(near, params={"unmasked": True}).json()["data"]
    authorization = api.headers["authorization"]
    assert masked["missed"] == [
        f"the header authorization is '{authorization[:17]}…'; expected another value",
        "the header x-kind is 'mine'; expected 'another'",
        "password in the body is '…'; expected another value",
        "name in the body is 'Ada'; expected 'Grace'",
        "callbackURL in the body is missing; expected 'https://shop.example'",
    ]
    assert f"the header authorization is '{authorization}'; expected 'another'" in plain["missed"]
    assert "password in the body is 'opensesame'; expected 'another'" in plain["missed"]


def test_an_unloaded_scenario_interferes_no_more(api: Client) -> None:
    loaded = _load(api, BUSY).json()
    assert api.delete(f"{SCENARIOS}/{loaded['id']}").json() == {"deleted": 1}
    assert [api.get("/v1/contracts").status_code for _ in range(3)] == [200, 200, 200]
    assert api.get("/v1/contracts").json()["total"] == 1
    assert api.delete(f"{SCENARIOS}/{loaded['id']}").status_code == 404


def test_every_scenario_may_be_unloaded_at_once(api: Client) -> None:
    _load(api, "name: one\nrules:\n  - then: {error: rate_limited}\n")
    _load(api, BUSY)
    assert api.delete(SCENARIOS).json() == {"deleted": 2}
    assert api.get(SCENARIOS).json()["data"] == []


def test_a_senseless_scenario_is_refused_with_every_finding(api: Client) -> None:
    text = BUSY.replace("GetContracts", "GetContract5").replace("rules:", "ruels:\nrules:")
    response = api.post(SCENARIOS, params={"source": "shop.yaml"}, content=text.encode(), headers=YAML)
    assert response.status_code == 400
    problem = response.json()
    assert problem["type"] == "urn:mockserver:bad-scenario"
    assert problem["detail"].startswith("shop.yaml:5:")
    findings = list(problem["errors"].values())
    assert [finding["line"] for finding in findings] == [5, 8]
    assert findings[0]["nearest"] == "rules"
    assert api.get(SCENARIOS).json()["total"] == 0


def test_a_scenario_of_refused_steps_leaves_nothing_behind(api: Client) -> None:
    text = BUSY.replace("rules:", "  - call: GetContract\n    path: {id: con_none}\nrules:", 1)
    response = _load(api, text)
    assert response.status_code == 400
    assert "404" in response.json()["detail"]
    assert api.get("/v1/contracts").json()["total"] == 0


@cases("content", b"\xff\xfe", b"", b": [")
def test_a_text_that_is_no_scenario_is_refused(api: Client, content: bytes) -> None:
    response = api.post(SCENARIOS, content=content, headers=YAML)
    assert (response.status_code, response.json()["type"]) == (400, "urn:mockserver:bad-scenario")


def test_a_reset_keeps_start_up_scenarios_only(api: Client, app: App, world: World, project: Project) -> None:
    scenario = load.read(BUSY, "busy.yaml", app.pipeline.server.routes)

    def seed_project(bare: Project) -> None:
        apply.apply(world, bare, scenario, app.pipeline.answer)

    project.seed_project = seed_project
    _load(api, "name: other\nrules:\n  - then: {error: rate_limited}\n")
    api.post("/_mock/projects/-/reset")
    assert [loaded["name"] for loaded in api.get(SCENARIOS).json()["data"]] == ["busy"]
    assert api.get("/v1/contracts").json()["total"] == 1


def test_findings_at_one_place_are_all_shown(api: Client) -> None:
    content = b"given:\n  - call: SetChainAddress\n    body: {}\n"
    response = api.post(SCENARIOS, content=content, headers=YAML)
    assert response.status_code == 400
    found = response.json()["errors"]
    assert [(name, finding["line"], finding["column"]) for name, finding in found.items()] == [
        ("2:11", 2, 11),
        ("2:11+", 2, 11),
    ]
    assert {finding["message"].rpartition("path: ")[2] for finding in found.values()} == {
        "{chain: ...}",
        "{address: ...}",
    }


def test_a_refusal_says_how_many_more_findings_there_are(api: Client) -> None:
    text = "rules: [{whn: 1}, {thn: 1}, {when: GetContracts, then: {answr: 503}}]"
    headers = {"content-type": "application/yaml"}
    problem = api.post("/_mock/projects/-/scenarios", content=text, headers=headers).json()
    assert len(problem["errors"]) > 1
    assert problem["detail"].endswith(f"(and {len(problem['errors']) - 1} more)")
