"""Blocks with their transactions, as the page lists them."""

from typing import Any

from httpx import Client

from tests.nodes.node import ALICE, BOB, CHAIN, Node
from tests.tables import cases

PATH = f"/_mock/projects/-/chains/{CHAIN}/blocks"


def blocks(api: Client, **query: Any) -> Any:
    """Blocks, the latest first."""
    return api.get(PATH, params={"order": "desc", **query}).json()


def test_blocks_have_what_the_node_says_of_them(api: Client, node: Node) -> None:
    node.fund(ALICE.address)
    receipt = node.transact(to=BOB.address, value=5, gas=30_000)
    (block,) = blocks(api, filled=True)["data"]
    shown = node.ask("eth_getBlockByNumber", receipt["blockNumber"], True)
    assert (hex(block["block_number"]), block["block_hash"]) == (shown["number"], shown["hash"])
    (transaction,) = block["transactions"]
    assert transaction["transaction_hash"] == receipt["transactionHash"]
    assert (transaction["sender"], transaction["to"]) == (ALICE.address.lower(), BOB.address.lower())
    assert (transaction["value_wei"], transaction["gas_used"]) == ("5", 21_000)
    row = api.get(f"/_mock/projects/-/tables/onchain.transactions/{transaction['id']}").json()["row"]
    assert row["status"] == transaction["status"] == "successful"


def test_blocks_are_listed_page_by_page(api: Client, node: Node) -> None:
    latest = node.number("eth_blockNumber")
    first = blocks(api)
    assert [block["block_number"] for block in first["data"]] == list(range(latest, latest - 25, -1))
    assert first["total"] == latest + 1
    earlier = blocks(api, before=first["data"][-1]["block_number"], limit=2)
    assert [block["block_number"] for block in earlier["data"]] == [latest - 25, latest - 26]
    assert [block["block_number"] for block in api.get(PATH, params={"limit": 2}).json()["data"]] == [0, 1]
    assert blocks(api, filled=True) == {"data": [], "total": 0}


def test_blocks_that_are_listed_are_no_requests_of_a_client(api: Client) -> None:
    before = api.get("/_mock/projects/-/journal").json()["total"]
    blocks(api)
    assert api.get("/_mock/projects/-/journal").json()["total"] == before


@cases("query", "limit=0", "limit=101", "before=-1", "filed=true")
def test_a_wrong_query_is_refused(api: Client, query: str) -> None:
    assert api.get(f"{PATH}?{query}").status_code == 400


def test_a_chain_that_is_none_is_refused(api: Client) -> None:
    assert api.get("/_mock/projects/-/chains/x/blocks").status_code == 400
