"""The names by which constraints name arguments and parts of them."""

from mockserver.domain.policies.criteria.arguments import Slot, find_constraint_problems, find_slot
from tests.tables import cases


def slot(name: str, *parts: Slot, is_list: bool = False) -> Slot:
    return Slot(name, "any", True, True, lambda value: value, lambda: parts, is_list)


ORDER = (slot("buyer"), slot("amount"))
SLOTS = [slot("to"), slot(""), slot("order", *ORDER), slot("orders", slot("", *ORDER), is_list=True)]


@cases(
    "name, steps",
    ("to", (0,)),
    ("1", (1,)),
    ("003", (3,)),
    ("4", None),
    ("0001", None),
    ("order.buyer", (2, 0)),
    ("order.1", (2, 1)),
    ("order.2", None),
    ("order.other", None),
    ("orders", (3,)),
    ("orders[0].amount", (3, 0, 1)),
    ("orders.12.buyer", (3, 12, 0)),
    ("orders.123456789.buyer", (3, 123456789, 0)),
    ("orders.1234567890.buyer", None),
    ("orders.first.buyer", None),
    ("to.part", None),
    ("to.", None),
)
def test_a_name_leads_to_an_argument_or_a_part_of_one(name: str, steps: tuple[int, ...] | None) -> None:
    found = find_slot(SLOTS, name)
    assert (found and found.steps) == steps


@cases("slots, named", ([], "none"), (SLOTS, "to, 1, order, orders"))
def test_an_unknown_name_is_told_those_that_there_are(slots: list[Slot], named: str) -> None:
    (problem,) = find_constraint_problems(slots, {"value": "1"}, "==")
    assert problem[0] == "value"
    assert named in problem[1]
