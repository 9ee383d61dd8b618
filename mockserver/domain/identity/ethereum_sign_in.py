"""Sign-In with Ethereum: nonces, signed messages and linked wallets."""

from collections.abc import Collection
from urllib.parse import urlsplit

from mockserver import errors
from mockserver.chain.abi.functions import decode_values
from mockserver.chain.addresses import address_of, to_checksum
from mockserver.crypto.messages import personal_message_digest
from mockserver.crypto.secp256k1 import BadSignature, Signature, recover
from mockserver.crypto.siwe import BadMessage, Message, parse
from mockserver.domain.identity.users import accounts_of_user, create_user, link_account
from mockserver.domain.identity.verifications import forget_verifications, issue_verification
from mockserver.errors import ApiError, ErrorRow
from mockserver.state.existence import note_dropped
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project

PROVIDER = "siwe"

FIRST_CHAIN = 1
"""The chain that is meant where a request names none."""

_NONCE_LENGTH = 17

_UNDEPLOYED = bytes.fromhex("6492") * 16
"""The magic suffix of a signature of a contract wallet that is not deployed yet (ERC-6492)."""


class NotSigned(ValueError):
    """The signature does not prove control of the wallet; the message says why."""


def issue_nonce(project: Project, address: str, chain_id: int) -> str:
    """Issue a nonce for an address on a chain; the former nonce becomes invalid."""
    identifier = _identifier(address, chain_id)
    forget_verifications(project, "siwe-nonce", identifier)
    nonce = project.entropy.text("siwe_nonce", _NONCE_LENGTH)
    lifetime_ms = project.settings.siwe_nonce_lifetime_ms
    return issue_verification(project, "siwe-nonce", identifier, nonce, lifetime_ms).value


def spend_nonce(project: Project, address: str, chain_id: int) -> str | None:
    """Consume the nonce of an address on a chain, even if the call is rejected later; None without one."""
    row = project.identity.verifications.last("identifier", ("siwe-nonce", _identifier(address, chain_id)))
    if row is None:
        return None
    project.identity.verifications.destroy(row.id)
    return None if row.expires_ms <= project.clock.now_ms else row.value


def no_nonce(project: Project, row: ErrorRow, message: str, address: str, chain_id: int) -> ApiError:
    """The error of a wallet without a nonce, which says what the nonce of the message was issued for."""
    verifications = project.identity.verifications
    try:
        issued = verifications.first("value", ("siwe-nonce", parse(message).nonce))
    except BadMessage:
        issued = None
    if issued is None:
        return ApiError(row, note=note_dropped(verifications))
    whose, _, chain = issued.identifier.partition(":")
    other = f"chain {chain}, and chainId is {chain_id}" if whose == address.lower() else to_checksum(whose)
    return ApiError(row, note=f"The nonce of the message is for {other}.")


def _identifier(address: str, chain_id: int) -> str:
    return f"{address.lower()}:{chain_id}"


def read_signed(
    project: Project, text: str, signature: str, *, address: str, nonce: str, chain_id: int
) -> Message:
    """The parsed message, if the owner of the address signed it with this nonce; NotSigned otherwise.

    Only a contract wallet's own code could check its signature (ERC-1271), and none is run here. So any
    non-empty signature of an address in the setting `contract_wallets` is accepted. The message's
    domain is checked only in a project that does not trust every origin.
    """
    try:
        message = parse(text)
        _check_signature(project, text, _bytes(signature), address.lower())
    except (BadMessage, BadSignature) as error:
        raise NotSigned(str(error)) from None
    if message.address.lower() != address.lower():
        raise NotSigned("the message names another address")
    if message.nonce != nonce:
        raise NotSigned("the message has another nonce")
    if message.chain_id != chain_id:
        raise NotSigned(f"the message names chain {message.chain_id}, and chainId is {chain_id}")
    if not message.is_valid_at(project.clock.now_ms):
        raise NotSigned("the message does not hold at this time")
    origins = project.settings.trusted_origins
    if origins is not None and message.domain not in {urlsplit(origin).netloc for origin in origins}:
        raise NotSigned("the message names a domain that the setting trusted_origins does not list")
    return message


def _check_signature(project: Project, text: str, raw: bytes, address: str) -> None:
    if raw.endswith(_UNDEPLOYED):
        raw = _unwrap(raw)
    if address in {wallet.lower() for wallet in project.settings.contract_wallets}:
        if not raw:
            raise NotSigned("the signature is empty")
        return
    signer = address_of(recover(personal_message_digest(text.encode()), Signature.from_bytes(raw)))
    if signer.lower() != address:
        raise NotSigned("another key signed the message")


def _unwrap(raw: bytes) -> bytes:
    """The inner signature of an ERC-6492 wrapper, which also has the factory and its calldata."""
    try:
        _, _, inner = decode_values(("address", "bytes", "bytes"), raw[: -len(_UNDEPLOYED)])
    except ValueError as error:
        raise NotSigned(f"the signature is not in the form of ERC-6492: {error}") from None
    assert isinstance(inner, bytes)
    return inner


def _bytes(signature: str) -> bytes:
    try:
        return bytes.fromhex(signature.removeprefix("0x"))
    except ValueError:
        raise BadSignature("the signature is not hexadecimal") from None


def link_wallet(
    project: Project, user: User, message: Message, connector: str | None, client: str | None
) -> LinkedAccount:
    """Link the wallet that signed a message to a user, idempotently, with what connected it."""
    known = find_wallet(project, user, message.address, message.chain_id)
    if known is not None:
        return known
    row = link_account(project, user, PROVIDER, _account_id(message.address, message.chain_id))
    linked = row._replace(chain_type="EVM", chain_id=message.chain_id)
    return project.identity.linked_accounts.replace(
        linked._replace(connector_type=connector, wallet_client_type=client)
    )


def unlink_wallets(project: Project, user: User, wallets: Collection[LinkedAccount]) -> None:
    """Unlink wallets of a user. ApiError with 400 if the user could not sign in any more."""
    others = len(accounts_of_user(project, user.id)) - len(wallets)
    if not others and not user.email_verified and not user.phone_number_verified:
        raise ApiError(errors.IAM_LAST_WALLET)
    for row in wallets:
        project.identity.linked_accounts.remove(row.id)


def find_wallet(project: Project, user: User, address: str, chain_id: int) -> LinkedAccount | None:
    """The user's linked wallet with this address on this chain, or None."""
    row = project.identity.linked_accounts.first("identity", (PROVIDER, _account_id(address, chain_id)))
    return row if row is not None and row.user_id == user.id else None


def _account_id(address: str, chain_id: int) -> str:
    return f"{to_checksum(address)}:{chain_id}"


def user_of_wallet(project: Project, address: str) -> User | None:
    """The user with this linked address, on any chain, or None."""
    row = project.identity.linked_accounts.first("siwe_address", address.lower())
    return None if row is None else project.identity.users[row.user_id]


def create_wallet_user(project: Project, address: str, host: str) -> User:
    """A new user who is known by a wallet only, with a made-up address at a host."""
    email = f"{address.lower()}@{host}"
    return create_user(project, name=address, email=email, has_placeholder_email=True)


def wallets_of_user(project: Project, user: User) -> list[LinkedAccount]:
    """The linked wallets of a user, oldest first: the first is the primary one."""
    return [
        row for row in project.identity.linked_accounts.find("user_id", user.id) if row.provider == PROVIDER
    ]


def address_of_link(row: LinkedAccount) -> str:
    """The checksummed address of a linked wallet."""
    return row.account_id.partition(":")[0]
