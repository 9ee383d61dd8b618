"""The server itself: health, readiness, documents."""

import httpx

from mockserver.state.world import World


def test_health_needs_no_key(api: httpx.Client) -> None:
    response = api.get("/_mock/health", headers={"authorization": ""})
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_the_server_is_ready_once_start_up_is_complete(api: httpx.Client, world: World) -> None:
    world.not_ready.append("The scenario shop.yaml is being loaded.")
    before = api.get("/_mock/ready")
    world.not_ready.clear()
    after = api.get("/_mock/ready")
    assert before.status_code == 503
    assert before.headers["content-type"] == "application/problem+json"
    assert before.json()["detail"] == "The scenario shop.yaml is being loaded."
    assert (after.status_code, after.json()) == (200, {"status": "ready"})


def test_a_live_server_is_healthy_before_it_is_ready(api: httpx.Client, world: World) -> None:
    world.not_ready.append("Not yet.")
    assert api.get("/_mock/health").status_code == 200


def test_the_control_api_has_an_openapi_document_of_its_own(api: httpx.Client) -> None:
    public = api.get("/_mock/openapi.json").json()
    control = api.get("/_mock/openapi.json", params={"api": "control"}).json()
    assert not any(path.startswith("/_mock/") for path in public["paths"])
    assert all(path.startswith("/_mock/") for path in control["paths"])
    assert "/v1/contracts" in public["paths"]


def test_an_unknown_document_is_refused(api: httpx.Client) -> None:
    response = api.get("/_mock/openapi.json", params={"api": "private"})
    assert response.status_code == 400
    assert response.json()["param"] == "api"
