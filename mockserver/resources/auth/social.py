"""Social providers, and the ways in that a user has."""

from typing import TypedDict

from mockserver import errors
from mockserver.api.access import PROJECT, SESSION
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.shapes import seconds
from mockserver.api.wire import Body, Text
from mockserver.domain.people import linked_accounts
from mockserver.errors import Refusal
from mockserver.resources.auth.answers import Status, caller_of
from mockserver.state.identity import LinkedAccount

social = Group("Authentication: linked accounts")


class UnlinkAccount(Body):
    """The way in to take away, by its provider and, where there are several, the identity there."""

    providerId: Text
    accountId: Text | None = None


class ListedAccount(TypedDict):
    """A way in, as the specification's Linked account (list-accounts response); text may be empty."""

    provider: str
    createdAt: int
    updatedAt: int
    accountId: str
    chainType: str
    chainId: str
    connectorType: str
    walletClientType: str


social.planned("POST", "/iam/v2/auth/sign-in/social", "socialSignIn", PROJECT)
social.planned("POST", "/iam/v2/auth/link-social", "linkSocialAccount", SESSION)


@social.endpoint("GET", "/iam/v2/auth/list-accounts", "listUserAccounts", SESSION)
def list_user_accounts(call: Call) -> list[ListedAccount]:
    """List the user's ways in, oldest first."""
    return [_listed(row) for row in linked_accounts(call.project, caller_of(call).id)]


@social.endpoint(
    "POST",
    "/iam/v2/auth/unlink-account",
    "unlinkAccount",
    SESSION,
    errors=(errors.IAM_LAST_ACCOUNT, errors.IAM_ACCOUNT_NOT_FOUND),
)
def unlink_account(call: Call[UnlinkAccount]) -> Status:
    """Take a way in away from the user, but never the last one."""
    body = call.body
    rows = linked_accounts(call.project, caller_of(call).id)
    if len(rows) == 1:
        raise Refusal(errors.IAM_LAST_ACCOUNT)
    for row in rows:
        if row.provider == body.providerId and body.accountId in (None, row.account_id):
            call.project.identity.linked_accounts.remove(row.id)
            return {"status": True}
    raise Refusal(errors.IAM_ACCOUNT_NOT_FOUND)


social.planned("POST", "/iam/v2/auth/refresh-token", "refreshToken", SESSION)
social.planned("POST", "/iam/v2/auth/get-access-token", "getAccessToken", SESSION)
social.planned("POST", "/iam/v2/auth/account-info", "accountInfo", SESSION)


def _listed(row: LinkedAccount) -> ListedAccount:
    return {
        "provider": row.provider,
        "createdAt": seconds(row.created_ms),
        "updatedAt": seconds(row.updated_ms),
        "accountId": row.account_id,
        "chainType": row.chain_type or "",
        "chainId": "" if row.chain_id is None else str(row.chain_id),
        "connectorType": row.connector_type or "",
        "walletClientType": row.wallet_client_type or "",
    }
