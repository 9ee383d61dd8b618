"""The control API: what a test tells and asks the mock server itself."""

from mockserver.api.endpoint import Group
from mockserver.server.control.aal2 import aal2
from mockserver.server.control.about import about
from mockserver.server.control.budgets import budgets
from mockserver.server.control.chains import chains
from mockserver.server.control.clock import clock
from mockserver.server.control.consent import consent
from mockserver.server.control.decisions import decisions
from mockserver.server.control.fates import fates
from mockserver.server.control.journal import journal
from mockserver.server.control.keys import keys
from mockserver.server.control.near_misses import near_misses
from mockserver.server.control.outbox import outbox
from mockserver.server.control.projects import projects
from mockserver.server.control.recovery import recovery
from mockserver.server.control.scenarios import scenarios
from mockserver.server.control.settings import settings
from mockserver.server.control.snapshots import snapshots
from mockserver.server.control.solana import solana
from mockserver.server.control.token_keys import token_keys
from mockserver.server.control.wallet_secret import wallet_secret

GROUPS: tuple[Group, ...] = (
    about,
    projects,
    clock,
    journal,
    outbox,
    consent,
    snapshots,
    settings,
    scenarios,
    near_misses,
    fates,
    chains,
    budgets,
    decisions,
    solana,
    keys,
    recovery,
    aal2,
    token_keys,
    wallet_secret,
)
"""Every group of the control API, in the order of the guide."""
