"""Creating, finding, resetting and forgetting projects."""

from httpx import Client

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.state.project import Project
from mockserver.state.world import ProjectDefaults, World
from mockserver.testing.server import LiveServer
from tests.tables import cases

CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def test_a_new_project_answers_with_keys_that_work(api: Client) -> None:
    made = api.post("/_mock/projects", json={})
    assert made.status_code == 201
    project = made.json()
    assert project["secret_key"].startswith("sk_test_")
    assert project["publishable_key"] == project["secret_key"].replace("sk_", "pk_")
    assert project["livemode"] is False
    assert project["now"] == "2026-01-01T00:00:00.000Z"
    assert api.get("/v1/contracts", headers=_bearer(project["secret_key"])).status_code == 200
    named = api.get("/_mock/projects/-", headers=_bearer(project["publishable_key"]))
    assert named.json()["id"] == project["id"]


def test_two_new_projects_do_not_share_anything(api: Client) -> None:
    first, second = (api.post("/_mock/projects", json={}).json() for _ in range(2))
    assert first["id"] != second["id"]
    api.post("/v1/contracts", json=CONTRACT, headers=_bearer(first["secret_key"]))
    assert api.get("/v1/contracts", headers=_bearer(first["secret_key"])).json()["total"] == 1
    assert api.get("/v1/contracts", headers=_bearer(second["secret_key"])).json()["total"] == 0


def test_everything_about_a_project_may_be_given(api: Client) -> None:
    made = api.post(
        "/_mock/projects",
        json={
            "name": "shop",
            "livemode": True,
            "seed": "seven",
            "secret_key": "sk_live_s3cret",
            "publishable_key": "pk_live_0ther",
            "scopes": ["contracts:read"],
            "settings": {"one_time_code": "123456"},
            "clock": {"now": "2030-06-01T12:00:00+02:00", "mode": "ticking", "rate": 60},
        },
    ).json()
    assert (made["name"], made["seed"]) == ("shop", "seven")
    assert made["livemode"] is True
    assert (made["secret_key"], made["publishable_key"]) == ("sk_live_s3cret", "pk_live_0ther")
    assert made["scopes"] == ["contracts:read"]
    assert made["clock"] == {"now": "2030-06-01T10:00:00.000Z", "mode": "ticking", "rate": 60.0}
    assert api.get(f"/_mock/projects/{made['id']}/settings").json()["one_time_code"] == "123456"


def test_a_key_without_the_scope_may_not(api: Client) -> None:
    api.post("/_mock/projects", json={"secret_key": "sk_test_reader", "scopes": ["contracts:read"]})
    assert api.get("/v1/contracts", headers=_bearer("sk_test_reader")).status_code == 200
    assert api.post("/v1/contracts", json=CONTRACT, headers=_bearer("sk_test_reader")).status_code == 403


def test_a_live_key_works_once_it_is_declared(api: Client) -> None:
    before = api.get("/v1/contracts", headers=_bearer("sk_live_mine"))
    made = api.post("/_mock/projects", json={"secret_key": "sk_live_mine"})
    after = api.get("/v1/contracts", headers=_bearer("sk_live_mine"))
    assert before.status_code == 401
    assert made.json()["livemode"] is True
    assert after.status_code == 200


@cases(
    "clock, expected",
    ({"mode": "frozen"}, ("frozen", "2026-01-01T00:00:00.000Z")),
    ({"mode": "ticking"}, ("ticking", "2030-03-17T17:46:40.000Z")),
    ({"rate": 2}, ("ticking", "2030-03-17T17:46:40.000Z")),
)
def test_a_frozen_project_of_a_ticking_server_is_at_2026(clock: object, expected: tuple[str, str]) -> None:
    defaults = ProjectDefaults(now_ms=None, mode="ticking")
    with LiveServer(World(real_ms=lambda: 1_900_000_000_000, defaults=defaults)) as server:
        made = server.control.call("POST", "/_mock/projects", json={"clock": clock})
    assert (made["clock"]["mode"], made["clock"]["now"]) == expected


def test_another_projects_key_is_refused_leaving_nothing(api: Client, project: Project, world: World) -> None:
    response = api.post("/_mock/projects", json={"name": "fresh", "secret_key": project.secret_key})
    assert (response.status_code, response.json()["type"]) == (409, "urn:mockserver:key-taken")
    assert len(world) == 1


@cases(
    "body",
    {"secret_key": "sk_live_a", "livemode": False},
    {"secret_key": "sk_live_a", "publishable_key": "pk_test_a"},
    {"secret_key": "not a key"},
    {"name": "two words"},
    {"settings": {"one_time_cod": "1234"}},
    {"clock": {"now": "tomorrow"}},
    {"clock": {"mode": "ticking", "rate": 0}},
)
def test_an_impossible_project_leaves_nothing(api: Client, world: World, body: dict[str, object]) -> None:
    response = api.post("/_mock/projects", json=body)
    assert (response.status_code, response.headers["content-type"]) == (400, "application/problem+json")
    assert len(world) == 1


