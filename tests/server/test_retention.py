"""A project keeps the newest of what piles up, and says so where it is asked for what it dropped."""

from dataclasses import replace
from types import SimpleNamespace

import httpx
import pytest

from mockserver.api.call import Request
from mockserver.crypto import p256
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.domain.identity.verifications import issue_verification
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets import wallet_secrets
from mockserver.errors import ApiError
from mockserver.server.answering import idempotency
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.guardrails import CollectedTokens, GasRule
from mockserver.state.project import SCHEMAS, Project
from mockserver.state.requests import RateWindow
from mockserver.state.settings import Settings
from mockserver.state.wallets import DEFAULT_KEY_ID
from mockserver.state.world import World
from tests.accounts import AMOY, account_of
from tests.tables import cases
from tests.transport import InProcessTransport

AUTH = "/iam/v2/auth"
CONTROL = "/_mock/projects/-"
HOUR_MS = 3_600_000


def keep(project: Project, **settings: int) -> None:
    """Change how many rows a project keeps."""
    project.settings = replace(project.settings, **settings)  # type: ignore[arg-type]


def send(api: httpx.Client, account_id: str) -> str:
    call = {"to": "0x" + "ab" * 20, "value": "1"}
    answer = api.post("/v2/transactions", json={"chainId": AMOY, "accountId": account_id, "calls": [call]})
    return str(answer.json()["id"])


def register(api: httpx.Client, number: int) -> str:
    body = {"name": "Token", "chainId": AMOY, "address": f"0x{number + 1:040x}"}
    return str(api.post("/v1/contracts", json=body).json()["id"])


def accept_all(api: httpx.Client) -> str:
    """A policy that sponsors everything."""
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    return str(api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"])


def sponsorship(api: httpx.Client, policy_id: str | None = None) -> str:
    """A fee sponsorship with a policy: one that accepts everything unless given."""
    strategy = {"sponsorSchema": "pay_for_user"}
    body = {"name": "Gas", "policyId": policy_id or accept_all(api), "strategy": strategy}
    made = api.post("/v2/fee-sponsorship", json=body)
    assert made.status_code == 201
    return str(made.json()["id"])


def message_of(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status
    body = answer.json()
    return str(body["error"]["message"] if "error" in body else body.get("message") or body["detail"])


def test_the_oldest_settled_transactions_are_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, settled_kept=2)
    account = account_of(project, "plain")
    sent = [send(api, account.id) for _ in range(4)]
    assert [row["id"] for row in api.get("/v2/transactions").json()["data"]] == [sent[3], sent[2]]
    message = message_of(api.get(f"/v2/transactions/{sent[0]}"), 404)
    assert message == (
        f"There is no transaction {sent[0]}. "
        "It may be one of the 2 transactions that were dropped (settled_kept)."
    )
    assert "settled_kept" in message_of(api.get(f"/v1/transaction_intents/{sent[0]}"), 404)
    assert "settled_kept" in message_of(api.get(f"{CONTROL}/transactions/{sent[0]}/decisions"), 404)


def test_a_transaction_that_is_sent_is_never_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, settled_kept=1)
    never_mined = {"outcome": "never_mined"}
    account = account_of(project, "plain")
    api.post(f"{CONTROL}/fates", json=never_mined)
    pending = send(api, account.id)
    for _ in range(3):
        send(api, account_of(project, "plain").id)
    assert api.get(f"/v2/transactions/{pending}").json()["status"] == "sent"


def test_waiting_and_settled_ones_have_separate_room(api: httpx.Client, project: Project) -> None:
    keep(project, settled_kept=1)
    held_by_user, account = account_of(project, "plain", held_by="User"), account_of(project, "plain")
    settled, unsigned = send(api, account.id), send(api, held_by_user.id)
    assert api.get(f"/v2/transactions/{settled}").status_code == 200
    api.post(f"{CONTROL}/fates", json={"transaction_id": unsigned, "outcome": "failed"})
    assert len(project.onchain.fates) == 1
    newer = send(api, held_by_user.id)
    assert message_of(api.get(f"/v2/transactions/{unsigned}"), 404).endswith("(settled_kept).")
    assert api.get(f"/v2/transactions/{newer}").status_code == 200
    assert api.get(f"/v2/transactions/{settled}").status_code == 200
    assert len(project.onchain.fates) == 0


