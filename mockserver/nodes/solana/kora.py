"""Kora: the service signs transactions of users as their fee payer, as policies and sponsorships let it."""

import re
from base64 import b64encode
from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal
from typing import Any

from mockserver import errors
from mockserver.chain.base58 import base58_decode
from mockserver.chain.solana.messages import SYSTEM_PROGRAM, Message, read_token_transfer
from mockserver.chain.solana.programs import PROGRAMS, fee_of
from mockserver.chain.solana.tokens import (
    ASSOCIATED_TOKEN_PROGRAM,
    Mint,
    associated_token_address,
    read_mint,
    read_token_account,
)
from mockserver.chain.solana.transactions import Call, Meta, compact_u16, compile_message, transfer_message
from mockserver.crypto import ed25519
from mockserver.domain.policies.signing import read_svm
from mockserver.domain.sponsorship.sponsors import SPONSORSHIP_ERRORS, first_sponsorship
from mockserver.domain.transactions.solana.decisions import decide_about
from mockserver.domain.transactions.solana.transactions import payer_seed, take_signed
from mockserver.errors import RpcError
from mockserver.kernel.spelling import shorten
from mockserver.nodes.endpoints import SOLANA, invalid
from mockserver.nodes.methods import Methods
from mockserver.nodes.solana.cluster import Cluster, Pubkey, ask_cluster
from mockserver.nodes.solana.sending import check, read_raw, send_raw

methods = Methods(ask_cluster, SOLANA)

_SIGNING = (errors.RPC_REFUSED_BY_PAYMASTER, errors.RPC_PREFLIGHT, errors.RPC_SIGNATURE, *SPONSORSHIP_ERRORS)


@methods.method("getConfig")
def get_config(cluster: Cluster) -> dict[str, Any]:
    """Retrieve who pays, and what is allowed."""
    tokens = get_supported_tokens(cluster)["tokens"]
    validation = {
        "allowed_programs": list(PROGRAMS),
        "allowed_spl_paid_tokens": tokens,
        "allowed_tokens": tokens,
        "disallowed_accounts": [],
        "price": {"type": "margin", "margin": 0} if tokens else {"type": "free"},
        "price_source": "Mock",
    }
    names = sorted(re.sub("([A-Z])", r"_\1", each.operation).lower() for each in methods)
    return {
        "fee_payers": [cluster.payer],
        "validation_config": validation,
        "enabled_methods": dict.fromkeys(names, True),
    }


@methods.method("getSupportedTokens")
def get_supported_tokens(cluster: Cluster) -> dict[str, list[str]]:
    """List the mints in which the fee sponsorship takes payment."""
    sponsorship = first_sponsorship(cluster.project, "Solana")
    return {"tokens": list(sponsorship.strategy.spl_tokens) if sponsorship else []}


methods.retrieve(
    {
        "getPayerSigner": (
            "the address of the fee payer, and the one that is paid",
            lambda own: {"signer_address": own.payer, "payment_address": own.payer},
        ),
        "getBlockhash": ("the latest block hash", lambda own: {"blockhash": own.blockhash(own.slot)}),
    }
)


@methods.method("estimateTransactionFee")
def estimate_fee(
    cluster: Cluster, transaction: str, fee_token: str | None = None, signer_key: Pubkey | None = None
) -> dict[str, Any]:
    """Estimate what a transaction costs in lamports, and what is charged for it in a token."""
    _, _, message = check(cluster, read_raw(transaction, "base64"), verify=False)
    tokens = get_supported_tokens(cluster)["tokens"]
    if tokens and fee_token not in (None, *tokens):
        raise invalid(f"invalid argument 1: fee_token: must be one of {', '.join(tokens)}")
    fee = fee_of(message)
    charged = _fee_in_token(cluster, fee, fee_token) if fee_token and tokens else 0
    return {
        "fee_in_lamports": fee,
        "fee_in_token": None if fee_token is None else charged,
        "signer_pubkey": cluster.payer,
        "payment_address": cluster.payer,
    }


@methods.method("transferTransaction")
def make_transfer(
    cluster: Cluster,
    amount: int,
    token: Pubkey,
    source: Pubkey,
    destination: Pubkey,
    signer_key: Pubkey | None = None,
) -> dict[str, Any]:
    """Make a transfer of lamports or tokens between wallets that the fee payer is to sign, too."""
    if not 0 <= amount < 1 << 64:
        raise invalid("invalid argument 0: amount: must be 0 to 18446744073709551615")
    blockhash = cluster.blockhash(cluster.slot)
    payer, sender, receiver = map(base58_decode, (cluster.payer, source, destination))
    if token == SYSTEM_PROGRAM:
        message = transfer_message(payer, receiver, amount, base58_decode(blockhash), sender=sender)
    else:
        calls = _transfer_tokens(cluster, token, source, destination, amount)
        message = compile_message(payer, list(calls), base58_decode(blockhash))
    signers = message[0]
    raw = compact_u16(signers) + bytes(64 * signers) + message
    return {
        "transaction": b64encode(raw).decode(),
        "message": b64encode(message).decode(),
        "blockhash": blockhash,
        "signer_pubkey": cluster.payer,
    }


