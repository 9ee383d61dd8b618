"""Sign-In with Ethereum (ERC-4361)."""

from typing import Annotated, Any, NotRequired
from urllib.parse import urlsplit

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import PROJECT, SESSION
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Text, WalletAddress
from mockserver.chain.addresses import to_checksum
from mockserver.crypto.siwe import Message
from mockserver.domain.identity.ethereum_sign_in import (
    NotSigned,
    address_of_link,
    issue_nonce,
    link_wallet,
    read_signed,
    spend_nonce,
    user_of_wallet,
    wallets_of_user,
)
from mockserver.domain.identity.users import accounts_of_user, create_user
from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel import timestamps
from mockserver.resources.auth.links import auth_url
from mockserver.resources.auth.sign_in import caller_of, session_headers, sign_in
from mockserver.responses.auth import Success
from mockserver.responses.shapes import optional, present
from mockserver.state.existence import note_dropped
from mockserver.state.identity import LinkedAccount, User

siwe = Group("Authentication: Sign-In with Ethereum")

SiweChainId = Annotated[int, Field(ge=1, le=2**31 - 1)]


class AskNonce(Body):
    """The address that the nonce is for; it is valid on every chain."""

    walletAddress: WalletAddress
    chainId: SiweChainId = 1


class SignedMessage(Body):
    """A message and its signature. The chain is the message's; if given, it must be the same."""

    message: Annotated[str, Field(max_length=16_384)]
    signature: Annotated[str, Field(max_length=65_536)]
    walletAddress: WalletAddress
    chainId: SiweChainId | None = None
    walletClientType: Text | None = None
    connectorType: Text | None = None


class UnlinkWallet(Body):
    """The wallet to unlink, on one chain or on all."""

    walletAddress: WalletAddress
    chainId: SiweChainId | None = None


class Nonce(TypedDict):
    """The nonce of the next message."""

    nonce: str


class WalletUser(TypedDict):
    """Who signed in, with which wallet."""

    id: str
    walletAddress: str
    chainId: int


class SignedInByWallet(TypedDict):
    """A session."""

    token: str
    success: bool
    user: WalletUser


class WalletLinked(TypedDict):
    """A wallet that the user signs in with from now on."""

    success: bool
    walletAddress: str
    chainId: int
    isPrimary: bool
    connectorType: NotRequired[str]
    walletClientType: NotRequired[str]


class LinkedWallet(TypedDict):
    """A wallet, as the specification's Linked SIWE wallet."""

    id: str
    userId: str
    address: str
    chainId: int
    isPrimary: bool
    createdAt: str


@siwe.endpoint("POST", "/iam/v2/auth/siwe/nonce", "getSiweNonce", PROJECT)
def ask_nonce(call: Call[AskNonce]) -> Nonce:
    """Ask for the nonce of the message to sign in with."""
    return {"nonce": issue_nonce(call.project, call.body.walletAddress)}


@siwe.endpoint(
    "POST",
    "/iam/v2/auth/siwe/verify",
    "verifySiweMessage",
    PROJECT,
    errors=(errors.IAM_SIWE_NONCE, errors.IAM_SIWE_SIGNATURE),
)
def sign_in_with_wallet(call: Call[SignedMessage]) -> SignedInByWallet | Reply:
    """Sign in with a signed message, which makes a new user of an unknown wallet."""
    message = _verify_message(call, errors.IAM_SIWE_NONCE, errors.IAM_SIWE_SIGNATURE)
    address = to_checksum(call.body.walletAddress)
    user = user_of_wallet(call.project, address) or _create_user(call, address)
    _link(call, user, message)
    session = sign_in(call, user)
    answer: SignedInByWallet = {
        "token": session.token,
        "success": True,
        "user": {"id": user.id, "walletAddress": address, "chainId": message.chain_id},
    }
    return Reply(answer, headers=session_headers(call, session))


def _create_user(call: Call[SignedMessage], address: str) -> User:
    host = urlsplit(auth_url(call)).hostname or "localhost"
    email = f"{address.lower()}@{host}"
    return create_user(call.project, name=address, email=email, has_placeholder_email=True)


