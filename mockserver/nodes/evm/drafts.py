"""Transactions as callers describe them, and as the machine takes them."""

from typing import Any

from mockserver.chain.addresses import ZERO_ADDRESS, address_bytes, checksum_of
from mockserver.chain.authorizations import Authorization
from mockserver.chain.transactions import (
    AccessListTransaction,
    EvmTransaction,
    FeeMarketTransaction,
    LegacyTransaction,
)
from mockserver.crypto.secp256k1 import Signature
from mockserver.nodes.evm.chain import Chain
from mockserver.nodes.values import SignedAuthorization, TransactionObject


def to_evm(chain: Chain, transaction: TransactionObject, gas: int) -> EvmTransaction:
    """A transaction with a gas limit; what is left out is nothing, and the nonce the next one."""
    sender, to = transaction.get("from", ZERO_ADDRESS), transaction.get("to")
    price = transaction.get("gasPrice", 0)
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
        authorizations=None
        if authorizations is None
        else tuple(authorization_of(each).recovered for each in authorizations),
    )


def fee_market(chain: Chain, filled: Any) -> FeeMarketTransaction:
    """A transaction with nonce, gas and fees, as it is signed: with a gas price one of type 0 or 1."""
    authorizations = filled.get("authorizationList")
    kind = FeeMarketTransaction
    if "gasPrice" in filled and not authorizations:
        kind = AccessListTransaction if "accessList" in filled else LegacyTransaction
    return kind(
        chain_id=chain.id,
        nonce=filled["nonce"],
        max_priority_fee_per_gas=filled["maxPriorityFeePerGas"],
        max_fee_per_gas=filled["maxFeePerGas"],
        gas=filled["gas"],
        to=filled.get("to"),
        value=filled.get("value", 0),
        data=filled.get("input", filled.get("data", b"")),
        access_list=tuple(
            (checksum_of(each["address"]), tuple(slot.to_bytes(32, "big") for slot in each["storageKeys"]))
            for each in filled.get("accessList", ())
        ),
        authorizations=None if authorizations is None else tuple(map(authorization_of, authorizations)),
    )


def authorization_of(given: SignedAuthorization) -> Authorization:
    """An authorization as callers describe it; what is left out is nothing."""
    signature = Signature(given.get("r", 0), given.get("s", 0), given.get("yParity", 0))
    address = given.get("address", ZERO_ADDRESS)
    return Authorization(given.get("chainId", 0), address, given.get("nonce", 0), signature)
