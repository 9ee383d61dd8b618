"""The API, one module a resource. Every group is listed here, in the order of the URLs."""

from mockserver.api.endpoint import Group
from mockserver.resources.accounts import accounts
from mockserver.resources.auth.anonymous import anonymous
from mockserver.resources.auth.email import email
from mockserver.resources.auth.email_otp import email_otp
from mockserver.resources.auth.error_page import error_page
from mockserver.resources.auth.linked_accounts import linked_accounts
from mockserver.resources.auth.older.passwords import older_passwords
from mockserver.resources.auth.older.providers import older_providers
from mockserver.resources.auth.older.sessions import older_sessions
from mockserver.resources.auth.older.wallets import older_wallets
from mockserver.resources.auth.password import password
from mockserver.resources.auth.password_reset import password_reset
from mockserver.resources.auth.phone import phone
from mockserver.resources.auth.sessions import sessions
from mockserver.resources.auth.siwe import siwe
from mockserver.resources.auth.social import social
from mockserver.resources.auth_config import auth_config
from mockserver.resources.backend_wallets import backend_wallets
from mockserver.resources.contracts import contracts
from mockserver.resources.fee_sponsorship import fee_sponsorship
from mockserver.resources.legacy.accounts import legacy_accounts
from mockserver.resources.legacy.api_keys import api_keys
from mockserver.resources.legacy.auth_players import auth_players
from mockserver.resources.legacy.backend_wallets import legacy_backend_wallets
from mockserver.resources.legacy.developer_accounts import developer_accounts
from mockserver.resources.legacy.events import events
from mockserver.resources.legacy.forwarder_contracts import forwarder_contracts
from mockserver.resources.legacy.gas_policies import gas_policies
from mockserver.resources.legacy.gas_policy_rules import gas_policy_rules
from mockserver.resources.legacy.gas_reports import gas_reports
from mockserver.resources.legacy.gas_withdrawals import gas_withdrawals
from mockserver.resources.legacy.paymasters import paymasters
from mockserver.resources.legacy.players import players
from mockserver.resources.legacy.provider_configs import provider_configs
from mockserver.resources.legacy.subscriptions import subscriptions
from mockserver.resources.legacy.transaction_intents import transaction_intents
from mockserver.resources.policies import policies
from mockserver.resources.pregeneration import pregeneration
from mockserver.resources.rpc import rpc
from mockserver.resources.session_keys import session_keys
from mockserver.resources.solana import solana
from mockserver.resources.transactions import transactions
from mockserver.resources.users import users

GROUPS: tuple[Group, ...] = (
    auth_config,
    provider_configs,
    auth_players,
    older_sessions,
    older_passwords,
    older_providers,
    older_wallets,
    password,
    password_reset,
    email,
    sessions,
    social,
    error_page,
    linked_accounts,
    anonymous,
    phone,
    email_otp,
    siwe,
    rpc,
    users,
    pregeneration,
    legacy_accounts,
    api_keys,
    contracts,
    events,
    forwarder_contracts,
    paymasters,
    players,
    gas_policies,
    gas_reports,
    gas_withdrawals,
    gas_policy_rules,
    session_keys,
    developer_accounts,
    solana,
    subscriptions,
    transaction_intents,
    accounts,
    backend_wallets,
    legacy_backend_wallets,
    policies,
    fee_sponsorship,
    transactions,
)
