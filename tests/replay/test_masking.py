"""A masked recording has no secret that a client brought, nothing by which to guess one, and replays."""

import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import pytest
from httpx import Client, Response
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from mockserver import cli
from mockserver.crypto.base64url import encode as base64url
from mockserver.replay.player import Player
from mockserver.replay.targets import InProcess
from mockserver.server.edge.app import App
from mockserver.server.recording.file import RecordingFile
from mockserver.server.recording.placeholders import UNREPEATABLE
from mockserver.server.recording.reading import BadRecording
from mockserver.state.project import Project
from mockserver.testing.server import LiveServer
from tests.accounts import AMOY, account_of
from tests.replay.runs import play
from tests.tables import cases

SECRET = 'corréct horse+bättery/%staple"\\'
OTHER = "wrónger house-pättern?%tables'|"
SIGN_UP, SIGN_IN = "/iam/v2/auth/sign-up/email", "/iam/v2/auth/sign-in/email"
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@pytest.fixture
def visitor(project: Project) -> dict[str, str]:
    """The headers of a visitor of the project."""
    return {"x-project-key": project.publishable_key}


def readings(raw: bytes, depth: int = 4) -> Iterator[str]:
    """A text, and what one reads who decodes it: by other means than those of the mask."""
    text = raw.decode("utf-8", "replace")
    yield text
    if depth == 0:
        return
    found = {unquote_plus(text), unquote(text), raw.decode("latin-1")}
    for string in _STRING.findall(text):
        try:
            found.add(json.loads(string))
        except ValueError:
            continue
    for each in found - {text}:
        yield from readings(each.encode("utf-8", "replace"), depth - 1)
    for run in _BASE64.findall(raw):
        for skipped in range(4):
            part = run[skipped:].replace(b"-", b"+").replace(b"_", b"/")
            part = part[: len(part) - (len(part) % 4 == 1)]
            decoded = b64decode(part + b"=" * (-len(part) % 4))
            yield decoded.decode("utf-8", "replace")
            if skipped == 0 and decoded.isascii():
                yield from readings(decoded, depth - 1)


def shown_in(recorded: bytes, secret: str) -> bool:
    """Whether a secret is in a file, however it is encoded."""
    spellings = (secret, secret.encode().decode("latin-1"))
    texts = {leaf for line in recorded.splitlines() for leaf in leaves(json.loads(line))}
    found = (reading for text in texts for reading in readings(text.encode("utf-8", "replace")))
    return any(each in reading for reading in found for each in spellings)


def leaves(value: Any) -> Iterator[str]:
    """The texts of a JSON value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, dict):
        for name in value:
            yield name
            yield from leaves(value[name])


def scenario(secret: str) -> str:
    """A scenario with a secret in it."""
    return f"given: [{{call: signUpEmail, body: {{password: {json.dumps(secret, ensure_ascii=False)}}}}}]"


def jwt(secret: str) -> str:
    """A provider's token with a secret in its claims."""
    claims = json.dumps({"sub": "ada", "password": secret, "note": secret}).encode()
    return ".".join([base64url(b'{"alg":"none"}'), base64url(claims), base64url(b"x" * 64)])


Plant = Callable[[Client, str], object]

PLANTS: dict[str, Plant] = {
    "a member": lambda api, secret: api.post(SIGN_UP, json=account(secret)),
    "a nested member": lambda api, secret: api.post(SIGN_UP, json={"a": [{"password": secret}]}),
    "an unknown member": lambda api, secret: api.post(SIGN_IN, json={"pasword": secret, "email": "a@b.co"}),
    "a member that comes twice": lambda api, secret: post(
        api, SIGN_IN, f'{{"password": {json.dumps(secret)}, "password": null}}'
    ),
    "a form": lambda api, secret: post(api, SIGN_UP, f"password={quote_plus(secret)}&name=A", form=True),
    "the query": lambda api, secret: api.get(f"/v1/contracts?token={quote(secret, safe='')}"),
    "a path": lambda api, secret: api.get(f"/iam/v2/auth/reset-password/{quote(secret, safe='')}"),
    "bearer": lambda api, secret: api.get("/v1/contracts", headers=raw("authorization", f"Bearer {secret}")),
    "a header": lambda api, secret: api.get("/v1/contracts", headers=raw("x-player-token", secret)),
    "basic": lambda api, secret: api.get(
        "/v1/contracts", headers={"authorization": f"Basic {b64encode(f'u:{secret}'.encode()).decode()}"}
    ),
    "a cookie": lambda api, secret: api.get(
        "/v1/contracts", headers=raw("cookie", f"a=1; b={quote(secret)}")
    ),
    "a JWT": lambda api, secret: api.get(
        "/v2/users", headers={"x-player-token": jwt(secret), "x-auth-provider": "firebase"}
    ),
    "no JSON": lambda api, secret: post(api, SIGN_UP, f'{{"password": {json.dumps(secret)}'),
    "bytes": lambda api, secret: post(api, SIGN_UP, b"\xff" + secret.encode()),
    "a scenario": lambda api, secret: api.post(
        "/_mock/projects/-/scenarios",
        content=scenario(secret).encode(),
        headers={"content-type": "application/yaml"},
    ),
}
"""Where a secret is known to be one."""

