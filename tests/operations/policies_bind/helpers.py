"""Wallets, what they sign, and criteria of policies."""

from collections.abc import Callable
from typing import Any

from httpx import Client, Response
from hypothesis import strategies as st

from mockserver.chain.transactions import FeeMarketTransaction

AMOY = 80002
THERE = "0x" + "11" * 20
OTHER = "0x" + "22" * 20
HASH = "0x" + "07" * 32
Allow = Callable[..., str]


def to(*addresses: str) -> dict[str, Any]:
    return {"type": "evmAddress", "operator": "in", "addresses": list(addresses)}


def wallet(backend: Client, chain_type: str = "EVM") -> Any:
    return backend.post("/v2/accounts/backend", json={"chainType": chain_type}).json()


def sign(backend: Client, account: Any, data: str) -> Response:
    return backend.post(f"/v2/accounts/backend/{account['id']}/sign", json={"data": data})


def message(text: str) -> str:
    prefix = f"\x19Ethereum Signed Message:\n{len(text.encode())}"
    return "0x" + (prefix + text).encode().hex()


def unsigned(destination: str, value: int = 0, data: bytes = b"") -> str:
    transaction = FeeMarketTransaction(
        chain_id=AMOY,
        nonce=0,
        max_priority_fee_per_gas=1,
        max_fee_per_gas=2,
        gas=21_000,
        to=destination,
        value=value,
        data=data,
    )
    return "0x" + transaction.serialize_unsigned().hex()


def refused(answer: Response) -> str:
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["type"]) == (
        403,
        "policy_refused",
        "invalid_request_error",
    )
    return str(error["message"])


PLACES = st.sampled_from([THERE, OTHER])
VALUES = st.sampled_from([0, 5, 6])
ABI = '[{"type":"function","name":"mint","inputs":[{"name":"n","type":"uint256"}]}]'


def criteria(operation: str) -> st.SearchStrategy[dict[str, Any]]:
    among = st.sampled_from(["in", "not in"])
    kinds: list[st.SearchStrategy[dict[str, Any]]] = [
        st.fixed_dictionaries(
            {"type": st.just("evmAddress"), "operator": among, "addresses": st.lists(PLACES, min_size=1)}
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("ethValue"),
                "operator": st.sampled_from(["<=", ">=", "<", ">"]),
                "ethValue": VALUES.map(str),
            }
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("evmData"),
                "operator": st.sampled_from(["<=", ">=", "==", "<", ">"]),
                "abi": st.just(ABI),
                "functionName": st.just("mint"),
                "args": st.fixed_dictionaries({}, optional={"n": VALUES.map(str)}),
            }
        ),
    ]
    if operation == "sendEvmTransaction":
        chains = st.lists(st.sampled_from([AMOY, 84532]), min_size=1, max_size=2)
        kinds.append(
            st.fixed_dictionaries({"type": st.just("evmNetwork"), "operator": among, "chainIds": chains})
        )
    return st.one_of(kinds)
