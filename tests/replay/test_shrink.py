"""`mockserver shrink`: a shortest run that still shows a failure, and replays."""

import json
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver import cli
from mockserver.replay.shrinking.command import make_shrinker, write
from mockserver.replay.shrinking.reduction import minimize
from mockserver.replay.shrinking.run import read_run
from mockserver.replay.shrinking.shrinker import Exchange, Shrinker
from mockserver.server.recording.file import RecordingFile
from mockserver.server.recording.lines import Sink
from mockserver.state.project import Project
from tests.replay.recorded import Collected, Record, account_of, contract, sign_up, transfer
from tests.replay.runs import play, record_calls
from tests.tables import cases


def shrunk(file: Path, condition: str | None = None) -> tuple[Shrinker, list[dict[str, Any]]]:
    """The shrinker of a file when it is done, and the requests that are left."""
    out = file.with_name("shrunk.jsonl")
    words = ["shrink", str(file), "--out", str(out), *(["--while", condition] if condition else [])]
    assert cli.main(words) == 0
    player, found = play(out.read_bytes())
    assert (found, player.lines.is_torn) == ([], False)
    lines = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert "end" in lines[-1]
    with file.open("rb") as recorded:
        run = read_run(recorded)
    shrinker = make_shrinker(run, condition, lambda: False)
    return shrinker, [line["request"] for line in lines if "request" in line]


def test_without_a_condition_the_last_error_stays(api: httpx.Client, record: Record) -> None:
    for byte in ("a1", "b2", "a1", "c3", "d4"):
        contract(api, byte)
    api.get("/v1/contracts")
    _, left = shrunk(record())
    assert [json.loads(each["body"])["name"] for each in left] == ["a1", "a1"]
    assert [name for name, _ in left[0]["headers"]] == [
        "host",
        "authorization",
        "content-length",
        "content-type",
    ]


def test_it_does_not_slip_to_another_error(api: httpx.Client, record: Record) -> None:
    api.get("/v1/contracts/none")
    contract(api, "a1")
    contract(api, "a1")
    api.get("/v1/contracts/none")
    shrinker, left = shrunk(record(), "status 409 at CreateContract")
    assert len(left) == 2
    assert str(shrinker.condition) == "status 409 code contract_already_exists at CreateContract (exchange 3)"


def test_ids_are_those_of_the_shorter_run(api: httpx.Client, project: Project, record: Record) -> None:
    for name in ("ada", "bea", "cyd"):
        account = account_of(api, sign_up(api, project, name).json()["user"]["id"])
        assert transfer(api, project, account).json()["status"] == "successful"
    _, left = shrunk(record(), "status 200 at SubmitTransactionSignature")
    assert [(each["method"], each["path"].rpartition("/")[2]) for each in left] == [
        ("POST", "email"),
        ("POST", "accounts"),
        ("POST", "transactions"),
        ("POST", "signature"),
    ]


def test_members_of_bodies_that_change_nothing_are_left_out(api: httpx.Client, record: Record) -> None:
    body = {"name": "T", "chainId": "no number", "address": "0x" + "a1" * 20, "abi": []}
    assert api.post("/v1/contracts", json=body).status_code == 400
    _, left = shrunk(record())
    assert "abi" not in json.loads(left[0]["body"])


def test_a_transaction_that_reverted_stays_so(api: httpx.Client, project: Project, record: Record) -> None:
    contract(api, "a1")
    account = account_of(api, sign_up(api, project, "ada").json()["user"]["id"])
    transfer(api, project, account)
    api.post("/_mock/projects/-/fates", json={"outcome": "reverted", "reason": "paused", "count": 2})
    for _ in range(3):
        transfer(api, project, account)
    shrinker, left = shrunk(record(), "/status reverted at SubmitTransactionSignature")
    assert str(shrinker.condition).startswith("status 200 /status reverted at SubmitTransactionSignature")
    paths = [each["path"] for each in left]
    assert [path.split("/")[-1] for path in paths] == [
        "email",
        "accounts",
        "fates",
        "transactions",
        "signature",
    ]


def test_an_answer_that_differs_stays_different(api: httpx.Client, record: Record) -> None:
    for byte in ("a1", "b2", "c3"):
        contract(api, byte)
    file = record()
    text = file.read_text()
    assert r"\"name\":\"b2\",\"chainId\":80002,\"createdAt\"" in text or r"\"name\":\"b2\"" in text
    lines = text.splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if line.startswith('{"n":2,'))
    asked, answered = lines[place].split('"answer":')
    answered = answered.replace(r"\"name\":\"b2\"", r"\"name\":\"otherwise\"")
    lines[place] = f'{asked}"answer":{answered}'
    file.write_text("".join(lines))
    shrinker, left = shrunk(file, "exchange 2 differs")
    assert (str(shrinker.condition), len(left)) == ("exchange 2 differs in body /name", 1)


