"""Whether two states are the same, but for what is drawn."""

from typing import Any

from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.replay.export.states import Leaf, find_difference, find_drawn, read_state
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases


def state(*values: Any) -> list[Leaf]:
    """A state with values at `a`, `b`, and so on."""
    return [Leaf(place, value) for place, value in zip("abcdef", values, strict=False)]


@cases(
    "expected, got, drawn, place",
    (state(1, "x"), state(1, "x"), [], None),
    (state(1, "x"), state(1, "y"), [], "b"),
    (state("x", "x"), state("y", "y"), [0, 1], None),
    (state("x", "z"), state("y", "y"), [0, 1], "b"),
    (state("x", "x"), state("y", "z"), [0, 1], "b"),
    (state("x", "y"), state("y", "x"), [0, 1], None),
    (state(1, 2), state(3, 4), [0, 1], None),
    (state(1), state("1"), [0], "a"),
    (state("1"), state(1), [0], "a"),
    (state(1), state(None), [0], "a"),
    (state(1), [Leaf("z", 1)], [0], "a"),
    (state(1), state(1, 2), [], "the number of rows"),
    (state(1, 2), state(1), [], "the number of rows"),
)
def test_states_are_the_same_if_equal_values_are_equal_in_both(
    expected: list[Leaf], got: list[Leaf], drawn: list[int], place: str | None
) -> None:
    assert find_difference(expected, got, frozenset(drawn)) == place


def test_drawn_is_what_another_seed_makes_otherwise() -> None:
    assert find_drawn(state(1, "x", 3), state(1, "y", 4)) == {1, 2}
    assert find_drawn(state(1, 2), state(1, 2, 3)) == frozenset()


def places(project: Project) -> dict[str, Any]:
    """The values of a state by their places."""
    return {leaf.place: leaf.value for leaf in read_state(project)}


def test_a_state_has_clock_settings_and_rows(project: Project) -> None:
    before = places(project)
    create_user(project, name="Ada", email="ada@example.com")
    project.scenario_state = "later"
    project.clock.move_to(project.clock.now_ms + 5)
    after = places(project)
    assert (before["identity.users: rows"], after["identity.users: rows"]) == (0, 1)
    assert (before["scenario_state"] != "later", after["scenario_state"]) == (True, "later")
    assert after["clock"] == before["clock"] + 5
    assert after["settings.snapshots_kept"] == project.settings.snapshots_kept
    assert after["identity.users[0]: members"] > 3
    assert "Ada" in after.values()
    assert not any(place.startswith(("requests.", "scenarios")) for place in after)


def test_a_sessions_origin_and_the_own_secret_do_not_matter() -> None:
    states: list[list[Leaf]] = []
    for address in ("127.0.0.1", "10.0.0.7"):
        project = World().create(name="a")
        user = create_user(project, name="Ada", email="ada@example.com")
        open_session(project, user, ip_address=address, user_agent=address)
        if states:
            default_secret(project)
        states.append(read_state(project))
    first, second = states
    assert find_difference(first, second, frozenset()) is None