def test_a_transaction_that_other_rows_wait_for_is_not_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, settled_kept=1)
    account = account_of(project, "plain", held_by="User")
    first = project.onchain.transactions[send(api, account.id)]
    project.onchain.transactions.replace(first._replace(purpose="register_session_key"))
    project.commit()
    for _ in range(2):
        send(api, account.id)
    assert first.id in project.onchain.transactions


def test_balances_and_nonces_do_not_depend_on_what_was_dropped(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "plain")
    hashes = []
    for kept in (1_000, 1):
        api.post(f"{CONTROL}/snapshots", json={"name": f"before-{kept}"})
        keep(project, settled_kept=kept)
        sent = [api.get(f"/v2/transactions/{send(api, account.id)}").json() for _ in range(4)]
        hashes.append([each["receipt"]["transactionHash"] for each in sent])
        api.post(f"{CONTROL}/snapshots/before-{kept}/restore")
    assert hashes[0] == hashes[1]


def test_only_the_oldest_deleted_contracts_are_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, deleted_kept=1)
    ids = [register(api, number) for number in range(5)]
    for contract_id in ids[:3]:
        api.delete(f"/v1/contracts/{contract_id}")
    assert [row["id"] for row in api.get("/v1/contracts?deleted=true").json()["data"]] == ids[:1:-1]
    message = message_of(api.get(f"/v1/contracts/{ids[0]}"), 404)
    assert message.endswith("It may be one of the 2 contracts that were dropped (deleted_kept).")
    assert message_of(api.delete(f"/v1/contracts/{ids[1]}"), 404).endswith("(deleted_kept).")


LIVE = SimpleNamespace(id="a", deleted=False, has_ended=False, state="active", status="sent")
OVER = SimpleNamespace(id="a", deleted=True, has_ended=True, state="revoked", status="failed")


def test_rows_in_use_are_not_dropped_with_those_that_ended() -> None:
    retained = [each.retention for each in SCHEMAS.values() if each.retention is not None]
    of_ended = [each for each in retained if each.setting == "deleted_kept"]
    assert [each.group(LIVE) for each in of_ended] == [None] * len(of_ended)
    assert None not in [each.group(OVER) for each in of_ended]


def test_what_a_fee_sponsorship_names_is_kept(api: httpx.Client, project: Project) -> None:
    keep(project, deleted_kept=1)
    policy = accept_all(api)
    sponsorship(api, policy)
    others = [accept_all(api) for _ in range(3)]
    for policy_id in (policy, *others):
        api.delete(f"/v2/policies/{policy_id}")
    assert policy in project.guardrails.policies
    assert [each for each in others if each in project.guardrails.policies] == others[2:]


def test_the_oldest_deleted_sponsorships_are_dropped_whole(api: httpx.Client, project: Project) -> None:
    keep(project, deleted_kept=1)
    ids = [sponsorship(api) for _ in range(3)]
    for each in ids:
        budget = f"{CONTROL}/fee-sponsorships/{each}/budget"
        assert api.put(budget, json={"budget_wei": "5"}).status_code == 200
        project.guardrails.gas_rules.insert(GasRule(f"afu_{each}", 0, each, "gas_per_transaction"))
        project.guardrails.collected_tokens.insert(CollectedTokens(f"{each}:1:0x", each, 1, "0x", 7))
    project.commit()
    for each in ids:
        assert api.delete(f"/v2/fee-sponsorship/{each}").status_code == 200
    message = message_of(api.get(f"/v2/fee-sponsorship/{ids[0]}"), 404)
    assert message.endswith("It may be one of the 2 fee sponsorships that were dropped (deleted_kept).")
    guardrails = project.guardrails
    assert [row.id for row in guardrails.sponsor_accounts] == ids[2:]
    assert [row.sponsorship_id for row in guardrails.gas_rules] == ids[2:]
    assert [row.sponsorship_id for row in guardrails.collected_tokens] == ids[2:]


