"""Accounts as the API shows them (specification, Account (v2))."""

from typing import NotRequired

from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.state.wallets import Account, AccountType, ChainType, Custody, Passkey


class SmartAccountAnswer(TypedDict):
    """The contract behind an account."""

    implementationType: str
    implementationAddress: str
    active: bool
    chainId: NotRequired[int]
    factoryAddress: NotRequired[str]
    salt: NotRequired[str]
    ownerAddress: NotRequired[str]
    deployedTx: NotRequired[str]
    deployedAt: NotRequired[int]


class PasskeyEnvironment(TypedDict):
    """The device that created a passkey."""

    name: NotRequired[str]
    os: NotRequired[str]
    osVersion: NotRequired[str]
    device: NotRequired[str]


class RecoveryDetails(TypedDict):
    """The passkey that recovers an account."""

    passkeyId: str
    passkeyEnv: NotRequired[PasskeyEnvironment]


class AccountAnswer(TypedDict):
    """An account, as the specification's Account (v2)."""

    id: str
    wallet: str
    accountType: AccountType
    address: str
    ownerAddress: NotRequired[str]
    chainType: ChainType
    chainId: NotRequired[int]
    createdAt: int
    updatedAt: int
    smartAccount: NotRequired[SmartAccountAnswer]
    recoveryMethod: NotRequired[str]
    recoveryMethodDetails: NotRequired[RecoveryDetails]
    custody: Custody


def account_answer(row: Account) -> AccountAnswer:
    """An account as the API shows it; members that do not apply are absent."""
    answer: AccountAnswer = {
        "id": row.id,
        "wallet": row.wallet_id,
        "accountType": row.account_type,
        "address": row.address,
        "chainType": row.chain_type,
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
        "custody": row.custody,
    }
    if row.owner_address is not None:
        answer["ownerAddress"] = row.owner_address
    if row.chain_id is not None:
        answer["chainId"] = row.chain_id
    if row.recovery_method is not None:
        answer["recoveryMethod"] = row.recovery_method
    if row.passkey is not None:
        answer["recoveryMethodDetails"] = _recovery_details(row.passkey)
    contract = _smart_account_answer(row)
    if contract is not None:
        answer["smartAccount"] = contract
    return answer


def _recovery_details(passkey: Passkey) -> RecoveryDetails:
    environment: PasskeyEnvironment = {}
    if passkey.name is not None:
        environment["name"] = passkey.name
    if passkey.os is not None:
        environment["os"] = passkey.os
    if passkey.os_version is not None:
        environment["osVersion"] = passkey.os_version
    if passkey.device is not None:
        environment["device"] = passkey.device
    answer: RecoveryDetails = {"passkeyId": passkey.id}
    if environment:
        answer["passkeyEnv"] = environment
    return answer


def _smart_account_answer(row: Account) -> SmartAccountAnswer | None:
    contract = row.smart_account
    if contract is None:
        return None
    answer: SmartAccountAnswer = {
        "implementationType": contract.implementation_type,
        "implementationAddress": contract.implementation_address,
        "active": contract.active,
    }
    if row.chain_id is not None:
        answer["chainId"] = row.chain_id
    if contract.factory_address is not None:
        answer["factoryAddress"] = contract.factory_address
    if contract.salt is not None:
        answer["salt"] = contract.salt
    if row.owner_address is not None:
        answer["ownerAddress"] = row.owner_address
    if contract.deployed_tx is not None:
        answer["deployedTx"] = contract.deployed_tx
    if contract.deployed_ms is not None:
        answer["deployedAt"] = to_seconds(contract.deployed_ms)
    return answer
