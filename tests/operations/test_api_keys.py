"""API keys as the official command-line tool creates and stores them."""

from httpx import Client

from mockserver import leniencies
from mockserver.state.project import Project
from tests.tables import cases

PATH = "/v1/project/apikey"


def test_the_publishable_key_that_is_created_works(api: Client, project: Project) -> None:
    answer = api.post(PATH, json={"type": "pk"}, headers={"project": "pro_1"})

    assert answer.headers["x-mockserver-hint"] == leniencies.OLDER_PATH_OF_API_KEYS.hint
    assert answer.json() == {
        "id": 1,
        "createdAt": 1_767_225_600,
        "token": project.publishable_key,
        "name": "pk",
        "livemode": False,
        "scopes": [],
    }


@cases("key_type, number", ("pk_wallet", 2), ("pk_shield", 3), ("sk_shield", 4))
def test_a_key_of_another_service_is_taken(api: Client, key_type: str, number: int) -> None:
    answer = api.put(PATH, json={"type": key_type, "uuid": "ws_1767225600000"})

    assert answer.headers["x-mockserver-hint"] == leniencies.OLDER_PATH_OF_API_KEYS.hint
    told = answer.json()
    assert (told["id"], told["token"], told["name"]) == (number, "ws_1767225600000", key_type)


def test_secret_keys_are_neither_created_nor_stored(api: Client) -> None:
    assert api.post(PATH, json={"type": "sk"}).json()["error"]["param"] == "type"
    assert api.put(PATH, json={"type": "sk", "uuid": "x"}).json()["error"]["param"] == "type"


def test_the_setting_strict_refuses_the_older_path(api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"strict": True})

    assert api.post(PATH, json={"type": "pk"}).json()["type"] == "urn:mockserver:not-in-specification"
