"""The control API: how a test inspects and controls the mock server itself."""

from mockserver.api.endpoint import Group
from mockserver.server.control.documentation import documentation
from mockserver.server.control.health import health
from mockserver.server.control.history.effects import effects
from mockserver.server.control.history.journal import journal
from mockserver.server.control.history.report import report
from mockserver.server.control.history.verification import verification
from mockserver.server.control.page import page
from mockserver.server.control.recordings.recorded import recorded
from mockserver.server.control.recordings.recording import recording
from mockserver.server.control.recordings.replays import replays
from mockserver.server.control.recordings.states import states
from mockserver.server.control.simulated.chains import chains, networks
from mockserver.server.control.simulated.consent import consent
from mockserver.server.control.simulated.credentials import aal2, keys, recovery, wallet_secret
from mockserver.server.control.simulated.fates import fates
from mockserver.server.control.simulated.imports import imports
from mockserver.server.control.simulated.outbox import outbox
from mockserver.server.control.simulated.policies import budgets, decisions
from mockserver.server.control.simulated.solana import solana
from mockserver.server.control.world.clock import clock
from mockserver.server.control.world.events import events
from mockserver.server.control.world.projects import projects, settings
from mockserver.server.control.world.scenarios import scenario_texts, scenarios
from mockserver.server.control.world.snapshots import snapshots
from mockserver.server.control.world.tables import tables
from mockserver.server.control.world.time_travel import time_travel

GROUPS: tuple[Group, ...] = (
    health,
    documentation,
    page,
    projects,
    settings,
    clock,
    journal,
    verification,
    report,
    effects,
    tables,
    outbox,
    events,
    consent,
    snapshots,
    states,
    time_travel,
    recording,
    recorded,
    replays,
    scenarios,
    scenario_texts,
    fates,
    networks,
    chains,
    solana,
    decisions,
    budgets,
    keys,
    recovery,
    aal2,
    wallet_secret,
    imports,
)
"""Every group of the control API, in the order of the reference."""
