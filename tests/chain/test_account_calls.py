import eth_abi
from eth_utils.abi import function_signature_to_4byte_selector

from mockserver.chain.account_calls import calls_data, erc7821_execute, execute_batch, execute_call
from tests.tables import cases

CALLS = [("0x" + "11" * 20, 5, b"\xab"), ("0x" + "22" * 20, 0, b"")]


def split(calldata: bytes, signature: str) -> bytes:
    assert calldata[:4] == function_signature_to_4byte_selector(signature)
    return calldata[4:]


def test_one_call_is_an_execute() -> None:
    body = split(execute_call(*CALLS[0]), "execute(address,uint256,bytes)")
    assert body == eth_abi.encode(["address", "uint256", "bytes"], CALLS[0])


def test_a_batch_of_the_sample_account_is_three_lists() -> None:
    body = split(execute_batch(CALLS), "executeBatch(address[],uint256[],bytes[])")
    assert eth_abi.decode(["address[]", "uint256[]", "bytes[]"], body) == tuple(zip(*CALLS, strict=True))


@cases("count", 0, 1, 2)
def test_an_erc7821_batch_is_a_mode_and_a_list_of_calls(count: int) -> None:
    mode, inner = eth_abi.decode(
        ["bytes32", "bytes"], split(erc7821_execute(CALLS[:count]), "execute(bytes32,bytes)")
    )
    assert mode.hex() == "01" + "00" * 31
    assert eth_abi.decode(["(address,uint256,bytes)[]"], inner) == (tuple(CALLS[:count]),)


@cases("implementation", "Calibur", "CaliburV9")
def test_the_calibur_family_speaks_erc7821(implementation: str) -> None:
    assert calls_data(implementation, CALLS[:1]) == erc7821_execute(CALLS[:1])
    assert calls_data(implementation, CALLS) == erc7821_execute(CALLS)


@cases("implementation", "UpgradeableV6", "Simple")
def test_other_accounts_know_execute_and_execute_batch(implementation: str) -> None:
    assert calls_data(implementation, CALLS[:1]) == execute_call(*CALLS[0])
    assert calls_data(implementation, CALLS) == execute_batch(CALLS)
    assert calls_data(implementation, []) == execute_batch([])
