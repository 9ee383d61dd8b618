"""Any random run of the simulations is recorded, and replays to the same rows."""

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

from httpx import Client
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from mockserver.replay.shrinking.command import make_shrinker
from mockserver.replay.shrinking.conditions import NotShown
from mockserver.replay.shrinking.run import read_run
from mockserver.replay.shrinking.shrinker import OutOfTime
from mockserver.server.recording.lines import to_line
from tests.replay.recorded import Collected
from tests.replay.runs import play
from tests.simulation.test_identity import SigningIn
from tests.simulation.test_money import Money
from tests.simulation.test_world import TwoProjects
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS


def recorded(machine: type[Any], member: str, check: Callable[[bytes], None]) -> type[RuleBasedStateMachine]:
    """The machine with every run recorded from its beginning, and replayed at its end."""

    class Recorded(machine):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            client: Client = getattr(self, member)
            self.client_of_recording = client
            assert client.post("/_mock/recording").status_code == 201

        def teardown(self) -> None:
            super().teardown()
            self.client_of_recording.post("/_mock/recording/stop")
            raw = self.client_of_recording.get("/_mock/recording").content
            player, found = play(raw)
            assert found == []
            assert not player.lines.is_torn
            check(raw)

    return Recorded


def shrink(raw: bytes) -> None:
    """Shorten a run while its last error stays; what is left shows it, and replays."""
    run = read_run(BytesIO(raw))
    attempts = iter(range(25))
    try:
        shrinker = make_shrinker(run, None, lambda: next(attempts, None) is None)
    except NotShown:
        return
    with suppress(OutOfTime):
        shrinker.shrink()
    lines = Collected()
    assert shrinker.shows_it(shrinker.record(lines))
    player, found = play(b"".join(map(to_line, lines)))
    assert (found, player.number) == ([], len(shrinker.kept))


@cases("machine, member", (TwoProjects, "client"), (SigningIn, "client"), (Money, "http"))
def test_any_shortened_simulation_replays_with_its_error(machine: type[Any], member: str) -> None:
    few = settings(
        max_examples=2 * THOROUGHNESS,
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(recorded(machine, member, shrink), settings=few)
