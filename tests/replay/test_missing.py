"""A recording of the real service answers paths that the mock does not have."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response

from mockserver import cli
from mockserver.replay.serving.missing import MissingAnswers
from mockserver.server.edge.app import App
from mockserver.server.recording.lines import to_line
from tests.tables import cases


def exchange(number: int, method: str, target: str, body: str, answer: str, status: int = 200) -> list[Any]:
    """The lines of an exchange with the real service."""
    path, _, query = target.partition("?")
    headers = [["Content-Type", "application/json"], ["Content-Length", "9"], ["X-Real", "yes"]]
    asked = {"method": method, "path": path, "query": query, "headers": [], "body": body}
    return [
        {"n": number, "request": asked},
        {"n": number, "answer": {"status": status, "headers": headers, "body": answer}},
    ]


EXCHANGES = [
    *exchange(1, "POST", "/v1/graphql", '{"query":"{a}"}', '{"data":1}'),
    *exchange(2, "POST", "/v1/graphql", '{"query":"{b}","variables":{"n":1}}', '{"data":2}'),
    *exchange(3, "GET", "/v3/widgets/wid_1", "", '{"id":"wid_1"}'),
    *exchange(4, "GET", "/v3/widgets/wid_1", "", '{"id":"wid_1","done":true}'),
    *exchange(5, "DELETE", "/v3/widgets/wid_1", "", "", 204),
    *exchange(6, "GET", "/v1/contracts", "", '{"data":["of the real service"]}'),
    *exchange(7, "GET", "/_mock/widgets", "", '{"data":["of nothing"]}'),
    *exchange(8, "PUT", "/v1/contracts", "", '{"put":true}'),
]
RECORDING = b"".join(map(to_line, ({"mockserver_recording": 1}, *EXCHANGES)))


@pytest.fixture(autouse=True)
def answered(app: App) -> None:
    app.pipeline.server.answer_missing = MissingAnswers(BytesIO(RECORDING)).answer


def hint(answer: Response) -> str:
    """What the answer says of itself."""
    given: str = answer.headers["x-mockserver-hint"]
    assert given.startswith("answered-from-recording: ")
    return given


def test_an_equal_request_gets_the_answer_that_it_had(api: Client) -> None:
    answer = api.post("/v1/graphql", content='{"query": "{a}"}')
    assert (answer.status_code, answer.json(), answer.headers["x-real"]) == (200, {"data": 1}, "yes")
    assert answer.headers["content-length"] == "10"
    assert "exchange 1 " in hint(answer)
    assert "differs" not in hint(answer)


def test_equal_requests_get_their_answers_in_order(api: Client) -> None:
    answers = [api.get("/v3/widgets/wid_1") for _ in range(3)]
    assert [answer.json().get("done") for answer in answers] == [None, True, True]
    assert api.delete("/v3/widgets/wid_1").status_code == 204


def test_another_request_gets_the_answer_of_the_nearest(api: Client) -> None:
    answer = api.post("/v1/graphql", json={"query": "{b}", "variables": {"n": 2}})
    assert answer.json() == {"data": 2}
    assert "exchange 2 " in hint(answer)
    assert hint(answer).endswith("answers, the nearest: it differs in body /variables/n.")
    assert "exchange 3 " in hint(api.get("/v3/widgets/wid_77"))


@cases(
    "method, path",
    ("PATCH", "/v3/widgets/wid_1"),
    ("GET", "/v3/gadgets/wid_1"),
    ("GET", "/v3/widgets/wid_1/x"),
)
def test_a_request_of_another_shape_is_unknown_as_before(api: Client, method: str, path: str) -> None:
    answer = api.request(method, path)
    assert answer.status_code == 404
    assert "x-mockserver-hint" not in answer.headers


def test_what_the_mock_has_it_answers_itself(api: Client) -> None:
    assert api.get("/v1/contracts").json()["data"] == []
    assert api.get("/_mock/widgets").status_code == 404


def test_a_method_that_a_path_does_not_have_is_answered(api: Client) -> None:
    assert api.put("/v1/contracts").json() == {"put": True}


def test_the_journal_says_so(api: Client) -> None:
    answer = api.delete("/v3/widgets/wid_1")
    (entry,) = api.get("/_mock/projects/-/journal").json()["data"]
    assert (entry["operation"], entry["status"], entry["hints"]) == (None, 204, [hint(answer)])


def test_strict_projects_have_no_such_paths(api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"strict": True})
    assert api.delete("/v3/widgets/wid_1").status_code == 404


def test_a_request_that_is_too_large_is_refused(api: Client) -> None:
    assert api.get("/v3/widgets/wid_1", params={"x": "y" * 20_000}).status_code == 414


def test_such_a_server_cannot_be_recorded(api: Client) -> None:
    refused = api.post("/_mock/recording")
    assert refused.status_code == 503
    assert "--replay-missing" in refused.json()["detail"]


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "real.jsonl"
    for text, said in ((None, "No such file"), ("{}", "line 1")):
        if text is not None:
            file.write_text(text)
        assert cli.main(["serve", "--port", "0", "--replay-missing", str(file)]) == 1
        shown = capsys.readouterr().err
        assert str(file) in shown
        assert said in shown
