"""What is wrong in a world after a failure, how a run is judged, and what exploring comes to."""

import json
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mockserver.exploring.judging import Ending, Judgement, judge
from mockserver.exploring.plan import OF_WEBHOOKS, Trial, has_user_token, paths_of, plan
from mockserver.exploring.report import Result, find, lines_of, read_known, trial_of, write_report
from mockserver.exploring.world import Thing, compare, find_random
from mockserver.pytest_plugin.exploring import _Hung, _Run, _time_limit
from tests.tables import cases

PATHS = {path.id: path for path in paths_of("CreateContract")}


def things(kind: str, *states: str, what: str = '["Ada"]') -> Counter[Thing]:
    """A world with things of a kind in some states."""
    return Counter(Thing(kind, what, state) for state in states)


def trial(name: str = "503 once", makes: str = "", **members: Any) -> Trial:
    made = Trial("test_pays", "CreateContract", 1, PATHS[name], 0, frozenset([makes] if makes else []))
    return made._replace(**members)


USERS, CONTRACTS = "identity.users", "onchain.contracts"
GOOD, BAD, OPEN = "successful", "failed", "sent"


@cases(
    "kind, before, after, makes, wrong",
    ("user", [""], [""], "", []),
    ("user", [""], ["", ""], "", ["user Ada: made twice (2 in place of 1)"]),
    ("user", [""], ["", ""], USERS, []),
    ("contract", [""], ["", ""], CONTRACTS, ["contract Ada: made twice (2 in place of 1)"]),
    ("user", [], [""], "", ["user Ada: left behind (1 in place of 0)"]),
    ("session", [], [""], "", ["session Ada: kept (1 in place of 0)"]),
    ("user", ["", ""], [""], "", ["user Ada: lost (1 in place of 2)"]),
    ("transaction", [GOOD], [OPEN], "", ["transaction Ada: left pending (sent)"]),
    ("transaction", [OPEN], [OPEN], "", []),
    ("transaction", [GOOD], [BAD, BAD], "", ["transaction Ada: lost (2 failed in place of 1)"]),
)
def test_what_is_wrong_in_a_world_is_said(
    kind: str, before: list[str], after: list[str], makes: str, wrong: list[str]
) -> None:
    assert compare(things(kind, *before), things(kind, *after), trial(makes=makes), ()) == wrong


def test_a_thing_is_named_by_what_is_no_structure() -> None:
    made = things("transaction", GOOD, what='[84532, true, "Ada", "x", {}]')
    assert compare(Counter(), made, trial(), ()) == ["transaction 84532 Ada: left behind (1 in place of 0)"]
    made = things("contract", "", what='[true, 1, false, null, "0x11"]')
    assert compare(Counter(), made, trial(), ()) == ["contract 1 0x11: left behind (1 in place of 0)"]
    made = things("contract", "", what='["\x9b31m\\n"]')
    assert compare(Counter(), made, trial(), ()) == [r"contract \x9b31m\n: left behind (1 in place of 0)"]


def test_what_is_there_already_may_be_made_no_more() -> None:
    (is_there,) = [path for path in PATHS.values() if path.is_there][:1]
    before, after = things("contract", ""), things("contract")
    assert compare(before, after, trial(is_there.id, CONTRACTS), ()) == []
    assert compare(before, after, trial(is_there.id), ()) != []
    assert compare(before, after, trial("503 once", CONTRACTS), ()) != []


def test_things_that_are_told_apart_by_random_data_are_counted() -> None:
    first, second = things("user", "", what='["a"]'), things("user", "", what='["b"]')
    assert find_random(first, second) == find_random(second, first | first) == {"user"}
    assert find_random(first, first) == frozenset()
    assert compare(first, second, trial(), ["user"]) == []
    assert compare(first, first + second, trial(), ["user"]) == ["user: made twice (2 in place of 1)"]


@cases(
    "ending, wrong, verdict",
    (Ending(True, is_hung=True, is_reached=False), ["x"], "hung"),
    (Ending(True, is_reached=False), ["x"], "not reached"),
    (Ending(True), ["x"], "missed"),
    (Ending(True), [], "survived"),
    (Ending(False, is_own=True), ["x"], "noticed"),
    (Ending(False), ["x"], "crashed"),
)
def test_a_run_is_judged_by_what_holds_first(ending: Ending, wrong: list[str], verdict: str) -> None:
    assert judge(ending, wrong).verdict == verdict


def result(verdict: str, place: int = 1, *reasons: str, **members: Any) -> Result:
    given = {"trial": trial(place=place), "judgement": Judgement(verdict, reasons), **members}
    return Result(**given)


