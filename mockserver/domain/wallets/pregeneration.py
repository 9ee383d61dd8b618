"""Users created by the developer before they first sign in (specification, Users, pregenerate)."""

from collections.abc import Sequence
from typing import NamedTuple

from mockserver import errors
from mockserver.chain.implementations import ImplementationType
from mockserver.domain.identity.users import create_user, link_account, user_of_email
from mockserver.domain.wallets.accounts import choose_implementation, create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.settings import ThirdPartyProvider
from mockserver.state.wallets import Account, AccountType, ChainType


class AccountSpec(NamedTuple):
    """An account to create; chain and implementation belong to a smart or delegated one."""

    account_type: AccountType
    chain_type: ChainType
    chain_id: int | None
    implementation: ImplementationType | None
    path: str = ""
    """What comes before the names of its members in errors, such as `accounts[0].`."""


def pregenerate_user(
    project: Project, email: str | None, provider: ThirdPartyProvider | None, subject: str | None
) -> User:
    """Create a user for whom a later sign-in with this e-mail address or provider identity is recognised.

    ApiError with 409 when another user has either.
    """
    holder = user_of_email(project, email) if email else None
    if holder is not None:
        raise ApiError(errors.USER_IDENTIFIER_TAKEN, param="email", id=holder.id, identifier="e-mail address")
    identities = project.identity.linked_accounts
    linked = identities.first("identity", (provider, subject)) if subject else None
    if linked is not None:
        raise ApiError(
            errors.USER_IDENTIFIER_TAKEN, param="thirdPartyUserId", id=linked.user_id, identifier="identity"
        )
    user = create_user(project, name="", email=email.lower() if email else None)
    if provider is not None and subject is not None:
        link_account(project, user, provider, subject)
    return project.identity.users.replace(user._replace(pregenerated=True))


def create_first_accounts(project: Project, user: User, chain_id: int | None) -> Account | None:
    """Create a user's first account: an EOA and, on a chain, a smart account that it owns.

    None when the user has accounts already.
    """
    if project.wallets.accounts.first("wallet_id", wallet_of_user(project, user).id) is not None:
        return None
    wanted = [AccountSpec("Externally Owned Account", "EVM", None, None)]
    if chain_id is not None:
        wanted.append(AccountSpec("Smart Account", "EVM", chain_id, None))
    return create_accounts(project, user, wanted)[0]


def create_accounts(project: Project, user: User, wanted: Sequence[AccountSpec]) -> list[Account]:
    """Create accounts, returned in the order of the request.

    Smart and delegated ones are built on the user's first EVM EOA, which is created if the request does
    not have it earlier; an EOA later in the request is then that one.
    """
    wallet = wallet_of_user(project, user)
    owner: Account | None = None
    # Whether the owner was made for a smart account, and no EOA of the request is that one yet.
    is_spare = False
    made = []
    for want in wanted:
        if want.account_type != "Externally Owned Account":
            if owner is None:
                owner, is_spare = create_eoa(project, wallet, "EVM"), True
            made.append(build_on(project, owner, want))
        elif owner is not None and is_spare and want.chain_type == "EVM":
            is_spare = False
            moved = owner._replace(chain_id=want.chain_id)
            made.append(owner if want.chain_id is None else project.wallets.accounts.replace(moved))
        else:
            made.append(create_eoa(project, wallet, want.chain_type, chain_id=want.chain_id))
            owner = owner or (made[-1] if want.chain_type == "EVM" else None)
    return made


def build_on(project: Project, owner: Account, want: AccountSpec) -> Account:
    """Create a smart or delegated account on an EOA."""
    assert want.chain_id is not None, f"a {want.account_type} needs a chain"
    implementation = choose_implementation(
        project, want.account_type, want.chain_id, want.implementation, f"{want.path}implementationType"
    )
    return create_contract_account(project, owner, want.chain_id, implementation, f"{want.path}chainId")
