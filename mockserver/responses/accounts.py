"""Accounts as the API shows them (specification, Account (v2))."""

from typing import NotRequired

from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.responses.shapes import ABSENT, optional, present
from mockserver.state.wallets import Account, AccountType, ChainType, Custody, Passkey, SmartAccount


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
    """The name of the device."""
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
    """The chain that it is on; absent when it is on every chain of its type."""
    createdAt: int
    updatedAt: int
    smartAccount: NotRequired[SmartAccountAnswer]
    """The contract of a smart or delegated account; absent for others."""
    recoveryMethod: NotRequired[str]
    """How the user recovers the key; only in the custody of the user."""
    recoveryMethodDetails: NotRequired[RecoveryDetails]
    """The passkey that recovers the key; only with a passkey."""
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
        "ownerAddress": optional(row.owner_address),
        "chainId": optional(row.chain_id),
        "recoveryMethod": optional(row.recovery_method),
        "recoveryMethodDetails": _recovery_details(row.passkey) if row.passkey else ABSENT,
        "smartAccount": _smart_account_answer(row, row.smart_account) if row.smart_account else ABSENT,
    }
    return present(answer)


def _recovery_details(passkey: Passkey) -> RecoveryDetails:
    environment: PasskeyEnvironment = {
        "name": optional(passkey.name),
        "os": optional(passkey.os),
        "osVersion": optional(passkey.os_version),
        "device": optional(passkey.device),
    }
    answer: RecoveryDetails = {"passkeyId": passkey.id, "passkeyEnv": present(environment) or ABSENT}
    return present(answer)


def _smart_account_answer(row: Account, contract: SmartAccount) -> SmartAccountAnswer:
    deployed_ms = contract.deployed_ms
    answer: SmartAccountAnswer = {
        "implementationType": contract.implementation_type,
        "implementationAddress": contract.implementation_address,
        "active": contract.active,
        "chainId": optional(row.chain_id),
        "factoryAddress": optional(contract.factory_address),
        "salt": optional(contract.salt),
        "ownerAddress": optional(row.owner_address),
        "deployedTx": optional(contract.deployed_tx),
        "deployedAt": ABSENT if deployed_ms is None else to_seconds(deployed_ms),
    }
    return present(answer)