@siwe.endpoint("POST", "/iam/v2/auth/link-siwe/nonce", "getLinkSiweNonce", SESSION)
def ask_link_nonce(call: Call[AskNonce]) -> Nonce:
    """Ask for the nonce of the message to link a wallet with."""
    return {"nonce": issue_nonce(call.project, call.body.walletAddress)}


@siwe.endpoint(
    "POST",
    "/iam/v2/auth/link-siwe/verify",
    "verifyLinkSiweMessage",
    SESSION,
    errors=(errors.IAM_LINK_SIWE_NONCE, errors.IAM_LINK_SIWE_SIGNATURE, errors.IAM_WALLET_ALREADY_LINKED),
)
def link_signed_wallet(call: Call[SignedMessage]) -> WalletLinked:
    """Link a wallet to the signed-in user."""
    message = _verify_message(call, errors.IAM_LINK_SIWE_NONCE, errors.IAM_LINK_SIWE_SIGNATURE)
    user = caller_of(call)
    holder = user_of_wallet(call.project, call.body.walletAddress)
    if holder is not None and holder.id != user.id:
        raise ApiError(errors.IAM_WALLET_ALREADY_LINKED, param="walletAddress")
    row = _link(call, user, message)
    answer: WalletLinked = {
        "success": True,
        "walletAddress": address_of_link(row),
        "chainId": message.chain_id,
        "isPrimary": wallets_of_user(call.project, user)[0].id == row.id,
        "connectorType": optional(row.connector_type),
        "walletClientType": optional(row.wallet_client_type),
    }
    return present(answer)


@siwe.endpoint("GET", "/iam/v2/auth/link-siwe/list-wallets", "listLinkedWallets", SESSION)
def list_wallets(call: Call) -> list[LinkedWallet]:
    """List the wallets that the user signs in with, oldest first; the oldest is the primary one."""
    rows = wallets_of_user(call.project, caller_of(call))
    return [
        {
            "id": row.id,
            "userId": row.user_id,
            "address": address_of_link(row),
            "chainId": row.chain_id or 1,
            "isPrimary": place == 0,
            "createdAt": timestamps.format_iso(row.created_ms),
        }
        for place, row in enumerate(rows)
    ]


@siwe.endpoint(
    "POST",
    "/iam/v2/auth/link-siwe/unlink",
    "unlinkWallet",
    SESSION,
    errors=(errors.IAM_WALLET_NOT_FOUND, errors.IAM_LAST_WALLET),
)
def unlink_wallet(call: Call[UnlinkWallet]) -> Success:
    """Unlink a wallet, unless the user could then not sign in any more."""
    body, user = call.body, caller_of(call)
    rows = [
        row
        for row in wallets_of_user(call.project, user)
        if address_of_link(row).lower() == body.walletAddress.lower() and body.chainId in (None, row.chain_id)
    ]
    if not rows:
        raise ApiError(errors.IAM_WALLET_NOT_FOUND, param="walletAddress")
    others = len(accounts_of_user(call.project, user.id)) - len(rows)
    if not others and not user.email_verified and not user.phone_number_verified:
        raise ApiError(errors.IAM_LAST_WALLET)
    for row in rows:
        call.project.identity.linked_accounts.remove(row.id)
    return {"success": True}


def _verify_message(call: Call[Any], no_nonce: ErrorRow, not_signed: ErrorRow) -> Message:
    """Verify the message of a request, and consume its nonce, valid or not."""
    body: SignedMessage = call.body
    nonce = spend_nonce(call.project, body.walletAddress)
    if nonce is None:
        raise ApiError(no_nonce, note=note_dropped(call.project.identity.verifications))
    try:
        return read_signed(
            call.project,
            body.message,
            body.signature,
            address=body.walletAddress,
            nonce=nonce,
            chain_id=body.chainId,
        )
    except NotSigned as error:
        raise ApiError(not_signed, reason=f"{error}.") from None


def _link(call: Call[SignedMessage], user: User, message: Message) -> LinkedAccount:
    return link_wallet(
        call.project,
        user,
        call.body.walletAddress,
        message.chain_id,
        connector_type=call.body.connectorType,
        wallet_client_type=call.body.walletClientType,
    )