@cases(
    "verdict, reasons, advice",
    ("missed", ["contract: made twice (2 in place of 1)", "x: lost"], "send an idempotency key"),
    ("missed", ["x: left pending (sent)"], "wait until it is settled"),
    ("missed", ["x: what no word is about"], ""),
    ("hung", [], "bound the attempts"),
    ("crashed", ["made twice"], "catch it"),
    ("noticed", ["made twice"], ""),
)
def test_a_finding_has_its_advice(verdict: str, reasons: list[str], advice: str) -> None:
    shown = result(verdict, 1, *reasons)
    assert shown.advice.startswith(advice)
    assert bool(shown.advice) == bool(advice)
    of_webhook = shown._replace(trial=trial(path=OF_WEBHOOKS[0]))
    assert of_webhook.advice.startswith("work a webhook off once" if verdict == "missed" else advice)


def test_a_webhook_that_is_taken_unverified_is_to_be_verified() -> None:
    shown = result("missed", 1, "webhook: taken unverified", trial=trial(path=OF_WEBHOOKS[4]))
    assert shown.advice.startswith("compare the signature")


def test_alike_findings_are_shown_once_and_the_worst_first(tmp_path: Path) -> None:
    results = [
        result("crashed", 3, "x"),
        result("missed", 2, "lost", trial=trial("500", place=2)),
        result("missed", 1, "lost", trial=trial("503 once", rank=1)),
        result("missed", 4, "lost", is_stable=False),
        result("survived", 5),
        result("noticed", 6),
        result("not reached", 7),
    ]
    assert [alike[0].trial.place for alike in find(results)] == [2, 4, 3]
    shown = lines_of(results, 3, tmp_path)
    assert shown[:9] == [
        "your client survives 2 of 6 failures",
        "3 missed, 1 crashed, 1 noticed, 1 survived, 1 not reached",
        "",
        f"1. missed: {PATHS['500'].title} (CreateContract 2)",
        "   test_pays",
        "   lost",
        "   the same with 503 once",
        "   check the status of the answer before you go on",
        f"   pytest --mockserver-explore-check {tmp_path / 'finding-0001.yaml'}",
    ]
    assert "   another run has shown something else" in shown
    assert shown[-1] == "3 more were not tried: give it more time"


def test_a_report_has_what_was_tried_and_files_of_findings(tmp_path: Path) -> None:
    for name in ("finding-0009.yaml", "finding-0009.jsonl", "1.jsonl", "2.jsonl", "kept.jsonl"):
        (tmp_path / name).write_text(name)
    missed = result("missed", 1, "lost", recording="1.jsonl")
    write_report(tmp_path, [missed, result("survived", 2), result("not reached", 3)], 4, ["npm", "test"])
    names = {"finding-0001.yaml", "finding-0001.jsonl", "kept.jsonl", "report.json", "report.html"}
    assert {file.name for file in tmp_path.iterdir()} == names
    assert (tmp_path / "finding-0001.jsonl").read_text() == "1.jsonl"
    found = trial_of(tmp_path / "finding-0001.yaml")
    assert found == missed.trial._replace(rank=[*PATHS].index("503 once"))
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["results"]["survived"], report["untried"], len(report["tried"])) == (1, 4, 3)
    assert report["findings"][0]["recording"] == "finding-0001.jsonl"
    known = read_known(tmp_path, ["npm", "test"])
    assert known == {trial(place=2).id: Judgement("survived")}
    assert read_known(tmp_path) == {}


def entry(
    n: int, operation: str | None = "CreateContract", rule: str | None = None, made: bool = True
) -> Any:
    rows = [{"table": CONTRACTS, "change": "created"}, {"table": "x", "change": "updated"}] if made else []
    request: dict[str, Any] = {"headers": {}}
    return {"n": n, "operation": operation, "rule": rule, "effects": {"rows": rows}, "request": request}


def test_each_call_is_tried_but_those_of_fixtures() -> None:
    journal = [entry(1), entry(2, None), entry(3, rule="r"), entry(4), entry(5)]
    tried = [*plan("t", journal, since=1)]
    assert {each.place for each in tried} == {2, 3}
    assert {each.makes for each in tried} == {frozenset([CONTRACTS])}
    assert [each.rank for each in tried if each.place == 2][:2] == [0, 1]
    assert "session expired" not in {each.path.id for each in tried}


def test_of_equal_reads_the_first_and_the_last_are_tried() -> None:
    reads = [entry(number, "GetContracts", made=False) for number in range(1, 5)]
    assert {each.place for each in plan("t", reads)} == {1, 4}


@cases("token, is_user", ("", False), ("Bearer sk_a", False), ("Bearer pk_a", False), ("Bearer ey.a", True))
def test_the_token_of_a_user_is_no_key(token: str, is_user: bool) -> None:
    assert has_user_token({"request": {"headers": {"authorization": token} if token else {}}}) == is_user


def test_what_takes_too_long_is_ended() -> None:
    run = _Run(limit_s=0.01)
    with pytest.raises(_Hung), _time_limit(run):
        threading.Event().wait(60)
    assert run.is_hung
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    with _time_limit(_Run()):
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
