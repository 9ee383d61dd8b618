"""What all of the control API has in common: unknown members, lists, deletions."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.tables import cases

HERE = "/_mock/projects/-"


@cases(
    "method, path, body, param, hint",
    ("POST", "/_mock/projects", {"nmae": "x"}, "nmae", "did you mean name?"),
    ("POST", "/_mock/projects", {"clock": {"nwo": 1}}, "clock.nwo", "did you mean now?"),
    ("PUT", f"{HERE}/clock", {"mdoe": "ticking"}, "mdoe", "did you mean mode?"),
    ("POST", f"{HERE}/clock/advance", {"seconds": 5, "secs": 5}, "secs", "did you mean seconds?"),
    ("POST", f"{HERE}/snapshots", {"title": "x"}, "title", "there is name"),
    ("POST", f"{HERE}/solana/transactions", {"externalId": "x"}, "externalId", "external_id?"),
    ("GET", f"{HERE}/journal?stats=200", None, "stats", "did you mean status?"),
    ("GET", f"{HERE}/outbox?channnel=sms", None, "channnel", "did you mean channel?"),
    ("GET", "/_mock/projects?limt=1", None, "limt", "did you mean limit?"),
    ("DELETE", f"{HERE}/journal?operation=GetContracts", None, "operation", "takes no query"),
    ("GET", f"{HERE}/clock?mode=frozen", None, "mode", "takes no query"),
    ("POST", "/_mock/recording", {"projects": ["x"]}, None, "takes no body"),
    ("DELETE", f"{HERE}/journal", ["pro_1"], None, "takes no body"),
    (
        "POST",
        f"{HERE}/policies/evaluate",
        {"operation": "signEvmMessage", "acountId": "acc_1"},
        "acountId",
        "did you mean accountId?",
    ),
    (
        "POST",
        f"{HERE}/policies/evaluate",
        {"operation": "signEvmMessage", "payload": {"chainid": 1}},
        "payload.chainid",
        "did you mean chainId?",
    ),
    ("POST", f"{HERE}/consent/google", {"state": "x", "emial": "a@b.c"}, "emial", "did you mean email?"),
    (
        "PUT",
        f"{HERE}/chains/80002/addresses/0x{'11' * 20}",
        {"tokens": [{"contract": "0x" + "22" * 20, "balance": "1", "tokenId": "1"}]},
        "tokens[0].tokenId",
        "did you mean token_id?",
    ),
)
def test_a_member_that_is_not_known_is_refused_with_the_nearest(
    api: Client, project: Project, method: str, path: str, body: Any, param: str | None, hint: str
) -> None:
    refused = api.request(method, path, json=body)
    assert (refused.status_code, refused.json().get("param")) == (400, param)
    assert hint in refused.json()["detail"]
    assert api.get("/_mock/projects").json()["total"] == 1
    assert project.clock.read()[1:] == ("frozen", 1.0)
    assert len(project.onchain.solana_transactions) == len(project.chains.accounts) == 0


@cases(
    "method, path, body, detail",
    ("POST", "/_mock/projects", {"clock": "frozen"}, 'clock: must be an object such as {"mode": "frozen"}'),
    ("PUT", f"{HERE}/clock", "ticking", 'must be an object such as {"mode": "frozen"}'),
    ("POST", f"{HERE}/clock/advance", 60, 'must be an object such as {"seconds": 60}'),
    ("POST", f"{HERE}/snapshots", ["before"], "must be an object of name"),
)
def test_what_is_no_object_is_refused_with_the_form(
    api: Client, project: Project, method: str, path: str, body: Any, detail: str
) -> None:
    refused = api.request(method, path, json=body)
    assert (refused.status_code, refused.json()["detail"]) == (400, detail)
    assert api.get("/_mock/projects").json()["total"] == 1
    assert project.clock.read()[1:] == ("frozen", 1.0)


def test_the_document_says_that_there_is_nothing_else(api: Client) -> None:
    document = api.get("/_mock/openapi.json", params={"api": "control"}).json()
    assert document["components"]["schemas"]["Advance"]["additionalProperties"] is False


LISTS = (
    "/_mock/projects",
    *(f"{HERE}/{name}" for name in ("journal", "outbox", "snapshots", "scenarios", "fates", "keys")),
)


@cases("path", *LISTS)
def test_every_list_has_the_same_envelope_and_paging(api: Client, path: str) -> None:
    everything = api.get(path)
    assert everything.status_code == 200
    total = everything.json()["total"]
    assert list(everything.json()) == ["data", "total"]
    assert len(everything.json()["data"]) == total
    beyond = api.get(path, params={"order": "desc", "limit": 1, "skip": total})
    assert beyond.json() == {"data": [], "total": total}


def test_a_list_is_oldest_first_unless_asked_otherwise(api: Client) -> None:
    for name in ("a", "b", "c"):
        api.post(f"{HERE}/snapshots", json={"name": name})
    pages = [
        api.get(f"{HERE}/snapshots", params=params).json()["data"]
        for params in ({}, {"order": "desc"}, {"skip": "1", "limit": "1"}, {"order": "desc", "limit": "2"})
    ]
    assert ["".join(entry["id"] for entry in page) for page in pages] == ["abc", "cba", "b", "cb"]


@cases("name", "journal", "outbox", "scenarios", "fates")
def test_every_deletion_tells_how_many_it_deleted(api: Client, name: str) -> None:
    assert api.delete(f"{HERE}/{name}").json() == {"deleted": 0}
