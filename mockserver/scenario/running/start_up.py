"""The scenarios that a project begins with, which a reset loads again."""

from collections.abc import Sequence
from dataclasses import dataclass

from mockserver.api.call import Send
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.scenario.checking.load import Scenario
from mockserver.scenario.running.apply import apply
from mockserver.state.project import Project
from mockserver.state.saved.encoding import StartUpText
from mockserver.state.world import World


@dataclass(frozen=True, slots=True)
class StartUp:
    """Seeds a project: loads scenarios into it, and registers its wallet secret."""

    world: World
    scenarios: Sequence[Scenario]
    send: Send

    def __call__(self, project: Project) -> None:
        """Load them."""
        for scenario in self.scenarios:
            apply(self.world, project, scenario, self.send)
        default_secret(project)
        # What a project begins with is no change of its first call.
        project.begin_history()

    def texts(self) -> tuple[StartUpText, ...]:
        """The texts of the scenarios, with the names of their files."""
        return tuple(StartUpText(each.source, each.text) for each in self.scenarios)
