"""A recorded run replays to the same bytes and rows, and what was changed in it is located."""

from tests.replay.runs import play, record_calls
from tests.tables import cases


@cases("mode", "ticking", "frozen")
def test_what_a_rule_puts_off_replays(mode: str) -> None:
    recorded = record_calls("held", "late", "held", mode=mode)
    player, found = play(recorded)
    assert (found, player.number) == ([], 3)
    assert b'"resume"' in recorded


def test_a_difference_at_the_end_is_of_no_request() -> None:
    lines = record_calls("held").splitlines(keepends=True)
    waits = next(place for place, line in enumerate(lines) if b'"waits":true' in line)
    _, (found,) = play(b"".join([*lines[: waits + 1], lines[-1]]))
    assert (found.exchange, found.request) == (1, None)
    assert [*found.expected] == ["end"]