def test_a_sponsorship_stays_while_it_pays_for_a_transaction(api: httpx.Client, project: Project) -> None:
    keep(project, deleted_kept=1)
    account = account_of(project, "Simple")
    paying = sponsorship(api)
    api.post(f"{CONTROL}/fates", json={"outcome": "never_mined"})
    call = {"to": "0x" + "ab" * 20}
    body = {"chainId": AMOY, "accountId": account.id, "calls": [call], "feeSponsorshipId": paying}
    sent = api.post("/v2/transactions?wait=false", json=body).json()
    for each in (paying, sponsorship(api), sponsorship(api)):
        api.delete(f"/v2/fee-sponsorship/{each}")
    assert api.get(f"/v2/transactions/{sent['id']}").json()["status"] == "sent"
    assert paying in project.guardrails.fee_sponsorships
    account_row = project.guardrails.sponsor_accounts[paying]
    project.guardrails.sponsor_accounts.replace(account_row._replace(reserved_wei=0))
    api.delete(f"/v2/fee-sponsorship/{sponsorship(api)}")
    assert paying not in project.guardrails.fee_sponsorships


def test_the_oldest_ended_secrets_but_no_default_are_dropped(project: Project) -> None:
    keep(project, deleted_kept=1)
    wallet_secrets.default_secret(project)
    pems = [p256.public_pem(p256.private_key_from_seed(bytes([number]) * 48)) for number in range(1, 5)]
    for number, pem in enumerate(pems):
        wallet_secrets.rotate(project, pem, f"ws_{number}")
        project.commit()
    assert [row.id for row in project.wallets.secrets] == [DEFAULT_KEY_ID, "ws_2", "ws_3"]
    with pytest.raises(ApiError, match=r"dropped \(deleted_kept\)"):
        wallet_secrets.revoke(project, "ws_0")


def test_the_oldest_messages_are_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, messages_kept=2)
    for name in "abc":
        body = {"email": f"{name}@example.com", "type": "sign-in"}
        api.post(f"{AUTH}/email-otp/send-verification-otp", json=body)
    listed = api.get(f"{CONTROL}/outbox").json()["data"]
    assert [message["to"] for message in listed] == ["b@example.com", "c@example.com"]
    assert project.outbox.dropped == 1


def test_the_oldest_snapshots_are_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, snapshots_kept=2)
    for name in "abc":
        api.post(f"{CONTROL}/snapshots", json={"name": name})
    assert [each["id"] for each in api.get(f"{CONTROL}/snapshots").json()["data"]] == ["b", "c"]
    message = message_of(api.post(f"{CONTROL}/snapshots/a/restore"), 404)
    assert (
        message
        == "There is no snapshot a. It may be one of the 1 snapshots that were dropped (snapshots_kept)."
    )
    api.post(f"{CONTROL}/reset", json={})


def test_only_a_users_oldest_sessions_are_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, sessions_per_user=2)
    ada, bob = (create_user(project, name=name, email=f"{name}@example.com") for name in ("ada", "bob"))
    project.commit()
    tokens = []
    for user in (bob, ada, ada, ada):
        tokens.append(open_session(project, user).token)
        project.commit()
    answers = [
        api.get(f"{AUTH}/get-session", headers={"authorization": f"Bearer {token}"}) for token in tokens
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 200, 200]
    message = message_of(api.get("/v2/accounts", headers={"authorization": f"Bearer {tokens[1]}"}), 401)
    note = "It may be one of the 1 sessions that were dropped (sessions_per_user, expired_kept_ms)."
    assert message == f"The session is unknown, has expired or was revoked. {note}"
    assert message_of(answers[1], 401).endswith(note)
    signed_in = {"authorization": f"Bearer {tokens[2]}"}
    ended = api.post(f"{AUTH}/revoke-session", json={"token": tokens[1]}, headers=signed_in)
    assert message_of(ended, 400).endswith(note)


