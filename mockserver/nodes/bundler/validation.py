"""What a bundler checks before it takes a user operation: what the entry point and the account would."""

from mockserver import errors
from mockserver.chain.entry_point_errors import EXPLANATIONS
from mockserver.chain.user_operations import ENTRY_POINTS, UserOperation
from mockserver.crypto.messages import personal_message_digest
from mockserver.crypto.secp256k1 import BadSignature
from mockserver.domain.chains import deposits, entry_points, ledger
from mockserver.domain.chains.account_signatures import find_signer
from mockserver.domain.chains.failures import Failure
from mockserver.domain.chains.networks import reservation_for
from mockserver.domain.sponsorship import paymasters
from mockserver.domain.transactions import bundles
from mockserver.domain.transactions.preparation import require_funds
from mockserver.domain.wallets.session_keys import find_session_key
from mockserver.errors import RpcError
from mockserver.nodes.bundler.operations import DELEGATION, UserOperationObject
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.evm.chain import Chain
from mockserver.nodes.evm.drafts import authorization_of
from mockserver.state.chains import UserOperationExecution
from mockserver.state.onchain import CallRecord

_SIGNATURE_BYTES = 65
_ROWS = {
    "AA22": errors.RPC_EXPIRED,
    "AA24": errors.RPC_BAD_SIGNATURE,
    "AA32": errors.RPC_EXPIRED,
    "AA34": errors.RPC_BAD_SIGNATURE,
}


def refuse(operation: UserOperation, code: str) -> RpcError:
    """The error with which a bundler refuses an operation by the code of its entry point (ERC-7769)."""
    return refuse_because(operation, EXPLANATIONS[code].message)


def refuse_because(operation: UserOperation, message: str, kind: type[RpcError] = RpcError) -> RpcError:
    """The same with a message as the REST API has it: bundlers have no colon, as the entry point has none."""
    code, data = message[:4], None
    row = errors.RPC_REFUSED
    if code.startswith("AA3"):
        row, data = errors.RPC_REFUSED_BY_PAYMASTER, {"paymaster": operation.paymaster}
    reason = message.replace(":", "", 1) if code in EXPLANATIONS else message
    return kind(_ROWS.get(code, row), data, reason=reason)


def check_by_code(chain: Chain, execution: UserOperationExecution) -> None:
    """Check what code does: all but the signatures and approvals of accounts and paymasters without any."""
    operation = execution.operation
    if not ledger.code_at(chain.project, chain.id, operation.sender):
        check_signature(chain, operation, execution.hash)
    if operation.paymaster and not ledger.code_at(chain.project, chain.id, operation.paymaster):
        check_paymaster(chain, execution)
    try:
        bundles.validate(chain.project, chain.id, execution)
    except Failure as failure:
        raise refuse_because(operation, failure.error.reason) from None


def check_deployed(chain: Chain, operation: UserOperation) -> None:
    """Check that the paymaster exists, and the sender, which the operation may deploy or delegate."""
    here, paymaster = chain.account(operation.sender), operation.paymaster
    delegates = here.delegate is not None or operation.eip7702_auth is not None
    exists = delegates or here.deployed or bool(ledger.code_at(chain.project, chain.id, operation.sender))
    limits = operation.paymaster_verification_gas_limit, operation.paymaster_post_op_gas_limit
    if operation.factory is None and operation.factory_data:
        raise invalid("invalid argument 0: factory: is required: there is factoryData")
    if paymaster is None and (operation.paymaster_data or any(limits)):
        raise invalid("invalid argument 0: paymaster: is required: there are data or gas limits for one")
    if operation.factory == DELEGATION:
        if not delegates:
            raise invalid("invalid argument 0: eip7702Auth: is required: the sender has not delegated yet")
    elif operation.factory is not None and exists:
        raise refuse(operation, "AA10")
    elif operation.factory is None and not exists:
        raise refuse(operation, "AA20")
    if paymaster is None or deposits.is_paymaster(chain.project, paymaster):
        return
    if not ledger.code_at(chain.project, chain.id, paymaster):
        raise refuse(operation, "AA30")


