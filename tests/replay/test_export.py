"""`mockserver export`: a recording as an HTTP archive, a shell script, a test and a scenario."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from eth_account import Account
from eth_account.messages import encode_defunct
from httpx import Client, Response, TransportError

from mockserver import cli
from mockserver.crypto.p256 import pkcs8_base64, private_key_from_seed, public_pem
from mockserver.domain.wallets.wallet_auth import sign_request
from mockserver.launch.application import AppOptions, build_app
from mockserver.launch.play import play_file
from mockserver.replay.export.command import EXPORTS
from mockserver.replay.export.scenario_file import load_text
from mockserver.replay.export.states import find_difference, find_drawn, read_state
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.testing.server import LiveServer
from tests.regression.journeys.sign_in import message_of
from tests.replay.har_schema import HAR
from tests.replay.recorded import Record, account_of, contract, sign_up, transfer
from tests.tables import cases
from tests.transport import InProcessTransport
from tests.wallet_auth import WalletAuth

pytest_plugins = ["pytester"]

BROKEN = "rules: [{when: GET /v1/contracts/gone, then: {fault: connection_reset_by_peer}}]"


def exported(file: Path, kind: str, *options: str, code: int = 0) -> Path:
    """The file that an export writes."""
    out = file.with_name(f"export.{kind}")
    assert cli.main(["export", str(file), "--to", kind, "--out", str(out), *options]) == code
    return out


def load(api: Client, project: Project) -> Response:
    """Load a scenario with a rule."""
    headers = {"content-type": "application/yaml"}
    return api.post(f"/_mock/projects/{project.id}/scenarios", content=BROKEN, headers=headers)


def some_calls(api: Client, project: Project) -> None:
    """What exports have to write: texts, bytes, queries, faults, errors and headers of all kinds."""
    assert load(api, project).status_code == 201
    contract(api, "a1")
    contract(api, "a1")
    api.get(
        "/v1/contracts?limit=1&order=desc", headers={"x-empty": "", "x-quoted": """it's "so" $HOME `id`"""}
    )
    with pytest.raises(TransportError):
        api.get("/v1/contracts/gone")
    api.post("/v1/contracts", content=b"\xff\x00 no text")
    body = {
        "name": "it's $(id) `id` \\ ${HOME} !\n%s é\N{SNOWMAN}",
        "chainId": 80002,
        "address": "0x" + "b2" * 20,
    }
    assert api.post("/v1/contracts", json=body).status_code == 200
    sign_up(api, project, "ada")


# --- HAR ------------------------------------------------------------------------------------------------


def test_an_archive_is_har_1_2(api: Client, project: Project, record: Record) -> None:
    some_calls(api, project)
    archive = json.loads(exported(record(), "har").read_text())
    jsonschema.validate(archive, HAR)
    entries = archive["log"]["entries"]
    assert [entry["response"]["status"] for entry in entries][:4] == [201, 200, 409, 200]
    assert entries[3]["request"]["queryString"] == [
        {"name": "limit", "value": "1"},
        {"name": "order", "value": "desc"},
    ]
    assert entries[1]["startedDateTime"] == "2026-01-01T00:00:00.000Z"
    assert entries[7]["response"]["cookies"][0]["name"] == "better-auth.session_token"
    # What it has no members for is marked.
    assert entries[4]["response"]["_fault"] == "connection_reset_by_peer"
    post = entries[5]["request"]["postData"]
    assert (post["text"], post["_base64"]) == ("", "/wAgbm8gdGV4dA==")
    assert "HAR 1.2 cannot hold" in post["comment"]


# --- curl -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_a_script_makes_the_same_requests(api: Client, project: Project, record: Record) -> None:
    some_calls(api, project)
    script = exported(record(), "curl")
    with LiveServer() as server:
        again = server.control.create_project(name="tests")
        assert again.id == project.id
        subprocess.run(
            ["sh", str(script)], env={"MOCKSERVER_URL": server.url, "PATH": "/usr/bin:/bin"}, check=False
        )
        live = [exchange(entry) for entry in again.journal]
    recorded = api.get(f"/_mock/projects/{project.id}/journal").json()["data"]
    assert len(live) == 7
    assert live == [exchange(entry) for entry in recorded]