ECHOES: dict[str, Plant] = {
    "a name": lambda api, secret: api.post(SIGN_UP, json=account("long enough", name=f"<{secret}>")),
    "a query": lambda api, secret: api.get(f"/v1/contracts?name={quote_plus(secret)}"),
    "a free header": lambda api, secret: api.get("/v1/contracts", headers=raw("x-note", secret)),
    "base64": lambda api, secret: api.post(
        "/v1/contracts", json={"name": b64encode(f"xy{secret}".encode()).decode(), "chainId": 80002}
    ),
    "JSON in JSON in base64": lambda api, secret: api.post(
        "/v1/contracts",
        json={"name": urlsafe_b64encode(json.dumps(json.dumps({"a": secret})).encode()).decode()},
    ),
    "an unknown path": lambda api, secret: api.get(f"/v1/{quote(secret, safe='')}"),
}
"""Where a secret is only known if it came before."""


def raw(name: str, value: str) -> list[tuple[bytes, bytes]]:
    """A header with any characters."""
    return [(name.encode(), value.encode())]


def account(password: str, name: str = "Ada") -> dict[str, str]:
    """A user who signs up."""
    return {"email": "ada@example.com", "password": password, "name": name}


def post(api: Client, path: str, body: str | bytes, *, form: bool = False) -> Response:
    """A body that is sent as it is."""
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    return api.post(path, content=body, headers={"content-type": kind})


def recorded_of(app: App, run: Callable[[], object], *, masked: bool = True) -> bytes:
    """The recording of a run."""
    app.recordings.start(masked=masked)
    run()
    app.recordings.stop()
    return app.recordings.read()


@given(
    st.sampled_from(sorted(PLANTS)),
    st.lists(st.sampled_from(sorted(ECHOES)), max_size=3),
    # With a sign before it: else it may be a word of the API itself, which Hypothesis knows.
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=10, max_size=60).map(
        lambda text: f"§{text.strip()}#"
    ),
)
@example("a member", sorted(ECHOES), SECRET)
@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_a_planted_secret_is_nowhere_in_the_file(place: str, echoes: list[str], secret: str) -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="shop")
        headers = {"authorization": f"Bearer {project.secret_key}", "x-project-key": project.publishable_key}
        with Client(transport=server.transport, base_url="http://mock", headers=headers) as api:
            server.control.start_recording(mask=True)
            PLANTS[place](api, secret)
            # A body that is no text is masked whole: nothing says which part of it is the secret.
            for echo in echoes if place != "bytes" else ():
                ECHOES[echo](api, secret)
            PLANTS[place](api, secret)
            project.call("GET", "/journal?unmasked=true")
            recorded = server.control.stop_recording()
    assert not shown_in(recorded, secret)
    _, found = play(recorded)
    assert echoes or [each.differences for each in found] == []


@cases("place", *sorted(PLANTS))
def test_each_place_is_looked_into(place: str, app: App, api: Client) -> None:
    plant = partial(PLANTS[place], api, SECRET)
    assert not shown_in(recorded_of(app, plant), SECRET)
    assert shown_in(recorded_of(app, plant, masked=False), SECRET), "the check finds what is there"


def run_with(secret: str) -> bytes:
    """The masked recording of a run that depends on a secret, from which it is known before and after."""
    with LiveServer() as server:
        project = server.control.create_project(name="shop")
        headers = {"x-project-key": project.publishable_key}
        with Client(transport=server.transport, base_url="http://mock", headers=headers) as api:
            api.post(SIGN_UP, json=account(secret))
            api.cookies.clear()
            project.snapshot("before")
            server.control.start_recording(mask=True)
            for password in (secret, "another one", secret):
                assert api.post(SIGN_IN, json={"email": "ada@example.com", "password": password})
                api.cookies.clear()
            api.post(SIGN_UP, json={"email": "bob@example.com", "password": secret, "name": secret})
            api.cookies.clear()
            project.reset()
            api.post(SIGN_UP, json=account(secret))
            return server.control.stop_recording()


def test_nothing_in_the_file_depends_on_the_secret() -> None:
    one, other = (run_with(secret).splitlines()[2:] for secret in ("correct horse!", "battery stapl3"))
    assert one == other


def test_an_earlier_user_signs_in_again_in_the_replay() -> None:
    player, found = play(run_with(SECRET))
    assert (found, player.masked.gave_up, player.number) == ([], None, 6)
    assert len(player.masked.values) == 2


