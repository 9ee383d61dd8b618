"""A chain with a token on it: calls, reads and logs."""

from dataclasses import replace
from typing import Any

from eth_abi import encode
from eth_utils import keccak, to_checksum_address
from httpx import Client

from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import account_of

AMOY = 80002
TOKEN = to_checksum_address("0x" + "22" * 20)
THERE = to_checksum_address("0x" + "11" * 20)
OTHER = to_checksum_address("0x" + "ab" * 20)
ZERO = "0x" + "00" * 20
UNLIMITED = 2**256 - 1


def entry(signature: str, *outputs: str) -> dict[str, Any]:
    name, _, rest = signature.partition("(")
    types = [text for text in rest.rstrip(")").split(",") if text]
    return {
        "type": "function",
        "name": name,
        "inputs": [{"name": f"a{at}", "type": text} for at, text in enumerate(types)],
        "outputs": [{"name": "", "type": text} for text in outputs],
    }


ERC20 = [
    entry("transfer(address,uint256)", "bool"),
    entry("transferFrom(address,address,uint256)", "bool"),
    entry("approve(address,uint256)", "bool"),
    entry("mint(address,uint256)"),
    entry("burn(uint256)"),
    entry("burnFrom(address,uint256)"),
    entry("increaseAllowance(address,uint256)", "bool"),
    entry("decreaseAllowance(address,uint256)", "bool"),
    entry("balanceOf(address)", "uint256"),
    entry("totalSupply()", "uint256"),
    entry("allowance(address,address)", "uint256"),
    entry("name()", "string"),
    entry("symbol()", "string"),
    entry("decimals()", "uint8"),
    entry("supportsInterface(bytes4)", "bool"),
    entry("maxWallet()", "uint256"),
]
ERC721 = [
    entry("mint(address)"),
    entry("safeMint(address,uint256)"),
    entry("transferFrom(address,address,uint256)"),
    entry("safeTransferFrom(address,address,uint256)"),
    entry("approve(address,uint256)"),
    entry("setApprovalForAll(address,bool)"),
    entry("burn(uint256)"),
    entry("balanceOf(address)", "uint256"),
    entry("ownerOf(uint256)", "address"),
    entry("getApproved(uint256)", "address"),
    entry("isApprovedForAll(address,address)", "bool"),
    entry("totalSupply()", "uint256"),
    entry("supportsInterface(bytes4)", "bool"),
]


class Chain:
    """A contract, an account that calls it, and what it answers."""

    def __init__(self, api: Client, project: Project, abi: list[dict[str, Any]]) -> None:
        self.api, self.project = api, project
        body = {"name": "Coin", "chainId": AMOY, "address": TOKEN, "abi": abi}
        made = api.post("/v1/contracts", json=body)
        assert made.status_code == 200, made.text
        self.contract: str = made.json()["id"]
        self.account = account_of(project, "plain")
        project.undo.mark()

    def call(self, name: str, *args: object, by: Account | None = None) -> Any:
        call = {"contractId": self.contract, "functionName": name, "functionArgs": list(args)}
        body = {"chainId": AMOY, "accountId": (by or self.account).id, "calls": [call]}
        made = self.api.post("/v2/transactions", json=body)
        assert made.status_code == 200, made.text
        return self.api.get(f"/v2/transactions/{made.json()['id']}", params={"expand": "logs"}).json()

    def read(self, name: str, *args: object) -> Any:
        texts = [arg if isinstance(arg, str) else str(arg).replace("'", '"') for arg in args]
        asked = {"functionName": name, "functionArgs": texts}
        answer = self.api.get(f"/v1/contracts/{self.contract}/read", params=asked)
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]


def topic(signature: str) -> str:
    return "0x" + keccak(text=signature).hex()


def word(value: str | int) -> str:
    """A topic: an address or a number in 32 bytes."""
    return "0x" + encode(["address" if isinstance(value, str) else "uint256"], [value]).hex()


def strict(project: Project) -> None:
    project.settings = replace(project.settings, strict_token_balances=True)
