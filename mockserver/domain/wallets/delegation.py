"""Signed delegations of accounts to their implementations (EIP-7702)."""

from mockserver import errors
from mockserver.chain.authorizations import Authorization
from mockserver.crypto.secp256k1 import BadSignature, Signature
from mockserver.domain.chains import ledger
from mockserver.errors import ApiError, wrong_field
from mockserver.state.project import Project
from mockserver.state.wallets import Account

_EVERY_CHAIN = 0


def require_authorization(project: Project, account: Account, chain_id: int, raw: bytes, param: str) -> None:
    """ApiError unless this is the account's signed delegation to its implementation.

    The account's key must have signed the implementation's address and the account's next nonce, for
    the chain or for every chain. ApiError with 400 for an account that does not delegate, with 409 for
    any other signature.
    """
    smart = account.smart_account
    if smart is None or account.account_type != "Delegated Account":
        message = "only a Delegated Account delegates"
        raise wrong_field(param, message)
    nonce = ledger.chain_account(project, chain_id, account.address).nonce
    try:
        signature = Signature.from_bytes(raw)
        signers = [
            Authorization(chain, smart.implementation_address, nonce, signature).authority
            for chain in (chain_id, _EVERY_CHAIN)
        ]
    except BadSignature as error:
        raise ApiError(errors.INVALID_AUTHORIZATION, param=param, reason=f"{error}.") from None
    if account.address not in signers:
        reason = (
            f"{account.address} has to sign the delegation to {smart.implementation_address} on chain "
            f"{chain_id} with the nonce {nonce}."
        )
        raise ApiError(errors.INVALID_AUTHORIZATION, param=param, reason=reason)
