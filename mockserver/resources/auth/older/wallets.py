"""Sign-In with Ethereum of the older sign-in: the message names the wallet and the chain."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, Text
from mockserver.chain.addresses import to_checksum
from mockserver.crypto.siwe import BadMessage, Message, parse
from mockserver.domain.identity.ethereum_sign_in import (
    FIRST_CHAIN,
    NotSigned,
    address_of_link,
    create_wallet_user,
    issue_nonce,
    link_wallet,
    no_nonce,
    read_signed,
    spend_nonce,
    unlink_wallets,
    user_of_wallet,
    wallets_of_user,
)
from mockserver.domain.identity.social.provider_configs import require_way_in
from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel.clock import to_seconds
from mockserver.resources.auth.links import server_host
from mockserver.resources.auth.older.answers import (
    PLAYER,
    VISITOR,
    PlayerSession,
    caller_answer,
    replaced_by,
    sign_in_player,
)
from mockserver.resources.auth.sign_in import caller_of
from mockserver.responses.auth_players import AuthPlayerAnswer

older_wallets = Group("Sign-in (older): wallets")


class NamedWallet(Body):
    """A wallet, by its address."""

    address: Address


class SignedByWallet(Body):
    """A message of EIP-4361 with the nonce, and its signature."""

    message: Annotated[str, Field(min_length=1, max_length=16_384)]
    """The message that was signed (EIP-4361)."""
    signature: Annotated[str, Field(min_length=1, max_length=65_536)]
    walletClientType: Text
    connectorType: Text


class WalletNonce(TypedDict):
    """The nonce of the next message of a wallet."""

    address: str
    nonce: str
    expiresAt: int
    """When the nonce expires, in seconds since 1970."""


@older_wallets.endpoint(
    "POST /iam/v1/siwe/init", "InitSIWE", VISITOR, leniency=replaced_by("POST /iam/v2/auth/siwe/nonce")
)
def begin_with_wallet(call: Call[NamedWallet]) -> WalletNonce:
    """Ask for the nonce of the message to sign in with, or to link a wallet with."""
    address, lifetime_ms = call.body.address, call.project.settings.siwe_nonce_lifetime_ms
    return {
        "address": address,
        "nonce": issue_nonce(call.project, address, FIRST_CHAIN),
        "expiresAt": to_seconds(call.now_ms + lifetime_ms),
    }


@older_wallets.endpoint(
    "POST /iam/v1/siwe/authenticate",
    "AuthenticateSIWE",
    VISITOR,
    errors=(errors.IAM_PROVIDER_DISABLED, errors.IAM_SIWE_NONCE, errors.IAM_SIWE_SIGNATURE),
    leniency=replaced_by("POST /iam/v2/auth/siwe/verify"),
)
def sign_in_with_wallet(call: Call[SignedByWallet]) -> PlayerSession:
    """Sign in with a signed message, which makes a new user of an unknown wallet."""
    project = call.project
    require_way_in(project, "web3")
    message = _read(call, errors.IAM_SIWE_NONCE, errors.IAM_SIWE_SIGNATURE)
    address = to_checksum(message.address)
    user = user_of_wallet(project, address) or create_wallet_user(project, address, server_host(call))
    link_wallet(call.project, user, message, call.body.connectorType, call.body.walletClientType)
    return sign_in_player(call, user)


@older_wallets.endpoint(
    "POST /iam/v1/siwe/link",
    "LinkSIWE",
    PLAYER,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_LINK_SIWE_NONCE,
        errors.IAM_LINK_SIWE_SIGNATURE,
        errors.IAM_WALLET_ALREADY_LINKED,
    ),
    leniency=replaced_by("POST /iam/v2/auth/link-siwe/verify"),
)
def link_signed_wallet(call: Call[SignedByWallet]) -> AuthPlayerAnswer:
    """Link a wallet to the signed-in user."""
    require_way_in(call.project, "web3")
    message = _read(call, errors.IAM_LINK_SIWE_NONCE, errors.IAM_LINK_SIWE_SIGNATURE)
    user = caller_of(call)
    holder = user_of_wallet(call.project, message.address)
    if holder is not None and holder.id != user.id:
        raise ApiError(errors.IAM_WALLET_ALREADY_LINKED, param="message")
    link_wallet(call.project, user, message, call.body.connectorType, call.body.walletClientType)
    return caller_answer(call)


@older_wallets.endpoint(
    "POST /iam/v1/siwe/unlink",
    "UnlinkSIWE",
    PLAYER,
    errors=(errors.IAM_ACCOUNT_NOT_FOUND, errors.IAM_LAST_WALLET),
    leniency=replaced_by("POST /iam/v2/auth/link-siwe/unlink"),
)
def unlink_wallet(call: Call[NamedWallet]) -> AuthPlayerAnswer:
    """Unlink a wallet on every chain, unless the user could then not sign in any more."""
    user, address = caller_of(call), call.body.address.lower()
    rows = [row for row in wallets_of_user(call.project, user) if address_of_link(row).lower() == address]
    if not rows:
        raise ApiError(errors.IAM_ACCOUNT_NOT_FOUND, param="address")
    unlink_wallets(call.project, user, rows)
    return caller_answer(call)


def _read(call: Call[SignedByWallet], missing: ErrorRow, not_signed: ErrorRow) -> Message:
    """The message of a request, if its wallet signed it with the nonce that it was given."""
    body, project = call.body, call.project
    try:
        named = parse(body.message)
        nonce = spend_nonce(project, named.address, FIRST_CHAIN)
        if nonce is None:
            raise no_nonce(project, missing, body.message, named.address, FIRST_CHAIN)
        return read_signed(
            project, body.message, body.signature, address=named.address, nonce=nonce, chain_id=named.chain_id
        )
    except (BadMessage, NotSigned) as error:
        raise ApiError(not_signed, reason=f"{error}.") from None
