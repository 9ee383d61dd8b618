"""Answers that many resources share."""

from mockserver.responses.shapes import deletion_answer, optional, present


def test_only_optional_members_without_a_value_are_left_out() -> None:
    values: tuple[object, ...] = (0, "", False, [])
    answer = {f"optional_{value}": optional(value) for value in (None, *values)}
    assert present({"null": None, **answer}) == {"null": None} | {f"optional_{v}": v for v in values}


def test_a_deletion_says_what_is_gone() -> None:
    assert deletion_answer("con_1", "contract") == {"id": "con_1", "object": "contract", "deleted": True}
