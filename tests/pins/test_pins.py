"""Answers change by decision, not by accident: users keep recordings, and ids of a seed."""

from tests.pins.pinned import NAMED, digest_of, read, values
from tests.tables import cases

PINNED, NOW = read(), values()
ADVICE = (
    "If users are meant to see other bytes, pin them with `python -m tests.pins` and write a line of the "
    "changelog. If not, `python -m tests.regression` shows which answers differ between two checkouts."
)


@cases("name", *sorted({*PINNED["values"], *NOW}))
def test_a_seed_gives_the_values_that_it_gave(name: str) -> None:
    assert NOW.get(name) == PINNED["values"].get(name), ADVICE


@cases("name", *sorted({*PINNED["journeys"], *NAMED}))
def test_a_journey_is_answered_as_it_was(name: str) -> None:
    assert name in NAMED, ADVICE
    assert digest_of(NAMED[name]) == PINNED["journeys"].get(name), ADVICE
