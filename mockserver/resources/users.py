"""Users as the project's owner sees them (specification, Users), and as they see themselves."""

from typing import Annotated, Literal, NotRequired, cast

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import Access, Scheme, any_scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, ChainId, Id, PageQuery, Text
from mockserver.chain.implementations import ImplementationType
from mockserver.domain.chains.supported import CHAIN_ERRORS, require_account_chain
from mockserver.domain.identity.third_party import TokenType, user_of_token
from mockserver.domain.identity.users import (
    accounts_of_user,
    find_user,
    is_email,
    require_phone_number,
)
from mockserver.domain.transactions.removal import delete_user, require_no_pending_transactions
from mockserver.domain.wallets.pregeneration import AccountSpec, create_accounts
from mockserver.domain.wallets.pregeneration import pregenerate_user as make_user
from mockserver.domain.wallets.shares import recovery_share
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.clock import to_seconds
from mockserver.responses.accounts import AccountAnswer, account_answer
from mockserver.responses.lists import DEFAULT_LIMIT, Listing, list_rows, name_contains
from mockserver.responses.shapes import Deleted, deletion_answer, optional, present
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project
from mockserver.state.settings import ThirdPartyProvider
from mockserver.state.wallets import Account, AccountType, ChainType

users = Group("Users")


class ListUsers(PageQuery):
    """Filters of the list. `externalUserId` is the identity at a provider, `authProviderId`."""

    name: Text | None = None
    externalUserId: Text | None = None
    email: Text | None = None
    phoneNumber: Annotated[Text, AfterValidator(require_phone_number)] | None = None
    authProviderId: Text | None = None
    walletClientType: Text | None = None


class ThirdPartyToken(Body):
    """A token of another identity provider."""

    provider: Text
    token: Annotated[str, Field(min_length=1, max_length=16_384)]
    """The provider's token."""
    tokenType: TokenType | None = None


class LinkedAccountAnswer(TypedDict):
    """A linked account, as the specification's Linked account (in user)."""

    provider: str
    createdAt: int
    updatedAt: int
    accountId: NotRequired[str]
    """The user's id at the provider."""
    chainType: NotRequired[str]
    connectorType: NotRequired[str]
    walletClientType: NotRequired[str]


class UserAnswer(TypedDict):
    """A user, as the specification's User (v2)."""

    id: str
    createdAt: int
    name: str
    email: str | None
    emailVerified: bool
    phoneNumber: str | None
    phoneNumberVerified: bool
    isAnonymous: bool
    linkedAccounts: list[LinkedAccountAnswer]


class PregenerateAccount(Body):
    """An account to create; `chainId` and `implementationType` belong to smart and delegated ones."""

    accountType: AccountType = "Externally Owned Account"
    chainType: ChainType = "EVM"
    chainId: ChainId | None = None
    implementationType: ImplementationType | None = None


class PregenerateUser(Body):
    """The user's e-mail address or provider identity, and the accounts to create."""

    accounts: Annotated[list[PregenerateAccount], Field(min_length=1, max_length=100)]
    email: Text | None = None
    thirdPartyUserId: Id | None = None
    thirdPartyProvider: ThirdPartyProvider | None = None


class PregeneratedAccount(AccountAnswer):
    """An account, its signer, and the share to store for the user."""

    recoveryShare: str
    signer: str


class PregeneratedUser(TypedDict):
    """The user, and the accounts in the order of the request."""

    user: str
    """The id of the user."""
    accounts: list[PregeneratedAccount]


class UserWallet(TypedDict):
    """The wallet, which groups a user's accounts."""

    id: str
    object: Literal["wallet"]
    createdAt: int


_READ = secret_key("users:read")


@users.endpoint("GET", "/v2/users", "GetAuthUsers", _READ)
def list_users(call: Call[None, ListUsers]) -> Listing[UserAnswer]:
    """List users, newest first."""
    query, project = call.query, call.project
    return list_rows(
        call,
        project.identity.users,
        lambda row: user_answer(project, row),
        default_limit=DEFAULT_LIMIT,
        where={
            "id": _users_linked_as(project, query),
            "email": query.email.lower() if query.email else None,
            "phone_number": query.phoneNumber,
        },
        accept=name_contains(query.name),
    )


def _users_linked_as(project: Project, query: ListUsers) -> frozenset[str] | None:
    """The users with a linked account that matches all its filters; None without such filters."""
    where = {
        "provider": query.authProviderId,
        "account_id": query.externalUserId,
        "wallet_client_type": query.walletClientType,
    }
    if not any(where.values()):
        return None
    table = project.identity.linked_accounts
    return frozenset(row.user_id for row in table.page(limit=len(table), where=where).rows)


@users.endpoint("GET", "/v2/users/{id}", "GetAuthUser", _READ, errors=(errors.USER_NOT_FOUND,))
def get_user(call: Call) -> UserAnswer:
    """Retrieve a user, by their own id or their wallet's."""
    return user_answer(call.project, find_user(call.project, call.path["id"]))


