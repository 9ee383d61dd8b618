"""Certificates of this machine's own authority, which clients are told to trust."""

import os
import ssl
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
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

_AUTHORITY_DAYS = 3650
_SERVER_DAYS = 397
"""The longest that browsers accept (CA/Browser Forum, Baseline Requirements, 6.3.2)."""
_RENEWAL_DAYS = 398
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


def prepare_trust(folder: Path) -> tuple[Authority, Trust]:
    """This machine's authority, made and kept in a folder if it is not there. An OSError if it cannot be."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    authority = _load_authority(folder / "authority.pem")
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


def server_context(authority: Authority, names: Sequence[str], folder: Path) -> ssl.SSLContext:
    """What a server answers TLS with: a new key, and a certificate for its names.

    The key is in a file of a folder for a moment.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certify_server(authority, key, tuple(dict.fromkeys((*NAMES, *names))))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        # OpenSSL reads keys from files only, as Python calls it.
        file.write(_key_text(key) + certificate.public_bytes(serialization.Encoding.PEM))
        file.flush()
        context.load_cert_chain(file.name)
    return context


def _load_authority(file: Path) -> Authority:
    """The authority in a file. One that ends before a server's certificate would is replaced."""
    found = _read_authority_file(file)
    if found is not None:
        return found
    authority = _make_authority()
    text = _key_text(authority.key) + authority.certificate.public_bytes(serialization.Encoding.PEM)
    file.unlink(missing_ok=True)
    draft = _write_draft(file, text)
    try:
        # Of two servers that start at once, the first has it.
        os.link(draft, file)
    except FileExistsError:
        return _read_authority_file(file) or authority
    finally:
        draft.unlink()
    return authority


def _read_authority_file(file: Path) -> Authority | None:
    try:
        text = file.read_bytes()
        key = serialization.load_pem_private_key(text, None)
        certificate = x509.load_pem_x509_certificate(text)
    except (FileNotFoundError, ValueError):
        return None
    is_long_valid = certificate.not_valid_after_utc > _now() + timedelta(days=_RENEWAL_DAYS)
    return (
        Authority(key, certificate) if isinstance(key, ec.EllipticCurvePrivateKey) and is_long_valid else None
    )


def _make_authority() -> Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mockserver, for tests on this machine")])
    builder = _builder(name, name, key, _AUTHORITY_DAYS)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(_key_usage(signs_certificates=True), critical=True)
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
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
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
    with os.fdopen(descriptor, "wb") as draft:
        draft.write(content)
    return Path(name)
