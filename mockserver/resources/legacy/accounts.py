"""The older accounts: one a player and chain (specification, Older endpoints)."""

from mockserver.api.access import USERS, secret_key
from mockserver.api.endpoint import Group

legacy_accounts = Group("Accounts (v1)")

legacy_accounts.planned("GET", "/v1/accounts", "GetAccounts", secret_key("accounts:read", *USERS))
legacy_accounts.planned("POST", "/v1/accounts", "CreateAccount", secret_key("accounts:write", *USERS))
legacy_accounts.planned("GET", "/v1/accounts/{id}", "GetAccount", secret_key("accounts:read"))
legacy_accounts.planned(
    "POST",
    "/v1/accounts/{id}/request_transfer_ownership",
    "RequestAccountTransferOwnership",
    secret_key("wallets:write"),
)
