"""The signature that a transaction waits for."""

from typing import Any

from eth_account import Account as EthAccount
from eth_utils import keccak
from httpx import Client

from mockserver.state.project import Project
from tests.accounts import AccountKind, account_of
from tests.operations.transactions.helpers import create, signature_of, submit, whole
from tests.signing import sign_hash
from tests.tables import cases

HALF = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def high_s(signature: str) -> str:
    r, s, v = signature[2:66], int(signature[66:130], 16), int(signature[130:], 16)
    assert s <= HALF
    return f"0x{r}{ORDER - s:064x}{v ^ 1 ^ 54 if v > 1 else v ^ 1:02x}"


@cases("kind", "plain", "Simple")
def test_anothers_signature_is_a_conflict(api: Client, project: Project, kind: AccountKind) -> None:
    account = account_of(project, kind, held_by="User")
    row = create(api, account)
    good = signature_of(project, account, row)
    another = sign_hash(EthAccount.from_key(keccak(b"another")), row["nextAction"]["hash"])
    flipped = good[:-2] + ("1b" if good.endswith("1c") else "1c")
    bad = [another, high_s(good), flipped, "0x" + "00" * 65, "0x" + "ff" * 65, good[:-2] + "05"]
    if kind == "plain":
        bad.append(signature_of(project, account, row, eip191=True))
    for signature in bad:
        response = submit(api, row, signature)
        assert response.status_code == 409, signature
        assert response.json()["error"]["code"] == "invalid_signature"
        assert response.json()["error"]["param"] == "signature"
    assert whole(api, row)["status"] == "awaiting_signature"
    parity = f"{int(good[-2:], 16) - 27:02x}"
    assert submit(api, row, good[:-2] + parity).json()["status"] == "successful"


@cases(
    "signature", "", "0x", "0x" + "zz" * 65, "0x" + "11" * 64, "0x" + "11" * 66, "11" * 66, None, 5, ["0x"]
)
def test_what_is_no_signature_is_a_bad_request(api: Client, project: Project, signature: Any) -> None:
    row = create(api, account_of(project, "plain", held_by="User"))
    response = submit(api, row, signature)
    assert (response.status_code, response.json()["error"]["param"]) == (400, "signature")


def test_a_transaction_is_signed_once(api: Client, project: Project) -> None:
    account = account_of(project, "plain", held_by="User")
    row = create(api, account)
    signature = signature_of(project, account, row)
    assert submit(api, row, signature, waitForReceipt=False).json()["status"] == "sent"
    for waits in (False, True):
        response = submit(api, row, signature, waitForReceipt=waits)
        assert (response.status_code, response.json()["error"]["code"]) == (409, "not_awaiting_signature")
    assert submit(api, create(api, account_of(project, "plain")), signature).status_code == 409
    assert submit(api, {"id": "tin_none"}, signature).status_code == 404


def test_a_publishable_key_may_bring_it(api: Client, project: Project, browser: Client) -> None:
    account = account_of(project, "plain", held_by="User")
    row = create(api, account)
    browser.headers["authorization"] = f"Bearer {project.publishable_key}"
    assert browser.get(f"/v2/transactions/{row['id']}").status_code == 401
    assert submit(browser, row, signature_of(project, account, row)).json()["status"] == "successful"
