"""`compare`: a recording of a real service is played against the mock, and what differs is said once."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.api.call import Request
from mockserver.cli import main
from mockserver.server.assembly import assemble
from mockserver.server.recording.file import RecordingFile
from mockserver.server.recording.placeholders import UNREPEATABLE
from mockserver.server.recording.recorder import Recorder
from mockserver.state.world import World
from mockserver.upstream.known import KnownDrift
from tests.regression.exchanges import Answer
from tests.regression.exchanges import Request as Told
from tests.regression.journeys import accounts, rules, sign_in, transactions, webhooks
from tests.regression.story import Story
from tests.tables import cases
from tests.upstream.service import Change, Service, compared, recorded

KEY = "sk_test_7h3r34l0n3"
CONTRACT = {"name": "Coin", "chainId": 80002, "address": "0x" + "4" * 40}


def use(client: httpx.Client) -> None:
    """What a client asks: contracts made, listed, read and refused, and a user who signs up and in."""
    client.headers["authorization"] = f"Bearer {KEY}"
    made = [client.post("/v1/contracts", json=CONTRACT | {"address": f"0x{n:040x}"}) for n in (1, 2, 3)]
    client.get("/v1/contracts")
    client.get(f"/v1/contracts/{made[0].json().get('id', 'con_1')}")
    client.get("/v1/contracts/con_unknown")
    client.get("/v2/users?limit=x")
    person = {"email": "grace@example.com", "password": "correct horse", "name": "Grace"}
    del client.headers["authorization"]
    client.headers["x-project-key"] = KEY.replace("sk", "pk")
    token = client.post("/iam/v2/auth/sign-up/email", json=person).json()["token"]
    client.get("/iam/v2/auth/get-session", headers={"authorization": f"Bearer {token}"})


def at(path: str, change: Any) -> Change:
    """A change of the answers at one path that are 200."""

    def apply(where: str, status: int, headers: dict[str, str], body: Any) -> Any:
        if where != path:
            return status, headers, body
        return change(status, headers, body)

    return apply


def first(change: Any) -> Any:
    """A change of the entries of a list."""

    def apply(status: int, headers: dict[str, str], body: Any) -> Any:
        return status, headers, body | {"data": [change(each) for each in body["data"]]}

    return apply


LIST, UNKNOWN, SIGN_UP = (
    "GET /v1/contracts",
    "GET /v1/contracts/con_unknown",
    "POST /iam/v2/auth/sign-up/email",
)
Planted = tuple[Change, tuple[str, str, str]]


def in_list(kind: str, member: str, change: Any) -> Planted:
    """Another list."""
    return at(LIST, lambda s, h, b: (s, h, change(b))), ("GetContracts", member, kind)


def in_entries(kind: str, member: str, change: Any) -> Planted:
    """Other entries of it."""
    return at(LIST, first(change)), ("GetContracts", f"/data/*/{member}", kind)


def in_error(kind: str, member: str, change: Any) -> Planted:
    """Another answer about what is not there."""
    return at(UNKNOWN, change), ("GetContract", member, kind)


def in_cookie(change: Any) -> Planted:
    """Other headers of the answer to a sign-up."""
    cookie = "set-cookie better-auth.session_token"
    return at(SIGN_UP, lambda s, h, b: (s, change(h), b)), ("signUpEmail", cookie, "header")


def without(name: str) -> Any:
    """A change of a mapping: without a member."""
    return lambda given: {each: value for each, value in given.items() if each != name}


def weaken(headers: dict[str, str]) -> dict[str, str]:
    """Headers whose cookie scripts may read."""
    return headers | {"set-cookie": headers["set-cookie"].replace(" HttpOnly;", "")}


PLANTED: dict[str, Planted] = {
    "a member is gone": in_list("added", "/url", without("url")),
    "a member of entries is gone": in_entries("added", "name", without("name")),
    "a member is new": in_list("missing", "/more", lambda b: b | {"more": True}),
    "a number is a text": in_list("type", "/total", lambda b: b | {"total": "3"}),
    "another count": in_list("value", "/total", lambda b: b | {"total": 4}),
    "another default of pages": in_list("length", "/data", lambda b: b | {"data": b["data"][:2]}),
    "another order": in_list("order", "/data", lambda b: b | {"data": b["data"][::-1]}),
    "a value is null": in_entries("type", "name", lambda e: e | {"name": None}),
    "an enumeration has more": in_entries("enum", "object", lambda e: e | {"object": "smart_contract"}),
    "an id has another form": in_entries("form", "id", lambda e: e | {"id": f"0x{e['id'][-12:]}"}),
    "another text": in_entries("value", "name", lambda e: e | {"name": "Token"}),
    "a time is a text": in_entries("type", "createdAt", lambda e: e | {"createdAt": "2026-01-01T00:00:00Z"}),
    "another chain": in_entries("value", "chainId", lambda e: e | {"chainId": 1}),
    "no body": in_list("type", "", lambda _: None),
    "another status": in_error("status", "status", lambda s, h, b: (410, h, b)),
    "another code": in_error(
        "error", "/error/code", lambda s, h, b: (s, h, {"error": b["error"] | {"code": "gone"}})
    ),
    "another content type": in_error(
        "header", "content-type", lambda s, h, b: (s, h | {"content-type": "text/json"}, b)
    ),
    "a header is new": in_error("header", "retry-after", lambda s, h, b: (s, h | {"retry-after": "3"}, b)),
    "another parameter": (
        at("GET /v2/users", lambda s, h, b: (s, h, {"error": b["error"] | {"param": "page"}})),
        ("GetAuthUsers", "/error/param", "error"),
    ),
    "a cookie is gone": in_cookie(without("set-cookie")),
    "a cookie is weaker": in_cookie(weaken),
}


def test_a_service_that_answers_as_the_mock_has_no_drift(file: Path) -> None:
    with recorded(file, Service()) as client:
        use(client)
    report = compared(file)
    assert (report.compared, [*report.drifts], report.skipped) == (9, [], [])
    assert [*report.lines()][-1] == "9 answers compared, no drifts, 0 not compared"


@cases("name", *PLANTED)
def test_what_a_service_does_otherwise_is_said_once(file: Path, name: str) -> None:
    change, wanted = PLANTED[name]
    with recorded(file, Service(change)) as client:
        use(client)
    assert [*compared(file).drifts] == [wanted]


def test_an_operation_that_only_the_service_has_is_a_drift(file: Path) -> None:
    def change(where: str, status: int, headers: dict[str, str], body: Any) -> Any:
        return (200, headers, {}) if where == "GET /v9/there" else (status, headers, body)

    with recorded(file, Service(change)) as client:
        client.get("/v9/there")
        client.get("/v9/absent")
    report = compared(file)
    assert (report.compared, [*report.drifts]) == (2, [("GET /v9/there", "", "operation")])


def test_what_shows_a_change_that_cannot_be_repeated_is_skipped(file: Path) -> None:
    def change(where: str, status: int, headers: dict[str, str], body: Any) -> Any:
        if where.startswith("POST /v1/contracts/"):
            return 400, headers, {"error": {"code": "expired"}}
        return status, headers, body | {"name": "Coin"} if where.startswith("GET") else body

    with recorded(file, Service(change)) as client:
        client.headers["authorization"] = f"Bearer {KEY}"
        made = client.post("/v1/contracts", json=CONTRACT).json()["id"]
        client.post(f"/v1/contracts/{made}", json={"name": UNREPEATABLE})
        client.get(f"/v1/contracts/{made}")
    report = compared(file)
    assert (report.compared, [*report.drifts]) == (1, [])
    assert [each.skipped for each in report.skipped] == [
        "it has a key or a token of a third party, which is masked",
        "it shows what exchange 2 changed, which could not be repeated",
    ]


def test_the_mock_does_not_differ_from_itself(tmp_path: Path) -> None:
    """Another seed, another time, other projects: the values differ, and no answer does."""
    file = tmp_path / "mock.jsonl"
    world = World("another seed")
    pipeline = assemble(world).pipeline
    recording = RecordingFile(file, pytest.fail)
    recorder = Recorder(pipeline, recording)

    def send(request: Told) -> Answer:
        path, _, query = request.path.partition("?")
        headers = {"host": "mock.localhost"} | {n.lower(): v for n, v in request.headers.items()}
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        body = request.body.encode("utf-8", "surrogateescape")
        answer = pipeline.finish(
            pipeline.answer(Request(request.method, path, query, headers, body, raw_headers=raw))
        )
        sent = [[name.decode(), value.decode()] for name, value in answer.headers]
        return Answer(answer.status, sent, answer.body.decode("utf-8", "surrogateescape"))

    story = Story(send)
    for part in (sign_in, accounts, rules, transactions, webhooks):
        for journey in part.JOURNEYS:
            journey(story)
    recorder.stop()
    recording.close()
    report = compared(file)
    assert report.compared > 500
    assert [*report.lines()][:-1] == [line for line in report.lines() if line.startswith("not compared")]


def test_a_known_deviation_is_no_drift_until_it_is_gone(
    tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = tmp_path / "known.yaml"
    with recorded(file, Service(PLANTED["a member is new"][0])) as client:
        use(client)
    entry = {"operation": "GetContracts", "member": "/more", "reason": "not ours", "since": "2026-11-27"}
    known.write_text(json.dumps([entry]))
    assert main(["compare", str(file), "--known", str(known)]) == 0
    known.write_text(json.dumps([entry, entry | {"member": "/gone"}]))
    assert main(["compare", str(file), "--known", str(known)]) == 1
    assert "no longer: GetContracts /gone" in capsys.readouterr().out
    report = compared(file, (KnownDrift("GetContracts", "*", "", "long ago"),))
    assert (report.drifts, [*report.known.counts.values()]) == ({}, [1])
    assert report.known.accepts(["GetContracts"], "/again")
    assert next(iter(report.known.lines())).endswith("(since long ago, 2 times)")


def test_the_report_is_for_programs_too(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with recorded(file, Service(PLANTED["another status"][0])) as client:
        use(client)
    assert main(["compare", str(file), "--json"]) == 1
    (drift,) = json.loads(capsys.readouterr().out)["drifts"]
    assert (drift["operation"], drift["kind"]) == ("GetContract", "status")
    assert main(["compare", str(file)]) == 1
    assert "the service answers 410" in capsys.readouterr().out


@cases(
    "text",
    *("a: b", "- {operation: x}", "- 3", "["),
    *("- !!bool x", "- !!int ''", "- !!timestamp x", f"- !!float 1{':1' * 200}"),
)
def test_a_file_of_known_deviations_is_refused_whole(tmp_path: Path, text: str) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(text)
    with pytest.raises(SystemExit) as raised:
        main(["compare", "real.jsonl", "--known", str(known)])
    assert raised.value.code == 2


def test_what_is_no_recording_cannot_be_compared(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("{}")
    assert main(["compare", str(tmp_path / "bad")]) == 3
    assert main(["compare", str(tmp_path / "nowhere")]) == 3
