"""Transactions that cannot be asked for: refused by the path of what is wrong, and nothing is kept."""

from collections.abc import Callable
from typing import Any

import pytest
from httpx import Client, Response

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.guardrails import AcceptedToken, FeeSponsorship, Strategy
from mockserver.state.onchain import Contract
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases

AMOY, BASE, ETHEREUM = 80002, 84532, 1
THERE = "0x" + "11" * 20
TOKEN = "0x" + "22" * 20
PATH = "/v2/transactions"
ABI: tuple[dict[str, Any], ...] = (
    {"type": "function", "name": "mint", "inputs": [{"name": "to", "type": "address"}]},
    {"type": "function", "name": "put", "inputs": [{"name": "x", "type": "uint8[2][]"}]},
)


@pytest.fixture
def furnished(project: Project, world: World) -> Project:
    """The project, with everything a request may name, under ids that a table can spell."""
    wallet = create_wallet(project)
    plain = create_eoa(project, wallet, "EVM", held_by="Developer")
    smart = create_contract_account(project, plain, AMOY, IMPLEMENTATIONS["Simple"])
    solana = create_eoa(project, wallet, "SVM")
    for row, name in ((plain, "acc_plain"), (smart, "acc_smart"), (solana, "acc_solana")):
        project.wallets.accounts.remove(row.id)
        project.wallets.accounts.insert(row._replace(id=name))
    project.onchain.contracts.insert(Contract("con_1", 0, None, AMOY, TOKEN, ABI))
    free, paid = Strategy("pay_for_user"), Strategy("charge_custom_tokens", (AcceptedToken(TOKEN),))
    for name, where, enabled, strategy in (
        ("pol_any", None, True, free),
        ("pol_base", BASE, True, free),
        ("pol_off", None, False, free),
        ("pol_token", AMOY, True, paid),
    ):
        project.guardrails.fee_sponsorships.insert(
            FeeSponsorship(name, 0, None, where, enabled, strategy, None)
        )
    other = world.create(name="other")
    other.guardrails.fee_sponsorships.insert(FeeSponsorship("pol_other", 0, None, None, True, free, None))
    project.undo.mark()
    return project


def stored(project: Project) -> object:
    """Everything that outlives a request."""
    tables = [tuple(table) for table in project.tables]
    return tables, project.timers.pending(), project.entropy.draws(), project.clock.now_ms


def deep(levels: int) -> Any:
    value: Any = "7"
    for _ in range(levels):
        value = [value]
    return value


def call(**members: Any) -> dict[str, Any]:
    return {"calls": [members]}


