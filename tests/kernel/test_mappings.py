"""Mappings without what was not given."""

from mockserver.kernel.mappings import without_none


def test_only_none_is_left_out_and_the_order_stays() -> None:
    members: dict[str, object] = {"b": 0, "none": None, "a": "", "d": False, "c": []}
    assert list(without_none(members).items()) == [("b", 0), ("a", ""), ("d", False), ("c", [])]