def exchange(entry: Any) -> Any:
    """What of an exchange is the same wherever it is made."""
    return entry["method"], entry["path"], entry["query"], entry["status"], entry["request"]["body"]


# --- pytest ---------------------------------------------------------------------------------------------


def run_test(pytester: pytest.Pytester, source: str) -> pytest.RunResult:
    """Run the source of a test."""
    pytester.makepyfile(source)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider")


def test_a_test_passes(api: Client, project: Project, record: Record, pytester: pytest.Pytester) -> None:
    some_calls(api, project)
    user = sign_up(api, project, "bea").json()
    api.post(f"/_mock/projects/{project.id}/clock/advance", json={"seconds": 90})
    assert transfer(api, project, account_of(api, user["user"]["id"])).json()["status"] == "successful"
    api.get("/iam/v2/auth/get-session", headers={"authorization": f"Bearer {user['token']}"})
    api.get("/v1/contracts", headers=[(b"x-latin", b"caf\xe9")])
    source = exported(record(), "pytest").read_text()
    assert 'assert answer.json()["error"]["code"] == "contract_already_exists"' in source
    assert "mock_project.clock.advance(90)" in source
    assert "mock_project.sign(" in source
    run_test(pytester, source).assert_outcomes(passed=1)


def test_the_chosen_members_are_asserted(
    api: Client, project: Project, record: Record, pytester: pytest.Pytester
) -> None:
    account = account_of(api, sign_up(api, project, "ada").json()["user"]["id"])
    transfer(api, project, account)
    source = exported(record(), "pytest", "--assert", "/status", "/accountId").read_text()
    assert 'assert answer.json()["status"] == "successful"' in source
    assert 'assert answer.json()["accountId"] == account.json()["id"]' in source
    run_test(pytester, source).assert_outcomes(passed=1)
    run_test(pytester, source.replace('"successful"', '"failed"')).assert_outcomes(failed=1)


