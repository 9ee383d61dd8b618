"""The `expect` of scenarios: what it may say, and what comes of playing it."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from mockserver.api.endpoint import Routes
from mockserver.launch.play import Outcome, play_file
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.findings import ScenarioError
from tests.scenario.conftest import Load
from tests.tables import cases

Play = Callable[[str], Outcome]
CONTRACT = '{name: Token, chainId: 80002, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3"}'


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Plays a scenario's text as `mockserver test` does; it is called `test.yaml`."""
    monkeypatch.chdir(tmp_path)

    def play_text(text: str) -> Outcome:
        Path("test.yaml").write_text(dedent(text), encoding="utf-8")
        return play_file(Path("test.yaml"))

    return play_text


def test_all_is_as_expected(play: Play) -> None:
    played = play(f"""
        given:
          - call: CreateContract
            body: {CONTRACT}
            as: token
        expect:
          - call: GetContract
            path: {{id: "${{token.id}}"}}
            answer: {{headers: {{Content-Type: application/json}}, body: {{id: "${{token.id}}"}}}}
            as: same
          - call: GET /v1/contracts/${{same.id}}
            answer: {{text: {{contains: Token}}}}
    """)
    assert played == (0, [], 2)


def test_a_scenario_without_expect_has_nothing_that_fails(play: Play) -> None:
    assert play("name: nothing expected") == (0, [], 0)


@cases(
    "answer, found",

        ("503", "3:13: GetContracts: expected 503, found 200"),
        ("{headers: {a: '1'}}", "3:27: GetContracts: the header a: expected '1', found nothing"),
        ("{body: {total: 1}}", "3:28: GetContracts: total: expected 1, found 0"),
        ("{body: {'data[0].id': {present: true}}}",
         "3:35: GetContracts: data.0.id: expected it to be there, found nothing"),
        ("{text: '{}'}", "3:20: GetContracts: the body: expected '{}', found '{\"object\":\"list\""),
)  # fmt: skip
def test_what_is_otherwise_is_said_with_its_place(play: Play, answer: str, found: str) -> None:
    played = play(f"expect:\n  - call: GetContracts\n    answer: {answer}\n")
    assert played.code == 1
    assert len(played.lines) == 1
    assert played.lines[0].startswith(f"test.yaml:{found}")


def test_a_capture_that_cannot_be_expected_is_said_with_place(play: Play) -> None:
    played = play(f"""
        given:
          - {{call: CreateContract, body: {CONTRACT.replace("Token", "'('")}, as: token}}
        expect:
          - call: GetContracts
            answer: {{body: {{object: {{matches: "${{token.name}}"}}}}}}
    """)
    assert played.code == 1
    assert played.lines[0].startswith("test.yaml:6:39: the pattern '(' is not a pattern that RE2 reads: ")


def test_an_error_that_is_not_expected_is_said_in_its_own_words(play: Play) -> None:
    played = play("""
        expect:
          - call: GetContract
            path: {id: con_none}
    """)
    (line,) = played.lines
    assert line.startswith(
        "test.yaml:3:5: GetContract: expected no error, found 404 contract_not_found: There"
    )


def test_steps_after_one_that_fails_are_not_played(play: Play) -> None:
    played = play("""
        expect:
          - {call: GetContracts, answer: 503}
          - {call: GetContracts, answer: 504}
    """)
    assert len(played.lines) == 1


def test_a_request_that_is_to_be_refused_may_be_wrong(play: Play) -> None:
    played = play("""
        expect:
          - call: CreateContract
            body: {name: 5, colour: red}
            answer: {status: 400, body: {error.param: {present: true}}}
    """)
    assert played.code == 0


@cases(
    "fault, error",
    ("connection_reset_by_peer", "ReadError"),
    ("empty_response", "RemoteProtocolError"),
    ("timeout", "ReadTimeout"),
)
def test_a_broken_connection_is_expected_by_what_is_received(play: Play, fault: str, error: str) -> None:
    rules = f"rules: [{{when: GetContracts, then: {{fault: {fault}}}}}]\n"
    assert play(f"{rules}expect: [{{call: GetContracts, raises: {error}}}]").code == 0
    (line,) = play(f"{rules}expect: [{{call: GetContracts}}]").lines
    assert f"GetContracts: expected an answer, found {error}: " in line


def test_a_connection_that_breaks_in_another_way(play: Play) -> None:
    rules = "rules: [{when: GetContracts, then: {fault: empty_response}}]\n"
    (line,) = play(f"{rules}expect: [{{call: GetContracts, raises: ReadError}}]").lines
    assert "GetContracts: expected ReadError, found RemoteProtocolError: " in line


def test_an_answer_where_a_broken_connection_is_expected(play: Play) -> None:
    (line,) = play("expect: [{call: GetContracts, raises: ReadError}]").lines
    assert line == "test.yaml:1:39: GetContracts: expected ReadError, found an answer with 200"


def test_a_call_that_is_repeated_has_the_same_outcome_each_time(play: Play) -> None:
    rules = "rules: [{when: {call: GetContracts, nth: 3}, then: {answer: 503}}]\n"
    assert play(f"{rules}expect: [{{call: GetContracts, repeat: 2}}]").code == 0
    (line,) = play(f"{rules}expect: [{{call: GetContracts, repeat: 3}}]").lines
    assert "GetContracts (3 of 3): expected no error, found 503" in line


