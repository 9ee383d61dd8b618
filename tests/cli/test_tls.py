"""TLS by a certificate of this machine's own authority, which clients trust with what `exec` sets."""

import shutil
import socket
import ssl
import stat
import sys
import time
from pathlib import Path
from typing import cast

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from mockserver import cli
from mockserver.launch.certificates import (
    NAMES,
    Authority,
    _certify_server,
    authority_folder,
    prepare_trust,
    read_authority,
    server_context,
    state_folder,
)
from tests.cli.conftest import Run, Serve
from tests.tables import cases
from tests.thoroughness import sampled

DAY_S = 86_400

PROGRAMS = {
    "curl": ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}\n"],
    "httpx": [sys.executable, "-c", "import httpx, sys; print(httpx.get(sys.argv[1]).status_code)"],
    "node": ["node", "-e", "fetch(process.argv[1]).then(answer => console.log(answer.status))"],
    "requests": [sys.executable, "-c", "import requests, sys; print(requests.get(sys.argv[1]).status_code)"],
    "urllib": [sys.executable, "-c", "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).status)"],
}


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_a_full_disk_leaves_no_part_of_an_authority(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="a bound of POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            prepare_trust()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []


@cases("name", *sampled(PROGRAMS, 2))
def test_a_client_reaches_it_without_a_flag(run: Run, name: str) -> None:
    if shutil.which(PROGRAMS[name][0]) is None:
        pytest.skip(f"{name} is not installed")
    script = f"set -- {' '.join(map(_quote, PROGRAMS[name]))}; "
    script += "for host in 127.0.0.1 localhost; do "
    script += '"$@" "$(echo "$OPENFORT_BASE_URL" | sed "s/127.0.0.1/$host/")/_mock/health"; done'
    ended = run("exec", "--tls", "--", "sh", "-c", script)
    assert (ended.returncode, ended.stdout) == (0, "200\n200\n"), ended.stderr


def _quote(word: str) -> str:
    return f"'{word}'"


def test_the_ready_file_and_the_banner_say_what_to_trust(serve: Serve) -> None:
    served = serve("--tls")
    environment = served.ready["env"]
    assert served.url.startswith("https://127.0.0.1:")
    authority = environment["NODE_EXTRA_CA_CERTS"]
    assert f"  authority      {authority}" in served.banner
    context = ssl.create_default_context(cafile=environment["SSL_CERT_FILE"])
    assert httpx.get(f"{served.url}/_mock/ready", verify=context).status_code == 200
    assert environment["REQUESTS_CA_BUNDLE"] == environment["CURL_CA_BUNDLE"] == environment["SSL_CERT_FILE"]


def test_the_bundle_trusts_what_the_system_trusts_as_well() -> None:
    authority, trust = prepare_trust()
    assert len(ssl.create_default_context(cafile=str(trust.bundle)).get_ca_certs()) > 20
    assert read_authority(state_folder()) == authority.certificate


def test_the_authority_is_made_once_with_a_private_key_file() -> None:
    first, trust = prepare_trust()
    again, _ = prepare_trust()
    assert first.certificate == again.certificate
    assert stat.S_IMODE(trust.authority.with_name("authority.pem").stat().st_mode) == 0o600
    assert {file.name for file in state_folder().iterdir()} == {
        "authority.pem",
        "authority.crt",
        "bundle.crt",
    }


def test_a_spoilt_authority_is_made_anew() -> None:
    first, trust = prepare_trust()
    trust.authority.with_name("authority.pem").write_text("spoilt")
    second, _ = prepare_trust()
    assert first.certificate != second.certificate
    assert read_authority(state_folder()) == second.certificate


def verified(authority: Authority, names: tuple[str, ...], host: str) -> bool:
    """Whether a client that trusts an authority takes a certificate that it signed for names."""
    cafile = state_folder() / "trusted.crt"
    cafile.write_bytes(authority.certificate.public_bytes(serialization.Encoding.PEM))
    authority_folder(names).mkdir(exist_ok=True)
    client = ssl.create_default_context(cafile=str(cafile))
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(to_client, to_server, server_hostname=host)
    answering = server_context(authority, names).wrap_bio(to_server, to_client, server_side=True)
    for side in (asking, answering, asking):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLCertVerificationError:
            return False
    return True


@cases(
    "given, names, host, is_taken",
    ((), (), "localhost", True),
    ((), (), "127.0.0.1", True),
    ((), (), "::1", True),
    ((), ("mock.localhost",), "mock.localhost", True),
    ((), ("bank.example",), "bank.example", False),
    ((), ("192.0.2.7",), "192.0.2.7", False),
    (("mock.example", "192.0.2.7"), ("mock.example", "192.0.2.7"), "mock.example", True),
    (("mock.example", "192.0.2.7"), ("mock.example", "192.0.2.7"), "192.0.2.7", True),
    (("mock.example",), ("bank.example",), "bank.example", False),
)
def test_an_authority_can_sign_for_its_own_names_only(
    given: tuple[str, ...], names: tuple[str, ...], host: str, is_taken: bool
) -> None:
    authority, _ = prepare_trust(given)
    assert verified(authority, names, host) == is_taken


def test_an_authority_ends_when_it_has_to_be_made_anew() -> None:
    certificate = prepare_trust()[0].certificate
    assert (certificate.not_valid_after_utc - certificate.not_valid_before_utc).days == 825
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    assert [each._name for each in usage.value] == ["serverAuth"]


def test_extensions_that_clients_have_to_know_are_critical() -> None:
    authority, _ = prepare_trust()
    of_server = _certify_server(authority, authority.key, NAMES)
    critical = [
        {each.oid._name for each in certificate.extensions if each.critical}
        for certificate in (of_server, authority.certificate)
    ]
    assert critical == [{"basicConstraints", "keyUsage"}, {"basicConstraints", "keyUsage", "nameConstraints"}]
    constraints = of_server.extensions.get_extension_for_class(x509.BasicConstraints).value
    assert (constraints.ca, constraints.path_length) == (False, None)
    constraints = authority.certificate.extensions.get_extension_for_class(x509.BasicConstraints).value
    assert (constraints.ca, constraints.path_length) == (True, 0)
    usages = [
        certificate.extensions.get_extension_for_class(x509.KeyUsage).value
        for certificate in (of_server, authority.certificate)
    ]
    signs = [(each.digital_signature, each.key_cert_sign, each.crl_sign) for each in usages]
    assert signs == [(True, False, False), (False, True, True)]
    assert not any(each.key_encipherment or each.content_commitment or each.key_agreement for each in usages)
    assert (of_server.not_valid_after_utc - of_server.not_valid_before_utc).days == 397


def test_servers_of_other_names_leave_an_authority_alone() -> None:
    first, trust = prepare_trust()
    other, elsewhere = prepare_trust(("mock.example", *NAMES))
    again, _ = prepare_trust(("mock.localhost",))
    assert trust.authority != elsewhere.authority
    assert first.certificate == again.certificate != other.certificate


def test_an_authority_that_may_sign_for_all_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    every = x509.NameConstraints(permitted_subtrees=[x509.DNSName("")], excluded_subtrees=None)
    with monkeypatch.context() as patch:
        patch.setattr("mockserver.launch.certificates._constrain", lambda names: every)
        first, _ = prepare_trust()
    assert prepare_trust()[0].certificate != first.certificate


@cases("days, is_kept", (399, False), (400, True))
def test_an_authority_outlives_the_certificates_it_signs(
    monkeypatch: pytest.MonkeyPatch, days: int, is_kept: bool
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("mockserver.launch.certificates._AUTHORITY_DAYS", days)
        first, _ = prepare_trust()
    assert (prepare_trust()[0].certificate == first.certificate) is is_kept


def test_a_folder_that_others_can_write_to_is_said(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    _, trust = prepare_trust()
    trust.authority.parent.chmod(0o770)
    assert cli.main(["doctor", "--port", "0"]) == 0
    assert f"others can write to {trust.authority.parent}" in capsys.readouterr().out
    ended = run("exec", "--tls", "--", "true")
    assert f"others can write to {trust.authority.parent}" in ended.stderr


def test_a_certificate_has_the_names_that_are_asked_for(serve: Serve) -> None:
    served = serve("--tls", "--tls-host", "mock.example", "--tls-host", "192.0.2.7")
    context = ssl.create_default_context(cafile=served.ready["env"]["NODE_EXTRA_CA_CERTS"])
    address = ("127.0.0.1", int(served.url.rpartition(":")[2]))
    for name in ("mock.example", "192.0.2.7", "::1"):
        with socket.create_connection(address) as plain:
            encrypted = context.wrap_socket(plain, server_hostname=name)
            certificate = cast(dict[str, str], encrypted.getpeercert())
            encrypted.close()
    begins_s, ends_s = (ssl.cert_time_to_seconds(certificate[name]) for name in ("notBefore", "notAfter"))
    assert ends_s - begins_s == 397 * DAY_S
    assert begins_s + 0.9 * DAY_S < time.time() < begins_s + 1.1 * DAY_S, "clocks may differ by a day"


def test_state_that_cannot_be_kept_is_said(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    ended = run_here("serve", "--tls", "--port", "0")
    assert ended.returncode == 1
    assert "cannot keep a certificate authority in" in ended.stderr


def test_a_fault_breaks_an_encrypted_connection(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "reset.yaml"
    file.write_text("name: reset\nrules: [{when: GetContracts, then: {fault: connection_reset_by_peer}}]\n")
    served = serve("--tls", "--scenario", str(file))
    context = ssl.create_default_context(cafile=served.ready["env"]["SSL_CERT_FILE"])
    headers = {"authorization": "Bearer sk_test_default"}
    with httpx.Client(verify=context, base_url=served.url, headers=headers) as client:
        with pytest.raises(httpx.TransportError):
            client.get("/v1/contracts")
        assert client.get("/_mock/ready").status_code == 200


def test_plain_http_is_not_answered_there(serve: Serve) -> None:
    served = serve("--tls")
    with pytest.raises(httpx.TransportError):
        httpx.get(served.url.replace("https", "http"))