def test_what_expired_is_kept_for_a_while_and_then_dropped(api: httpx.Client, project: Project) -> None:
    keep(project, expired_kept_ms=HOUR_MS)
    user = create_user(project, name="Ada", email="ada@example.com")
    token = open_session(project, user, remember=False).token
    issue_verification(project, "otp", "sign-in/ada@example.com", "123456", 1)
    project.commit()
    sign_in = {"email": "ada@example.com", "otp": "123456"}

    def sweep() -> None:
        issue_verification(project, "otp", "other", "1", HOUR_MS)
        open_session(project, user)
        project.commit()

    TIMER_LOOP.advance(project, project.clock.now_ms + HOUR_MS)
    sweep()
    assert project.identity.verifications.dropped == 0
    TIMER_LOOP.advance(project, project.clock.now_ms + HOUR_MS)
    sweep()
    assert project.identity.verifications.dropped == 1
    message = message_of(api.post(f"{AUTH}/sign-in/email-otp", json=sign_in), 400)
    assert message == (
        "Invalid OTP. It may be one of the 1 codes, links and nonces that were dropped "
        "(pending_kept, expired_kept_ms)."
    )
    TIMER_LOOP.advance(project, project.clock.now_ms + 25 * HOUR_MS)
    sweep()
    assert project.identity.sessions.first("token", token) is None
    assert project.identity.sessions.dropped == 1


def test_a_refused_call_drops_nothing(api: httpx.Client, project: Project) -> None:
    keep(project, deleted_kept=1)
    ids = [register(api, number) for number in range(2)]
    api.delete(f"/v1/contracts/{ids[0]}")
    before = tuple(map(tuple, project.tables))
    project.onchain.contracts.replace(project.onchain.contracts[ids[1]]._replace(deleted=True))
    project.roll_back()
    assert tuple(map(tuple, project.tables)) == before


def test_what_refused_calls_leave_behind_is_bounded(api: httpx.Client, project: Project) -> None:
    keep(project, pending_kept=3)
    project.settings = replace(project.settings, rate_limits=True)
    for number in range(9):
        headers = {"x-forwarded-for": f"10.0.0.{number}"}
        body = {"email": "nobody", "password": "x"}
        assert api.post(f"{AUTH}/sign-in/email", json=body, headers=headers).status_code == 400
    assert len(project.requests.rate_windows) == 3


def test_idempotent_answers_are_bounded(project: Project) -> None:
    keep(project, pending_kept=2)
    for name in "abc":
        request = Request("POST", "/v1/contracts", "", {"x-idempotency-key": name}, b"{}")
        idempotency.keep(project, f"CreateContract {name}", request, Response(200, (), b"{}"))
        project.commit()
    assert [row.id for row in project.requests.first_answers] == ["CreateContract b", "CreateContract c"]


def test_one_call_drops_a_few_rows_at_most(project: Project) -> None:
    windows = project.requests.rate_windows
    for number in range(200):
        windows.insert(RateWindow(str(number), ends_ms=project.clock.now_ms))
    project.undo.mark()
    keep(project, pending_kept=1)
    windows.insert(RateWindow("new", ends_ms=project.clock.now_ms))
    project.commit()
    assert len(windows) == 73
    assert "new" in windows