def test_projects_are_listed_oldest_first(api: Client) -> None:
    ids = [api.post("/_mock/projects", json={"name": name}).json()["id"] for name in ("a", "b", "c")]
    page = api.get("/_mock/projects", params={"limit": 2}).json()
    assert (page["data"][1]["id"], page["total"]) == (ids[0], 4)
    newest = api.get("/_mock/projects", params={"order": "desc", "skip": 1, "limit": 2}).json()
    assert [row["id"] for row in newest["data"]] == [ids[1], ids[0]]


def test_projects_of_undeclared_keys_are_listed_with_calls(api: Client) -> None:
    api.post("/_mock/projects", json={"name": "declared"})
    for _ in range(2):
        api.get("/v1/contracts", headers=_bearer("sk_test_typo"))
    listed = api.get("/_mock/projects", params={"declared": "false"}).json()
    (found,) = [row for row in listed["data"] if row["name"] == "typo"]
    assert (found["secret_key"], found["declared"], found["calls"]) == ("sk_test_typo", False, 2)
    declared = api.get("/_mock/projects", params={"declared": "true"}).json()
    assert "typo" not in [row["name"] for row in declared["data"]]


def test_a_deleted_projects_test_key_opens_a_new_one(api: Client) -> None:
    made = api.post("/_mock/projects", json={"name": "brief"}).json()
    headers = _bearer(made["secret_key"])
    api.post("/v1/contracts", json=CONTRACT, headers=headers)
    assert api.delete(f"/_mock/projects/{made['id']}").json() == {"deleted": 1}
    assert api.get(f"/_mock/projects/{made['id']}").status_code == 404
    assert api.get("/v1/contracts", headers=headers).json()["total"] == 0


def test_a_reset_project_answers_as_it_did_the_first_time(api: Client) -> None:
    first = api.post("/v1/contracts", json=CONTRACT).json()
    api.put("/_mock/projects/-/settings", json={"one_time_code": "0000"})
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 60})
    assert api.post("/_mock/projects/-/reset").json()["now"] == "2026-01-01T00:00:00.000Z"
    assert api.get("/_mock/projects/-/journal").json()["total"] == 0
    assert api.get("/_mock/projects/-/settings").json()["one_time_code"] is None
    assert api.get("/v1/contracts").json()["total"] == 0
    assert api.post("/v1/contracts", json=CONTRACT).json() == first


def test_an_unknown_project_is_not_found(api: Client) -> None:
    response = api.get("/_mock/projects/pro_none/clock")
    assert (response.status_code, response.json()["type"]) == (404, "urn:mockserver:unknown-project")


def test_a_dash_without_a_key_is_unauthorized(api: Client) -> None:
    response = Client(transport=api._transport, base_url="http://mock").get("/_mock/projects/-")
    assert (response.status_code, response.headers["content-type"]) == (401, "application/problem+json")


def test_a_dash_with_a_new_test_key_opens_its_project(api: Client, world: World) -> None:
    response = api.get("/_mock/projects/-", headers=_bearer("pk_test_brandnew"))
    assert response.json()["secret_key"] == "sk_test_brandnew"
    assert len(world) == 2


def test_a_dash_with_an_undeclared_live_key_is_refused(api: Client, world: World) -> None:
    response = api.get("/_mock/projects/-", headers=_bearer("sk_live_real"))
    assert response.status_code == 401
    assert "sk_live_real" not in response.text
    assert len(world) == 1


def test_a_body_curl_calls_a_form_is_refused_with_the_header(api: Client) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    refused = api.post("/_mock/projects", content=b'{"name":"cart"}', headers=form)
    assert (refused.status_code, refused.json()["type"]) == (415, "urn:mockserver:content-type-refused")
    assert "Send Content-Type: application/json" in refused.json()["detail"]
    assert api.get("/_mock/projects").json()["total"] == 1


def test_a_project_has_a_wallet_secret_that_signs(api: Client, project: Project) -> None:
    answers = [api.post("/_mock/projects/-/wallet-secret").json() for _ in range(2)]
    assert answers[0] == answers[1] == {"wallet_secret": default_secret(project)}
    assert [row.state for row in project.wallets.secrets] == ["active"]


def test_a_nameless_project_is_not_of_an_undeclared_key(api: Client) -> None:
    drawn = World().create().name
    api.get("/v1/contracts", headers={"authorization": f"Bearer sk_test_{drawn}"})
    created = api.post("/_mock/projects", json={})
    assert created.status_code == 201
    assert created.json()["name"] != drawn
