"""The server itself: health, readiness, documents."""

from httpx import Client


def test_health_needs_no_key(api: Client) -> None:
    response = api.get("/_mock/health", headers={"authorization": ""})
    assert response.status_code == 200
    assert response.json() == {
        "status": "ok",
        "log": {"dropped": 0},
        "journal": {"events": 2_000, "bytes": 16 * 2**20, "server_bytes": 64 * 2**20},
    }


def test_a_server_is_ready_once_start_up_is_complete(api: Client) -> None:
    response = api.get("/_mock/ready", headers={"authorization": ""})
    assert (response.status_code, response.json()) == (200, {"status": "ready"})


def test_the_control_api_has_an_openapi_document_of_its_own(api: Client) -> None:
    public = api.get("/_mock/openapi.json").json()
    control = api.get("/_mock/openapi.json", params={"api": "control"}).json()
    assert not any(path.startswith("/_mock/") for path in public["paths"])
    assert all(path.startswith("/_mock/") for path in control["paths"])
    assert "/v1/contracts" in public["paths"]


def test_an_unknown_document_is_refused(api: Client) -> None:
    response = api.get("/_mock/openapi.json", params={"api": "private"})
    assert (response.status_code, response.json()["param"]) == (400, "api")
