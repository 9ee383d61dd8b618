"""The reference implementation of `/iam/v2/auth` is recorded and compared: all that differs has a reason."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mockserver.replay.shrinking.run import read_run
from mockserver.upstream.known import read_known
from tests.clients.installing import installed
from tests.evidence import assert_shown
from tests.upstream.service import compared, recorded_at

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent
CLIENTS = HERE.parent / "clients"
KEY = "pk_test_r3f3r3nc3"
GRACE = {"email": "grace@example.com", "password": "correct horse battery", "name": "Grace"}


@pytest.fixture
def reference(tmp_path: Path) -> Iterator[str]:
    """The URL of the reference, served by Node from a folder with its packages."""
    os.symlink(installed(CLIENTS), tmp_path / "node_modules")
    shutil.copy(HERE / "better_auth.mjs", tmp_path)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        ["node", "better_auth.mjs"], cwd=tmp_path, stdin=pipe, stdout=pipe, text=True
    ) as run:
        assert run.stdout is not None
        yield run.stdout.readline().strip()
        run.terminate()


def use(client: httpx.Client) -> None:
    """Users sign up, in and out, change themselves, and are refused what is wrong."""
    client.headers["x-project-key"] = KEY

    def post(path: str, body: object = None, token: str | None = None) -> httpx.Response:
        client.cookies.clear()
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return client.post(f"/iam/v2/auth/{path}", json=body, headers=headers)

    def get(path: str, token: str) -> httpx.Response:
        client.cookies.clear()
        return client.get(f"/iam/v2/auth/{path}", headers={"authorization": f"Bearer {token}"})

    token = post("sign-up/email", GRACE).json()["token"]
    for body in (
        GRACE,
        GRACE | {"email": None},
        GRACE | {"email": "grace"},
        GRACE | {"email": "ada@example.com", "password": "x"},
    ):
        post("sign-up/email", body)
    get("get-session", token)
    get("list-sessions", token)
    get("list-accounts", token)
    second = post("sign-in/email", {"email": GRACE["email"], "password": GRACE["password"]}).json()["token"]
    for body in (
        {"email": GRACE["email"], "password": "wrong"},
        {"email": "x@example.com", "password": "wrong"},
    ):
        post("sign-in/email", body)
    post("sign-in/email", {"email": 3})
    get("list-sessions", second)
    post("revoke-session", {"token": token}, second)
    changed = {"currentPassword": GRACE["password"], "newPassword": "another long password"}
    post("change-password", changed | {"currentPassword": "wrong"}, second)
    post("change-password", changed, second)
    post("revoke-other-sessions", {}, second)
    post("sign-out", {}, second)
    guest = post("sign-in/anonymous", {}).json()["token"]
    get("get-session", guest)
    post("sign-in/anonymous", {}, guest)
    for body in ({"type": "sign-in"}, {"email": "a@example.com", "type": "none"}):
        post("email-otp/send-verification-otp", body)
    post("email-otp/send-verification-otp", {"email": GRACE["email"], "type": "sign-in"})
    post("sign-in/email-otp", {"email": "nobody@example.com", "otp": "123456"})
    post("phone-number/send-otp", {"phoneNumber": "+15555550123"})
    post("phone-number/verify", {"phoneNumber": "+15555550124", "code": "123456"})


def test_what_differs_from_the_reference_is_known(tmp_path: Path, reference: str) -> None:
    file = tmp_path / "reference.jsonl"
    with recorded_at(file, reference) as client:
        use(client)
    report = compared(file, read_known(HERE / "better-auth.yaml"))
    assert report.compared > 25
    assert list(report.drifts) == [], "\n".join(report.lines())
    assert report.known.outdated == []
    with file.open("rb") as recording:
        requests = read_run(recording).requests().values()
    assert_shown("better-auth", (f"{each.method} {each.path}" for each in requests))