def _sign_by(name: str, what: str, *, sends: bool) -> None:
    """Declare a method that signs a transaction as its fee payer."""

    def sign(
        cluster: Cluster,
        transaction: str,
        signer_key: Pubkey | None = None,
        externalId: str | None = None,
        sig_verify: bool = False,
    ) -> dict[str, str]:
        raw = _sign_and_keep(cluster, transaction, externalId, sign_only=not sends)
        sent = {"signature": send_raw(cluster, raw, {})} if sends else {}
        return {**sent, "signed_transaction": b64encode(raw).decode(), "signer_pubkey": cluster.payer}

    sign.__doc__ = what
    methods.method(name, errors=_SIGNING)(sign)


_sign_by("signTransaction", "Sign a transaction as its fee payer.", sends=False)
_sign_by("signAndSendTransaction", "Sign a transaction as its fee payer, and send it.", sends=True)


def _sign_and_keep(cluster: Cluster, transaction: str, external_id: str | None, *, sign_only: bool) -> bytes:
    """A transaction that the fee payer has signed, and the project knows of. RpcError if it may not."""
    signatures, signed, message = check(cluster, read_raw(transaction, "base64"), verify=False)
    if cluster.payer not in message.keys[: message.signers]:
        raise invalid(f"invalid argument 0: transaction: the fee payer {cluster.payer} is not to sign it")
    place = message.keys.index(cluster.payer)
    signatures[place] = ed25519.sign(payer_seed(cluster.project), signed)
    raw = compact_u16(len(signatures)) + b"".join(signatures) + signed
    facts = {"network": cluster.name, **read_svm(signed).facts}
    sponsorship = first_sponsorship(cluster.project, "Solana")
    usable = sponsorship.id if sponsorship else None
    decided = decide_about(cluster.project, facts, sign_only=sign_only, sponsorship_id=usable)  # type: ignore[arg-type]
    sponsoring = decided.sponsoring
    # An account of the API pays where a sponsorship does not; of this message Kora is the fee payer.
    unpaid = sponsoring.reason if sponsoring and not sponsoring.pays and not place else None
    refused = decided.error or unpaid or _lacking_payment(cluster, message)
    if refused is not None:
        raise RpcError(errors.RPC_REFUSED_BY_PAYMASTER, reason=refused)
    take_signed(cluster.project, raw, external_id=external_id, sign_only=sign_only, decided=decided)
    return raw


# --- fees in tokens --------------------------------------------------------------------------------------


def _fee_in_token(cluster: Cluster, lamports: int, token: str) -> int:
    """What a fee is worth in the smallest unit of a token, rounded up; a whole token is worth a dollar."""
    decimals = _require_mint(cluster, token, "fee_token").decimals
    whole = Decimal(lamports).scaleb(-9) * Decimal(cluster.project.settings.native_price_usd)
    return int(whole.scaleb(decimals).to_integral_value(ROUND_CEILING))


def _lacking_payment(cluster: Cluster, message: Message) -> str | None:
    """Why a transaction does not pay the fee in a token, by transfers to the payer; None if it does."""
    tokens = get_supported_tokens(cluster)["tokens"]
    if not tokens:
        return None
    accounts, paid = cluster.fee_accounts(), dict.fromkeys(tokens, 0)
    for each in map(read_token_transfer, message.instructions):
        if each is not None and each.recipient in accounts:
            paid[accounts[each.recipient]] += each.amount
    owed = {mint: _fee_in_token(cluster, fee_of(message), mint) for mint in accounts.values()}
    if any(paid[mint] >= fee for mint, fee in owed.items()):
        return None
    wanted = " or ".join(f"{fee} units of {mint}" for mint, fee in owed.items())
    return (
        f"Insufficient token payment: the fee is {wanted or 'in a token that the cluster does not have'},"
        f" to be transferred to {cluster.payer}."
    )


def _transfer_tokens(
    cluster: Cluster, token: str, source: str, destination: str, amount: int
) -> Iterator[Call]:
    """The instructions that move tokens between wallets; what pays for a new account is the fee payer."""
    decimals = _require_mint(cluster, token, "token").decimals
    program = cluster.state_of(token).owner
    addresses = [associated_token_address(owner, token, program) for owner in (source, destination)]
    mint, taken, given, owner, wallet, payer, its_program = map(
        base58_decode, (token, *addresses, source, destination, cluster.payer, program)
    )
    if read_token_account(cluster.state_of(addresses[1])) is None:
        metas = (Meta(payer, signs=True, changes=True), Meta(given, changes=True), Meta(wallet), Meta(mint))
        rest = (Meta(base58_decode(SYSTEM_PROGRAM)), Meta(its_program))
        yield Call(base58_decode(ASSOCIATED_TOKEN_PROGRAM), (*metas, *rest), b"")
    moved = (Meta(taken, changes=True), Meta(mint), Meta(given, changes=True), Meta(owner, signs=True))
    yield Call(its_program, moved, bytes([12]) + amount.to_bytes(8, "little") + bytes([decimals]))


def _require_mint(cluster: Cluster, token: str, name: str) -> Mint:
    mint = read_mint(cluster.state_of(token))
    if mint is None:
        raise invalid(f"invalid argument: {name}: {shorten(token)} is no mint on {cluster.name}")
    return mint