MINT = {"contractId": "con_1", "functionName": "mint"}
REFUSED: list[tuple[dict[str, Any], int, str]] = [
    # The chain.
    ({"chainId": ETHEREUM}, 400, "chainId"),
    ({"chainId": BASE, "accountId": "acc_smart"}, 400, "chainId"),
    # The account.
    ({"accountId": "acc_none"}, 404, "accountId"),
    ({"accountId": "acc_solana"}, 400, "accountId"),
    # The calls.
    ({"calls": [5]}, 400, "calls[0]"),
    ({"calls": [{"to": THERE}] * 2, "accountId": "acc_plain"}, 400, "calls"),
    (call(to=""), 400, "calls[0].to"),
    (call(to="0x" + "1" * 100_000), 400, "calls[0].to"),
    (call(to=THERE, value="1.5"), 400, "calls[0].value"),
    (call(to=THERE, value=" 1"), 400, "calls[0].value"),
    (call(to=THERE, value="9" * 100_000), 400, "calls[0].value"),
    (call(to=THERE, data="0x1"), 400, "calls[0].data"),
    (call(to=THERE, dataSuffix="0x1"), 400, "calls[0].dataSuffix"),
    (call(to=THERE, functionName="mint", functionArgs=["5", None]), 400, "calls[0].functionArgs[1]"),
    (
        call(to=THERE, functionName="mint", functionArgs=[deep(100)]),
        400,
        "calls[0].functionArgs[0]" + "[0]" * 24,
    ),
    (call(to=THERE, functionName="f(" * 100 + ")" * 100), 400, "calls[0].functionName"),
    (call(to=THERE, functionName="f(uint7)"), 400, "calls[0].functionName"),
    (call(**MINT, functionArgs=["0x12"]), 400, "calls[0].functionArgs[0]"),
    (call(**MINT, functionArgs=[5]), 400, "calls[0].functionArgs[0]"),
    (call(**MINT, functionArgs=[None]), 400, "calls[0].functionArgs[0]"),
    (
        call(contractId="con_1", functionName="put", functionArgs=[[["1", "2"], ["3"]]]),
        400,
        "calls[0].functionArgs[0][1]",
    ),
    (
        call(contractId="con_1", functionName="put", functionArgs=[[["1", "256"]]]),
        400,
        "calls[0].functionArgs[0][0][1]",
    ),
    (
        call(contractId="con_1", functionName="put", functionArgs=[[["1", "9" * 100_000]]]),
        400,
        "calls[0].functionArgs[0][0][1]",
    ),
    (
        call(contractId="con_1", functionName="put", functionArgs=["[" * 100_000]),
        400,
        "calls[0].functionArgs[0]",
    ),
    (
        call(contractId="con_1", functionName="put", functionArgs=[deep(100)]),
        400,
        "calls[0].functionArgs[0][0]",
    ),
    (
        call(contractId="con_1", functionName="put", functionArgs=["[" + "[]," * 200_000 + "[]]"]),
        400,
        "calls[0].functionArgs[0]",
    ),
    ({"calls": [{"to": THERE}, {"to": THERE, "value": "x"}]}, 400, "calls[1].value"),
    # Who pays.
    ({"feeSponsorshipId": "pol_none"}, 404, "feeSponsorshipId"),
    ({"feeSponsorshipId": "pol_other"}, 404, "feeSponsorshipId"),
    ({"feeSponsorshipId": "pol_base"}, 400, "feeSponsorshipId"),
    ({"feeSponsorshipId": "pol_off"}, 409, "feeSponsorshipId"),
    ({"feeSponsorshipId": "pol_any", "accountId": "acc_plain"}, 400, "feeSponsorshipId"),
    ({"feeSponsorshipId": "pol_any", "feeSponsorshipToken": TOKEN}, 400, "feeSponsorshipToken"),
    ({"feeSponsorshipId": "pol_token", "feeSponsorshipToken": THERE}, 400, "feeSponsorshipToken"),
    ({"feeSponsorshipId": "pol_token", "feeSponsorshipToken": "0x22"}, 400, "feeSponsorshipToken"),
    ({"feeSponsorshipToken": TOKEN}, 400, "feeSponsorshipToken"),
]


def shown(what: object) -> str | None:
    return str(what)[:60] if isinstance(what, dict) else None


@cases("change, status, param", *REFUSED, ids=shown)
@cases("path", PATH, f"{PATH}/estimate")
def test_what_is_wrong_is_named_and_nothing_is_kept(
    api: Client, furnished: Project, path: str, change: dict[str, Any], status: int, param: str
) -> None:
    body = {"chainId": AMOY, "accountId": "acc_smart", "calls": [{"to": THERE}]} | change
    before = stored(furnished)
    response = api.post(path, json=body)
    assert response.status_code == status, response.text[:500]
    error = response.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert error["code"]
    assert len(response.content) < 3000
    assert stored(furnished) == before


def test_the_table_starts_from_something_that_works(api: Client, furnished: Project) -> None:
    for account in ("acc_smart", "acc_plain"):
        body = {"chainId": AMOY, "accountId": account, "calls": [{"to": THERE}]}
        assert api.post(PATH, json=body).json()["status"] == "successful"
        assert api.post(f"{PATH}/estimate", json=body).status_code == 200
    for sponsorship in ("pol_any", "pol_token"):
        body = {"chainId": AMOY, "accountId": "acc_smart", "calls": [{"to": THERE}]}
        assert api.post(PATH, json=body | {"feeSponsorshipId": sponsorship}).json()["status"] == "successful"


