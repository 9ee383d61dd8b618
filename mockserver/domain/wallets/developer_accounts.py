"""Developer accounts: EOAs in no wallet, on every EVM chain (specification, Older endpoints)."""

from mockserver import errors
from mockserver.chain.addresses import address_of, to_checksum
from mockserver.chain.implementations import IMPLEMENTATIONS, Implementation
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.chains import ledger
from mockserver.domain.wallets.accounts import choose_implementation
from mockserver.domain.wallets.keys import custody
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.state.existence import require_kept
from mockserver.state.project import Project
from mockserver.state.wallets import Account, DeveloperAccount, SmartAccount

_DAY_MS = 24 * 3600 * 1000


def acting_account(project: Project, account_id: str) -> Account | None:
    """The account with an id, to execute with: one in a wallet (`acc_`), or a developer account (`dac_`)."""
    developer = project.wallets.developer_accounts.get(account_id)
    if developer is None:
        return project.wallets.accounts.get(account_id)
    return None if developer.deleted else as_account(developer)


def as_account(row: DeveloperAccount) -> Account:
    """Convert a developer account to an externally owned account in no wallet."""
    return Account(
        id=row.id,
        wallet_id="",
        account_type="Externally Owned Account",
        chain_type="EVM",
        address=row.address,
        custody="Developer" if row.custodial else "User",
        created_ms=row.created_ms,
        updated_ms=row.created_ms,
    )


def as_account_on(project: Project, row: DeveloperAccount, chain_id: int) -> Account:
    """Convert a developer account to what it is on a chain: an EOA, until it has delegated there."""
    account = as_account(row)
    delegate = ledger.chain_account(project, chain_id, row.address).delegate
    known = [each for each in IMPLEMENTATIONS.values() if each.address == delegate]
    return _delegated(account, chain_id, known[0]) if known else account


def with_delegation(project: Project, account: Account, chain_id: int) -> Account:
    """The account that a transaction delegates (EIP-7702), if it is a developer account and has not yet.

    Others are returned as they are. ApiError with 400 for a chain without delegation.
    """
    if account.smart_account is not None or account.id not in project.wallets.developer_accounts:
        return account
    newest = choose_implementation(project, "Delegated Account", chain_id, None, "chainId")
    return _delegated(account, chain_id, newest)


def _delegated(account: Account, chain_id: int, implementation: Implementation) -> Account:
    return account._replace(
        account_type=implementation.account_type,
        chain_id=chain_id,
        smart_account=SmartAccount.undeployed(implementation, account.address),
    )


def find_developer_account(project: Project, row_id: str, param: str | None = None) -> DeveloperAccount:
    """The developer account with this id. ApiError with 404."""
    rows = project.wallets.developer_accounts
    return require_kept(rows, row_id, errors.DEVELOPER_ACCOUNT_NOT_FOUND, param)


def create_developer_account(project: Project, name: str | None) -> DeveloperAccount:
    """Create an account with a generated key."""
    return _insert(project, custody.generate_key(project, "EVM")[1], name, custodial=True)


def register_developer_account(
    project: Project, address: str, signature: bytes, name: str | None
) -> DeveloperAccount:
    """Register an account whose key is elsewhere, by its signature of today's or yesterday's message.

    ApiError with 409 for any other signature, and for an address that is registered already.
    """
    _check_signature(project, to_checksum(address), signature)
    for row in project.wallets.developer_accounts.find("address", address.lower()):
        if not row.deleted:
            raise ApiError(errors.DEVELOPER_ACCOUNT_EXISTS, param="address", address=row.address, id=row.id)
    return _insert(project, to_checksum(address), name, custodial=False)


def message_to_sign(project: Project, address: str, moment_ms: int) -> str:
    """The message that registers an address when signed, on the day of a time."""
    day = timestamps.to_utc(moment_ms).strftime("%Y%m%d")
    chains = "mainnets" if project.livemode else "testnets"
    named = project.id.removeprefix("pro_")
    return f"I want to register {to_checksum(address)} to the project {named} for {chains} on {day}"


def _check_signature(project: Project, address: str, signature: bytes) -> None:
    signers = []
    for moment_ms in (project.clock.now_ms, project.clock.now_ms - _DAY_MS):
        digest = personal_message_digest(message_to_sign(project, address, moment_ms).encode())
        try:
            signers.append(address_of(secp256k1.recover(digest, secp256k1.Signature.from_bytes(signature))))
        except secp256k1.BadSignature as error:
            raise ApiError(
                errors.REGISTRATION_NOT_SIGNED, param="signature", address=address, reason=f"{error}."
            ) from None
    if address not in signers:
        reason = f"for today's message it would be {signers[0]}'s."
        raise ApiError(errors.REGISTRATION_NOT_SIGNED, param="signature", address=address, reason=reason)


def _insert(project: Project, address: str, name: str | None, *, custodial: bool) -> DeveloperAccount:
    return project.wallets.developer_accounts.insert(
        DeveloperAccount(
            id=project.new_id("dac"),
            created_ms=project.clock.now_ms,
            address=address,
            custodial=custodial,
            name=name,
        )
    )