def test_of_many_rows_a_few_more_are_dropped(project: Project) -> None:
    keep(project, pending_kept=256)
    windows = project.requests.rate_windows
    for number in range(257):
        windows.insert(RateWindow(str(number), ends_ms=project.clock.now_ms))
    project.commit()
    assert [row.id for row in windows] == [str(number) for number in range(3, 257)]
    assert windows.dropped == 3
    windows.insert(RateWindow("new", ends_ms=project.clock.now_ms))
    project.commit()
    assert len(windows) == 255, "there is room again"


def test_a_restore_brings_back_what_was_dropped_since(api: httpx.Client, project: Project) -> None:
    keep(project, settled_kept=1)
    account = account_of(project, "plain")
    first = send(api, account.id)
    api.post(f"{CONTROL}/snapshots", json={"name": "before"})
    send(api, account.id)
    assert api.get(f"/v2/transactions/{first}").status_code == 404
    api.post(f"{CONTROL}/snapshots/before/restore")
    assert api.get(f"/v2/transactions/{first}").status_code == 200
    assert project.onchain.transactions.dropped == 0


@cases("story", 1, 2)
def test_the_same_requests_drop_the_same_rows(story: int) -> None:
    assert _heard() == _heard()


def _heard() -> list[str]:
    world = World()
    app = assemble(world)
    project = world.key("sk_test_a").project
    keep(project, settled_kept=2, deleted_kept=1, messages_kept=1)
    account = account_of(project, "plain")
    headers = {"authorization": "Bearer sk_test_a"}
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as api:
        for number in range(5):
            api.delete(f"/v1/contracts/{register(api, number)}")
            send(api, account.id)
        paths = ("/v1/contracts?deleted=true", "/v2/transactions", f"{CONTROL}/outbox")
        return [api.get(path).text for path in paths]


# --- metrics ---------------------------------------------------------------------------------------------


