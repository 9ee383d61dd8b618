"""`record`: what passes to a real service is kept, and nothing of it that is secret."""

import base64
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from mockserver.cli import main
from mockserver.replay.serving.application import PlaybackApp
from mockserver.replay.serving.matching import Matching
from mockserver.replay.serving.playback import Playback
from mockserver.server.edge.listening import Listener
from mockserver.server.recording.reading import Lines
from mockserver.upstream.proxy import read_upstream
from mockserver.upstream.writing import UpstreamRecording
from tests.tables import cases
from tests.upstream.service import Service, recorded, recorded_at, serving

KEY, LIVE = "sk_test_7h3r34l0n3", "sk_live_7h3r34l0n3"
PASSWORD = "correct horse battery"


def sign_up(client: httpx.Client) -> str:
    """The token of a new user's session."""
    person = {"email": "grace@example.com", "password": PASSWORD, "name": "Grace"}
    headers = {"x-project-key": KEY.replace("sk", "pk")}
    token: str = client.post("/iam/v2/auth/sign-up/email", json=person, headers=headers).json()["token"]
    return token


def test_nothing_that_is_secret_is_in_the_file(file: Path) -> None:
    with recorded(file, Service()) as client:
        # The text is known to be secret only later.
        client.get(f"/v2/users?name={quote(PASSWORD)}", headers={"authorization": f"Bearer {KEY}"})
        token = sign_up(client)
        cookie = client.cookies["better-auth.session_token"]
        headers = {"authorization": f"Bearer {KEY}", "x-player-token": token}
        client.get("/v2/users", headers=headers)
        client.get(f"/v2/users?token={token}&name={quote(PASSWORD)}", headers=headers)
        basic = base64.b64encode(f"{KEY}:".encode()).decode()
        client.get("/v2/accounts", headers={"authorization": f"Basic {basic}"})
    text = file.read_text(encoding="utf-8")
    for secret in (KEY, KEY[8:], token, PASSWORD, cookie, quote(PASSWORD), basic, "correct+horse"):
        assert secret not in text, secret


def test_a_recording_says_that_a_real_service_answered(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with recorded(file, Service()) as client:
        sign_up(client)
    assert json.loads(file.read_text().splitlines()[1])["meta"]["source"] == "upstream"
    assert main(["replay", str(file)]) == 3
    assert "mockserver compare" in capsys.readouterr().err
    assert main(["export", str(file), "--to", "scenario"]) == 3
    assert "--to pytest" in capsys.readouterr().err


def test_what_a_client_asked_the_service_is_linted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contract = {"name": "Token", "chainId": 84532, "adress": "0x" + "cd" * 20}
    headers = {
        "authorization": f"Bearer {KEY}",
        "origin": "https://shop.example",
        "idempotency-key": "order-7",
    }
    with recorded(file, Service()) as client:
        for _ in range(2):
            assert client.post("/v1/contracts", json=contract, headers=headers).status_code == 400
        client.get("/of/no/operation")
        # These are two forms, and no form twice.
        for name in "Token", "Coin":
            assert client.post("/v1/contracts", data={"name": name}, headers=headers).status_code == 400
    assert main(["lint", str(file), "--errors"]) == 1
    told, _, covered = capsys.readouterr().out.partition("operation ")
    assert "not met, most likely first" in covered
    rules = {line.partition(":")[0] for line in told.splitlines() if not line.startswith(" ")}
    assert rules == {
        "other-idempotency-header",
        "retry-after-error",
        "secret-key-in-browser",
        "unknown-members",
    }
    assert "CreateContract has no member 'adress' (did you mean address?)" in told
    assert f"CreateContract is tried again after 400\n  in {file.stem}, calls 1, 2\n" in told


def test_a_client_is_answered_from_the_recording(file: Path) -> None:
    with recorded(file, Service()) as client:
        sign_up(client)
    with file.open("rb") as opened:
        playback = Playback(Lines(opened), Matching())
    with serving(PlaybackApp(playback)) as url, httpx.Client(base_url=url, trust_env=False) as client:
        assert sign_up(client).startswith("masked-")


@cases(
    "where", {"authorization": f"Bearer {LIVE}"}, {"x-api-key": LIVE}, {"x-note": quote(f"x={LIVE}", safe="")}
)
def test_a_live_key_is_not_passed_on(file: Path, where: dict[str, str]) -> None:
    with recorded(file, Service()) as client:
        answer = client.get("/v2/users", headers=where)
    assert answer.status_code == 403
    assert '"request"' not in file.read_text()


def test_a_live_key_that_is_allowed_is_masked(file: Path) -> None:
    with recorded(file, Service(), allow_live=True) as client:
        client.get("/v2/users", headers={"authorization": f"Bearer {LIVE}"})
    assert LIVE[8:] not in file.read_text()
    assert '"request"' in file.read_text()


def test_an_older_recording_stays_until_the_new_one_is_whole(tmp_path: Path, file: Path) -> None:
    file.write_text("older")
    recording = UpstreamRecording(file)
    assert file.read_text() == "older"
    assert not recording.close(keep=False)
    assert (file.read_text(), [*tmp_path.iterdir()]) == ("older", [file])


def test_an_upstream_that_does_not_answer_is_a_502(file: Path) -> None:
    with recorded_at(file, "http://127.0.0.1:1") as client:
        answer = client.get("/v2/users")
    assert (answer.status_code, answer.json()["title"]) == (502, "Upstream unreachable")
    assert '"request"' not in file.read_text()


class Redirecting(BaseHTTPRequestHandler):
    """A service that redirects to itself or away, and has cookies for HTTPS only."""

    seen: list[tuple[str, str]]

    def do_GET(self) -> None:
        """Answer."""
        self.seen.append((self.headers.get("cookie", ""), self.headers.get("origin", "")))
        self.send_response(302)
        own = f"http://{self.headers['host']}/next"
        self.send_header("location", "https://shop.example/" if self.path == "/away" else own)
        self.send_header("x-next", own)
        self.send_header("set-cookie", "__Secure-session=abcdefghijkl; Secure; Domain=example.com; Path=/")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_redirects_and_cookies_lead_back_to_the_proxy(file: Path) -> None:
    Redirecting.seen = []
    with HTTPServer(("127.0.0.1", 0), Redirecting) as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        upstream = f"http://127.0.0.1:{service.server_port}"
        with recorded_at(file, upstream) as client:
            url = str(client.base_url).rstrip("/")
            origins = (url, "https://shop.example")
            answers = [client.get("/first", headers={"origin": origin}) for origin in origins]
            away = client.get("/away", headers={"origin": url}).headers
        service.shutdown()
    assert answers[0].headers["location"] == f"{url}/next"
    assert (away["location"], away["x-next"]) == ("https://shop.example/", f"{upstream}/next")
    assert answers[0].headers["set-cookie"] == "session=abcdefghijkl; Path=/"
    cookie = "__Secure-session=abcdefghijkl"
    assert Redirecting.seen == [("", upstream), (cookie, "https://shop.example"), (cookie, upstream)]
    assert "abcdefghijkl" not in file.read_text()


class Odd(BaseHTTPRequestHandler):
    """A service with answers that are not as usual, one of which has no end."""

    was_left: threading.Event

    def do_GET(self) -> None:
        """Answer."""
        if self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(b"data: more\n\n" * 1000)
            self.was_left.set()
            return
        self.send_response(int(self.path[1:]))
        self.send_header("content-length", "2")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def recorded_oddities(file: Path) -> Iterator[httpx.Client]:
    """A client of a proxy to it."""
    Odd.was_left = threading.Event()
    with HTTPServer(("127.0.0.1", 0), Odd) as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        with recorded_at(file, f"http://127.0.0.1:{service.server_port}") as client:
            yield client
        service.shutdown()


def test_an_upstream_is_left_when_the_client_has_left(file: Path) -> None:
    with recorded_oddities(file) as client:
        with client.stream("GET", "/endless") as answer:
            assert next(answer.iter_bytes())
        assert Odd.was_left.wait(60)
    assert '"request"' not in file.read_text()


def test_the_length_of_a_body_that_is_not_sent_is_left_out(file: Path) -> None:
    with recorded_oddities(file) as client:
        answer = client.get("/304")
    assert (answer.status_code, "content-length" in answer.headers) == (304, False)
    assert '"status":304' in file.read_text()


def test_what_is_no_status_is_a_502(file: Path) -> None:
    with recorded_oddities(file) as client:
        answer = client.get("/600")
    assert (answer.status_code, "600 is no status" in answer.json()["detail"]) == (502, True)


@cases(
    "text", "api.example.com", "ftp://example.com", "http://example.com:99999", "http://[::1", "http://:80"
)
def test_an_upstream_is_a_url(text: str) -> None:
    with pytest.raises(ValueError, match=r"URL|Port out of range"):
        read_upstream(text)


@cases("text", "https://user:secret@example.com", "https://example.com/?a=secret", "http://a.example#secret")
def test_a_secret_of_an_upstream_is_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="no user, no query") as refused:
        read_upstream(text)
    assert "secret" not in str(refused.value)