@users.endpoint(
    "DELETE",
    "/v2/users/{id}",
    "DeleteUser",
    secret_key("users:delete"),
    errors=(errors.USER_NOT_FOUND, errors.USER_HAS_PENDING_TRANSACTIONS),
)
def remove_user(call: Call) -> Deleted:
    """Delete a user with their sessions, linked accounts, and accounts with their keys."""
    project = call.project
    user = find_user(project, call.path["id"])
    wallet = wallet_of_user(project, user)
    require_no_pending_transactions(project, user)
    delete_user(project, user)
    return deletion_answer(wallet.id, "player")


@users.endpoint(
    "GET",
    "/v2/users/{id}/wallet",
    "GetUserWallet",
    _READ,
    errors=(errors.USER_NOT_FOUND, errors.USER_WITHOUT_WALLET),
)
def get_user_wallet(call: Call) -> UserWallet:
    """Retrieve a user's wallet, which is created with their first account."""
    user = find_user(call.project, call.path["id"])
    wallet = call.project.wallets.wallets.first("user_id", user.id)
    if wallet is None:
        raise ApiError(errors.USER_WITHOUT_WALLET, id=user.id)
    return {"id": wallet.id, "object": "wallet", "createdAt": to_seconds(wallet.created_ms)}


@users.endpoint(
    "POST",
    "/v2/users/pregenerate",
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
def pregenerate_user(call: Call[PregenerateUser]) -> PregeneratedUser:
    """Create a user with accounts before they first sign in, by e-mail address or third-party identity."""
    body, project = call.body, call.project
    _check_identifier(body)
    wanted = [_account_spec(account, i, project) for i, account in enumerate(body.accounts)]
    user = make_user(project, body.email, body.thirdPartyProvider, body.thirdPartyUserId)
    made = create_accounts(project, user, wanted)
    return {"user": user.id, "accounts": [_pregeneration_answer(project, account) for account in made]}


def _check_identifier(body: PregenerateUser) -> None:
    if body.email is None and body.thirdPartyUserId is None:
        raise wrong_field("email", "is required unless thirdPartyUserId is given")
    if body.thirdPartyUserId is not None and body.thirdPartyProvider is None:
        raise wrong_field("thirdPartyProvider", "is required with thirdPartyUserId")
    if body.thirdPartyProvider is not None and body.thirdPartyUserId is None:
        raise wrong_field("thirdPartyUserId", "is required with thirdPartyProvider")
    if body.email is not None and not is_email(body.email):
        raise wrong_field("email", "must be an e-mail address")


def _account_spec(account: PregenerateAccount, place: int, project: Project) -> AccountSpec:
    path = f"accounts[{place}]"
    if account.accountType != "Externally Owned Account":
        if account.chainType == "SVM":
            raise wrong_field(f"{path}.chainType", f"must be EVM for a {account.accountType}")
        for name, value in (("chainId", account.chainId), ("implementationType", account.implementationType)):
            if value is None:
                raise wrong_field(f"{path}.{name}", f"is required for a {account.accountType}")
    require_account_chain(project, account.chainType, account.chainId, f"{path}.chainId")
    return AccountSpec(account.accountType, account.chainType, account.chainId, account.implementationType)


def _pregeneration_answer(project: Project, account: Account) -> PregeneratedAccount:
    assert account.signer_id is not None
    answer = cast("PregeneratedAccount", account_answer(account))
    answer["recoveryShare"] = recovery_share(project, account.signer_id)
    answer["signer"] = account.signer_id
    return answer


@users.endpoint(
    "GET",
    "/iam/v2/me",
    "meV2",
    Access(frozenset({Scheme.THIRD_PARTY, Scheme.AUTH_TOKEN}), session_required=True),
)
def get_me(call: Call) -> UserAnswer:
    """Retrieve the signed-in user."""
    assert call.caller.user is not None
    return user_answer(call.project, call.caller.user)


@users.endpoint(
    "POST",
    "/iam/v2/user/third_party",
    "ThirdPartyV2",
    any_scheme(Scheme.PUBLISHABLE_KEY, Scheme.SECRET_KEY, Scheme.THIRD_PARTY),
    errors=(errors.PROVIDER_UNKNOWN, errors.PROVIDER_OFF, errors.PLAYER_TOKEN_INVALID),
)
def sign_in_third_party(call: Call[ThirdPartyToken]) -> UserAnswer:
    """Retrieve the user of another provider's token; created on first use."""
    body, project = call.body, call.project
    return user_answer(project, user_of_token(project, body.provider, body.token, body.tokenType))


def user_answer(project: Project, row: User) -> UserAnswer:
    """A user as the API shows one."""
    return {
        "id": row.id,
        "createdAt": to_seconds(row.created_ms),
        "name": row.name,
        "email": None if row.has_placeholder_email else row.email,
        "emailVerified": row.email_verified,
        "phoneNumber": row.phone_number,
        "phoneNumberVerified": bool(row.phone_number_verified),
        "isAnonymous": bool(row.is_anonymous),
        "linkedAccounts": [_linked_account_answer(linked) for linked in accounts_of_user(project, row.id)],
    }


def _linked_account_answer(row: LinkedAccount) -> LinkedAccountAnswer:
    answer: LinkedAccountAnswer = {
        "provider": row.provider,
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
        "accountId": row.account_id,
        "chainType": optional(row.chain_type),
        "connectorType": optional(row.connector_type),
        "walletClientType": optional(row.wallet_client_type),
    }
    return present(answer)
