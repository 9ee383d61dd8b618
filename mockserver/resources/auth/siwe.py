"""Sign-In with Ethereum (ERC-4361)."""

from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from mockserver import errors, leniencies
from mockserver.api.access import PROJECT, SESSION
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, Text
from mockserver.chain.addresses import to_checksum
from mockserver.crypto.siwe import Message
from mockserver.domain.identity.ethereum_sign_in import (
    FIRST_CHAIN,
    NotSigned,
    address_of_link,
    create_wallet_user,
    find_wallet,
    issue_nonce,
    link_wallet,
    no_nonce,
    read_signed,
    spend_nonce,
    unlink_wallets,
    user_of_wallet,
    wallets_of_user,
)
from mockserver.domain.identity.social.provider_configs import allows_anonymous, require_way_in
from mockserver.domain.identity.users import create_user, require_email, user_of_email
from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Token
from mockserver.resources.auth.links import server_host
from mockserver.resources.auth.sign_in import caller_of, session_headers, sign_in
from mockserver.responses.auth import Success
from mockserver.responses.shapes import optional, present
from mockserver.state.identity import User

siwe = Group("Authentication: Sign-In with Ethereum")

SiweChainId = Annotated[int, Field(ge=1, le=2**31 - 1)]


class AskNonce(Body):
    """The address and the chain that the nonce is for."""

    walletAddress: Address
    chainId: SiweChainId = FIRST_CHAIN
    """The chain that the message is for."""


class SignedMessage(Body):
    """A message and its signature. The message must name the chain, which is that of the nonce."""

    message: Annotated[str, Field(min_length=1, max_length=16_384)]
    """The message that was signed (EIP-4361)."""
    signature: Annotated[str, Field(min_length=1, max_length=65_536)]
    walletAddress: Address
    chainId: SiweChainId = FIRST_CHAIN
    walletClientType: Text | None = None
    connectorType: Text | None = None


class SignInMessage(SignedMessage):
    """A message to sign in with. `email` is for new users, and required where anonymous sign-in is off."""

    email: Annotated[Text, AfterValidator(require_email)] | None = None


class UnlinkWallet(Body):
    """The wallet to unlink, on a chain."""

    walletAddress: Address
    chainId: SiweChainId = FIRST_CHAIN
    chaindId: SiweChainId | None = None
    """`chainId`, as the official client spells it."""


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

    token: Token
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


@siwe.endpoint("POST /iam/v2/auth/siwe/nonce", "getSiweNonce", PROJECT)
def ask_nonce(call: Call[AskNonce]) -> Nonce:
    """Ask for the nonce of the message to sign in with."""
    return {"nonce": issue_nonce(call.project, call.body.walletAddress, call.body.chainId)}


@siwe.endpoint(
    "POST /iam/v2/auth/siwe/verify",
    "verifySiweMessage",
    PROJECT,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_SIWE_NONCE,
        errors.IAM_SIWE_SIGNATURE,
        errors.IAM_SIWE_EMAIL_TAKEN,
    ),
)
def sign_in_with_wallet(call: Call[SignInMessage]) -> SignedInByWallet | Reply:
    """Sign in with a signed message, which makes a new user of an unknown wallet."""
    require_way_in(call.project, "web3")
    _require_email_unless_anonymous(call)
    nonce = spend_nonce(call.project, call.body.walletAddress, call.body.chainId)
    if nonce is None:
        raise _no_nonce(call, errors.IAM_SIWE_NONCE)
    message = _verify_message(call, nonce, errors.IAM_SIWE_SIGNATURE)
    address = to_checksum(call.body.walletAddress)
    user = user_of_wallet(call.project, address) or _create_user(call, address)
    link_wallet(call.project, user, message, call.body.connectorType, call.body.walletClientType)
    session = sign_in(call, user)
    answer: SignedInByWallet = {
        "token": session.token,
        "success": True,
        "user": {"id": user.id, "walletAddress": address, "chainId": message.chain_id},
    }
    return Reply(answer, headers=session_headers(call, session))


def _require_email_unless_anonymous(call: Call[SignInMessage]) -> None:
    if call.body.email is None and not allows_anonymous(call.project):
        summary = (
            "Invalid body parameters: email: is required, because the setting anonymous_sign_in, or the "
            "provider guest, is off"
        )
        raise ApiError(errors.IAM_VALIDATION, param="email", summary=summary)


