"""What paymasters approve, and for how long."""

from dataclasses import replace

import pytest
from eth_keys import keys

from mockserver.chain.user_operations import user_operation_hash
from mockserver.chain.zksync import inner_input
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.chains.failures import Failure
from mockserver.domain.sponsorship.paymasters import require_valid
from mockserver.domain.sponsorship.sponsors import Sponsor
from mockserver.domain.transactions import preparation
from mockserver.state.chains import Execution, UserOperationExecution, ZkSyncExecution
from mockserver.state.onchain import CallRecord, Charge
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AMOY, account_of
from tests.tables import cases

ZKSYNC_SEPOLIA = 300
CALL = CallRecord("0x" + "11" * 20, 0, b"\x01", {})
OWN = "0x" + "99" * 20
COIN = "0x" + "22" * 20


def approved(project: Project, chain: int = AMOY, sponsor: Sponsor | None = None) -> Execution:
    """An execution that a sponsor pays for."""
    account = account_of(project, chain=chain)
    return preparation.draft(project, account, chain, [CALL], sponsor or Sponsor("pol_1")).execution


@cases("paymaster", None, OWN)
def test_the_projects_key_signs_for_every_paymaster(project: Project, paymaster: str | None) -> None:
    execution = approved(project, sponsor=Sponsor("pol_1", paymaster))
    assert isinstance(execution, UserOperationExecution)
    operation = execution.operation
    assert operation.paymaster == (paymaster or paymaster_address(project))
    window, signature = operation.paymaster_data[:12], operation.paymaster_data[12:]
    unsigned = replace(operation, paymaster_data=window)
    digest = user_operation_hash(unsigned, execution.entry_point_version, AMOY)
    approval = keys.Signature(signature[:64] + bytes([signature[64] - 27]))
    signer = approval.recover_public_key_from_msg_hash(digest)
    assert signer.to_checksum_address() == paymaster_address(project)


def test_on_zksync_the_approval_is_in_the_paymaster_input(project: Project) -> None:
    execution = approved(project, ZKSYNC_SEPOLIA)
    assert isinstance(execution, ZkSyncExecution)
    assert execution.transaction.paymaster == paymaster_address(project)
    inner = inner_input(execution.transaction.paymaster_input)
    assert int.from_bytes(inner[:6], "big") == project.clock.now_s + 3600


def test_on_zksync_a_paid_back_paymaster_is_allowed_the_most(project: Project) -> None:
    charge = Charge(COIN, 10**18, False)
    execution = approved(project, ZKSYNC_SEPOLIA, Sponsor("pol_1", charge=charge))
    assert isinstance(execution, ZkSyncExecution)
    transaction = execution.transaction
    most = int.from_bytes(transaction.paymaster_input[4 + 32 : 4 + 64], "big")
    assert most == transaction.gas * transaction.max_fee_per_gas
    assert bytes.fromhex(COIN[2:]) in transaction.paymaster_input


@cases("chain", AMOY, ZKSYNC_SEPOLIA)
def test_an_approval_holds_for_an_hour(project: Project, chain: int) -> None:
    execution = approved(project, chain)
    project.clock.move_to(project.clock.now_ms + 3_600_000)
    require_valid(project, execution)
    project.clock.move_to(project.clock.now_ms + 1000)
    with pytest.raises(Failure):
        require_valid(project, execution)


def test_what_the_account_pays_for_itself_needs_no_approval(project: Project) -> None:
    execution = preparation.draft(project, account_of(project), AMOY, [CALL]).execution
    project.clock.move_to(project.clock.now_ms + 10**9)
    require_valid(project, execution)


def test_the_paymaster_belongs_to_the_seed() -> None:
    first, again, other = (
        paymaster_address(World(seed=seed).create(name="tests")) for seed in ("one", "one", "two")
    )
    assert first == again != other
