"""A history keeps the latest events, within its bounds, and never numbers two alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.state.history.event import NO_CIRCUMSTANCES, Event
from mockserver.state.history.history import Histories, History, HistoryHead, measure

SMALL = 640
"""What an event takes at least."""
HEADER = 160
"""What a header takes beside its characters."""


def event(number: int, size: int = 0, call: int | None = None) -> Event:
    """An answered call whose body has a size; `call` is the event with which it arrived."""
    body = b"x" * size
    return Event(
        number, 0, "call", None, NO_CIRCUMSTANCES, call=call or number, status=200, response_body=body
    )


def arrival(number: int) -> Event:
    """A call that has arrived and waits."""
    return Event(number, 0, "call", None, NO_CIRCUMSTANCES, call=number)


def add(history: History, count: int, size: int = 0) -> None:
    """Record some calls."""
    for _ in range(count):
        history.add(event(history.last_number + 1, size))


def numbers(history: History) -> list[int]:
    """The numbers it holds, oldest first."""
    return [entry.number for entry in history]


def test_the_oldest_events_give_way_when_there_are_too_many() -> None:
    history = History(max_count=3)
    add(history, 5)
    assert numbers(history) == [3, 4, 5]
    assert len(history) == 3


def test_the_oldest_events_give_way_when_they_are_too_large() -> None:
    history = History(max_bytes=5_000)
    add(history, 3, size=1_500)
    assert numbers(history) == [2, 3]


def test_the_latest_event_is_kept_however_large() -> None:
    history = History(max_bytes=1_000)
    add(history, 2)
    add(history, 1, size=10_000)
    assert numbers(history) == [3]
    add(history, 1)
    assert numbers(history) == [4]


def test_what_a_history_says_was_dropped_is_never_too_little() -> None:
    history = History(max_count=2)
    add(history, 5)
    assert [history.dropped_since(number) for number in (0, 1, 3, 5)] == [3, 2, 0, 0]
    history.clear()
    add(history, 1)
    assert history.dropped_since(0) == 0
    goes_on = History()
    goes_on.fill(HistoryHead(last_number=7))
    add(goes_on, 2)
    assert (numbers(goes_on), goes_on.dropped_since(0)) == ([8, 9], 0)


def test_a_call_that_waited_has_several_events_and_counts_once() -> None:
    history = History()
    for each in (event(1), arrival(2), event(3), arrival(4), event(5, call=2)):
        history.add(each)
    assert [call.number for call in history.calls_since(0)] == [1, 5, 3, 4]
    assert [call.number for call in history.calls_since(2)] == [3, 4]
    assert [call.number for call in history.answered_since(1)] == [3, 5]
    assert [part.number for part in history.parts_of(event(5, call=2))] == [2, 5]
    assert history.calls == 3


def test_an_event_is_found_by_its_number_while_it_is_there() -> None:
    history = History(max_count=3)
    assert history.get(1) is None
    add(history, 5)
    assert [entry.number if (entry := history.get(n)) else None for n in range(7)] == [
        None, None, None, 3, 4, 5, None,
    ]  # fmt: skip
    assert history.get(-1) is None


def test_those_after_a_number_are_seen_like_a_list() -> None:
    history = History(max_count=4)
    assert list(history.since(0)) == []
    add(history, 6)
    for number in range(9):
        expected = [entry for entry in history if entry.number > number]
        view = history.since(number)
        assert list(view) == expected
        assert [view[place] for place in range(-len(view), len(view))] == [*expected, *expected]
        assert [*view[1:3], *view[::-1]] == [*expected[1:3], *expected[::-1]]
        for place in (len(view), -len(view) - 1):
            with pytest.raises(IndexError):
                view[place]


def test_each_header_makes_an_event_larger() -> None:
    headers = ((b"x-a", b"12345"), (b"x-b", b""))
    plain, answered = measure(event(1)), measure(event(1)._replace(response_headers=headers))
    asked = measure(event(1)._replace(request_headers={"x-a": "1", "x-b": ""}))
    assert plain == SMALL
    assert (asked - plain, answered - plain) == (2 * HEADER, 2 * HEADER + 11)


def test_numbers_go_on_counting_after_the_history_was_cleared() -> None:
    history = History()
    add(history, 2)
    history.clear()
    assert (len(history), history.get(1), history.last_number) == (0, None, 2)
    add(history, 1)
    assert numbers(history) == [3]


def test_the_longest_idle_history_makes_room_for_others() -> None:
    room = Histories(7 * SMALL)
    idle, busy = History(histories=room), History(histories=room)
    add(idle, 3)
    add(busy, 4)
    assert (numbers(idle), numbers(busy), room.bytes) == ([1, 2, 3], [1, 2, 3, 4], 7 * SMALL)
    add(busy, 1, size=SMALL)
    assert (numbers(idle), numbers(busy), room.bytes) == ([3], [1, 2, 3, 4, 5], 7 * SMALL)
    add(idle, 1, size=SMALL)
    assert (numbers(idle), numbers(busy), room.bytes) == ([3, 4], [3, 4, 5], 7 * SMALL)


def test_a_history_alone_gives_up_its_own_oldest() -> None:
    room = Histories(2 * SMALL)
    alone = History(histories=room)
    add(alone, 3)
    assert numbers(alone) == [2, 3]
    add(alone, 1, size=10_000)
    assert (numbers(alone), room.bytes) == ([4], 10_000 + SMALL)


def test_a_history_that_leaves_its_room_takes_no_place_in_it() -> None:
    room = Histories(3 * SMALL)
    gone, cleared, stays = (History(histories=room) for _ in range(3))
    add(gone, 1)
    add(cleared, 1)
    gone.leave()
    cleared.clear()
    assert room.bytes == 0
    add(gone, 5)
    add(stays, 3)
    assert (numbers(gone), numbers(stays), room.bytes) == ([1, 2, 3, 4, 5, 6], [1, 2, 3], 3 * SMALL)
    gone.join(room)
    assert (numbers(gone), numbers(stays), room.bytes) == ([4, 5, 6], [], 3 * SMALL)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3_000)), max_size=40), st.integers(600, 9_000))
def test_a_room_keeps_the_latest_within_its_bytes(added: list[tuple[int, int]], max_bytes: int) -> None:
    room = Histories(max_bytes)
    all_of_them = [History(max_count=4, histories=room) for _ in range(3)]
    for number, size in added:
        add(all_of_them[number], 1, size)
        assert numbers(all_of_them[number])[-1] == all_of_them[number].last_number
        held = [len(entry.response_body) + SMALL for history in all_of_them for entry in history]
        assert room.bytes == sum(held)
        assert room.bytes <= max_bytes or len(held) == 1


@given(st.lists(st.integers(0, 3_000), max_size=30), st.integers(1, 6), st.integers(600, 6_000))
def test_its_bounds_hold_and_it_forgets_little(sizes: list[int], max_count: int, max_bytes: int) -> None:
    history = History(max_count=max_count, max_bytes=max_bytes)
    for size in sizes:
        add(history, 1, size)
    kept = list(history)
    weights = [len(entry.response_body) + SMALL for entry in kept]
    assert len(kept) == 1 or not sizes or (len(kept) <= max_count and sum(weights) <= max_bytes)
    assert [entry.number for entry in kept] == list(range(len(sizes) - len(kept) + 1, len(sizes) + 1))
    if len(kept) < len(sizes):
        older = sizes[-len(kept) - 1] + SMALL
        assert len(kept) == max_count or sum(weights) + older > max_bytes