@cases("pointer, said", ("/id", "is drawn"), ("/none", "has no /none"), ("id", "has no id"))
def test_what_is_another_value_each_time_cannot_be_asserted(
    pointer: str, said: str, api: Client, record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    contract(api, "a1")
    exported(record(), "pytest", "--assert", pointer, code=3)
    assert said in capsys.readouterr().err


def test_calls_without_credentials_have_none(api: Client, record: Record, pytester: pytest.Pytester) -> None:
    contract(api, "a1")
    del api.headers["authorization"]
    assert contract(api, "b2").status_code == 401
    run_test(pytester, exported(record(), "pytest").read_text()).assert_outcomes(passed=1)


def begin_project(api: Client) -> str:
    """The id of a new project that is called from now on: the run is to have its beginning."""
    made = api.post("/_mock/projects", json={"name": "late"}).json()
    api.headers["authorization"] = f"Bearer {made['secret_key']}"
    return str(made["id"])


def test_calls_that_the_wallet_secret_signs_are_signed(
    api: Client, record: Record, pytester: pytest.Pytester
) -> None:
    secret = api.post(f"/_mock/projects/{begin_project(api)}/wallet-secret").json()["wallet_secret"]
    auth = WalletAuth(secret)
    wallet = api.post("/v2/accounts/backend", json={"chainType": "EVM"}, auth=auth).json()["id"]
    path, body = f"/v2/accounts/backend/{wallet}/sign", {"data": "0x" + "11" * 32}
    assert api.post(path, json=body, auth=auth).is_success
    refused = api.post(path, json=body, headers={"x-wallet-auth": "none"})
    assert refused.json()["error"]["code"] == "wallet_auth_invalid"
    source = exported(record(), "pytest").read_text()
    assert source.count("auth=mock_project.wallet_auth") == 2
    run_test(pytester, source).assert_outcomes(passed=1)


def test_what_another_wallet_secret_signed_is_sent_as_it_was(
    api: Client, record: Record, pytester: pytest.Pytester
) -> None:
    begin_project(api)
    key = private_key_from_seed(b"own" * 16)
    body = {"publicKey": public_pem(key), "keyId": "ws_own"}
    path, secret = "/v2/accounts/backend/register-secret", pkcs8_base64(key)
    signed = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    token = sign_request(secret, "POST", path, signed, 1_780_000_000)
    assert api.post(path, json={**body, "walletAuthToken": token}).is_success
    assert api.post("/v2/accounts/backend", json={"chainType": "EVM"}, auth=WalletAuth(secret)).is_success
    source = exported(record(), "pytest").read_text()
    assert "mock_project.wallet_auth" not in source
    run_test(pytester, source).assert_outcomes(passed=1)


def test_a_wallet_token_that_came_twice_is_refused_again(
    api: Client, record: Record, pytester: pytest.Pytester
) -> None:
    secret = api.post(f"/_mock/projects/{begin_project(api)}/wallet-secret").json()["wallet_secret"]
    path, body = "/v2/accounts/backend", {"chainType": "EVM"}
    signed = api.post(path, json=body, auth=WalletAuth(secret)).request
    assert api.send(signed).json()["error"]["code"] == "wallet_auth_invalid"
    run_test(pytester, exported(record(), "pytest").read_text()).assert_outcomes(passed=1)


def test_what_a_wallet_outside_signed_is_valid_again(
    api: Client, record: Record, pytester: pytest.Pytester
) -> None:
    made = api.post("/_mock/projects", json={"name": "late"}).json()
    api.headers["x-project-key"] = made["publishable_key"]
    del api.headers["authorization"]
    wallet = Account.from_key("0x" + "7" * 64)
    named = {"walletAddress": wallet.address}
    nonce = api.post("/iam/v2/auth/siwe/nonce", json=named).json()["nonce"]
    message = message_of(wallet, nonce)
    signature = "0x" + wallet.sign_message(encode_defunct(text=message)).signature.hex()
    body = {**named, "message": message, "signature": signature}
    token = api.post("/iam/v2/auth/siwe/verify", json=body).json()["token"]
    assert api.get("/iam/v2/me", headers={"authorization": f"Bearer {token}"}).is_success
    run_test(pytester, exported(record(), "pytest").read_text()).assert_outcomes(passed=1)


def test_an_id_of_what_fired_comes_from_the_clock(
    api: Client, project: Project, record: Record, pytester: pytest.Pytester
) -> None:
    control = f"/_mock/projects/{project.id}"
    sender = "0x" + "ab" * 20
    calls: list[tuple[str, list[Any]]] = [
        ("anvil_setBalance", [sender, hex(10**18)]),
        ("anvil_impersonateAccount", [sender]),
        ("evm_setAutomine", [False]),
        ("eth_sendTransaction", [{"from": sender, "to": sender}]),
    ]
    for method, params in calls:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        assert "result" in api.post(f"{control}/chains/80002/rpc", json=body).json()
    (fired,) = api.post(f"{control}/clock/advance", json={"seconds": 2}).json()["fired"]
    api.get(f"/v2/transactions/{fired['id']}")
    source = exported(record(), "pytest").read_text()
    assert """+ advance_clock.json()["fired"][0]["id"])""" in source
    run_test(pytester, source).assert_outcomes(passed=1)


def test_what_json_rpc_answers_is_asserted(
    api: Client, project: Project, record: Record, pytester: pytest.Pytester
) -> None:
    path, asked = f"/_mock/projects/{project.id}/chains/80002/rpc", {"jsonrpc": "2.0", "id": 1}
    known, unknown = ({**asked, "method": name} for name in ("eth_chainId", "eth_none"))
    for body in (known, unknown, [unknown, known]):
        assert api.post(path, json=body).status_code == 200
    source = exported(record(), "pytest").read_text()
    for asserted in (
        'assert "result" in answer.json()',
        'assert answer.json()["error"]["code"] == -32601',
        'assert answer.json()[0]["error"]["code"] == -32601',
        'assert "result" in answer.json()[1]',
    ):
        assert f"    {asserted}\n" in source
    run_test(pytester, source).assert_outcomes(passed=1)


def test_a_call_of_no_operation_is_made_again(api: Client, record: Record, pytester: pytest.Pytester) -> None:
    contract(api, "a1")
    assert api.post("/v1/contacts", json={}).status_code == 404
    run_test(pytester, exported(record(), "pytest").read_text()).assert_outcomes(passed=1)


# --- scenario -------------------------------------------------------------------------------------------


def read(path: Path) -> Any:
    """The document of a scenario that is valid."""
    scenario = path.rename(path.with_suffix(".yaml"))
    assert cli.main(["validate", str(scenario)]) == 0
    assert play_file(scenario).code == 0
    return yaml.safe_load(scenario.read_text())


def test_a_scenario_gives_the_state_in_few_calls(api: Client, project: Project, record: Record) -> None:
    contract(api, "a1")
    api.get("/v1/contracts")
    api.put(f"/_mock/projects/{project.id}/settings", json={"transaction_confirms_after_ms": 3000})
    user = sign_up(api, project, "ada").json()["user"]["id"]
    api.put(f"/_mock/projects/{project.id}/settings", json={"transaction_confirms_after_ms": 4000})
    account = account_of(api, user)
    api.post(f"/_mock/projects/{project.id}/clock/advance", json={"seconds": 60})
    assert transfer(api, project, account).json()["status"] == "successful"
    file = record()
    scenario = exported(file, "scenario")
    text = scenario.read_text()
    document = read(scenario)
    calls = [step["call"] for step in document["given"]]
    assert calls[:4] == ["CreateContract", "signUpEmail", "ChangeSettings", "createAccountV2"]
    assert "AdvanceClock" in calls
    assert document["given"][3]["body"]["user"] == "${sign_up_email.user.id}"
    assert calls.count("ChangeSettings") == 1, "the first change was taken back by the second"
    states = [read_state(load_text(text, project, seed)) for seed in ("one", "another")]
    assert find_difference(read_state(project), states[0], find_drawn(*states)) is None


def test_no_single_call_of_a_scenario_can_be_left_out(api: Client, project: Project, record: Record) -> None:
    account = account_of(api, sign_up(api, project, "ada").json()["user"]["id"])
    transfer(api, project, account)
    contract(api, "a1")
    document = read(exported(record(), "scenario"))
    assert len(document["given"]) == 6

    def state(given: list[Any], seed: str) -> Any:
        return read_state(load_text(yaml.safe_dump({**document, "given": given}), project, seed))

    whole = state(document["given"], "one")
    drawn = find_drawn(whole, state(document["given"], "another"))
    for number in range(len(document["given"])):
        fewer = document["given"][:number] + document["given"][number + 1 :]
        try:
            assert find_difference(whole, state(fewer, "one"), drawn) is not None
        except ValueError:
            continue


def test_resets_and_snapshots_take_back_calls(api: Client, project: Project, record: Record) -> None:
    control = f"/_mock/projects/{project.id}"
    contract(api, "a1")
    api.post(f"{control}/reset")
    contract(api, "b2")
    api.post(f"{control}/snapshots", json={"name": "s"})
    contract(api, "c3")
    api.post(f"{control}/snapshots/s/restore")
    contract(api, "d4")
    given = read(exported(record(), "scenario"))["given"]
    assert [step["body"]["name"] for step in given] == ["b2", "d4"]


def test_rules_of_a_loaded_scenario_are_kept(api: Client, project: Project, record: Record) -> None:
    load(api, project)
    assert read(exported(record(), "scenario"))["rules"] == yaml.safe_load(BROKEN)["rules"]


def test_a_refused_call_that_changes_rows_is_said(
    api: Client, project: Project, record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    key = {"x-project-key": project.publishable_key}
    auth = "/iam/v2/auth"
    body = {"email": "ada@example.com", "type": "sign-in"}
    api.post(f"{auth}/email-otp/send-verification-otp", json=body, headers=key)
    wrong = {"email": "ada@example.com", "otp": "000000"}
    assert api.post(f"{auth}/sign-in/email-otp", json=wrong, headers=key).status_code >= 400
    text = exported(record(), "scenario", code=1).read_text()
    assert "exchange 2, signInEmailOTP, is left out: it was refused" in capsys.readouterr().err
    assert "# exchange 2, signInEmailOTP" in text


def test_a_recording_from_the_middle_of_a_life_is_no_scenario(
    app: App, api: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract(api, "a1")
    path = tmp_path / "run.jsonl"
    app.recordings.start(path)
    contract(api, "b2")
    app.recordings.close()
    exported(path, "scenario", code=3)
    assert (
        "begins in the middle of a project's life, with rows in onchain.contracts" in capsys.readouterr().err
    )


def test_masked_secrets_that_cannot_be_repeated_are_said(
    app: App, api: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.jsonl"
    app.recordings.start(path, masked=True)
    body = {"private_keys": ["0x" + "7" * 64]}
    assert api.put("/_mock/projects/-/imports", json=body).is_success
    assert api.get("/v1/contracts").is_success
    app.recordings.close()
    assert "unrepeatable-" in exported(path, "pytest", code=1).read_text()
    assert "masked as unrepeatable-...: put your own in" in capsys.readouterr().err


def test_an_answer_that_the_recording_lacks_is_said(
    app: App, api: Client, project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.jsonl"
    app.recordings.start(path, masked=True)
    key = {"authorization": f"Bearer {project.publishable_key}"}
    sent = {"provider": "google", "usePooling": False}
    begun = api.post("/iam/v1/oauth/init", json=sent, headers=key).json()
    # A key of a query is hidden, and was shown before.
    assert api.post("/iam/v1/oauth/pool", params={"key": begun["key"]}, headers=key).status_code == 404
    app.recordings.close()
    exported(path, "pytest", code=1)
    assert "no answer of exchange 1: nothing of it is asserted" in capsys.readouterr().err


def test_a_start_up_scenario_is_part_of_the_export(tmp_path: Path, pytester: pytest.Pytester) -> None:
    app = build_app(AppOptions(clock="frozen"))
    app.start()
    file = tmp_path / "run.jsonl"
    app.recordings.start(file)
    project = next(iter(app.pipeline.world))
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as api:
        accounts = api.get("/v2/accounts").json()["data"]
        account = next(row["id"] for row in accounts if row["accountType"] == "Externally Owned Account")
        assert transfer(api, project, account).status_code == 200
    app.recordings.close()
    document = read(exported(file, "scenario"))
    sent = next(step for step in document["given"] if step["call"] == "CreateTransaction")
    assert sent["body"]["accountId"].startswith("${")
    run_test(pytester, exported(file, "pytest").read_text()).assert_outcomes(passed=1)


# --- the command ----------------------------------------------------------------------------------------


def test_an_export_up_to_an_exchange(api: Client, record: Record, capsys: pytest.CaptureFixture[str]) -> None:
    for byte in ("a1", "b2", "c3"):
        contract(api, byte)
    file = record()
    assert cli.main(["export", str(file), "--to", "scenario", "--at", "2"]) == 0
    given = yaml.safe_load(capsys.readouterr().out)["given"]
    assert [step["body"]["name"] for step in given] == ["a1", "b2"]
    assert cli.main(["export", str(file), "--to", "har", "--at", "9"]) == 3
    assert "there is no exchange 9" in capsys.readouterr().err


@cases("kind", *EXPORTS)
def test_a_malformed_recording_is_refused_by_its_line(
    kind: str, api: Client, record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    contract(api, "a1")
    file = record()
    first, _, *others = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([first, b'{"meta":null}\n', *others]))
    assert cli.main(["export", str(file), "--to", kind]) == 3
    assert capsys.readouterr().err == f"mockserver: {file}: line 2: is to have meta\n"


def test_an_export_is_for_its_owner_only(api: Client, record: Record) -> None:
    contract(api, "a1")
    file = record()
    file.with_name("export.har").touch(mode=0o644)
    assert exported(file, "har").stat().st_mode & 0o077 == 0


def test_what_cannot_be_read_or_written_exits_with_3(api: Client, record: Record, tmp_path: Path) -> None:
    contract(api, "a1")
    file = record()
    assert cli.main(["export", str(tmp_path / "none"), "--to", "har"]) == 3
    assert cli.main(["export", str(file), "--to", "har", "--out", str(tmp_path / "none" / "x")]) == 3


@cases("kind", "scenario", "pytest", "vitest")
def test_calls_of_other_projects_are_left_out_and_said(
    kind: str, api: Client, record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    contract(api, "a1")
    other = {"authorization": "Bearer sk_test_other"}
    contract(api, "b2", other)
    contract(api, "c3", other)
    file = record()
    text = exported(file, kind).read_text()
    assert ("c3" in text, "a1" in text) == (True, False)
    assert "calls of others are left out (1): --at" in capsys.readouterr().err
    exported(file, kind, "--at", "1")
    assert capsys.readouterr().err == ""