def test_the_nearest_name_is_offered(api: Client, furnished: Project) -> None:
    wanted = call(contractId="con_1", functionName="mimt", functionArgs=[THERE])
    response = api.post(PATH, json={"chainId": AMOY, "accountId": "acc_smart"} | wanted)
    assert "did you mean mint?" in response.json()["error"]["message"]


@cases(
    "body",
    b"",
    b"{",
    b"[]",
    b"null",
    b'"x"',
    b'{"chainId":80002,"accountId":"acc_smart","calls":[{"to":"\\ud800"}]}',
    b'{"chainId":80002,"accountId":"acc_smart","calls":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    b'{"chainId":' + b"9" * 100_000 + b',"accountId":"acc_smart","calls":[]}',
    b'{"chainId":80002,"accountId":"acc_smart","calls":[{"to":"x","functionName":"f(uint8)","functionArgs":['
    + b"9" * 100_000
    + b"]}]}",
    b'{"chainId":80002,"accountId":"acc_smart","calls":[{"to":"0x'
    + b"11" * 20
    + b'","functionName":"f(uint8)","functionArgs":[NaN]}]}',
    b"\xff\xfe",
)
def test_what_is_no_such_body_is_a_bad_request(api: Client, furnished: Project, body: bytes) -> None:
    before = stored(furnished)
    for path in (PATH, f"{PATH}/estimate", f"{PATH}/tin_1/signature"):
        response = api.post(path, content=body, headers={"content-type": "application/json"})
        assert response.status_code == 400, response.text[:500]
        assert len(response.content) < 3000
    assert stored(furnished) == before


def test_an_unlisted_chain_is_taken_unless_the_project_objects(api: Client, furnished: Project) -> None:
    body = {"chainId": 424242, "accountId": "acc_plain", "calls": [{"to": THERE}]}
    assert api.post(PATH, json=body).json()["status"] == "successful"
    api.put("/_mock/projects/-/settings", json={"unknown_chains": "refuse"})
    response = api.post(PATH, json=body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "chain_unknown")
    assert response.json()["error"]["param"] == "chainId"


def test_numbers_as_large_as_they_may_be_are_answered_in_full(api: Client, furnished: Project) -> None:
    most = 2**256 - 1
    wanted = call(to=THERE, functionName="f(uint256,int256)", functionArgs=[most, -(2**255)], value="1")
    body = {"chainId": AMOY, "accountId": "acc_plain"} | wanted
    row = api.post(PATH, json=body).json()
    assert row["calls"][0]["functionArgs"] == [most, -(2**255)]
    assert row["execution"]["data"].endswith(f"{most:064x}{2**255:064x}")
    poor = call(to=THERE, value=str(most))
    for path, found in ((PATH, "failed"), (f"{PATH}/estimate", None)):
        answer = api.post(path, json=body | poor)
        assert answer.status_code == 200
        assert answer.json().get("status") == found
    many = [{"to": THERE, "value": str(most)}] * 256
    answer = api.post(PATH, json={"chainId": AMOY, "accountId": "acc_smart", "calls": many})
    assert answer.json()["status"] == "failed"


def test_members_that_are_null_are_as_if_left_out(api: Client, furnished: Project) -> None:
    nothing = dict.fromkeys(("value", "data", "dataSuffix", "contractId", "functionName", "functionArgs"))
    body = {"chainId": AMOY, "accountId": "acc_smart", "calls": [{"to": THERE, **nothing}]}
    row = api.post(PATH, json=body | {"feeSponsorshipId": None, "feeSponsorshipToken": None}).json()
    assert row["calls"] == [{"to": THERE}]


@cases("read", lambda api: api.get(f"{PATH}/tin_none"), lambda api: api.get(f"{PATH}/%00"))
def test_a_transaction_that_is_not_there(api: Client, read: Callable[[Client], Response]) -> None:
    response = read(api)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "transaction_not_found")
