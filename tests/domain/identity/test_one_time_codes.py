"""One-time codes: six digits, five minutes, three wrong tries."""

from dataclasses import replace

import pytest

from mockserver.domain.identity.one_time_codes import check_code, issue_code, spend_code
from mockserver.errors import ApiError
from mockserver.state.project import Project

TO = "ada@example.com"


def wrong(code: str) -> str:
    return "000000" if code != "000000" else "000001"


def refused(project: Project, code: str, purpose: str = "sign-in") -> str:
    """The code of the refusal, after what a refused call leaves."""
    project.undo.mark()
    with pytest.raises(ApiError) as caught:
        spend_code(project, purpose, TO, code)
    project.undo.roll_back()
    return caught.value.row.code


def test_a_code_has_six_digits_of_its_own(project: Project) -> None:
    codes = {issue_code(project, "sign-in", f"{number}@example.com") for number in range(20)}
    assert len(codes) > 1
    assert all(len(code) == 6 and code.isdigit() for code in codes)


def test_a_project_may_fix_the_code(project: Project) -> None:
    project.settings = replace(project.settings, one_time_code="1234")
    assert issue_code(project, "sign-in", TO) == "1234"


def test_a_code_is_spent_once(project: Project) -> None:
    code = issue_code(project, "sign-in", TO)
    check_code(project, "sign-in", TO, code)
    spend_code(project, "sign-in", TO, code)
    assert refused(project, code) == "INVALID_OTP"


def test_a_spent_code_stays_spent_when_the_call_is_refused(project: Project) -> None:
    code = issue_code(project, "sign-in", TO)
    project.undo.mark()
    spend_code(project, "sign-in", TO, code)
    project.undo.roll_back()
    assert refused(project, code) == "INVALID_OTP"


def test_three_wrong_tries_are_one_too_few_to_go_on(project: Project) -> None:
    code = issue_code(project, "sign-in", TO)
    assert [refused(project, wrong(code)) for _ in range(3)] == ["INVALID_OTP"] * 3
    assert refused(project, code) == "TOO_MANY_ATTEMPTS"
    assert refused(project, code) == "INVALID_OTP"


def test_two_wrong_tries_leave_the_right_one(project: Project) -> None:
    code = issue_code(project, "sign-in", TO)
    refused(project, wrong(code))
    refused(project, wrong(code))
    spend_code(project, "sign-in", TO, code)


def test_a_code_is_good_for_five_minutes(project: Project) -> None:
    code = issue_code(project, "sign-in", TO)
    project.clock.move_to(project.clock.now_ms + 299_999)
    check_code(project, "sign-in", TO, code)
    project.clock.move_to(project.clock.now_ms + 1)
    assert refused(project, code) == "OTP_EXPIRED"
    assert refused(project, code) == "INVALID_OTP"


def test_a_new_code_voids_the_old_one_and_its_tries(project: Project) -> None:
    old = issue_code(project, "sign-in", TO)
    for _ in range(3):
        refused(project, wrong(old))
    new = issue_code(project, "sign-in", TO)
    assert new != old
    assert refused(project, old) == "INVALID_OTP"
    spend_code(project, "sign-in", TO, new)
    assert refused(project, old) == "INVALID_OTP"


def test_a_code_is_good_for_its_purpose_and_address_only(project: Project) -> None:
    code = issue_code(project, "sign-in", TO)
    assert refused(project, code, "email-verification") == "INVALID_OTP"
    with pytest.raises(ApiError):
        check_code(project, "sign-in", "eve@example.com", code)
    spend_code(project, "sign-in", TO, code)
