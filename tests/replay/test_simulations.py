"""Any random run of the simulations is recorded, and replays to the same rows."""

from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.replay.runs import play
from tests.simulation.test_identity import SigningIn
from tests.simulation.test_money import Money
from tests.simulation.test_world import TwoProjects


def recorded(machine: type[Any], member: str) -> type[RuleBasedStateMachine]:
    """The machine with every run recorded from its beginning, and replayed at its end."""

    class Recorded(machine):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            client: httpx.Client = getattr(self, member)
            self.client_of_recording = client
            assert client.post("/_mock/recording").status_code == 201

        def teardown(self) -> None:
            super().teardown()
            self.client_of_recording.post("/_mock/recording/stop")
            player, found = play(self.client_of_recording.get("/_mock/recording").content)
            assert found == []
            assert not player.lines.is_torn

    return Recorded


@pytest.mark.parametrize(
    ("machine", "member"), [(TwoProjects, "client"), (SigningIn, "client"), (Money, "http")]
)
def test_any_run_of_a_simulation_replays(machine: type[Any], member: str) -> None:
    few = settings(
        max_examples=6,
        stateful_step_count=15,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(recorded(machine, member), settings=few)
