"""What the ABI of a token says of the types that its reads have."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.operations.token_balances.helpers import ERC20, ZERO, Chain
from tests.tables import cases


def with_output(abi: list[dict[str, Any]], signature: str, output: str) -> list[dict[str, Any]]:
    """An ABI in which a function returns another type; of a tuple with one component."""
    returned: dict[str, Any] = {"name": "", "type": output}
    if output == "tuple":
        returned["components"] = [{"name": "amount", "type": "uint256"}]
    name = signature.partition("(")[0]
    return [{**each, "outputs": [returned]} if each["name"] == name else each for each in abi]


@cases(
    "output, zero",
    ("bool", False),
    ("address", ZERO),
    ("string", ""),
    ("uint8", 0),
    ("uint128", "0"),
    ("int256", "0"),
    ("bytes32", "0x" + "00" * 32),
    ("uint256[]", []),
    ("tuple", {"amount": "0"}),
)
def test_other_balances_are_no_standard(api: Client, project: Project, output: str, zero: object) -> None:
    chain = Chain(api, project, with_output(ERC20, "balanceOf(address)", output))
    chain.call("mint", chain.account.address, "300")
    assert chain.read("balanceOf", chain.account.id) == zero


@cases(
    "signature, output, value",
    ("decimals()", "uint256", "18"),
    ("decimals()", "uint32", 18),
    ("decimals()", "bytes1", "0x00"),
    ("decimals()", "string", ""),
    ("name()", "bytes32", "0x" + b"Coin".hex().ljust(64, "0")),
    ("symbol()", "bytes32", "0x" + b"Coin".hex().ljust(64, "0")),
    ("symbol()", "bytes", "0x"),
    ("name()", "uint256", "0"),
    ("supportsInterface(bytes4)", "uint8", 0),
    ("supportsInterface(bytes4)", "uint256[]", []),
)
def test_what_a_contract_says_has_the_type_of_its_abi(
    api: Client, project: Project, signature: str, output: str, value: object
) -> None:
    chain = Chain(api, project, with_output(ERC20, signature, output))
    arguments = ["0x36372b07"] if "bytes4" in signature else []
    assert chain.read(signature.partition("(")[0], *arguments) == value


@cases(
    "name, value",
    ("x" * 40, b"x" * 32),
    ("ä" * 20, "ä".encode() * 16),
    ("x" + "ä" * 20, b"x" + "ä".encode() * 15),
)
def test_a_long_name_is_cut_at_characters(api: Client, project: Project, name: str, value: bytes) -> None:
    chain = Chain(api, project, with_output(ERC20, "name()", "bytes32"))
    assert api.post(f"/v1/contracts/{chain.contract}", json={"name": name}).status_code == 200
    assert chain.read("name") == "0x" + value.ljust(32, b"\0").hex()


def test_a_token_without_an_abi_is_read_by_signatures(api: Client, project: Project) -> None:
    chain = Chain(api, project, [])
    chain.call("mint(address,uint256)", chain.account.address, "100")
    assert chain.read("balanceOf(address)", chain.account.id) == "100"
    assert (chain.read("totalSupply()"), chain.read("decimals()")) == ("100", 18)
    assert (chain.read("symbol()"), chain.read("ownerOf(uint256)", "1")) == ("Coin", ZERO)
    assert chain.read("maxWallet()") is None
