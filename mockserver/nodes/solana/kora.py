"""Kora: the service signs transactions of users as their fee payer, as policies and sponsorships let it."""

from base64 import b64encode
from typing import Any

from mockserver import errors
from mockserver.chain.base58 import base58_decode
from mockserver.chain.solana.programs import fee_of
from mockserver.chain.solana.tokens import read_mint
from mockserver.chain.solana.transactions import compact_u16, transfer_message
from mockserver.crypto import ed25519
from mockserver.domain.policies.signing import read_svm
from mockserver.domain.sponsorship.sponsors import SPONSORSHIP_ERRORS
from mockserver.domain.transactions.solana.decisions import decide_about
from mockserver.domain.transactions.solana.transactions import payer_seed, take_signed
from mockserver.errors import RpcError
from mockserver.nodes.bundler.operations import invalid
from mockserver.nodes.doors import SOLANA
from mockserver.nodes.methods import Methods
from mockserver.nodes.solana.accounts import Pubkey
from mockserver.nodes.solana.cluster import Cluster, ask_cluster
from mockserver.nodes.solana.sending import check, read_raw, send_raw

methods = Methods("JSON-RPC", ask_cluster, SOLANA)

_SIGNING = (errors.RPC_REFUSED_BY_PAYMASTER, errors.RPC_PREFLIGHT, errors.RPC_SIGNATURE, *SPONSORSHIP_ERRORS)


@methods.method("getConfig")
def get_config(cluster: Cluster) -> dict[str, Any]:
    """Retrieve who pays, and what is allowed."""
    tokens = get_supported_tokens(cluster)["tokens"]
    enabled = (
        "estimate_transaction_fee",
        "get_blockhash",
        "get_config",
        "get_payer_signer",
        "get_supported_tokens",
    )
    signing = ("sign_and_send_transaction", "sign_transaction", "transfer_transaction")
    return {
        "fee_payers": [cluster.payer],
        "validation_config": {"allowed_tokens": tokens, "price_source": "Mock"},
        "enabled_methods": dict.fromkeys((*enabled, *signing), True),
    }


@methods.method("getPayerSigner")
def get_payer_signer(cluster: Cluster) -> dict[str, str]:
    """Retrieve the address of the fee payer, and the one that is paid."""
    return {"signer_address": cluster.payer, "payment_address": cluster.payer}


@methods.method("getSupportedTokens")
def get_supported_tokens(cluster: Cluster) -> dict[str, list[str]]:
    """List the mints in which fee sponsorships take payment."""
    rows = cluster.project.guardrails.fee_sponsorships
    mints = (mint for row in rows if row.enabled and not row.deleted for mint in row.strategy.spl_tokens)
    return {"tokens": list(dict.fromkeys(mints))}


@methods.method("getBlockhash")
def get_blockhash(cluster: Cluster) -> dict[str, str]:
    """Retrieve the latest block hash."""
    return {"blockhash": cluster.blockhash(cluster.slot)}


@methods.method("estimateTransactionFee")
def estimate_fee(
    cluster: Cluster, transaction: str, fee_token: str | None = None, signer_key: Pubkey | None = None
) -> dict[str, Any]:
    """Estimate what a transaction costs in lamports, and at equal worth in the units of a token."""
    _, _, message = check(read_raw(transaction, "base64"), verify=False)
    fee = fee_of(message)
    return {
        "fee_in_lamports": fee,
        "fee_in_token": None if fee_token is None else float(fee),
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
    """Make a transfer of lamports that the fee payer is to sign, too."""
    if token != "1" * 32 or read_mint(cluster.state_of(token)) is not None:
        raise invalid("invalid argument 1: token: transfers are made of SOL, whose address is 32 ones")
    blockhash = cluster.blockhash(cluster.slot)
    payer, sender, receiver = map(base58_decode, (cluster.payer, source, destination))
    message = transfer_message(payer, receiver, amount, base58_decode(blockhash), sender=sender)
    signers = 1 if payer == sender else 2
    raw = compact_u16(signers) + bytes(64 * signers) + message
    return {
        "transaction": b64encode(raw).decode(),
        "message": b64encode(message).decode(),
        "blockhash": blockhash,
        "signer_pubkey": cluster.payer,
    }


@methods.method("signTransaction", errors=_SIGNING)
def sign_transaction(
    cluster: Cluster,
    transaction: str,
    signer_key: Pubkey | None = None,
    externalId: str | None = None,  # noqa: N803
    sig_verify: bool = False,
) -> dict[str, str]:
    """Sign a transaction as its fee payer."""
    raw = _sign_and_keep(cluster, transaction, externalId, sign_only=True)
    return {"signed_transaction": b64encode(raw).decode(), "signer_pubkey": cluster.payer}


@methods.method("signAndSendTransaction", errors=_SIGNING)
def sign_and_send(
    cluster: Cluster,
    transaction: str,
    signer_key: Pubkey | None = None,
    externalId: str | None = None,  # noqa: N803
    sig_verify: bool = False,
) -> dict[str, str]:
    """Sign a transaction as its fee payer, and send it."""
    raw = _sign_and_keep(cluster, transaction, externalId, sign_only=False)
    signature = send_raw(cluster, raw, {"skipPreflight": False})
    signed = b64encode(raw).decode()
    return {"signature": signature, "signed_transaction": signed, "signer_pubkey": cluster.payer}


def _sign_and_keep(cluster: Cluster, transaction: str, external_id: str | None, *, sign_only: bool) -> bytes:
    """A transaction that the fee payer has signed, and the project knows of. RpcError if it may not."""
    raw = _sign(cluster, transaction)
    decided = _decide(cluster, raw, sign_only=sign_only)
    take_signed(cluster.project, raw, external_id=external_id, sign_only=sign_only, decided=decided)
    return raw


def _sign(cluster: Cluster, transaction: str) -> bytes:
    """A transaction with the signature of the fee payer in its place."""
    signatures, signed, message = check(read_raw(transaction, "base64"), verify=False)
    if cluster.payer not in message.keys[: message.signers]:
        raise invalid(f"invalid argument 0: transaction: the fee payer {cluster.payer} is not to sign it")
    place = message.keys.index(cluster.payer)
    signatures[place] = ed25519.sign(payer_seed(cluster.project), signed)
    return compact_u16(len(signatures)) + b"".join(signatures) + signed


def _decide(cluster: Cluster, raw: bytes, *, sign_only: bool) -> Any:
    """What policies and the sponsorship decide. RpcError if it is not signed."""
    _, signed, _ = check(raw, verify=False)
    facts = {"network": cluster.name, **read_svm(signed).facts}
    usable = (
        row.id
        for row in cluster.project.guardrails.fee_sponsorships
        if row.enabled and not row.deleted and row.chain_id is None and not row.strategy.tokens
    )
    decided = decide_about(cluster.project, facts, sign_only=sign_only, sponsorship_id=next(usable, None))  # type: ignore[arg-type]
    if decided.error is not None:
        raise RpcError(errors.RPC_REFUSED_BY_PAYMASTER, reason=decided.error)
    return decided