def test_what_the_run_does_not_show_exits_with_1(
    api: httpx.Client, record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    contract(api, "a1")
    file = record()
    assert cli.main(["shrink", str(file)]) == 1
    assert "no answer of the run is an error" in capsys.readouterr().err
    assert not file.with_name("run.shrunk.jsonl").exists()


def test_what_is_no_recording_exits_with_3(tmp_path: Path) -> None:
    assert cli.main(["shrink", str(tmp_path / "none")]) == 3
    with pytest.raises(SystemExit, match="2"):
        cli.main(["shrink", "x", "--budget", "soon"])


@cases("budget, code", ("1ms", 0), ("60s", 130))
def test_the_best_so_far_is_written_when_it_ends_early(
    budget: str, code: int, api: httpx.Client, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    for byte in ("a1", "b2", "a1"):
        contract(api, byte)
    file = record()
    attempts = iter(range(10))

    def interrupted(self: Shrinker) -> None:
        self.kept = {n: linked for n, linked in self.kept.items() if n != 2}
        if next(attempts) == 0 and code:
            raise KeyboardInterrupt
        self._try(self.kept)

    monkeypatch.setattr(Shrinker, "shrink", interrupted)
    if not code:
        monkeypatch.setattr(
            "mockserver.server.edge.ticker.Ticker.real_ms", iter(range(0, 10**6, 1000)).__next__
        )
    assert cli.main(["shrink", str(file), "--budget", budget]) == code
    player, found = play(file.with_name("run.shrunk.jsonl").read_bytes())
    assert (found, player.number) == ([], 2)


def test_nothing_more_can_be_left_out_of_a_minimum() -> None:
    wanted = {3, 7, 8, 40}
    assert minimize(range(50), lambda items: wanted <= {*items}) == sorted(wanted)
    assert minimize([1, 2], lambda items: True) == []


def test_large_pieces_are_left_out_first_from_the_end() -> None:
    tried: list[list[int]] = []

    def holds(items: list[int]) -> bool:
        tried.append(items)
        return 2 in items

    assert minimize([1, 2, 3, 4, 5, 6, 7], holds) == [2]
    assert tried == [[1, 2, 3, 4], [1], [2, 3, 4], [2, 3], [2], [], []]


def test_single_items_are_left_out_until_none_can_be() -> None:
    tried: list[list[int]] = []

    def holds(items: list[int]) -> bool:
        tried.append(items)
        return False

    assert minimize([1, 2], holds) == [1, 2]
    assert tried == [[1], [2]]
    assert minimize([], bool) == []


def test_what_is_no_condition_exits_with_2(
    api: httpx.Client, record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    contract(api, "a1")
    assert cli.main(["shrink", str(record()), "--while", "status 409 at CreateContrat"]) == 2
    assert "did you mean CreateContract?" in capsys.readouterr().err


def test_what_is_written_repeats_and_shows_the_condition(
    api: httpx.Client, record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contract(api, "a1")
    contract(api, "a1")
    shrinker, _ = shrunk(record())
    write(shrinker, tmp_path / "again.jsonl")
    record_run = Shrinker.record

    def misrecord(self: Shrinker, sink: Sink) -> dict[int, Exchange]:
        return record_run(self, Altered(sink))

    with monkeypatch.context() as altered:
        altered.setattr(Shrinker, "record", misrecord)
        with pytest.raises(AssertionError, match="the shortened run does not repeat"):
            write(shrinker, tmp_path / "again.jsonl")
    monkeypatch.setattr(Shrinker, "shows_it", lambda self, made: False)
    with pytest.raises(AssertionError, match="the shortened run does not repeat"):
        write(shrinker, tmp_path / "again.jsonl")


class Altered:
    """Gives lines on, the answers with another status."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def write(self, *lines: dict[str, Any]) -> None:
        for line in lines:
            answer = {"answer": line["answer"] | {"status": 418}} if "answer" in line else {}
            self._sink.write(line | answer)


def test_a_run_that_cannot_be_written_exits_with_3(
    api: httpx.Client, record: Record, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    contract(api, "a1")
    contract(api, "a1")
    file = record()
    monkeypatch.setattr(
        "mockserver.replay.shrinking.command.RecordingFile", partial(RecordingFile, most_bytes=10)
    )
    assert cli.main(["shrink", str(file)]) == 3
    said = capsys.readouterr().err
    assert "run.shrunk.jsonl: the recording has stopped: it would be larger than 10 bytes" in said


def test_where_nothing_can_be_written_no_work_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, target = tmp_path / "run.jsonl", tmp_path / "nowhere" / "run.jsonl"
    file.touch()
    assert cli.main(["shrink", str(file), "--out", str(target)]) == 3
    assert f"{target}: there is no directory {target.parent}" in capsys.readouterr().err


def test_a_directory_is_no_recording(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["shrink", "."]) == 3
    assert "Is a directory" in capsys.readouterr().err


def test_bodies_that_are_no_text_stay_in_the_shorter_run(api: httpx.Client, record: Record) -> None:
    assert api.post("/v1/contracts", content=b"\xff").status_code == 400
    _, left = shrunk(record())
    assert [each["body"] for each in left] == [{"base64": "/w=="}]


def test_an_answer_that_comes_after_a_wait_can_be_what_stays() -> None:
    run = read_run(BytesIO(record_calls("late", "held", "none")))
    shrinker = make_shrinker(run, "status 404 at exchange 2", lambda: False)
    shrinker.shrink()
    assert [*shrinker.kept] == [2]
    lines = Collected()
    assert shrinker.shows_it(shrinker.record(lines))
    outcomes = [name for line in lines for name in ("waits", "answer") if name in line]
    assert (outcomes[0], outcomes[-1]) == ("waits", "answer")
