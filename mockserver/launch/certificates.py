"""Certificates of this machine's own authority, which clients are told to trust."""

import os
import ssl
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from mockserver.server.answering.hosts import is_address
from mockserver.server.edge.ticker import Ticker

NAMES = ("localhost", "127.0.0.1", "::1")
"""The names of every server's certificate."""

_AUTHORITY_DAYS = 825
"""The longest that Apple's systems accept for what a user trusts."""
_SERVER_DAYS = 397
"""The longest that browsers accept (CA/Browser Forum, Baseline Requirements, 6.3.2)."""
_RENEWAL_DAYS = 398
_OF_SERVERS = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
_SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


class Trust(NamedTuple):
    """What clients have to trust."""

    authority: Path
    """The certificate of this machine's authority."""
    bundle: Path
    """It with the certificates that the system trusts."""

    def environment(self) -> dict[str, str]:
        """The variables by which clients trust it. All but that of Node replace what they trust otherwise."""
        bundle = dict.fromkeys(("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"), str(self.bundle))
        return {"NODE_EXTRA_CA_CERTS": str(self.authority), **bundle}


class Authority(NamedTuple):
    """A certificate authority: what signs the certificates of servers."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate


def state_folder() -> Path:
    """Where a user's state is kept (XDG Base Directory Specification); it need not be there yet."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "state") / "mockserver"


def authority_folder(names: Sequence[str]) -> Path:
    """Where the authority is kept that may sign for these names, besides those of every certificate.

    Each set of names has its own, so that a server with other names takes no authority from clients.
    """
    others = _others(names)
    digest = blake2b(" ".join(others).encode(), digest_size=6).hexdigest()
    return state_folder() / f"names-{digest}" if others else state_folder()


def _others(names: Sequence[str]) -> list[str]:
    """The names that an authority for `localhost`, and so for all below it, may not sign for."""
    return sorted({name for name in names if not name.endswith(".localhost")} - {*NAMES})


def find_open_folder(names: Sequence[str]) -> Path | None:
    """A folder to which others than this user may write, and so put another authority there."""
    if sys.platform == "win32":
        # The mode of a folder does not say it there.
        return None
    for folder in (state_folder(), authority_folder(names)):
        state = folder.stat()
        if state.st_mode & 0o022 or state.st_uid not in (0, os.geteuid()):
            return folder
    return None


def prepare_trust(names: Sequence[str] = ()) -> tuple[Authority, Trust]:
    """The authority for some names, made and kept if it is not there. An OSError if it cannot be."""
    folder = authority_folder(names)
    for each in (state_folder(), folder):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    authority = _load_authority(folder / "authority.pem", names)
    trust = Trust(folder / "authority.crt", folder / "bundle.crt")
    own = authority.certificate.public_bytes(serialization.Encoding.PEM)
    _keep(trust.authority, own)
    _keep(trust.bundle, _system_bundle(trust.bundle) + b"\n" + own)
    return authority, trust


def read_authority(folder: Path) -> x509.Certificate | None:
    """The certificate of the authority that is kept in a folder; None if there is none."""
    try:
        return x509.load_pem_x509_certificate((folder / "authority.crt").read_bytes())
    except (OSError, ValueError):
        return None