@cases("name", "folder", "folder/device", "missing/real.jsonl")
def test_only_a_file_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "device")
    before = sorted(tmp_path.rglob("*"))
    options = ["record", "--upstream", "http://127.0.0.1:1", "--out", str(tmp_path / name)]
    assert main([*options, "--", "true"]) == 3
    assert f"cannot record in {tmp_path / name}: " in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_leads_to_the_file_that_is_replaced(tmp_path: Path, file: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(file)
    options = ["record", "--upstream", "http://127.0.0.1:1", "--out", str(tmp_path / "link.jsonl")]
    assert main([*options, "--", "true"]) == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert '"end"' in file.read_text()


def test_a_recording_that_cannot_be_put_in_place_is_kept(
    tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["record", "--upstream", "http://127.0.0.1:1", "--out", str(file)]
    assert main([*options, "--", "mkdir", str(file)]) == 3
    assert capsys.readouterr().err == (
        f"mockserver: cannot write {file}: it is a directory; it is in {file}.part\n"
    )
    assert '"end"' in (tmp_path / "real.jsonl.part").read_text()


def test_a_signal_before_the_command_keeps_the_older_file(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("older")
    start_up = Listener.startup

    async def start_and_signal(self: Listener, sockets: list[socket.socket] | None = None) -> None:
        signal.raise_signal(signal.SIGTERM)
        await start_up(self, sockets)

    monkeypatch.setattr(Listener, "startup", start_and_signal)
    options = ["record", "--upstream", "http://127.0.0.1:1", "--out", str(file)]
    assert main([*options, "--", "false"]) == 3
    assert (file.read_text(), [*tmp_path.iterdir()]) == ("older", [file])


def test_the_command_gets_the_base_url_and_gives_its_status(file: Path) -> None:
    with serving(Service()) as url:
        read = "r.urlopen(os.environ['OPENFORT_BASE_URL'] + '/_mock/health')"
        program = f"import os, sys, urllib.request as r; {read}; sys.exit(7)"
        options = ["record", "--upstream", url, "--out", str(file)]
        assert main([*options, "--", sys.executable, "-c", program]) == 7
    assert file.read_text().count('"request"') == 1
