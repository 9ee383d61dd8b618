"""Contracts without code, called by contracts that are executed: tokens, and accounts that are deployed."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from mockserver.chain.abi.functions import (
    AbiError,
    Function,
    decode_call,
    encode_values,
    function_of_call,
    functions_in,
    zero_value,
)
from mockserver.chain.account_calls import EncodedCall, read_calls
from mockserver.chain.addresses import checksum_of
from mockserver.chain.evm.frames import Call, Frame, Revert, Signal
from mockserver.chain.evm.instructions.system import call, staticcall
from mockserver.chain.evm.state import NATIVE_CODE, Log
from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.chain.user_operations import VERSIONS
from mockserver.domain.chains import entry_points, ledger, predeploys
from mockserver.domain.chains.account_signatures import answer_account
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.domain.chains.native_functions import Done, NativeCall
from mockserver.domain.chains.networks import call_gas
from mockserver.domain.chains.tokens import standards
from mockserver.domain.chains.tokens.holdings import CallReverted, is_usdc
from mockserver.domain.chains.tokens.public_abi import abi_of_standard
from mockserver.state import onchain
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project

_READ_GAS, _WRITE_GAS = 3_000, 30_000
_WORD = 32
_VALIDATE = (bytes.fromhex("3a871cdd"), bytes.fromhex("19822f7c"))
"""`validateUserOp` of accounts of entry point 0.6, and of later ones."""
_VALIDATE_BY_PAYMASTER = (bytes.fromhex("f465c77e"), bytes.fromhex("52b7512c"))
"""`validatePaymasterUserOp`, likewise."""
_IMPLEMENTATIONS = {each.address.lower() for each in IMPLEMENTATIONS.values()}
_RECEIVERS = ("150b7a02", "f23a6e61", "bc197c81")
"""`onERC721Received`, `onERC1155Received` and `onERC1155BatchReceived`, which answer with themselves."""


class NativeContracts:
    """The contracts of a chain that the project knows and that have no code."""

    def __init__(self, project: Project, chain_id: int) -> None:
        self._project = project
        self._chain_id = chain_id
        self.paymasters: set[str] = set()
        """The paymasters without code, in lower case, that entry points with code may call."""

    def is_contract(self, address: str) -> bool:
        """Whether there is one at an address, in lower case: registered, a token that is held, an account."""
        project, row_id = self._project, f"{self._chain_id}:{address}"
        account = project.chains.accounts.get(row_id)
        return (
            (account is not None and account.deployed)
            or address in VERSIONS
            or entry_points.is_factory(address)
            or address in _IMPLEMENTATIONS
            or address in self.paymasters
            or address in project.settings.tokens
            or is_usdc(self._chain_id, address)
            or predeploys.is_predeploy(self._chain_id, address)
            or project.chains.token_holdings.first("token", row_id) is not None
            or contract_on_chain(project, self._chain_id, address) is not None
        )

    def find(self, address: bytes) -> Callable[[Frame], Signal] | None:
        """What a call of the contract at an address does, registered or not; None where code has been put."""
        text, chain_id = checksum_of(address), self._chain_id
        if ledger.code_at(self._project, chain_id, text):
            return None
        contract = contract_on_chain(self._project, chain_id, text)
        contract = contract or Contract("", 0, None, chain_id, text, public_verification=True)
        return partial(self._run, contract)

    def _run(self, contract: Contract, frame: Frame) -> Signal:
        data = frame.call.data
        if data[:4].hex() in _RECEIVERS:
            return data[:4].ljust(32, b"\0")
        address = contract.address.lower()
        try:
            if address in VERSIONS:
                return self._act(frame, contract, entry_points.answer_call)
            if predeploys.is_answered(self._chain_id, address, data):
                return self._act(frame, contract, predeploys.answer_call)
            if entry_points.is_factory(address):
                frame.charge(_READ_GAS)
                answer = entry_points.answer_factory(address, data)
                if len(answer) == _WORD and not frame.call.is_static:
                    self._deploy(frame, answer[-20:])
                return answer
            if "0x" + frame.call.caller.hex() in VERSIONS:
                return _serve_entry_point(frame)
            here = "0x" + frame.call.address.hex()
            checked = answer_account(self._project, self._chain_id, here, data)
            if checked is not None:
                frame.charge(_READ_GAS)
                return checked
            function = _public_functions().get(data[:4]) or function_of_call(contract.abi, data)
            function = function or _other_functions().get(data[:4])
            if function is None:
                return b""
            return self._call(frame, contract, function)
        except AbiError:
            raise Revert(b"") from None
        except CallReverted as reverted:
            raise Revert(reverted.data) from None

    def _act(self, frame: Frame, contract: Contract, answer: Callable[[NativeCall], Done]) -> Signal:
        """Have a contract do something, which may end with a payment."""
        if frame.stack:
            _require_made(frame)
            return b""
        call = frame.call
        if call.kind in ("CALLCODE", "DELEGATECALL"):
            # It has no code to be run for others, whose value it does not get.
            raise Revert(b"")
        frame.charge(_READ_GAS)
        savepoint, sender = self._mark(frame), checksum_of(call.caller)
        done = answer(
            NativeCall(self._project, self._chain_id, contract.address, sender, call.value, call.data)
        )
        if self._project.undo.savepoint() != savepoint:
            frame.require_mutable()
            frame.charge(_WRITE_GAS)
        _emit(frame, done.logs)
        if done.payment is None:
            return done.output
        self._hold(frame, done.payment[1])
        return _make_calls(frame, [done.payment], done.output)

    def _deploy(self, frame: Frame, account: bytes) -> None:
        """Have a factory deploy an account without code."""
        here = frame.state.account(account)
        if not here.code:
            self._mark(frame)
            row = ledger.chain_account(self._project, self._chain_id, "0x" + account.hex())
            ledger.write(self._project, row._replace(deployed=True))
            frame.state.put(account, here._replace(code=NATIVE_CODE))

    def _mark(self, frame: Frame) -> int:
        """Have rows rolled back to how they are now, which is returned, if the call is undone."""
        savepoint = self._project.undo.savepoint()
        frame.state.when_undone(lambda: self._project.undo.roll_back_to(savepoint))
        return savepoint

    def _hold(self, frame: Frame, wei: int) -> None:
        """Issue what a contract lacks of the coins that it pays out: a test gave only the right to them."""
        address = frame.call.address
        held = frame.state.account(address)
        if held.balance < wei:
            row = ledger.chain_account(self._project, self._chain_id, "0x" + address.hex())
            ledger.write(self._project, row._replace(issued=row.issued + wei - held.balance))
            frame.state.put(address, held._replace(balance=wei))

    def _call(self, frame: Frame, contract: Contract, function: Function) -> Signal:
        """Read or write a token as its standard says; another function does nothing and answers zeros."""
        call, types = frame.call, [output.type for output in function.outputs]
        frame.charge(_READ_GAS)
        values = standards.read(self._project, contract, function, decode_call(function, call.data))
        if values is not None:
            return encode_values(types, values)
        self._mark(frame)
        made = CallRecord(contract.address, call.value, call.data, {})
        caller, ask = checksum_of(call.caller), partial(_ask, frame)
        try:
            logs = tuple(standards.make_call(self._project, self._chain_id, caller, made, ask))
        except _Asks as asks:
            return asks.call
        if logs:
            frame.require_mutable()
            frame.charge(call_gas(made))
        _emit(frame, logs)
        return encode_values(types, [True if name == "bool" else zero_value(name) for name in types])


def _emit(frame: Frame, logs: Sequence[onchain.Log]) -> None:
    for log in logs:
        topics = tuple(int(topic, 16) for topic in log.topics)
        frame.state.emit(Log(frame.call.address, topics, bytes.fromhex(log.data[2:])))


def _serve_entry_point(frame: Frame) -> Signal:
    """Do what an entry point asks a paymaster or an account for: to validate an operation, or to make calls.

    What it validates was signed for before, or it would not have been sent.
    """
    data, caller = frame.call.data, checksum_of(frame.call.caller)
    if data[:4] in _VALIDATE_BY_PAYMASTER:
        return encode_values(["bytes", "uint256"], [b"", 0])
    if data[:4] in _VALIDATE:
        missing = int.from_bytes(data[4 + 2 * _WORD : 4 + 3 * _WORD], "big")
        return _make_calls(frame, [(caller, missing, b"")] if missing else [], bytes(_WORD))
    return _make_calls(frame, read_calls(data) or [], b"")


def _make_calls(frame: Frame, calls: Sequence[EncodedCall], output: bytes) -> Signal:
    """Make calls one after the other. This is called again after each, whose result is then on the stack."""
    made = len(frame.stack)
    _require_made(frame)
    if made == len(calls):
        return output
    to, value, data = calls[made]
    return _begin(frame, call, data, value, int(to, 16))


class _Asks(Exception):
    """A contract asks another one, by a call that is to be made first: the contract is then run again."""

    def __init__(self, call: Call) -> None:
        self.call = call


def _ask(frame: Frame, address: str, data: bytes) -> bytes:
    """What another contract answers, as of `ask_contract`. _Asks before it has been called."""
    if not frame.stack:
        raise _Asks(_begin(frame, staticcall, data, int(address, 16)))
    return frame.returned if frame.stack[-1] else b""


def _begin(frame: Frame, instruction: Callable[[Frame], Call], data: bytes, *given: int) -> Call:
    """Call with data, by an instruction and what it is given besides, with all the gas."""
    frame.expand(0, len(data))
    frame.write(0, data)
    frame.stack += [0, 0, len(data), 0, *given, frame.gas]
    return instruction(frame)


def _require_made(frame: Frame) -> None:
    """Revert if the last call that was made has."""
    if frame.stack and not frame.stack[-1]:
        raise Revert(frame.returned)


@cache
def _public_functions() -> Mapping[bytes, Function]:
    """The functions of the token standards' ABIs by selector. Those of ERC-20, which answer true, win."""
    order: tuple[standards.Standard, ...] = ("ERC-1155", "ERC-721", "ERC-20")
    return {each.selector: each for standard in order for each in functions_in(abi_of_standard(standard))}


@cache
def _other_functions() -> Mapping[bytes, Function]:
    """The functions by selector that tokens have besides, registered or not: to mint, signed transfers."""
    return {function.selector: function for function in standards.known_functions()}
