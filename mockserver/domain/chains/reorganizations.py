"""Reorganizations: the latest blocks of a chain are replaced by siblings."""

from mockserver.domain.chains import ledger
from mockserver.state.chains import Reorganization
from mockserver.state.onchain import Inclusion, Receipt, Transaction
from mockserver.state.project import Project


def reorganize(project: Project, chain_id: int, first_block: int) -> list[Transaction]:
    """Replace the blocks of a chain from `first_block` to the current one by siblings.

    The new blocks have the same transactions in the same places; the former inclusions are `orphaned`
    on the receipts. Returns these transactions, oldest first.
    """
    last_block = ledger.block_at(project, chain_id, project.clock.now_ms).number
    project.chains.reorganizations.insert(
        Reorganization(project.new_id("reorg"), chain_id, first_block, last_block)
    )
    rows = project.onchain.transactions
    found = [(row, row.receipt, row.included) for row in rows.find("chain_id", chain_id)]
    return [
        rows.replace(_move_receipt(project, row, receipt, included))
        for row, receipt, included in found
        if receipt is not None and included is not None and included.place.block_number >= first_block
    ]


def _move_receipt(project: Project, row: Transaction, receipt: Receipt, before: Inclusion) -> Transaction:
    block = ledger.block_by_number(project, row.chain_id, before.place.block_number)
    receipt = receipt._replace(
        place=before.place._replace(block_hash=block.hash), orphaned=(*receipt.orphaned, before)
    )
    return row._replace(receipt=receipt, updated_ms=project.clock.now_ms)
