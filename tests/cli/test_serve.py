"""`mockserver serve`, as a process of its own."""

import errno
import fcntl
import json
import os
import shlex
import signal
import socket
import subprocess
import termios
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key
from eth_account import Account as EthAccount

from mockserver import __version__
from mockserver.testing.client import MockServer
from tests.cli.conftest import PYTHON, Run, Serve, Served, serving
from tests.tables import cases
from tests.wallet_auth import WalletAuth, load_secret

OAEP_SHA256 = OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without options, of which several tests read."""
    with serving(tmp_path_factory.mktemp("served")) as start:
        yield start()


def send_curl(line: str) -> httpx.Response:
    """What curl would be answered, for the few options that the banner uses."""
    words = shlex.split(line)[1:]
    headers: dict[str, str] = {}
    url, body = "", None
    while words:
        word = words.pop(0)
        if word == "-H":
            name, _, value = words.pop(0).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = words.pop(0)
        else:
            assert not word.startswith("-"), word
            url = word
    return httpx.request("GET" if body is None else "POST", url, headers=headers, content=body)


def test_the_ready_file_says_the_servers_address_and_keys(served: Served) -> None:
    ready = served.ready
    assert ready["url"] == served.banner[0].rpartition(" ")[2]
    assert (ready["control_url"], ready["pid"]) == (f"{ready['url']}/_mock", served.process.pid)
    assert ready["version"] == __version__
    assert httpx.get(f"{ready['control_url']}/ready").status_code == 200
    environment = ready["env"]
    assert environment["OPENFORT_BASE_URL"] == ready["url"]
    assert environment["OPENFORT_SECRET_KEY"] == environment["OPENFORT_API_KEY"] == ready["secret_key"]
    assert environment["OPENFORT_PUBLISHABLE_KEY"] == ready["publishable_key"]
    headers = {"authorization": f"Bearer {environment['OPENFORT_SECRET_KEY']}"}
    assert httpx.get(f"{environment['OPENFORT_BASE_URL']}/v1/contracts", headers=headers).status_code == 200


def test_the_wallet_secret_is_a_p256_key_and_is_printed_too(served: Served) -> None:
    secret = served.ready["env"]["OPENFORT_WALLET_SECRET"]
    assert load_secret(secret).curve.name == "secp256r1"
    assert any(line.endswith(f"  {secret}") for line in served.banner)


def test_page_reference_and_clock_are_announced(served: Served) -> None:
    page = f"  page           {served.url}/_mock/"
    assert {page, f"  reference      {served.url}/_mock/docs"} < {*served.banner}
    assert "  clock          ticking from the real time" in served.banner


def test_every_command_that_it_suggests_works(served: Served) -> None:
    commands = [line for line in served.banner if line.startswith("  curl ")]
    assert len(commands) >= 3
    for command in commands:
        answer = send_curl(command)
        assert answer.status_code == 200, (command, answer.text)


def test_both_modes_of_the_default_project_are_declared(serve: Serve) -> None:
    served = serve("--strict-keys")
    for mode in ("test", "live"):
        headers = {"authorization": f"Bearer sk_{mode}_default"}
        assert httpx.get(f"{served.url}/v1/contracts", headers=headers).status_code == 200
    headers = {"authorization": "Bearer sk_test_undeclared"}
    assert httpx.get(f"{served.url}/v1/contracts", headers=headers).status_code == 401


@cases("number", signal.SIGINT, signal.SIGHUP)
def test_a_signal_ends_it_with_exit_code_0(serve: Serve, number: int) -> None:
    served = serve()
    with served.client() as client:
        client.get("/v1/contracts")
        code, log = served.end(number)
    assert code == 0
    assert "Traceback" not in log


def test_its_log_shows_no_private_key(serve: Serve) -> None:
    served = serve("--clock", "frozen")
    secret = EthAccount.create().key
    path = "/v2/accounts/backend"
    with served.client() as client:
        client.auth = WalletAuth(served.ready["env"]["OPENFORT_WALLET_SECRET"])
        public = b64decode(client.get("/_mock/import-key").json()["public_key"])
        recipient = load_der_public_key(public)
        assert isinstance(recipient, RSAPublicKey)
        blob = b64encode(recipient.encrypt(secret, OAEP_SHA256)).decode()
        wallet = client.post(f"{path}/import", json={"encryptedPrivateKey": blob})
        assert wallet.json()["address"] == EthAccount.from_key(secret).address
        key = {"encryptionKey": b64encode(public).decode()}
        exported = client.post(f"{path}/{wallet.json()['id']}/export", json=key)
        for wrong in (secret.hex(), b64encode(secret).decode()):
            assert client.post(f"{path}/import", json={"encryptedPrivateKey": wrong}).status_code == 400
    served.process.send_signal(signal.SIGTERM)
    said = "".join(served.process.communicate(timeout=20))
    assert said.count(f"{path}/import") == 3
    bodies = (blob, exported.json()["encryptedPrivateKey"])
    assert not any(text in said for text in (secret.hex(), b64encode(secret).decode(), *bodies))


def test_calls_that_are_not_over_in_time_are_told_of_the_end(serve: Serve) -> None:
    served, contract = serve(), "0x" + "22" * 20
    address = httpx.URL(served.url)
    path, key = "/_mock/projects/-/chains/84532/rpc", f"Authorization: Bearer {served.ready['secret_key']}"

    def say(method: str, *params: object) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{key}\r\nContent-Type: application/json"
        return f"{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()

    with socket.create_connection((address.host, address.port)) as waiting:
        waiting.settimeout(20)
        # A loop of what takes long for its gas: destinations of jumps, which do nothing.
        waiting.sendall(say("anvil_setCode", contract, f"0x{'5b' * 20_000}600056"))
        assert waiting.recv(1024).startswith(b"HTTP/1.1 200 ")
        waiting.sendall(say("eth_call", {"to": contract, "gas": hex(16_000_000)}))
        with served.client() as client:
            # Each of these is answered later than the one that takes long was taken in.
            assert [client.get("/_mock/health").status_code for _ in range(3)] == [200] * 3
        code, log = served.end()
        answer = waiting.recv(1024)
    assert (code, "Traceback" in log) == (0, False)
    assert b"HTTP/1.1 503 " in answer
    assert json.loads(answer.partition(b"\r\n\r\n")[2]) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32000, "message": "The server was stopped meanwhile."},
    }


def test_a_port_in_use_is_one_clear_line(run_here: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run_here("serve", "--port", str(port))
    assert ended.returncode == 1
    reason = os.strerror(errno.EADDRINUSE)
    assert ended.stderr == (
        f"mockserver: cannot listen on 127.0.0.1:{port}: {reason}; --port 0 takes a free one\n"
    )
    assert ended.stdout == ""


def test_an_option_that_does_nothing_alone_is_said(
    run_here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCKSERVER_MASK", "true")
    flags = ("--watch", "--tls-host", "mock.example", "--state", str(tmp_path / "none.jsonl"))
    assert run_here("serve", "--port", "0", *flags).stderr.splitlines()[:3] == [
        "mockserver: warning: --tls-host does nothing without --tls",
        "mockserver: warning: MOCKSERVER_MASK does nothing without --record",
        "mockserver: warning: --watch does nothing without --scenario",
    ]


def test_limits_that_the_default_scenario_exceeds_end_it(run_here: Run) -> None:
    ended = run_here("serve", "--port", "0", "--max-body-bytes", "10")
    first, second = ended.stderr.splitlines()
    assert (ended.returncode, first) == (1, "mockserver: a scenario is refused")
    reason = "413 BODY_TOO_LARGE: The body is larger than 10 bytes."
    assert second == f"default.yaml:5:5: signUpEmail was refused with {reason}"


def test_a_ready_file_that_cannot_be_written_is_one_clear_line(run_here: Run, tmp_path: Path) -> None:
    ended = run_here("serve", "--port", "0", "--ready-file", str(tmp_path / "nowhere" / "ready.json"))
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"mockserver: cannot write {tmp_path / 'nowhere' / 'ready.json'}: ")
    assert ended.stderr.count("\n") == 1


@cases(
    "make, reason",
    (os.mkfifo, "it is no regular file, which can be read again"),
    (os.mkdir, os.strerror(errno.EISDIR)),
    (None, os.strerror(errno.ENOENT)),
)
def test_a_recording_that_cannot_be_kept_is_one_clear_line(
    run_here: Run, tmp_path: Path, make: Callable[[Path], None] | None, reason: str
) -> None:
    path = tmp_path / "run.jsonl" if make is not None else tmp_path / "nowhere" / "run.jsonl"
    if make is not None:
        make(path)
    ended = run_here("serve", "--port", "0", "--record", str(path))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"mockserver: {path}: The recording cannot be made: {reason}.\n"


def test_a_ready_file_of_an_earlier_run_is_taken_away(run_here: Run, tmp_path: Path) -> None:
    stale = tmp_path / "ready.json"
    stale.write_text("{}")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run_here("serve", "--port", str(taken.getsockname()[1]), "--ready-file", str(stale))
    assert not stale.exists()


def test_the_ready_file_goes_away_with_its_server(serve: Serve, tmp_path: Path) -> None:
    served = serve()
    assert (tmp_path / "ready.json").exists()
    assert served.end()[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_a_ready_file_that_another_server_has_written_stays(serve: Serve, tmp_path: Path) -> None:
    served = serve()
    (tmp_path / "ready.json").write_text('{"pid": 1}')
    served.end()
    assert (tmp_path / "ready.json").read_text() == '{"pid": 1}'


@cases("target", "/v1/contracts", "/_mock/projects/-/outbox?wait=60")
def test_what_waits_is_answered_when_the_server_ends(serve: Serve, tmp_path: Path, target: str) -> None:
    scenario = tmp_path / "slow.yaml"
    scenario.write_text("rules:\n  - {when: {call: GetContracts}, then: {delay: 1m}}\n")
    served = serve("--log", "none", "--scenario", str(scenario))
    address = httpx.URL(served.url)
    with socket.create_connection((address.host, address.port)) as waiting:
        waiting.settimeout(20)
        key = f"Authorization: Bearer {served.ready['secret_key']}"
        waiting.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{key}\r\n\r\n".encode())
        with served.client() as client:
            # Each of these is answered later than the one that waits was taken in.
            assert [client.get("/_mock/health").status_code for _ in range(3)] == [200] * 3
        ended = served.end()
        assert waiting.recv(1024).startswith(b"HTTP/1.1 200 ")
    assert ended == (0, "")


@cases("number", signal.SIGTERM, signal.SIGINT)
def test_a_signal_ends_a_start_that_a_scenario_blocks(number: int) -> None:
    # As a shell passes what it writes as `<(...)`.
    scenario, text = os.pipe()
    command = [*PYTHON, "serve", "--port", "0", "--scenario", f"/dev/fd/{scenario}"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, pass_fds=(scenario,)) as process,
        os.fdopen(text, "wb", buffering=0) as writer,
    ):
        os.close(scenario)
        # What is written is taken out of the pipe when the server has begun to read, and waits for the rest.
        writer.write(b"#")
        while fcntl.ioctl(writer, termios.FIONREAD, b"\0" * 4) != b"\0" * 4:
            assert process.poll() is None
        process.send_signal(number)
        said = process.communicate(timeout=20)
    assert (process.returncode, said) == (0, (b"", b""))


def test_a_head_is_answered_without_a_body_on_the_wire(served: Served) -> None:
    with served.client() as client:
        for path in ("/v1/contracts", "/v1/contracts"):
            head = client.head(path)
            assert (head.status_code, head.content) == (200, b"")
            assert int(head.headers["content-length"]) == len(client.get(path).content)


def test_an_ipv6_address_is_put_in_brackets(serve: Serve) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    served = serve("--host", "::1")
    assert served.url.startswith("http://[::1]:")
    assert httpx.get(f"{served.url}/_mock/health").status_code == 200


def test_every_interface_is_printed_as_a_usable_address(serve: Serve) -> None:
    served = serve("--host", "0.0.0.0")
    assert served.url.startswith("http://127.0.0.1:")
    assert httpx.get(f"{served.url}/_mock/health").status_code == 200


def test_the_clock_ticks_from_real_time_unless_told_otherwise(served: Served) -> None:
    with served.client() as client:
        clock = client.get("/_mock/projects/-/clock").json()
    assert clock["mode"] == "ticking"
    off = datetime.fromisoformat(clock["now"]) - datetime.now(UTC)
    assert abs(off.total_seconds()) < 60


def test_the_clock_may_be_frozen(serve: Serve) -> None:
    with serve("--clock", "2031-02-03T04:05:06+01:00").client() as client:
        clock = client.get("/_mock/projects/-/clock").json()
    assert (clock["mode"], clock["now"]) == ("frozen", "2031-02-03T03:05:06.000Z")


def test_the_same_seed_gives_the_same_answers(serve: Serve) -> None:
    answers = []
    for seed in ("one", "one", "two"):
        served = serve("--clock", "frozen", "--seed", seed)
        with served.client() as client:
            contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
            answers.append(client.post("/v1/contracts", json=contract).text)
        served.end()
    assert answers[0] == answers[1]
    assert answers[0] != answers[2]


@cases("form", "text", "json")
def test_the_log_has_a_line_for_each_request_and_no_secret(serve: Serve, form: str) -> None:
    served = serve("--log", form)
    with served.client() as client:
        client.get("/v1/contracts?limit=3&name=hunter2")
        client.get("/nowhere/sk_live_hunter2?token=hunter2")
        client.post(
            "/iam/v2/auth/sign-in/email", json={"email": "hunter2@example.com", "password": "hunter2hunter2"}
        )
    _, log = served.end()
    lines = log.splitlines()
    assert len(lines) == 3
    assert "hunter2" not in log
    assert "sk_test" not in log
    if form == "json":
        entry = json.loads(lines[0])
        assert (entry["method"], entry["status"]) == ("GET", 200)
        assert entry["target"] == "/v1/contracts?limit=3&name=…"
    else:
        assert " 200 GET /v1/contracts?limit=3&name=… operation=GetContracts project=pro_" in lines[0]


def test_a_reset_brings_start_up_scenario_and_secret_back(serve: Serve) -> None:
    ready = serve("--clock", "frozen").ready
    headers = {"authorization": f"Bearer {ready['secret_key']}"}

    def everything() -> list[dict[str, Any]]:
        paths = ("/v2/users", "/v2/accounts", "/v1/contracts", "/v2/fee-sponsorship")
        return [httpx.get(f"{ready['url']}{path}", headers=headers).json() for path in paths]

    before = everything()
    assert before[0]["total"] == 1
    contract = {"name": "Extra", "chainId": 80002, "address": "0x" + "12" * 20}
    httpx.post(f"{ready['url']}/v1/contracts", json=contract, headers=headers).raise_for_status()
    assert everything() != before
    reset = httpx.post(f"{ready['control_url']}/projects/-/reset", headers=headers)
    reset.raise_for_status()
    assert everything() == before


# --- the control token ----------------------------------------------------------------------------------


def test_beyond_loopback_it_draws_a_token_and_prints_it_once(serve: Serve) -> None:
    served = serve("--host", "0.0.0.0")
    token = served.ready["control_token"]
    assert [line.split()[-1] for line in served.banner if "control token" in line] == [token]
    assert served.ready["env"]["MOCKSERVER_CONTROL_TOKEN"] == token
    with served.client() as client:
        assert client.get("/v1/contracts").status_code == 200
        assert client.get("/_mock/health").status_code == client.get("/_mock/ready").status_code == 200
        assert client.get("/_mock/projects").status_code == 401
    with MockServer(served.url, control_token=token) as control:
        assert len(control.projects()) == 2
    code, log = served.end()
    assert code == 0
    assert token not in log


def test_a_control_token_that_is_given_is_not_printed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_CONTROL_TOKEN", "of-the-environment")
    served = serve("--host", "0.0.0.0")
    assert served.ready["control_token"] == "of-the-environment"
    assert not any("of-the-environment" in line for line in served.banner)
    with MockServer(served.url) as control:
        assert control.create_project().env["MOCKSERVER_CONTROL_TOKEN"] == "of-the-environment"


def test_on_loopback_there_is_no_control_token(served: Served) -> None:
    assert served.ready["control_token"] is None
    assert "MOCKSERVER_CONTROL_TOKEN" not in served.ready["env"]
    assert not any("control token" in line for line in served.banner)
