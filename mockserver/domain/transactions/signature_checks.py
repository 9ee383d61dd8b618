"""Verification of the signatures of transactions: by the owner, or by a session key."""

from mockserver import errors
from mockserver.chain.addresses import address_of
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.wallets import session_keys
from mockserver.errors import ApiError
from mockserver.state.chains import Execution, PlainExecution
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey
from mockserver.state.wallets import Account


def find_signing_key(
    project: Project, account: Account, row: Transaction, execution: Execution, signature: bytes
) -> SessionKey | None:
    """The session key that signed, or None when the account's owner did.

    ApiError with 409 for a signature by neither, and by a session key that may not sign it
    (specification, Session key (v1)).
    """
    owner, digest = account.signing_address, execution.signing_hash
    signer = _recover(digest, signature)
    signers = [signer]
    if not isinstance(execution, PlainExecution) and signer != owner:
        # Many wallets can only sign a user operation hash as an EIP-191 message. Account contracts accept
        # both. An EOA's transaction (EIP-1559) has exactly one digest.
        signers.append(_recover(personal_message_digest(digest), signature))
    if owner in signers:
        return None
    # Keys are known to the contract of an account, which has no part in an EOA's transaction.
    for address in () if isinstance(execution, PlainExecution) else signers:
        session_key = session_keys.find_session_key(project, account, address)
        if session_key is not None:
            session_keys.require_usable(project, session_key, row, account.address)
            return session_key
    raise ApiError(errors.INVALID_SIGNATURE, param="signature", reason=f"it is {signer}'s, not {owner}'s.")


def _recover(digest: bytes, signature: bytes) -> str:
    try:
        return address_of(secp256k1.recover(digest, secp256k1.Signature.from_bytes(signature)))
    except secp256k1.BadSignature as error:
        raise ApiError(errors.INVALID_SIGNATURE, param="signature", reason=f"{error}.") from None