def read_metrics(api: httpx.Client) -> dict[str, int]:
    answer = api.get("/_mock/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    samples = [line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: int(number) for name, number in samples}


def test_metrics_count_projects_rows_answers_and_dropped_ones(api: httpx.Client, project: Project) -> None:
    keep(project, deleted_kept=1)
    for number in range(3):
        api.delete(f"/v1/contracts/{register(api, number)}")
    api.get("/v1/contracts/con_x")
    found = read_metrics(api)
    assert found['mockserver_projects{state="open"}'] == 1
    assert found['mockserver_rows{table="onchain.contracts"}'] == 1
    assert found['mockserver_rows{table="events"}'] == 7
    assert found['mockserver_dropped{kind="contracts"}'] == 2
    assert found['mockserver_answers_total{status="2xx"}'] == 6
    assert found['mockserver_answers_total{status="4xx"}'] == 1
    assert (found["mockserver_log_lines_dropped_total"], found["mockserver_waiting_calls"]) == (0, 0)


# --- projects that are put away ----------------------------------------------------------------------------


def _tell(app: App, names: list[str]) -> list[tuple[str, int, bytes]]:
    """What clients of several projects hear who take turns."""
    heard = []
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        for turn in range(4):
            for name in names:
                headers = {"authorization": f"Bearer sk_test_{name}"}
                for answer in _visit(client, headers, turn):
                    heard.append((name, answer.status_code, answer.content))
    return heard


def _visit(client: httpx.Client, headers: dict[str, str], turn: int) -> list[httpx.Response]:
    body = {"name": "Token", "chainId": AMOY, "address": f"0x{turn + 1:040x}"}
    sign_up = {"name": "Ada", "email": f"ada{turn}@example.com", "password": "correct horse"}
    answers = [
        client.post("/v1/contracts", json=body, headers={**headers, "x-idempotency-key": f"k{turn}"}),
        client.post(f"{AUTH}/sign-up/email", json=sign_up, headers=headers),
        client.post(f"{CONTROL}/solana/transactions", json={}, headers=headers),
        client.post(f"{CONTROL}/snapshots", json={}, headers=headers),
        client.post("/v1/contracts", json=body, headers={**headers, "x-idempotency-key": f"k{turn}"}),
        client.get("/v1/contracts", headers=headers),
    ]
    if turn == 2:
        answers.append(client.post(f"{CONTROL}/snapshots/snapshot-1/restore", headers=headers))
        answers.append(client.put(f"{CONTROL}/settings", json={"messages_kept": 1}, headers=headers))
    answers.append(client.post(f"{CONTROL}/clock/advance", json={"seconds": 1}, headers=headers))
    answers.append(client.get(f"{CONTROL}/outbox", headers=headers))
    answers.append(client.get(f"{CONTROL}/journal", headers=headers))
    answers.append(client.get(f"{CONTROL}/settings", headers=headers))
    return answers


def test_a_project_that_was_put_away_comes_back_as_it_was() -> None:
    names = [f"p{number}" for number in range(18)]
    small, large = World(open_projects=16), World()
    heard = _tell(assemble(small), names)
    assert heard == _tell(assemble(large), names)
    assert {body for _, status, body in heard if status >= 300} == set()
    assert sum(project.is_put_away for project in small) == 2
    assert [project.calls for project in small] == [project.calls for project in large]
    assert not any(project.is_put_away for project in large)


def test_all_projects_journals_share_their_bytes() -> None:
    world = World(open_projects=16, journal_bytes=40_000)
    app = assemble(world)
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        for number in range(200):
            client.get("/v1/contracts", headers={"authorization": f"Bearer sk_test_p{number % 20}"})
            assert world.histories.bytes <= 40_000
        held = [project for project in world if not project.is_put_away]
        assert 0 < sum(len(project.history) for project in held) < 60
        last = {"authorization": "Bearer sk_test_p19"}
        assert client.get(f"{CONTROL}/journal", headers=last).json()["data"][-1]["n"] == 10
        gone = client.get(f"{CONTROL}/journal/1", headers=last).json()
        assert gone["detail"] == "The journal holds no exchange number 1 any more."
        never = client.get(f"{CONTROL}/journal/11", headers=last).json()
        assert never["detail"] == "The journal holds no exchange number 11."
        for project in world:
            client.delete(f"/_mock/projects/{project.id}")
        assert read_metrics(client)["mockserver_journal_bytes"] == world.histories.bytes == 0


def test_a_session_still_names_its_put_away_project() -> None:
    world = World(open_projects=16)
    app = assemble(world)
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        sign_up = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
        headers = {"authorization": "Bearer pk_test_first"}
        token = client.post(f"{AUTH}/sign-up/email", json=sign_up, headers=headers).json()["token"]
        for number in range(20):
            client.get("/v1/contracts", headers={"authorization": f"Bearer sk_test_p{number}"})
        first = next(iter(world))
        assert first.is_put_away
        assert client.get("/v2/accounts", headers={"authorization": f"Bearer {token}"}).status_code == 200
        assert not first.is_put_away


def test_projects_that_are_declared_or_in_use_stay_open() -> None:
    world = World(open_projects=16)
    declared = world.create(name="declared")
    waiting = world.key("sk_test_waiting").project
    waiting.waiting = 1
    for number in range(40):
        world.key(f"sk_test_p{number}")
    assert not declared.is_put_away
    assert not waiting.is_put_away
    assert sum(project.is_put_away for project in world) == 25


def test_a_project_that_is_put_away_can_be_listed_and_deleted() -> None:
    world = World(open_projects=16)
    app = assemble(world)
    for number in range(20):
        world.key(f"sk_test_p{number}")
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        listed = client.get("/_mock/projects").json()["data"]
        assert [each["name"] for each in listed] == [f"p{number}" for number in range(20)]
        assert next(iter(world)).is_put_away
        assert client.delete(f"/_mock/projects/{listed[0]['id']}").status_code == 200
        found = read_metrics(client)
    assert len(world) == 19
    assert found['mockserver_projects{state="put_away"}'] == 4
    assert found["mockserver_packed_bytes"] > 1000
    assert Settings().settled_kept >= 1_000
