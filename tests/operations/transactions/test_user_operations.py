"""Transactions of smart and delegated accounts, which are user operations."""

from eth_utils import keccak
from httpx import Client

from mockserver.state.project import Project
from tests.accounts import AccountKind, account_of
from tests.operations.transactions.helpers import (
    KINDS,
    THERE,
    create,
    events,
    number,
    operation_hash,
    signature_of,
    submit,
    whole,
)
from tests.tables import cases


@cases("kind, chain", *KINDS)
@cases("eip191", False, True)
def test_a_user_operation_is_hashed_as_its_entry_point_does(
    api: Client, project: Project, kind: AccountKind, chain: int, eip191: bool
) -> None:
    account = account_of(project, kind, chain=chain, held_by="User")
    assert account.smart_account is not None
    for turn in range(2):
        row = create(api, account, chain, calls=[{"to": THERE, "value": "7"}, {"to": THERE, "data": "0xff"}])
        shown = whole(api, row)["execution"]
        hashed = operation_hash(
            shown["userOperation"], shown["entryPoint"], chain, account.smart_account.implementation_address
        )
        assert shown["userOperationHash"] == row["nextAction"]["hash"] == "0x" + hashed.hex()
        assert "userOperation" not in row["execution"]
        assert shown["userOperation"]["signature"] == "0x"
        assert number(shown["userOperation"]["nonce"]) == turn
        creates = shown["userOperation"].get("initCode", "0x") != "0x" or "factory" in shown["userOperation"]
        assert creates == (turn == 0)
        signature = signature_of(project, account, row, eip191=eip191)
        done = submit(api, row, signature).json()
        assert (done["status"], done["receipt"]["to"]) == ("successful", shown["entryPoint"])
        price = int(done["receipt"]["gasFee"]) / int(done["receipt"]["gasUsed"])
        assert number(shown["userOperation"]["maxFeePerGas"]) > price
        done = whole(api, done)
        assert done["execution"]["userOperation"]["signature"] == signature
        assert done["execution"]["userOperationHash"] == shown["userOperationHash"]
        assert events(done) == ["awaiting_signature", "sent", "indexed", "confirmed", "successful"]


def test_the_logs_of_a_user_operation_stand_in_its_block(api: Client, project: Project) -> None:
    account = account_of(project, "Simple")
    call = {"to": THERE, "functionName": "transfer(address,uint256)", "functionArgs": [account.id, "9"]}
    shown = whole(api, create(api, account, calls=[call]))
    logs = shown["receipt"]["logs"]
    assert [log["logIndex"] for log in logs] == [0, 1, 2, 3]
    for log in logs:
        assert log["blockNumber"] == shown["receipt"]["blockNumber"]
        assert log["transactionHash"] == shown["receipt"]["transactionHash"]
        assert (log["removed"], log["transactionIndex"], len(log["blockHash"])) == (False, 0, 66)
    transfer = logs[2]
    sender = "0x" + "00" * 12 + account.address[2:].lower()
    assert transfer["topics"] == [
        "0x" + keccak(text="Transfer(address,address,uint256)").hex(),
        sender,
        sender,
    ]
    event = "UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)"
    assert logs[3]["topics"][:2] == ["0x" + keccak(text=event).hex(), shown["execution"]["userOperationHash"]]
    assert shown["calls"][0]["functionArgs"] == [account.address, "9"]


def test_the_logs_of_a_block_are_numbered_through(api: Client, project: Project) -> None:
    rows = [create(api, account_of(project, "Simple"), waitForReceipt=False) for _ in range(2)]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 2})
    logs = [log for row in rows for log in whole(api, row)["receipt"]["logs"]]
    assert len({log["blockHash"] for log in logs}) == 1
    assert [log["logIndex"] for log in logs] == list(range(6))
    assert [log["transactionIndex"] for log in logs] == [0, 0, 0, 1, 1, 1]


def test_the_account_shows_that_it_was_deployed(api: Client, project: Project) -> None:
    account = account_of(project, "Simple")
    row = create(api, account)
    smart = api.get(f"/v2/accounts/{account.id}").json()["smartAccount"]
    assert smart["deployedTx"] == row["receipt"]["transactionHash"]
    assert smart["deployedAt"] == row["receipt"]["createdAt"]
