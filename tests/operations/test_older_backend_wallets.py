"""Backend wallets at the paths where clients before 0.10 read them."""

from httpx import Client

from mockserver import leniencies
from tests.operations.backend_wallets.helpers import create

HINT = leniencies.OLDER_PATH_OF_BACKEND_WALLETS.hint
PATH = "/v2/accounts/backend"


def test_a_backend_wallet_is_retrieved_with_a_hint(backend: Client) -> None:
    wallet = create(backend)

    answer = backend.get(f"{PATH}/{wallet['id']}")

    assert answer.headers["x-mockserver-hint"] == HINT
    assert answer.json() == {
        "object": "backendWallet",
        "id": wallet["id"],
        "address": wallet["address"],
        "chainType": "EVM",
        "custody": "Developer",
        "createdAt": wallet["createdAt"],
        "updatedAt": wallet["createdAt"],
    }


def test_backend_wallets_are_listed_newest_first_and_filtered(backend: Client) -> None:
    first, second, solana = create(backend), create(backend), create(backend, "SVM")

    def ids(**filters: str) -> list[str]:
        return [each["id"] for each in backend.get(PATH, params=filters).json()["data"]]

    assert ids() == [solana["id"], second["id"], first["id"]]
    assert ids(chainType="EVM", limit="1") == [second["id"]]
    assert ids(address=first["address"].lower()) == [first["id"]]
    assert ids(address=solana["address"]) == [solana["id"]]
    assert ids(wallet=second["walletId"]) == [second["id"]]
    assert ids(name="Treasury") == []


def test_only_backend_wallets_are_there(backend: Client) -> None:
    wallet = create(backend)
    delegated = {"accountType": "Delegated Account", "chainType": "EVM", "chainId": 80002}
    made = backend.post(
        "/v2/accounts", json={**delegated, "user": wallet["walletId"], "account": wallet["id"]}
    )

    assert backend.get(PATH).json()["total"] == 1
    assert backend.get(f"{PATH}/{made.json()['id']}").status_code == 404


def test_the_setting_strict_refuses_the_older_paths(backend: Client) -> None:
    wallet = create(backend)
    backend.put("/_mock/projects/-/settings", json={"strict": True})

    for path in (PATH, f"{PATH}/{wallet['id']}"):
        assert backend.get(path).json()["type"] == "urn:mockserver:not-in-specification"
