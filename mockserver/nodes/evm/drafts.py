"""Transactions as callers describe them, and as the machine takes them."""

from collections.abc import Callable
from functools import partial
from typing import Any

from mockserver.chain.addresses import ZERO_ADDRESS, address_bytes, checksum_of
from mockserver.chain.authorizations import Authorization, RecoveredAuthorization, recover_authorization
from mockserver.chain.transactions import (
    AccessListTransaction,
    BlobTransaction,
    EvmTransaction,
    FeeMarketTransaction,
    LegacyTransaction,
)
from mockserver.crypto.secp256k1 import BadSignature, Signature
from mockserver.nodes.endpoints import invalid, refused
from mockserver.nodes.evm.chain import Chain
from mockserver.nodes.values import SignedAuthorization, TransactionObject


def to_evm(chain: Chain, transaction: TransactionObject, gas: int) -> EvmTransaction:
    """A transaction with a gas limit; what is left out is nothing, and the nonce the next one."""
    sender, to = transaction.get("from", ZERO_ADDRESS), transaction.get("to")
    price = transaction.get("gasPrice", 0)
    for name in ("maxFeePerGas", "maxPriorityFeePerGas"):
        if price and transaction.get(name, price) != price:
            raise refused("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
    authorizations = transaction.get("authorizationList")
    nonce = transaction.get("nonce")
    return EvmTransaction(
        sender=address_bytes(sender),
        to=None if to is None else address_bytes(to),
        value=transaction.get("value", 0),
        data=transaction.get("input", transaction.get("data", b"")),
        gas=gas,
        nonce=chain.account(sender).nonce if nonce is None else nonce,
        max_fee_per_gas=transaction.get("maxFeePerGas", price),
        max_priority_fee_per_gas=transaction.get("maxPriorityFeePerGas", price),
        access_list=tuple(
            (entry["address"], tuple(entry["storageKeys"])) for entry in transaction.get("accessList", ())
        ),
        max_fee_per_blob_gas=transaction.get("maxFeePerBlobGas", 0),
        blob_hashes=tuple(transaction["blobVersionedHashes"])
        if "blobVersionedHashes" in transaction
        else None,
        authorizations=None if authorizations is None else tuple(map(_recover, authorizations)),
    )


def fee_market(chain: Chain, filled: Any) -> FeeMarketTransaction:
    """A transaction with nonce, gas and fees, as it is signed: with a gas price one of type 0 or 1.

    RpcError for authorizations without signatures, and for a contract to be created with some.
    """
    authorizations, to = filled.get("authorizationList"), filled.get("to")
    kind: Callable[..., FeeMarketTransaction] = FeeMarketTransaction
    if "blobVersionedHashes" in filled:
        fee, blobs = filled.get("maxFeePerBlobGas", 0), tuple(filled["blobVersionedHashes"])
        kind = partial(BlobTransaction, max_fee_per_blob_gas=fee, blob_hashes=blobs)
    elif "gasPrice" in filled and not authorizations:
        kind = AccessListTransaction if "accessList" in filled else LegacyTransaction
    try:
        signed = None if authorizations is None else tuple(map(authorization_of, authorizations))
    except BadSignature as error:
        raise invalid(f"invalid argument 0: authorizationList: {error}") from None
    if signed is not None and to is None:
        raise invalid("invalid argument 0: to: Field required with an authorizationList")
    return kind(
        chain_id=chain.id,
        nonce=filled["nonce"],
        max_priority_fee_per_gas=filled["maxPriorityFeePerGas"],
        max_fee_per_gas=filled["maxFeePerGas"],
        gas=filled["gas"],
        to=to,
        value=filled.get("value", 0),
        data=filled.get("input", filled.get("data", b"")),
        access_list=tuple(
            (checksum_of(each["address"]), tuple(slot.to_bytes(32, "big") for slot in each["storageKeys"]))
            for each in filled.get("accessList", ())
        ),
        authorizations=signed,
    )


def authorization_of(given: SignedAuthorization) -> Authorization:
    """An authorization as callers describe it; what is left out is nothing. BadSignature for no signature."""
    chain_id, address, nonce, y_parity, r, s = _members_of(given)
    return Authorization(chain_id, address, nonce, Signature(r, s, y_parity))


def _members_of(given: SignedAuthorization) -> tuple[int, str, int, int, int, int]:
    signed = given.get("yParity", 0), given.get("r", 0), given.get("s", 0)
    return given.get("chainId", 0), given.get("address", ZERO_ADDRESS), given.get("nonce", 0), *signed


def _recover(given: SignedAuthorization) -> RecoveredAuthorization:
    chain_id, address, *others = _members_of(given)
    return recover_authorization(chain_id, address_bytes(address), *others)
