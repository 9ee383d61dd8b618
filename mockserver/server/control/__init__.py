"""The control API: how a test inspects and controls the mock server itself."""

from mockserver.api.endpoint import Group
from mockserver.server.control.chains import chains
from mockserver.server.control.clock import clock
from mockserver.server.control.consent import consent
from mockserver.server.control.credentials import aal2, keys, recovery, wallet_secret
from mockserver.server.control.documentation import documentation
from mockserver.server.control.effects import effects
from mockserver.server.control.events import events
from mockserver.server.control.fates import fates
from mockserver.server.control.health import health
from mockserver.server.control.imports import imports
from mockserver.server.control.journal import journal
from mockserver.server.control.outbox import outbox
from mockserver.server.control.page import page
from mockserver.server.control.policies import budgets, decisions
from mockserver.server.control.projects import projects, settings
from mockserver.server.control.recorded import recorded
from mockserver.server.control.recording import recording
from mockserver.server.control.replays import replays
from mockserver.server.control.scenarios import scenario_texts, scenarios
from mockserver.server.control.snapshots import snapshots
from mockserver.server.control.solana import solana
from mockserver.server.control.tables import tables
from mockserver.server.control.time_travel import time_travel
from mockserver.server.control.verification import verification

GROUPS: tuple[Group, ...] = (
    health,
    documentation,
    page,
    projects,
    settings,
    clock,
    journal,
    verification,
    effects,
    tables,
    outbox,
    events,
    consent,
    snapshots,
    time_travel,
    recording,
    recorded,
    replays,
    scenarios,
    scenario_texts,
    fates,
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
