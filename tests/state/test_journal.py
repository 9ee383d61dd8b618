"""The journal keeps the latest exchanges, within its bounds, and never numbers two alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.state.journal import Exchange, Journal, LogRoom


def exchange(number: int, size: int = 0) -> Exchange:
    """An exchange with a body of a size."""
    return Exchange(number, 0, "GET", "/", "", None, 0, {}, b"", 200, (), b"x" * size, None)


def add(journal: Journal, count: int, size: int = 0) -> None:
    """Record some exchanges."""
    for _ in range(count):
        journal.add(exchange(journal.last_number + 1, size))


def numbers(journal: Journal) -> list[int]:
    """The numbers it holds, oldest first."""
    return [entry.number for entry in journal]


def test_the_oldest_exchanges_give_way_when_there_are_too_many() -> None:
    journal = Journal(max_count=3)
    add(journal, 5)
    assert numbers(journal) == [3, 4, 5]
    assert len(journal) == 3


def test_the_oldest_exchanges_give_way_when_they_are_too_large() -> None:
    journal = Journal(max_bytes=5_000)
    add(journal, 3, size=1_500)
    assert numbers(journal) == [2, 3]


def test_the_latest_exchange_is_kept_however_large() -> None:
    journal = Journal(max_bytes=1_000)
    add(journal, 2)
    add(journal, 1, size=10_000)
    assert numbers(journal) == [3]
    add(journal, 1)
    assert numbers(journal) == [4]


def test_what_came_before_the_first_entry_of_a_journal_that_goes_on_counts_as_dropped() -> None:
    journal = Journal()
    journal.last_number = 7
    assert [journal.dropped_since(number) for number in (0, 5, 7)] == [7, 2, 0]
    add(journal, 2)
    assert [journal.dropped_since(number) for number in (0, 5, 7, 8)] == [7, 2, 0, 0]


def test_an_exchange_is_found_by_its_number_while_it_is_there() -> None:
    journal = Journal(max_count=3)
    assert journal.get(1) is None
    add(journal, 5)
    assert [entry.number if (entry := journal.get(n)) else None for n in range(7)] == [
        None, None, None, 3, 4, 5, None,
    ]  # fmt: skip
    assert journal.get(-1) is None


def test_those_after_a_number_are_seen_like_a_list() -> None:
    journal = Journal(max_count=4)
    assert list(journal.since(0)) == []
    add(journal, 6)
    for number in range(9):
        expected = [entry for entry in journal if entry.number > number]
        view = journal.since(number)
        assert list(view) == expected
        assert [view[place] for place in range(-len(view), len(view))] == [*expected, *expected]
        assert [*view[1:3], *view[::-1]] == [*expected[1:3], *expected[::-1]]
        for place in (len(view), -len(view) - 1):
            with pytest.raises(IndexError):
                view[place]


def test_numbers_go_on_counting_after_the_journal_was_cleared() -> None:
    journal = Journal()
    add(journal, 2)
    journal.clear()
    assert (len(journal), journal.get(1), journal.last_number) == (0, None, 2)
    add(journal, 1)
    assert numbers(journal) == [3]


def test_the_journal_that_was_idle_for_the_longest_makes_room_for_the_others() -> None:
    room = LogRoom(4_000)
    idle, busy = Journal(room=room), Journal(room=room)
    add(idle, 3)
    add(busy, 4)
    assert (numbers(idle), numbers(busy), room.bytes) == ([1, 2, 3], [1, 2, 3, 4], 7 * 512)
    add(busy, 1, size=512)
    assert (numbers(idle), numbers(busy), room.bytes) == ([3], [1, 2, 3, 4, 5], 7 * 512)
    add(idle, 1, size=512)
    assert (numbers(idle), numbers(busy), room.bytes) == ([3, 4], [3, 4, 5], 7 * 512)


def test_a_journal_alone_in_a_room_gives_its_own_oldest_up_but_not_its_latest() -> None:
    room = LogRoom(1_100)
    alone = Journal(room=room)
    add(alone, 3)
    assert numbers(alone) == [2, 3]
    add(alone, 1, size=10_000)
    assert (numbers(alone), room.bytes) == ([4], 10_512)


def test_a_journal_that_leaves_its_room_takes_no_place_in_it() -> None:
    room = LogRoom(2_000)
    gone, cleared, stays = (Journal(room=room) for _ in range(3))
    add(gone, 1)
    add(cleared, 1)
    gone.leave_room()
    cleared.clear()
    assert room.bytes == 0
    add(gone, 5)
    add(stays, 3)
    assert (numbers(gone), numbers(stays), room.bytes) == ([1, 2, 3, 4, 5, 6], [1, 2, 3], 3 * 512)
    gone.enter_room(room)
    assert (numbers(gone), numbers(stays), room.bytes) == ([4, 5, 6], [], 3 * 512)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3_000)), max_size=40), st.integers(600, 9_000))
def test_journals_in_a_room_keep_their_latest_and_no_more_than_its_bytes(
    added: list[tuple[int, int]], max_bytes: int
) -> None:
    room = LogRoom(max_bytes)
    journals = [Journal(max_count=4, room=room) for _ in range(3)]
    for number, size in added:
        add(journals[number], 1, size)
        assert numbers(journals[number])[-1] == journals[number].last_number
        held = [len(entry.response_body) + 512 for journal in journals for entry in journal]
        assert room.bytes == sum(held)
        assert room.bytes <= max_bytes or len(held) == 1


@given(st.lists(st.integers(0, 3_000), max_size=30), st.integers(1, 6), st.integers(600, 6_000))
def test_its_bounds_hold_and_it_forgets_no_more_than_it_must(
    sizes: list[int], max_count: int, max_bytes: int
) -> None:
    journal = Journal(max_count=max_count, max_bytes=max_bytes)
    for size in sizes:
        add(journal, 1, size)
    kept = list(journal)
    weights = [len(entry.response_body) + 512 for entry in kept]
    assert len(kept) == 1 or not sizes or (len(kept) <= max_count and sum(weights) <= max_bytes)
    assert [entry.number for entry in kept] == list(range(len(sizes) - len(kept) + 1, len(sizes) + 1))
    if len(kept) < len(sizes):
        older = sizes[-len(kept) - 1] + 512
        assert len(kept) == max_count or sum(weights) + older > max_bytes
