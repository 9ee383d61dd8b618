"""Users whom the developer creates with accounts before they first sign in (specification, Users)."""

from collections.abc import Sequence
from typing import Annotated, cast

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors, leniencies
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, ChainId, Id, Text
from mockserver.chain.implementations import ImplementationType
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_account_chain
from mockserver.domain.identity.users import is_email
from mockserver.domain.wallets.accounts import require_kind
from mockserver.domain.wallets.keys.shares import recovery_share
from mockserver.domain.wallets.pregeneration import AccountSpec, create_accounts
from mockserver.domain.wallets.pregeneration import pregenerate_user as make_user
from mockserver.errors import wrong_field
from mockserver.kernel.secrecy import Secret
from mockserver.responses.accounts import AccountAnswer, account_answer
from mockserver.state.project import Project
from mockserver.state.settings import ThirdPartyProvider
from mockserver.state.wallets import Account, AccountType, ChainType

pregeneration = Group("Users")


class PregenerateAccount(Body):
    """An account to create; `chainId` and `implementationType` belong to smart and delegated ones."""

    accountType: AccountType = "Externally Owned Account"
    chainType: ChainType = "EVM"
    chainId: ChainId | None = None
    implementationType: ImplementationType | None = None


class PregenerateUser(Body):
    """The user's e-mail address or provider identity, and the accounts to create.

    Without `accounts`, the other members are those of the one account to create.
    """

    accounts: Annotated[list[PregenerateAccount], Field(min_length=1, max_length=100)] | None = None
    """The accounts to create; required by the specification."""
    email: Text | None = None
    thirdPartyUserId: Id | None = None
    thirdPartyProvider: ThirdPartyProvider | None = None
    accountType: AccountType | None = None
    chainType: ChainType | None = None
    chainId: ChainId | None = None
    implementationType: ImplementationType | None = None


class PregeneratedAccount(AccountAnswer):
    """An account, its signer, and the share to store for the user."""

    recoveryShare: Secret
    signer: str


class PregeneratedUser(TypedDict):
    """The user, and the accounts in the order of the request."""

    user: str
    """The id of the user."""
    accounts: list[PregeneratedAccount]


class OnePregeneratedAccount(PregeneratedAccount):
    """The one account of a request without `accounts`, and its user."""

    user: str
    """The id of the user."""


@pregeneration.endpoint(
    "POST /v2/users/pregenerate",
    "pregenerateUserV2",
    secret_key("users:write"),
    errors=(
        errors.USER_IDENTIFIER_TAKEN,
        *CHAIN_ERRORS,
        errors.IMPLEMENTATION_UNFIT,
        errors.IMPLEMENTATION_ABSENT,
        errors.ADDRESS_TAKEN,
    ),
)
def pregenerate_user(call: Call[PregenerateUser]) -> PregeneratedUser | OnePregeneratedAccount:
    """Create a user with accounts before they first sign in, by e-mail address or third-party identity."""
    body, project = call.body, call.project
    _check_identifier(body)
    wanted = _wanted_accounts(call)
    user = make_user(project, body.email, body.thirdPartyProvider, body.thirdPartyUserId)
    made = [_answer(project, account) for account in create_accounts(project, user, wanted)]
    if body.accounts is not None:
        return {"user": user.id, "accounts": made}
    only = cast("OnePregeneratedAccount", made[0])
    only["user"] = user.id
    return only


def _check_identifier(body: PregenerateUser) -> None:
    if body.email is None and body.thirdPartyUserId is None:
        raise wrong_field("email", "is required unless thirdPartyUserId is given")
    if body.thirdPartyUserId is not None and body.thirdPartyProvider is None:
        raise wrong_field("thirdPartyProvider", "is required with thirdPartyUserId")
    if body.thirdPartyProvider is not None and body.thirdPartyUserId is None:
        raise wrong_field("thirdPartyUserId", "is required with thirdPartyProvider")
    if body.email is not None and not is_email(body.email):
        raise wrong_field("email", "must be an e-mail address")


def _wanted_accounts(call: Call[PregenerateUser]) -> Sequence[AccountSpec]:
    """The accounts of `accounts`, or the one that clients before 0.10.8 describe in the body itself."""
    body, project = call.body, call.project
    if body.accounts is not None:
        return [
            _account_spec(project, account, f"accounts[{place}].")
            for place, account in enumerate(body.accounts)
        ]
    if body.accountType is None and body.chainType is None:
        raise wrong_field("accounts", "is required")
    call.accept_leniently(leniencies.PREGENERATION_OF_ONE_ACCOUNT, "accounts")
    only = PregenerateAccount(
        accountType=body.accountType or "Externally Owned Account",
        chainType=body.chainType or "EVM",
        chainId=body.chainId,
        implementationType=body.implementationType,
    )
    return [_account_spec(project, only, "")]


def _account_spec(project: Project, account: PregenerateAccount, path: str) -> AccountSpec:
    """What to create; `path` comes before the names of its members in errors."""
    require_kind(account.accountType, account.chainType, f"{path}chainType")
    if account.accountType != "Externally Owned Account":
        for name, value in (("chainId", account.chainId), ("implementationType", account.implementationType)):
            if value is None:
                raise wrong_field(f"{path}{name}", f"is required for a {account.accountType}")
    require_account_chain(project, account.chainType, account.chainId, f"{path}chainId")
    return AccountSpec(
        account.accountType, account.chainType, account.chainId, account.implementationType, path
    )


def _answer(project: Project, account: Account) -> PregeneratedAccount:
    assert account.signer_id is not None
    answer = cast("PregeneratedAccount", account_answer(account))
    answer["recoveryShare"] = recovery_share(project, account)
    answer["signer"] = account.signer_id
    return answer
