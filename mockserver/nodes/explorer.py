"""The blocks of a chain with their transactions, for the page and for people: what a block explorer lists."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.kernel import timestamps
from mockserver.nodes.evm.blocks import rows_in, show_transaction, used_by
from mockserver.nodes.evm.chain import Chain, position
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ListAnswer, ListQuery
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.simulated.chains import parse_chain_id
from mockserver.state.onchain import Transaction

explorer = ControlGroup("Chains")


class ListBlocks(ListQuery):
    """Which blocks, by their numbers: the lowest first, or with `order=desc` the latest."""

    limit: Annotated[int, Field(ge=1, le=100)] = 25
    before: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    """Only blocks with a lower number."""
    filled: bool = False
    """Only blocks that have transactions."""


class BlockTransactionAnswer(TypedDict):
    """A transaction in a block."""

    id: str
    """The transaction of the API that it is of."""
    transaction_hash: str
    sender: str
    to: str | None
    """The address that is called; null where a contract is created."""
    value_wei: str
    status: str
    gas_used: int


class BlockAnswer(TypedDict):
    """A block with its transactions, in their order."""

    block_number: int
    block_hash: str
    created_at: str
    gas_used: int
    transactions: list[BlockTransactionAnswer]


@explorer.operation("GET /chains/{chain}/blocks", "ListBlocks", errors.CONTROL_INVALID)
def list_blocks(call: ControlCall[None, ListBlocks]) -> ListAnswer[BlockAnswer]:
    """List the blocks of a chain with their transactions."""
    query, chain = call.query, Chain(call.project, parse_chain_id(call))
    end = chain.latest + 1 if query.before is None else min(query.before, chain.latest + 1)
    numbers: Sequence[int] = range(end)
    if query.filled:
        numbers = sorted({number for row in chain.included() if (number := position(row)[0]) < end})
    ordered = numbers[::-1] if query.order == "desc" else numbers
    page = ordered[query.skip : query.skip + query.limit]
    return {"data": [_block_answer(chain, number) for number in page], "total": len(numbers)}


def _block_answer(chain: Chain, number: int) -> BlockAnswer:
    rows = rows_in(chain, number)
    return {
        "block_number": number,
        "block_hash": chain.hash_of(number),
        "created_at": timestamps.format_iso(chain.time_of(number) * 1000),
        "gas_used": sum(map(used_by, rows)),
        "transactions": [_transaction_answer(chain, row) for row in rows],
    }


def _transaction_answer(chain: Chain, row: Transaction) -> BlockTransactionAnswer:
    shown = show_transaction(chain, row)
    return {
        "id": row.id,
        "transaction_hash": shown["hash"],
        "sender": shown["from"],
        "to": shown["to"],
        "value_wei": str(int(shown["value"], 16)),
        "status": row.status,
        "gas_used": used_by(row),
    }