def server_context(authority: Authority, names: Sequence[str]) -> ssl.SSLContext:
    """What a server answers TLS with: a new key, and a certificate for its names.

    The key is in a file beside the authority's for a moment.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certify_server(authority, key, tuple(dict.fromkeys((*NAMES, *names))))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    text = _key_text(key) + certificate.public_bytes(serialization.Encoding.PEM)
    # OpenSSL reads keys from files only, as Python calls it, and on Windows only those that are closed.
    draft = _write_draft(authority_folder(names) / "server.pem", text)
    try:
        context.load_cert_chain(draft)
    finally:
        draft.unlink()
    return context


def _load_authority(file: Path, names: Sequence[str]) -> Authority:
    """The authority in a file. One that would end too soon, or may sign for other names, is replaced."""
    constraints = _constrain(names)
    found = _read_authority_file(file, constraints)
    if found is not None:
        return found
    authority = _make_authority(constraints)
    text = _key_text(authority.key) + authority.certificate.public_bytes(serialization.Encoding.PEM)
    file.unlink(missing_ok=True)
    draft = _write_draft(file, text)
    try:
        # Of two servers that start at once, the first has it.
        os.link(draft, file)
    except FileExistsError:
        return _read_authority_file(file, constraints) or authority
    finally:
        draft.unlink()
    return authority


def _constrain(names: Sequence[str]) -> x509.NameConstraints:
    """The names that an authority may sign for, and no others (RFC 5280, 4.2.1.10)."""
    every = (*NAMES, *_others(names))
    permitted = [
        x509.IPAddress(ip_network(each)) if is_address(each) else x509.DNSName(each) for each in every
    ]
    return x509.NameConstraints(permitted_subtrees=permitted, excluded_subtrees=None)


def _read_authority_file(file: Path, constraints: x509.NameConstraints) -> Authority | None:
    try:
        text = file.read_bytes()
        key = serialization.load_pem_private_key(text, None)
        certificate = x509.load_pem_x509_certificate(text)
        signs_for = certificate.extensions.get_extension_for_class(x509.NameConstraints).value
    except (FileNotFoundError, ValueError, x509.ExtensionNotFound):
        return None
    is_long_valid = certificate.not_valid_after_utc > _now() + timedelta(days=_RENEWAL_DAYS)
    is_fit = is_long_valid and signs_for == constraints
    return Authority(key, certificate) if isinstance(key, ec.EllipticCurvePrivateKey) and is_fit else None


def _make_authority(constraints: x509.NameConstraints) -> Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mockserver, for tests on this machine")])
    builder = _builder(name, name, key, _AUTHORITY_DAYS)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(_key_usage(signs_certificates=True), critical=True)
    builder = builder.add_extension(constraints, critical=True)
    builder = builder.add_extension(_OF_SERVERS, critical=False)
    return Authority(key, builder.sign(key, hashes.SHA256()))


def _certify_server(
    authority: Authority, key: ec.EllipticCurvePrivateKey, names: Sequence[str]
) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mockserver")])
    alternatives = [
        x509.IPAddress(ip_address(each)) if is_address(each) else x509.DNSName(each) for each in names
    ]
    extensions: tuple[tuple[x509.ExtensionType, bool], ...] = (
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (_key_usage(signs_certificates=False), True),
        (_OF_SERVERS, False),
        (x509.SubjectAlternativeName(alternatives), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), False),
    )
    builder = _builder(name, authority.certificate.subject, key, _SERVER_DAYS)
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(authority.key, hashes.SHA256())


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    # Clocks of containers and of their hosts may differ.
    begins = _now() - timedelta(days=1)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=days))
    )
    return builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _key_text(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _now() -> datetime:
    return datetime.fromtimestamp(Ticker().real_ms() / 1000, UTC)


def _system_bundle(own: Path) -> bytes:
    """The certificates that clients trust here: those that the user has set, the system's, or certifi's."""
    import certifi

    given = (os.environ.get(name) for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"))
    default = ssl.get_default_verify_paths().cafile
    for file in (*given, default, *_SYSTEM_BUNDLES, certifi.where()):
        # Within `exec` the variables name this bundle already.
        if file and Path(file) != own:
            with suppress(OSError):
                return Path(file).read_bytes()
    return b""


def _keep(file: Path, content: bytes) -> None:
    """Write a file in one step, unless it has this content: other servers' clients may be reading it."""
    with suppress(FileNotFoundError):
        if file.read_bytes() == content:
            return
    os.replace(_write_draft(file, content), file)


def _write_draft(file: Path, content: bytes) -> Path:
    """A file beside another one, which only its user can read."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as draft:
            draft.write(content)
    except OSError:
        # The disk is full, say.
        os.unlink(name)
        raise
    return Path(name)
