"""Chance repeats: a stream depends on the seed, its name and how often it was drawn from."""

import uuid

from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel.entropy import ALPHANUMERIC, Entropy
from tests.tables import cases


def test_a_seed_gives_its_own_bytes_again() -> None:
    assert Entropy("a").draw("x", 32) == Entropy("a").draw("x", 32)
    assert Entropy("a").draw("x", 32) != Entropy("b").draw("x", 32)


def test_a_stream_never_repeats_itself() -> None:
    entropy = Entropy("a")
    assert len({entropy.draw("x", 16) for _ in range(1_000)}) == 1_000


@given(st.lists(st.sampled_from("xyz")))
def test_drawing_from_one_stream_does_not_change_another(others: list[str]) -> None:
    alone, beside = Entropy("a"), Entropy("a")
    drawn = []
    for name in others:
        if name == "x":
            drawn.append(beside.draw("x", 8))
        else:
            beside.draw(name, 8)
    assert drawn == [alone.draw("x", 8) for _ in drawn]


def test_what_is_derived_from_a_name_stays_and_uses_up_nothing() -> None:
    entropy = Entropy("a")
    key = entropy.derive("key", 32)
    first = entropy.draw("key", 32)
    assert entropy.derive("key", 32) == key != first
    assert Entropy("a").draw("key", 32) == first


@cases("size", 1, 63, 64, 65, 128, 200)
def test_as_many_bytes_come_as_are_asked_for(size: int) -> None:
    drawn = Entropy("a").draw("x", size)
    assert len(drawn) == size
    blocks = {drawn[start : start + 64] for start in range(0, size, 64)}
    assert len(blocks) == (size + 63) // 64


def test_ids_are_version_4_uuids() -> None:
    entropy = Entropy("a")
    for _ in range(200):
        text = entropy.uuid("acc")
        parsed = uuid.UUID(text)
        assert (parsed.version, parsed.variant, str(parsed)) == (4, uuid.RFC_4122, text)


def test_text_has_its_length_and_its_whole_alphabet_only() -> None:
    entropy = Entropy("a")
    assert set("".join(entropy.text("token", 32) for _ in range(100))) == set(ALPHANUMERIC)
    code = entropy.text("code", 6, "0123456789")
    assert len(code) == 6
    assert code.isdecimal()


def test_a_restored_stream_goes_on_where_it_stood() -> None:
    entropy = Entropy("a")
    entropy.draw("x", 8)
    taken = entropy.draws()
    expected = [entropy.draw("x", 8), entropy.draw("y", 8)]
    for _ in range(2):
        entropy.restore(taken)
        assert [entropy.draw("x", 8), entropy.draw("y", 8)] == expected
    assert taken == {"x": 1}
