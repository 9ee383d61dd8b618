"""Patterns and large data take no more work than is allowed."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from mockserver import patterns
from mockserver.chain.abi.functions import Function, find_function
from mockserver.domain.policies.criteria import Effort, Facts, calls, find_problems, match_criterion
from mockserver.kernel.effort import ALLOWED
from tests.domain.policies.criteria.helpers import ALICE, call_of, calldata, criterion, transfer
from tests.tables import cases

TRANSFER = calldata("transfer", ["address", "uint256"], [ALICE, 1])


def test_a_hanging_pattern_answers_at_once() -> None:
    started = time.process_time()
    finding = match_criterion(criterion("evmMessage", pattern="^(a+)+$"), Facts(evmMessage="a" * 8_000 + "!"))
    assert finding.reason == "evmMessage does not match ^(a+)+$"
    assert time.process_time() - started < 1


@cases(
    "pattern, limit",
    ("a" * 501, "500"),
    ("(?:[ab]{50}){19}[ab]{999}[ab]{999}[ab]{999}", "3,000"),
    (r"\pL{900}", "3,000"),
    (".{1,400}", "3,000"),
)
@cases("kind", "message", "field", "argument")
def test_a_pattern_that_is_too_large_is_refused_with_the_limit(kind: str, pattern: str, limit: str) -> None:
    operation, given, member = {
        "message": ("signEvmMessage", criterion("evmMessage", pattern=pattern), "pattern"),
        "field": (
            "signEvmTypedData",
            criterion("evmTypedDataField", operator="match", value=pattern),
            "value",
        ),
        "argument": ("sendEvmTransaction", call_of("rename", "match", {"name": pattern}), "args.name"),
    }[kind]
    found = find_problems(given, operation)
    assert list(found) == [member]
    assert limit in found[member]


@cases("pattern", r"^\p{L}[\p{L}\p{N}]*$", ".{1,200}", "^0x[0-9a-fA-F]{64}$", "a" * 500)
def test_a_pattern_of_a_usual_size_is_sound(pattern: str) -> None:
    assert find_problems(criterion("evmMessage", pattern=pattern), "signEvmMessage") == {}


def test_a_text_too_long_for_patterns_matches_none_and_is_told() -> None:
    wanted = criterion("evmMessage", pattern="^é")
    assert match_criterion(wanted, Facts(evmMessage="é" * 4_096)).matched
    finding = match_criterion(wanted, Facts(evmMessage="é" * 4_096 + "!"))
    assert not finding.matched
    assert finding.reason == "evmMessage has 8,193 bytes, and only 8,192 are held against ^é"


def test_a_requests_patterns_take_no_more_than_the_allowed_work(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []

    def is_found(text: str) -> bool:
        steps.append(len(text) * patterns.LARGEST_PROGRAM)
        return False

    largest = patterns.CompiledPattern(is_found, patterns.LARGEST_PROGRAM)
    monkeypatch.setattr(patterns, "compile_pattern", lambda pattern: largest)
    effort, facts = Effort(), Facts(evmMessage="a" * 2_000)
    findings = [
        match_criterion(criterion("evmMessage", pattern=f"a{at}"), facts, effort) for at in range(100)
    ]
    assert 0 < sum(steps) <= ALLOWED
    assert findings[0].reason == "evmMessage does not match a0"
    assert findings[99].reason == "evmMessage comes after too much other work to be held against a99"
    assert not any(finding.matched for finding in findings)


def test_many_patterns_are_not_compiled_for_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_pattern = patterns.compile_pattern

    def counted(pattern: str) -> Any:
        compiled.append(pattern)
        return compile_pattern(pattern)

    monkeypatch.setattr(patterns, "compile_pattern", counted)
    effort = Effort()
    for at in range(1_000):
        match_criterion(criterion("evmMessage", pattern="a" * 100 + str(at)), Facts(evmMessage="a"), effort)
    assert sum(map(len, compiled)) < 20_000


def test_a_large_text_is_decoded_for_so_many_criteria() -> None:
    data = calldata("rename", ["string"], ["a" * 400_000])
    effort = Effort()
    wanted = call_of("rename", "==", {"name": "b"})
    reasons = [match_criterion(wanted, Facts(data=data), effort).reason for _ in range(30)]
    assert reasons[0].startswith("data calls rename(string): name aaa")
    assert reasons[29] == "data comes after too much other work to be read as rename(string)"


@cases(
    "wanted, facts, document, name",
    (call_of("transfer", "==", {"value": "1"}), Facts(data=TRANSFER), "abi", "transfer(address,uint256)"),
    (criterion("solData"), Facts(instructionData="AAAA"), "idl", "pay"),
)
def test_data_for_which_no_work_is_left_is_not_read(
    wanted: dict[str, Any], facts: Any, document: str, name: str
) -> None:
    steps, ((fact, data),) = 2 * len(wanted[document]), facts.items()
    for left, what in (
        (steps - 1, f"to read the {document.upper()}"),
        (steps + 2 * len(data) - 1, f"to be read as {name}"),
    ):
        found = match_criterion(wanted, facts, Effort(left))
        assert found.reason == f"{fact} comes after too much other work {what}"
    assert "work" not in match_criterion(wanted, facts, Effort(steps + 2 * len(data))).reason


def test_an_abi_is_read_once_for_all_calls_of_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def counted(abi: Sequence[Mapping[str, object]], name: str, count: int | None) -> Function:
        reads.append(name)
        return find_function(abi, name, count)

    monkeypatch.setattr(calls, "find_function", counted)
    effort, wanted = Effort(), call_of("transfer", "in", {"to": [ALICE]})
    for value in range(256):
        assert match_criterion(wanted, Facts(data=transfer(ALICE, value)), effort).matched
    assert reads == ["transfer"]


def test_a_unicode_class_weighs_as_much_as_a_hundred_characters() -> None:
    assert patterns.pattern_weight(r"^\p{L}\PN$") == 10 + 200
