"""The net value that calls take from an account, in US dollars (criterion `netUSDChange`)."""

from collections.abc import Sequence
from decimal import Decimal

from mockserver.chain.abi.functions import AbiError, decode_values
from mockserver.domain.chains import ledger
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.domain.chains.networks import dollars
from mockserver.domain.chains.tokens.holdings import Token, token_settings
from mockserver.domain.chains.tokens.standards import standard_of
from mockserver.domain.wallets.outcomes import make_calls
from mockserver.state.onchain import CallRecord, Log
from mockserver.state.project import Project

_TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
"""`Transfer(address,address,uint256)`."""
_TRANSFER = bytes.fromhex("a9059cbb")
_TRANSFER_FROM = bytes.fromhex("23b872dd")


def net_change(project: Project, chain_id: int, account: str, calls: Sequence[CallRecord]) -> Decimal:
    """Outgoing less incoming native coins and ERC-20 transfers.

    Gas is not included. Of contracts with code it is what executing them moves; else nothing that they would
    do themselves.
    """
    if ledger.is_run(project, chain_id, *(call.to for call in calls)):
        return _of_execution(project, chain_id, account, calls)
    return sum((_of_call(project, chain_id, account, call) for call in calls), Decimal(0))


def _of_execution(project: Project, chain_id: int, account: str, calls: Sequence[CallRecord]) -> Decimal:
    """What the calls take from an account if they are made now. They are undone."""
    before = ledger.chain_account(project, chain_id, account).balance
    with project.undo.undone():
        made = make_calls(project, chain_id, account, calls, project.settings.contract_gas_limit)
        after = ledger.chain_account(project, chain_id, account).balance
    coins = dollars(project, chain_id, before - after)
    return sum((_of_log(project, chain_id, account.lower(), log) for log in made.logs), coins)


def _of_log(project: Project, chain_id: int, account: str, log: Log) -> Decimal:
    """What a transfer of an ERC-20 takes from an account; that of an ERC-721 has an indexed token id."""
    if len(log.topics) != 3 or log.topics[0] != _TRANSFER_TOPIC:
        return Decimal(0)
    sender, receiver = ("0x" + topic[-40:] for topic in log.topics[1:])
    leaving = int(log.data[:66] or "0x0", 16) * ((sender == account) - (receiver == account))
    return _value_of(Token(project, chain_id, log.address), leaving)


def _value_of(token: Token, amount: int) -> Decimal:
    settings = token_settings(token)
    return Decimal(amount).scaleb(-settings.decimals) * Decimal(settings.price_usd)


def _of_call(project: Project, chain_id: int, account: str, call: CallRecord) -> Decimal:
    value = 0 if call.to.lower() == account.lower() else call.value
    return dollars(project, chain_id, value) + _of_tokens(project, chain_id, account, call)


def _of_tokens(project: Project, chain_id: int, account: str, call: CallRecord) -> Decimal:
    contract = contract_on_chain(project, chain_id, call.to)
    if contract is not None and standard_of(contract.abi) != "ERC-20":
        return Decimal(0)
    return _value_of(Token(project, chain_id, call.to), _leaving(call.data, account.lower()))


def _leaving(data: bytes, account: str) -> int:
    """The tokens that a call transfers from an account; negative for a transfer to it."""
    try:
        if data[:4] == _TRANSFER:
            receiver, amount = decode_values(["address", "uint256"], data[4:])
            owner: object = account
        elif data[:4] == _TRANSFER_FROM:
            owner, receiver, amount = decode_values(["address", "address", "uint256"], data[4:])
        else:
            return 0
    except AbiError:
        return 0
    leaves, comes = str(owner).lower() == account, str(receiver).lower() == account
    return int(str(amount)) * (leaves - comes)
