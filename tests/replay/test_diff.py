"""`mockserver diff`: what a client did otherwise in another run."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from httpx import Client

from mockserver import cli
from mockserver.replay.diff import find_divergences, lines_of
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.steps import RecordedRequest, Step
from mockserver.server.edge.app import App
from tests.replay.recorded import contract

Made = Callable[[Client], object]
Diff = Callable[[Made, Made], list[str]]


@pytest.fixture
def diff(app: App, api: Client) -> Diff:
    """What `mockserver diff` says of two runs of a client, each of which begins with an empty project."""

    def run(made: Made) -> Run:
        api.post("/_mock/projects/-/reset")
        app.recordings.start()
        made(api)
        app.recordings.stop()
        return read_run(BytesIO(app.recordings.read()))

    return lambda before, after: [*lines_of([*find_divergences(run(before), run(after), ("A", "B"))])]


def test_equal_runs_do_not_differ(diff: Diff) -> None:
    def made(api: Client) -> None:
        contract(api, "a1")
        api.get("/v1/nothing")

    assert diff(made, made) == ["calls that differ: none"]


def test_what_was_asked_and_answered_otherwise_is_said(diff: Diff) -> None:
    def green(api: Client) -> None:
        contract(api, "a1")
        contract(api, "b2", headers={"x-idempotency-key": "once"})

    def red(api: Client) -> None:
        contract(api, "a1")
        contract(api, "a1")

    said = diff(green, red)
    assert said[0] == (
        "exchange 2: CreateContract differs in request header x-idempotency-key, request body /name, "
        "request body /address"
    )
    assert said[-4:] == [
        "  answer",
        "    expected 200",
        "    got      409 contract_already_exists",
        "calls that differ: 1",
    ]


def test_a_call_that_one_run_has_alone_is_named(diff: Diff) -> None:
    def polled(times: int) -> Made:
        def made(api: Client) -> None:
            contract(api, "a1")
            for _ in range(times):
                api.get("/v1/contracts")
            api.get("/v1/sessions" if times == 2 else "/v1/nothing")

        return made

    assert diff(polled(2), polled(3)) == [
        "only in B: exchange 4, GetContracts, 200",
        "only in A: exchange 4, GetPlayerSessions, 400 invalid_parameters",
        "only in B: exchange 5, GET /v1/nothing, 404 unknown_path",
        "calls that differ: 3",
    ]


def test_of_calls_of_one_operation_the_missing_one_is_named(diff: Diff) -> None:
    def made(*names: str) -> Made:
        return lambda api: [api.get(f"/v1/contracts?name={name}") for name in names]

    assert diff(made("a", "b", "c", "d"), made("b", "c", "e")) == [
        "only in A: exchange 1, GetContracts, 200",
        "exchange 4 (3): GetContracts differs in request query",
        "  request query",
        "    expected name=d",
        "    got      name=e",
        "calls that differ: 2",
    ]


def test_calls_of_json_rpc_are_compared_by_their_methods(diff: Diff) -> None:
    def asked(*methods: str) -> Made:
        def made(api: Client) -> None:
            for method in methods:
                call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": []}
                api.post("/_mock/projects/-/chains/80002/rpc", json=call)

        return made

    both = asked("eth_chainId", "eth_blockNumber"), asked("eth_blockNumber")
    assert diff(*both) == ["only in A: exchange 1, eth_chainId, 200", "calls that differ: 1"]


def test_bodies_that_are_not_json_are_compared(diff: Diff) -> None:
    def sent(*bodies: bytes) -> Made:
        return lambda api: [api.post("/v1/contracts", content=body) for body in bodies]

    said = diff(sent(b"\xff0", b"{a", b"{}"), sent(b"\xff1", b"{b", b"{ }"))
    assert said == [
        "exchange 1: CreateContract differs in request body",
        "  request body",
        '    expected {"base64": "/zA="}',
        '    got      {"base64": "/zE="}',
        "exchange 2: CreateContract differs in request body",
        "  request body",
        "    expected {a",
        "    got      {b",
        "calls that differ: 2",
    ]


def test_long_runs_of_few_operations_are_compared_at_once() -> None:
    def run(paths: list[str]) -> Run:
        requests = (RecordedRequest("GET", path, ()) for path in paths)
        steps = tuple(Step(n=number, request=request) for number, request in enumerate(requests, 1))
        return Run("", b"", steps, frozenset(), frozenset())

    paths = ["/v1/contracts", "/v1/players"] * 5000
    more = [each for n, path in enumerate(paths) for each in (["/v1/more", path] if n % 100 == 0 else [path])]
    found = [*find_divergences(run(paths), run(more), ("A", "B"))]
    assert len(found) == 100
    assert found[0][0] == "only in B: exchange 1, GET /v1/more, none"


def test_a_recording_without_its_end_is_said_to_be_cut(
    app: App, api: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    app.recordings.start(whole)
    api.get("/v1/contracts")
    app.recordings.close()
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:-1]))
    assert cli.main(["diff", str(whole), str(cut)]) == 0
    assert capsys.readouterr().err.strip() == (
        f"mockserver: {cut} has no end: more may have happened than is in it"
    )


def test_of_many_differences_the_first_are_shown(diff: Diff) -> None:
    def made(amount: int) -> Made:
        return lambda api: [api.get(f"/v1/contracts?limit={amount + each}") for each in range(40)]

    said = diff(made(1), made(51))
    assert said[1:4] == ["  request query", "    expected limit=1", "    got      limit=51"]
    assert said[-2:] == ["… and 10 more", "calls that differ: 40"]
    assert len(said) < 60