def test_equal_secrets_have_equal_placeholders(app: App, api: Client, visitor: dict[str, str]) -> None:
    def run() -> None:
        for email, password in (("a@b.co", SECRET), ("b@b.co", OTHER), ("c@b.co", SECRET)):
            api.post(SIGN_UP, json={"email": email, "password": password, "name": "A"}, headers=visitor)

    lines = map(json.loads, recorded_of(app, run).splitlines())
    sent = [json.loads(line["request"]["body"])["password"] for line in lines if "request" in line]
    assert sent == ["masked-00001", "masked-00002", "masked-00001"]


def test_what_the_server_made_is_sent_back_in_the_replay(
    app: App, api: Client, project: Project, visitor: dict[str, str]
) -> None:
    def run() -> None:
        body = {"email": "ada@example.com", "type": "sign-in"}
        api.post("/iam/v2/auth/email-otp/send-verification-otp", json=body, headers=visitor)
        code = next(iter(project.outbox)).code or ""
        body = {"email": "ada@example.com", "otp": code}
        token = api.post("/iam/v2/auth/sign-in/email-otp", json=body, headers=visitor).json()["token"]
        api.cookies.clear()
        session = {"authorization": f"Bearer {token}"}
        assert api.get("/iam/v2/auth/get-session", headers=visitor | session).json()["user"]

    player, found = play(recorded_of(app, run))
    assert (found, player.number, player.masked.values) == ([], 3, set())


@cases("masked", True, False)
@cases(
    "headers",
    {"authorization": "Bearer sk_live_51realProduction"},
    {"authorization": f"Basic {b64encode(b'sk_live_51realProduction:').decode()}"},
    {"x-project-key": "pk_live_51realProduction"},
)
def test_a_live_key_is_never_written(headers: dict[str, str], masked: bool, app: App, api: Client) -> None:
    def run() -> None:
        api.get("/v1/contracts?key=sk_live_51realProduction", headers=headers)
        api.post("/v1/contracts", json={"name": "sk_live_51realProduction"}, headers=headers)

    recorded = recorded_of(app, run, masked=masked)
    assert not shown_in(recorded, "51realProduction")
    _, found = play(recorded)
    assert found == []


