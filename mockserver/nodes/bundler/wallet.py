"""What wallets are asked: assets (EIP-7811) and capabilities (ERC-5792)."""

from typing import Annotated, Any, Required

from pydantic import Field
from typing_extensions import TypedDict

from mockserver.chain.addresses import to_checksum
from mockserver.chain.networks import NETWORKS
from mockserver.domain.chains import ledger
from mockserver.domain.chains.networks import default_chain, is_of_other_mode
from mockserver.domain.chains.tokens import holdings
from mockserver.nodes.endpoints import WALLET
from mockserver.nodes.evm.chain import BundlerMethods, Chain
from mockserver.nodes.methods import Methods
from mockserver.nodes.values import Address, Quantity
from mockserver.server.answering.control_call import ControlCall
from mockserver.state.project import Project

methods = Methods(lambda call: call, WALLET)
chains = BundlerMethods()


_TYPES = ["native", "erc20", "erc721"]


class AssetFilter(TypedDict, total=False):
    """An asset that is asked for."""

    address: str
    type: str


class AssetRequest(TypedDict, total=False):
    """Whose assets are asked for, and which."""

    account: Required[Address]
    chainFilter: Annotated[list[Quantity], Field(max_length=100)]
    assetFilter: Annotated[dict[Quantity, list[AssetFilter]], Field(max_length=100)]
    assetTypeFilter: list[str]


@methods.method("wallet_getAssets")
def get_assets(call: ControlCall, request: AssetRequest) -> dict[str, Any]:
    """List the coins and tokens of an account by chain (EIP-7811)."""
    project, address = call.project, request["account"]
    if "assetFilter" in request:
        # Assets that are named make the other filters idle.
        named = request["assetFilter"].items()
        return {hex(chain_id): _named_on(project, chain_id, address, wanted) for chain_id, wanted in named}
    holder, tables = address.lower(), project.chains
    accounts = (row.id.partition(":") for row in tables.accounts)
    known = {int(chain_id) for chain_id, _, owner in accounts if owner == holder}
    held = (row for row in tables.token_holdings if row.holder.lower() == holder)
    known |= {int(row.token.partition(":")[0]) for row in held}
    own = project.wallets.accounts.find("address", holder)
    known |= {row.chain_id for row in own if row.chain_id is not None}
    wanted = request.get("chainFilter") or sorted(known | {default_chain(project)})
    types = request.get("assetTypeFilter") or _TYPES
    return {hex(chain_id): _assets_on(project, chain_id, address, types) for chain_id in wanted}


@chains.method("wallet_getCapabilities")
def get_capabilities(
    chain: Chain, address: Address | None = None, chain_ids: list[Quantity] = []
) -> dict[str, Any]:
    """Retrieve what the wallets of the service can do on chains that the project may use (ERC-5792)."""
    able = {"atomic": {"status": "supported"}, "paymasterService": {"supported": True}}
    asked = chain_ids or [chain.id]
    return {hex(each): able for each in asked if not is_of_other_mode(chain.project, each)}


def _named_on(
    project: Project, chain_id: int, address: str, wanted: list[AssetFilter]
) -> list[dict[str, Any]]:
    named = [(each.get("address", "").lower(), each.get("type")) for each in wanted]
    held = _assets_on(project, chain_id, address, _TYPES)
    return [each for each in held if (each["address"].lower(), each["type"]) in named]


def _assets_on(project: Project, chain_id: int, address: str, types: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "native" in types:
        symbol = NETWORKS[chain_id].currency
        wei = ledger.chain_account(project, chain_id, address).balance
        metadata = {"name": symbol, "symbol": symbol, "decimals": 18}
        found.append({"address": "native", "balance": hex(wei), "type": "native", "metadata": metadata})
    for held in holdings.tokens_of(project, chain_id, address):
        contract = holdings.Token(project, chain_id, held.contract)
        settings, name = holdings.token_settings(contract), holdings.name_of(contract)
        kind = "erc20" if held.token_id is None else "erc721"
        symbol = name if settings.symbol is None else settings.symbol
        named = {"name": name, "symbol": symbol, "decimals": settings.decimals}
        token = {} if held.token_id is None else {"tokenId": hex(held.token_id)}
        shown = {"address": to_checksum(held.contract), "balance": hex(held.balance), "type": kind}
        if kind in types:
            found.append({**shown, "metadata": {**named, **token}})
    return found
