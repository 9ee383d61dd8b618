"""The AA codes with which ERC-4337 entry points (0.6 to 0.9) reject a user operation, explained."""

from collections.abc import Mapping
from typing import NamedTuple


class Explanation(NamedTuple):
    """What an AA code says (`AA31: paymaster deposit too low`), why it arises, and what to do."""

    message: str
    cause: str
    solution: str


_TEXTS: Mapping[str, tuple[str, str, str]] = {
    "AA10": (
        "sender already constructed",
        "The user operation carries init code, but the account is deployed already.",
        "Leave the factory and its data (the init code) out for an account that has code.",
    ),
    "AA13": (
        "initCode failed or OOG",
        "The factory reverted, or ran out of the verification gas, while it deployed the account.",
        "Check the factory and its data by calling it directly, and raise the verification gas limit.",
    ),
    "AA14": (
        "initCode must return sender",
        "The factory deployed an account at another address than the sender.",
        "Derive the sender from the same factory, owner and salt that the init code names.",
    ),
    "AA15": (
        "initCode must create sender",
        "The factory returned, yet there is no code at the address of the sender.",
        "Check that the factory deploys the account in that very call and returns its address.",
    ),
    "AA20": (
        "account not deployed",
        "The sender has no code, and the user operation has no init code to deploy it.",
        "Add the factory and its data, delegate the account first, or check the sender and the chain.",
    ),
    "AA21": (
        "didn't pay prefund",
        "No paymaster pays, and the account's funds do not cover the most the operation may cost.",
        "Fund the account or its deposit, lower the gas limits and fees, or sponsor the operation.",
    ),
    "AA22": (
        "expired or not due",
        "The account's validation returned a period of validity that the time of the block is outside of.",
        "Sign again with a period that includes the present; look at the validity of the session key in use.",
    ),
    "AA23": (
        "reverted (or OOG)",
        "The account's validation reverted, or ran out of the verification gas.",
        "Check the signature's format and the account's entry point, or raise the verification gas limit.",
    ),
    "AA24": (
        "signature error",
        "The account did not accept the signature as one of an owner or valid signer.",
        "Sign the final operation's hash, for this chain and entry point, with the owner's key.",
    ),
    "AA25": (
        "invalid account nonce",
        "The nonce is not the next one of its key: it was used already, or leaves a gap.",
        "Read the nonce from the entry point again, and send operations of one key in order.",
    ),
    "AA26": (
        "over verificationGasLimit",
        "The validation of the account took more gas than the verification gas limit.",
        "Raise the verification gas limit, or estimate it again.",
    ),
    "AA27": (
        "outside valid block range",
        "The account's validation returned a range of blocks that the number of the block is outside of.",
        "Sign again with a range that includes the present block, or wait until it begins.",
    ),
    "AA30": (
        "paymaster not deployed",
        "The paymaster's address has no code on this chain.",
        "Check the address of the paymaster and the chain.",
    ),
    "AA31": (
        "paymaster deposit too low",
        "The paymaster's deposit at the entry point does not cover the most the operation may cost.",
        "Top up the paymaster's deposit at this entry point, or lower the gas limits and fees.",
    ),
    "AA32": (
        "paymaster expired or not due",
        "The paymaster's approval holds for a period that the time of the block is outside of.",
        "Ask for sponsorship again and send the operation before the approval expires.",
    ),
    "AA33": (
        "reverted (or OOG)",
        "The paymaster's validation reverted, or ran out of the gas given to it.",
        "Check the paymaster's data and its rules for this operation, and raise its verification gas limit.",
    ),
    "AA34": (
        "signature error",
        "The paymaster did not accept the signature in its data.",
        "Ask for sponsorship again after the last change of a field: approval covers what was sent.",
    ),
    "AA36": (
        "over paymasterVerificationGasLimit",
        "The validation of the paymaster took more gas than its verification gas limit.",
        "Raise the paymaster's verification gas limit, or estimate it again.",
    ),
    "AA37": (
        "paymaster inval block range",
        "The paymaster's approval holds for a range of blocks that the number of the block is outside of.",
        "Ask for sponsorship again and send the operation before the approval's last block.",
    ),
    "AA40": (
        "over verificationGasLimit",
        "Validation as a whole took more gas than the verification gas limit (entry point 0.6).",
        "Raise the verification gas limit, or estimate it again.",
    ),
    "AA41": (
        "too little verificationGas",
        "The account's validation left too little verification gas for the paymaster's (entry point 0.6).",
        "Raise the verification gas limit.",
    ),
    "AA50": (
        "postOp reverted",
        "The paymaster's work after the execution, such as taking its payment, reverted.",
        "Check what the paymaster needs then, often a balance or an allowance of the token it takes.",
    ),
    "AA51": (
        "prefund below actualGasCost",
        "The operation cost more than was set aside for it before it ran.",
        "Raise the gas limits that the set-aside is computed from, the one before verification above all.",
    ),
    "AA90": (
        "invalid beneficiary",
        "The bundler named the zero address as the receiver of the fees.",
        "Configure the bundler with an address of its own; the operation itself is not at fault.",
    ),
    "AA91": (
        "failed send to beneficiary",
        "The receiver of the bundler's fees did not take the transfer.",
        "Have the bundler name an address that accepts the native token.",
    ),
    "AA92": (
        "internal call only",
        "A function was called from outside that the entry point keeps for calls to itself.",
        "Submit operations with handleOps and leave the entry point's inner functions alone.",
    ),
    "AA93": (
        "invalid paymasterAndData",
        "The paymaster's part is not empty, but too short for an address and its gas limits.",
        "Leave it empty, or pack the paymaster's address and both of its gas limits before its data.",
    ),
    "AA94": (
        "gas values overflow",
        "A gas limit or fee is too large for the field it is packed into.",
        "Use gas limits and fees of at most 120 bits.",
    ),
    "AA95": (
        "out of gas",
        "The bundle's transaction had too little gas to give the operation the limits it asks for.",
        "Have the bundler send the bundle with more gas, or lower the operation's gas limits.",
    ),
    "AA96": (
        "invalid aggregator",
        "The operation came with a signature aggregator that is not a valid one.",
        "Submit it without an aggregator, or with the one that the account's validation returns.",
    ),
    "AA97": (
        "should call from EntryPoint",
        "A function was called from elsewhere that takes calls from the entry point only.",
        "Let the entry point make that call: submit a user operation instead of calling by yourself.",
    ),
    "AA98": (
        "invalid paymaster",
        "The paymaster that the user operation names cannot be one.",
        "Check the address at the start of the paymaster's part, or leave that part out.",
    ),
    "AA99": (
        "initCode too small",
        "The init code is not empty, but too short for the address of a factory.",
        "Leave it empty, or begin it with all 20 bytes of the factory's address.",
    ),
}

EXPLANATIONS: Mapping[str, Explanation] = {
    code: Explanation(f"{code}: {text}", cause, solution) for code, (text, cause, solution) in _TEXTS.items()
}