def test_a_ticking_clock_is_frozen_and_delays_take_no_time(play: Play) -> None:
    rules = "clock: ticking\nrules: [{then: {delay: 2h}}]\n"
    assert play(f"{rules}expect: [{{call: GetContracts, takes: 2h}}]").code == 0
    (line,) = play(f"{rules}expect: [{{call: GetContracts, takes: 1h}}]").lines
    assert line.endswith("GetContracts: expected it to take 3600000 ms, found 7200000 ms")


def test_a_code_and_a_link_are_taken_out_of_the_outbox(play: Play) -> None:
    played = play("""
        settings: {email_verification_required: true}
        expect:
          - call: signUpEmail
            body: {name: Ada, email: ada@example.com, password: correct horse}
          - outbox: {to: ada@example.com, kind: verify-email}
            as: mail
          - follow: "${mail.url}"
            answer: 302
          - call: sendVerificationOTP
            body: {email: ada@example.com, type: sign-in}
          - outbox: {to: ada@example.com}
            as: newer
          - call: signInEmailOTP
            body: {email: ada@example.com, otp: "${newer.code}"}
    """)
    assert played == (0, [], 6)


def test_a_message_that_is_not_in_the_outbox(play: Play) -> None:
    played = play("""
        expect:
          - call: sendVerificationOTP
            body: {email: ada@example.com, type: sign-in}
          - outbox: {to: grace@example.com}
    """)
    message = "expected a message (to grace@example.com), found sign-in to ada@example.com"
    assert played.lines == [f"test.yaml:5:5: {message}"]


def test_the_clock_is_advanced(play: Play) -> None:
    played = play("""
        expect:
          - advance: 1h
          - call: GetClock
            answer: {body: {now: "2026-01-01T01:00:00.000Z"}}
    """)
    assert played.code == 0


def test_given_that_fails_is_a_failure(play: Play) -> None:
    played = play("""
        given: [{call: GetContract, path: {id: con_none}}]
        expect: [{call: GetContracts}]
    """)
    assert played.code == 1
    assert "GetContract was refused with 404" in played.lines[0]


@cases(
    "step, message",
    ("call: GetContrcts", "'GetContrcts' is not an operation (did you mean GetContracts?)"),
    ("call: LoadScenari", "'LoadScenari' is not an operation (did you mean LoadScenario?)"),
    ("{call: GetContracts, answer: 200, raises: ReadError}", "answer and raises exclude each other"),
    ("{call: GetContracts, raises: OSError}", "raises is ReadError, RemoteProtocolError or ReadTimeout, not"),
    ("{call: GetContracts, anser: 200}", "did you mean answer?"),
    (
        "{call: GetContracts, answer: {}}",
        "an expected answer has at least one of status, headers, body, text",
    ),
    ("{call: GetContracts, answer: 99}", "status is a whole number from 200 to 599"),
    ("advance: 5", "advance is a time span"),
    ("outbox: {channel: fax}", "channel is email or sms"),
    ("{call: CreateContract, body: {name: 5}}", "name: "),
    ("{call: GetContract, path: {id: '${tokn.id}'}}", "'tokn' is not captured by an earlier step"),
    ("{}", "a call of expect has a call"),
    ("[]", "a call of expect is a mapping of"),
)
def test_a_mistake_in_expect_is_found_in_reading(step: str, message: str, routes: Routes) -> None:
    with pytest.raises(ScenarioError) as refused:
        read(f"expect:\n  - {step}\n", "test.yaml", routes)
    assert message in str(refused.value)


def test_names_of_expect_and_given_are_different(routes: Routes) -> None:
    text = "given: [{call: GetContracts, as: all}]\nexpect: [{call: GetContracts, as: all}]\n"
    with pytest.raises(ScenarioError, match="2:35: the name 'all' is taken"):
        read(text, "test.yaml", routes)


def test_loading_leaves_expect_out(load: Load) -> None:
    loaded = load("expect: [{call: GetContracts, answer: 503}]")
    assert (loaded.rules, loaded.captured) == ((), {})


@cases(
    "step",
    "{verify: GetContracts}",
    "{verify: {call: GetContracts, exactly: 2}}",
    "{verify: {call: GetContracts, query: {limit: 5}, between: [1, 1]}}",
    "{verify: {call: CreateContract, never: true}}",
    "{verify: {at_least: 2, at_most: 3}}",
    "{verify_sequence: [GetContracts, {call: GetContracts, query: {limit: 5}}]}",
)
def test_the_calls_so_far_are_verified(play: Play, step: str) -> None:
    calls = "{call: GetContracts}, {call: GetContracts, query: {limit: 5}}"
    assert play(f"expect: [{calls}, {step}]") == (0, [], 3)


@cases(
    "step, found",
    ("{verify: {call: GetContracts, exactly: 3}}", "expected exactly 3 calls of GetContracts, found 1"),
    ("{verify: {call: GetContracts, never: true}}", "expected no calls of GetContracts, found 1"),
    ("{verify: {query: {limit: 5}}}", "limit in the query is missing; expected 5"),
    ("{verify_sequence: [GetContracts, GetContracts]}", "as step 2 of 2 after #1 GetContracts, found none"),
)
def test_calls_that_are_not_as_verified_are_named(play: Play, step: str, found: str) -> None:
    played = play(f"expect: [{{call: GetContracts}}, {step}]")
    assert played.code == 1
    assert found in played.lines[0]


def test_a_count_of_calls_is_said_once(routes: Routes) -> None:
    with pytest.raises(ScenarioError, match="exactly says already how many calls there have to be"):
        read("expect: [{verify: {call: GetContracts, exactly: 1, at_most: 3}}]", "test.yaml", routes)
