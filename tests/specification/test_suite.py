"""The suite as a whole."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from tests.specification.checks import Check
from tests.specification.test_access import access_checks
from tests.specification.test_answers import answer_checks
from tests.specification.test_cases import case_checks
from tests.specification.test_documented import documented_checks
from tests.specification.test_lists import list_checks
from tests.specification.test_requests import request_checks
from tests.specification.test_states import story_checks


def all_checks() -> Iterator[Check]:
    """Every check of every line."""
    makers = (
        access_checks,
        answer_checks,
        case_checks,
        documented_checks,
        list_checks,
        request_checks,
        story_checks,
    )
    return chain.from_iterable(make() for make in makers)


def test_each_check_has_a_name_of_its_own() -> None:
    names = Counter(f"{check.operation.id}.{check.name}" for check in all_checks())
    assert [name for name, count in names.items() if count > 1] == []
