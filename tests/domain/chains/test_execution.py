"""What contracts with code cost, and what they take from an account."""

from decimal import Decimal

from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import execution, ledger
from mockserver.domain.policies.net_change import net_change
from mockserver.kernel.effort import finish
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from tests.chain.evm.machines import assemble
from tests.tables import cases

AMOY = 80002
ADA, BOB, CAROL, THERE = ("0x" + digit * 40 for digit in "1234")
TRANSFER = "0x" + keccak256(b"Transfer(address,address,uint256)").hex()
STORE = 2 * 3 + 22_100
CLEAR = 2 + 3 + 2_900 + 2_100


@cases(
    "cleared, stored, refunded",
    (0, 1, 0),
    (10, 0, 10 * CLEAR // 5),
    (1, 2, 4_800),
)
def test_at_most_a_fifth_of_the_gas_is_refunded(
    project: Project, cleared: int, stored: int, refunded: int
) -> None:
    code = "".join(f"PUSH0 0x{slot + 1:02x} SSTORE " for slot in range(cleared))
    code += "".join(f"0x01 0x{slot + 101:02x} SSTORE " for slot in range(stored))
    execution.set_code(project, AMOY, THERE, assemble(code))
    for slot in range(cleared):
        ledger.set_slot(project, AMOY, THERE, slot + 1, 7)
    executor = execution.Executor(project, AMOY, ADA)
    made = finish(executor.call(ADA, THERE, 0, b"", 10**6))
    used = cleared * CLEAR + stored * STORE
    assert (made.error, made.gas_used, made.refunded) == (None, used - refunded, refunded)
    # What one call is refunded is nothing of the next one's.
    execution.set_code(project, AMOY, CAROL, assemble("0x01 0x01 SSTORE"))
    assert finish(executor.call(ADA, CAROL, 0, b"", 10**6)).refunded == 0


@cases(
    "sender, receiver, dollars",
    (ADA, BOB, 5),
    (BOB, ADA, -5),
    (BOB, CAROL, 0),
    (ADA, ADA, 0),
)
def test_only_transfers_of_the_account_change_what_it_has(
    project: Project, sender: str, receiver: str, dollars: int
) -> None:
    amount = f"0x{5 * 10**18:064x} PUSH0 MSTORE"
    topics = f"0x{receiver[2:]} 0x{sender[2:]} {TRANSFER}"
    execution.set_code(project, AMOY, THERE, assemble(f"{amount} {topics} 0x20 PUSH0 LOG3"))
    assert net_change(project, AMOY, ADA, [CallRecord(THERE, 0, b"", {})]) == Decimal(dollars)


@cases("heir, burned", ("ADDRESS", 5), (f"0x{BOB[2:]}", 0))
def test_what_a_contract_destroys_with_itself_is_burned(project: Project, heir: str, burned: int) -> None:
    init_code = assemble(f"{heir} SELFDESTRUCT")
    code = assemble(
        f"0x{init_code.hex()} PUSH0 MSTORE 0x{len(init_code):02x} 0x{32 - len(init_code):02x} 0x05 CREATE"
    )
    execution.set_code(project, AMOY, THERE, code)
    ledger.write(project, ledger.chain_account(project, AMOY, ADA)._replace(balance=9, issued=9))
    made = finish(execution.Executor(project, AMOY, ADA).call(ADA, THERE, 7, b"", 10**6))
    rows = list(project.chains.accounts)
    assert (made.error, sum(row.balance for row in rows)) == (None, 9 - burned)
    assert sum(row.issued for row in rows) == 9 - burned