def _create_user(call: Call[SignInMessage], address: str) -> User:
    given = call.body.email
    if given is not None and not allows_anonymous(call.project):
        if user_of_email(call.project, given) is not None:
            raise ApiError(errors.IAM_SIWE_EMAIL_TAKEN, param="email")
        return create_user(call.project, name=address, email=given.lower())
    return create_wallet_user(call.project, address, server_host(call))


@siwe.endpoint("POST /iam/v2/auth/link-siwe/nonce", "getLinkSiweNonce", SESSION)
def ask_link_nonce(call: Call[AskNonce]) -> Nonce:
    """Ask for the nonce of the message to link a wallet with."""
    return {"nonce": issue_nonce(call.project, call.body.walletAddress, call.body.chainId)}


@siwe.endpoint(
    "POST /iam/v2/auth/link-siwe/verify",
    "verifyLinkSiweMessage",
    SESSION,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_LINK_SIWE_NONCE,
        errors.IAM_LINK_SIWE_SIGNATURE,
        errors.IAM_WALLET_ALREADY_LINKED,
    ),
)
def link_signed_wallet(call: Call[SignedMessage]) -> WalletLinked:
    """Link a wallet to the signed-in user."""
    require_way_in(call.project, "web3")
    message = _verify_message(call, _spend_link_nonce(call), errors.IAM_LINK_SIWE_SIGNATURE)
    user = caller_of(call)
    holder = user_of_wallet(call.project, call.body.walletAddress)
    if holder is not None and holder.id != user.id:
        raise ApiError(errors.IAM_WALLET_ALREADY_LINKED, param="walletAddress")
    row = link_wallet(call.project, user, message, call.body.connectorType, call.body.walletClientType)
    answer: WalletLinked = {
        "success": True,
        "walletAddress": address_of_link(row),
        "chainId": message.chain_id,
        "isPrimary": wallets_of_user(call.project, user)[0].id == row.id,
        "connectorType": optional(row.connector_type),
        "walletClientType": optional(row.wallet_client_type),
    }
    return present(answer)


def _spend_link_nonce(call: Call[SignedMessage]) -> str:
    """Consume the nonce; the official client asks for that of the first chain, whichever it links on."""
    body, project = call.body, call.project
    nonce = spend_nonce(project, body.walletAddress, body.chainId)
    if nonce is None and body.chainId != FIRST_CHAIN:
        nonce = spend_nonce(project, body.walletAddress, FIRST_CHAIN)
        if nonce is not None:
            call.accept_leniently(leniencies.LINK_NONCE_OF_FIRST_CHAIN)
    if nonce is None:
        raise _no_nonce(call, errors.IAM_LINK_SIWE_NONCE)
    return nonce


@siwe.endpoint("GET /iam/v2/auth/link-siwe/list-wallets", "listLinkedWallets", SESSION)
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
    "POST /iam/v2/auth/link-siwe/unlink",
    "unlinkWallet",
    SESSION,
    errors=(errors.IAM_WALLET_NOT_FOUND, errors.IAM_LAST_WALLET),
)
def unlink_wallet(call: Call[UnlinkWallet]) -> Success:
    """Unlink a wallet on a chain, unless the user could then not sign in any more."""
    body, user, chain_id = call.body, caller_of(call), call.body.chainId
    if body.chaindId is not None:
        call.accept_leniently(leniencies.UNLINK_CHAIN_MISSPELT)
        chain_id = body.chaindId
    row = find_wallet(call.project, user, body.walletAddress, chain_id)
    if row is None:
        raise ApiError(errors.IAM_WALLET_NOT_FOUND, param="walletAddress", chain_id=chain_id)
    unlink_wallets(call.project, user, [row])
    return {"success": True}


def _no_nonce(call: Call[Any], row: ErrorRow) -> ApiError:
    body: SignedMessage = call.body
    return no_nonce(call.project, row, body.message, body.walletAddress, body.chainId)


def _verify_message(call: Call[Any], nonce: str, not_signed: ErrorRow) -> Message:
    """The message of a request, if it has this nonce and the wallet signed it."""
    body: SignedMessage = call.body
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