def test_a_line_with_a_secret_found_later_is_withheld(
    app: App, api: Client, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said: list[str] = []
    app.pipeline.server.on_failure = said.append

    def run() -> None:
        api.get("/v1/contracts")
        api.get(f"/v1/contracts?name={quote(SECRET)}")
        api.post(SIGN_UP, json=account(SECRET))

    recorded = recorded_of(app, run)
    assert not shown_in(recorded, SECRET)
    assert b'{"n":2,"withheld":"request"}' in recorded
    assert said == ["lines of the recording were withheld: they have a secret\n"]
    file = tmp_path / "run.jsonl"
    file.write_bytes(recorded)
    assert cli.main(["replay", str(file)]) == 4
    assert "exchange 2 cannot be repeated" in capsys.readouterr().out


def test_what_a_full_disk_left_is_masked_as_well(
    app: App, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.recordings.start(masked=True)
    api.get(f"/v1/contracts?name={quote(SECRET)}")
    api.post(SIGN_UP, json=account(SECRET))
    assert shown_in(app.recordings.read(), SECRET)
    monkeypatch.setattr("mockserver.server.recording.file.LONGEST_LINE", 10)
    api.get("/v1/contracts")
    assert not app.recordings.stop().active
    assert not shown_in(app.recordings.read(), SECRET)


def test_half_a_character_in_a_secret_is_masked(app: App, api: Client, visitor: dict[str, str]) -> None:
    api.post(SIGN_UP, json=account(OTHER), headers=visitor)
    app.recordings.start(masked=True)
    body = '{"password": "half of \\ud83d of a character"}'
    answer = api.post(SIGN_UP, content=body, headers={"content-type": "application/json"})
    app.recordings.stop()
    assert answer.status_code == 400
    assert "of a character" not in app.recordings.read().decode()


def test_a_secret_of_one_letter_leaves_rows_alone(app: App, api: Client, project: Project) -> None:
    account_id = account_of(project).id
    sent = {"chainId": AMOY, "accountId": account_id, "calls": [{"to": "0x" + "11" * 20}]}

    def run() -> None:
        # The signature that an operation is estimated with has as many of this letter.
        api.post(SIGN_UP, json={"password": "a" * 40})
        assert api.post("/v2/transactions", json=sent).is_success

    _, found = play(recorded_of(app, run))
    assert found == []


def test_a_withheld_answer_is_not_compared(app: App, api: Client) -> None:
    recorded = recorded_of(app, lambda: api.get("/v1/contracts"), masked=False)
    lines = recorded.replace(b'"mockserver":"', b'"masked":true,"mockserver":"').splitlines()
    line = next(line for line in lines if b'"answer"' in line)
    kept = {name: value for name, value in json.loads(line).items() if name in ("n", "request")}
    lines[lines.index(line)] = json.dumps(kept | {"withheld": "answer"}).encode()
    player, found = play(b"\n".join(lines) + b"\n")
    assert (found, player.masked.withheld, player.unanswered) == ([], 1, None)


@cases("kind", "project", "row")
def test_a_beginning_with_a_withheld_line_cannot_be_replayed(app: App, api: Client, kind: str) -> None:
    api.post(SIGN_UP, json=account(SECRET))
    lines = recorded_of(app, lambda: None).splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith(f'{{"{kind}"'.encode()))
    lines[place] = f'{{"withheld":"{kind}"}}'.encode()
    with pytest.raises(BadRecording, match="was withheld"):
        Player(BytesIO(b"\n".join(lines) + b"\n"), InProcess())


def test_what_the_server_verifies_is_said_not_to_repeat(
    app: App, api: Client, project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "a1" * 32

    def run() -> None:
        api.get("/v1/contracts")
        assert api.put(f"/_mock/projects/{project.id}/imports", json={"private_keys": [key]}).is_success
        api.get("/v1/contracts")

    recorded = recorded_of(app, run)
    assert key not in recorded.decode()
    assert UNREPEATABLE in recorded.decode()
    file = tmp_path / "run.jsonl"
    file.write_bytes(recorded)
    assert cli.main(["replay", str(file), "--json"]) == 4
    report = json.loads(capsys.readouterr().out)
    assert (report["not_repeatable_from"], report["differing"], report["masked"]) == (2, 0, 1)


def test_a_recording_that_is_there_is_masked(
    app: App, api: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "run.jsonl", tmp_path / "masked.jsonl"
    app.recordings.start(source)
    api.post(SIGN_UP, json=account(SECRET))
    app.recordings.close()
    assert cli.main(["mask", str(source), str(target)]) == 0
    assert capsys.readouterr().out == "1 values masked, no lines withheld\n"
    assert not shown_in(target.read_bytes(), SECRET)
    assert cli.main(["replay", str(target)]) == 0


def test_what_cannot_be_masked_is_said(
    app: App, api: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target, none = tmp_path / "run.jsonl", tmp_path / "masked.jsonl", tmp_path / "none"
    app.recordings.start(source)
    api.post(SIGN_UP, json=account(SECRET))
    app.recordings.close()

    def said(code: int, source: Path, target: Path) -> str:
        assert cli.main(["mask", str(source), str(target)]) == code
        return capsys.readouterr().err

    assert said(3, none, target) == f"mockserver: {none}: No such file or directory\n"
    assert said(3, source, none / "x") == f"mockserver: {none / 'x'}: No such file or directory\n"
    with monkeypatch.context() as small:
        small.setattr("mockserver.replay.command.RecordingFile", partial(RecordingFile, most_bytes=100))
        stopped = "mockserver: the recording has stopped: it would be larger than 100 bytes\n"
        assert said(3, source, target) == stopped
    source.write_text(source.read_text().replace('"status":200', '"status":201'))
    differs = f"mockserver: {source}: it replays differently: mask it when recording\n"
    assert said(1, source, target) == differs
    source.write_text("no recording\n")
    broken = f"mockserver: {source}: line 1: is not JSON, or is nested too deeply\n"
    assert said(3, source, target) == broken


def test_a_copy_with_a_key_and_a_long_beginning_replays(
    app: App, api: Client, project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "a1" * 32
    assert api.put(f"/_mock/projects/{project.id}/imports", json={"private_keys": [key]}).is_success
    for number in range(150):
        body = {"name": f"Token {number}", "chainId": 80002, "address": f"0x{number:040x}"}
        assert api.post("/v1/contracts", json=body).is_success
    source, target = tmp_path / "run.jsonl", tmp_path / "masked.jsonl"
    app.recordings.start(source)
    assert api.get("/v1/contracts").json()["total"] == 150
    app.recordings.close()
    kept = b64encode(bytes.fromhex(key)).decode()
    assert kept in source.read_text()

    assert cli.main(["mask", str(source), str(target)]) == 0
    assert capsys.readouterr().out.endswith("no lines withheld\n")
    copy = target.read_bytes()
    assert kept not in copy.decode()
    assert [[*json.loads(line)] for line in copy.splitlines()] == [
        [*json.loads(line)] for line in source.read_bytes().splitlines()
    ]
    assert cli.main(["replay", str(target)]) == 0
    told = "1 masked values were not compared, only their placeholders\n1 exchanges replayed, none differ"
    assert capsys.readouterr().out.startswith(told)
