"""The API, one module a resource. Every group is listed here by hand, in the order of the URLs."""

from mockserver.api.endpoint import Group
from mockserver.resources.accounts import accounts
from mockserver.resources.backend_wallets import backend_wallets
from mockserver.resources.contracts import contracts
from mockserver.resources.legacy.accounts import legacy_accounts
from mockserver.resources.legacy.gas_policies import gas_policies
from mockserver.resources.legacy.gas_policy_rules import gas_policy_rules
from mockserver.resources.legacy.transaction_intents import transaction_intents
from mockserver.resources.session_keys import session_keys
from mockserver.resources.solana import solana

GROUPS: tuple[Group, ...] = (
    legacy_accounts,
    contracts,
    gas_policies,
    gas_policy_rules,
    session_keys,
    solana,
    transaction_intents,
    accounts,
    backend_wallets,
)