def check_authorization(chain: Chain, given: UserOperationObject) -> None:
    """Check that the sender has signed the delegation that the operation brings, with its next nonce."""
    signed = given.get("eip7702Auth")
    if not signed:
        return
    here = chain.account(given["sender"])
    try:
        authorization = authorization_of(signed)
        authority = authorization.authority
    except BadSignature as error:
        raise invalid(f"invalid argument 0: eip7702Auth: {error}") from None
    if authority != given["sender"]:
        raise invalid(f"invalid argument 0: eip7702Auth: is signed by {authority}, not by the sender")
    if authorization.chain_id not in (0, chain.id):
        raise invalid(f"invalid argument 0: eip7702Auth.chainId: {authorization.chain_id} is not this chain")
    if here.delegate != authorization.address and authorization.nonce != here.nonce:
        raise invalid(f"invalid argument 0: eip7702Auth.nonce: must be {here.nonce}")


def check_nonce(chain: Chain, operation: UserOperation, version: str) -> None:
    """Check that the nonce is the next one of its key."""
    key, entry_point = operation.nonce >> 64, ENTRY_POINTS[version]
    nonce = entry_points.find_nonce(chain.project, chain.id, entry_point, operation.sender, key)
    if operation.nonce != nonce:
        raise refuse(operation, "AA25")


def check_signature(chain: Chain, operation: UserOperation, signed: bytes) -> None:
    """Check the signature of an account of the project, or of one that has delegated to a contract.

    Who owns other accounts is not known where they have no code: any signature of theirs will do.
    """
    if not operation.signature:
        raise refuse(operation, "AA23")
    account = chain.project.wallets.accounts.first("address", operation.sender.lower())
    if account is None and operation.eip7702_auth is None:
        return
    if account is None and len(operation.signature) != _SIGNATURE_BYTES:
        return
    signers = [
        find_signer(digest, operation.signature) for digest in (signed, personal_message_digest(signed))
    ]
    if not any(signers) and account is not None and account.smart_account is not None:
        # No address can be recovered, for which the contracts of smart accounts revert.
        raise refuse(operation, "AA23")
    if (operation.sender if account is None else account.signing_address) in signers:
        return
    keys = (find_session_key(chain.project, account, each) for each in signers if account and each)
    if not any(keys):
        raise refuse(operation, "AA24")


def check_paymaster(chain: Chain, execution: UserOperationExecution) -> None:
    """Check the approval of the project's paymaster."""
    operation = execution.operation
    if (operation.paymaster or "").lower() != deposits.paymaster_address(chain.project).lower():
        return
    if not paymasters.is_approved(chain.project, operation, execution.entry_point_version, chain.id):
        raise refuse(operation, "AA34")
    try:
        paymasters.require_valid(chain.project, execution)
    except Failure:
        raise refuse(operation, "AA32") from None


def check_fees(operation: UserOperation) -> None:
    """Check that the operation offers something for its gas, and has limits."""
    if operation.max_priority_fee_per_gas > operation.max_fee_per_gas:
        raise invalid("maxPriorityFeePerGas must be at most maxFeePerGas")
    if not operation.max_fee_per_gas:
        raise invalid("maxFeePerGas must be more than 0")
    limits = operation.call_gas_limit, operation.verification_gas_limit, operation.pre_verification_gas
    if not all(limits):
        names = "callGasLimit, verificationGasLimit and preVerificationGas"
        raise invalid(f"{names} must be more than 0: estimate them")


def check_funds(
    chain: Chain, execution: UserOperationExecution, calls: tuple[CallRecord, ...], sponsorship: str | None
) -> None:
    """Check that the account or its paymaster can pay for gas: for what its calls move, they are reverted."""
    here = chain.account(execution.sender)
    reservation = reservation_for(chain.project, chain.id, execution, calls)._replace(value=0)
    try:
        require_funds(chain.project, chain.id, execution, reservation, here, sponsorship)
    except Failure as failure:
        code = failure.error.reason[:4]
        raise refuse(execution.operation, code if code in EXPLANATIONS else "AA21") from None
