"""What is given in a wrong form is refused in words that say what it should be: one row for each refusal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rlp
from httpx import Client

from mockserver.chain.abi.grammar import parse_type
from mockserver.chain.artifacts import read_artifact
from mockserver.chain.base58 import base58_decode
from mockserver.chain.serialized_transactions import read_signed
from mockserver.chain.solana.messages import parse_transaction
from mockserver.chain.user_operations import packed_fields, packed_operation_hash, split_address
from mockserver.domain.identity.users import require_phone_number
from mockserver.exploring.coverage import merge_into, read_not_applicable
from mockserver.exploring.report import trial_of
from mockserver.kernel.codec import Malformed
from mockserver.launch import options
from mockserver.replay.steps import decode_bytes, read_step
from mockserver.server.answering.masking import UNREAD, read_json
from mockserver.server.control.history.coverage import ErrorCoverage
from mockserver.state.project import Project
from tests.nodes.test_bundler import OPERATION
from tests.tables import cases

TAKES_A_NUMBER = [{"type": "constructor", "inputs": [{"name": "x", "type": "uint256"}]}]
LEGACY = [0, 1, 21_000, b"\x11" * 20, 0, b""]
# One signer, another account, a blockhash and an instruction of that account, without accounts and data.
MESSAGE = b"\x01\x00\x01\x02" + bytes(32 * 3) + b"\x01\x01\x00\x00"


@cases(
    "read, given, message",
    (options.read_secret_name, "a b", "is no name of a member"),
    (options.read_secret_name, "123", "is no name of a member"),
    (options.read_secret_name, "a" * 129, "is no name of a member"),
    (options.read_seed, "a\udcff", "is no seed: it is not UTF-8"),
    (options.read_url, "http://a.example/b", "is no URL of a server"),
    (options.read_url, "http://ada:secret@a.example", r"\Aa URL of a server, such as \S+ has no user"),
    (options.read_url, "http://[::1", "Invalid IPv6 URL"),
    (options.read_url, "http://a.example:65536", "Port out of range"),
    (options.read_url, "http://a.example:0", "is no URL of a server"),
    (options.read_tls_host, "a/b", "is neither a host name nor an address"),
    (options.read_port, "65536", "is no port: 0 to 65535"),
    (options.read_port, "-1", "is no port"),
    (options.read_port, "٣", "is no port"),
    (options.read_boolean, "yes", "is neither true nor false"),
    (options.read_limit, "0", "is no limit"),
    (options.read_limit, "1" * 13, "is no limit"),
    (options.read_log, "jsn", "is no log"),
    (require_phone_number, "5555550100", "must be a phone number in the form of E.164"),
    (split_address, b"\x11" * 19, "begins with an address"),
    (parse_type, "uint256[32769]", "takes more than 1048576 bytes"),
    (base58_decode, "1" * 1684, "longer than 1683"),
    (read_signed, rlp.encode([*LEGACY, 30, 1, 1]), "v is 30, not 27, 28 or that of a chain"),
    (read_signed, rlp.encode([*LEGACY, 34, 1, 1]), "v is 34, not 27, 28 or that of a chain"),
    (parse_transaction, b"\x00" + MESSAGE, "has 1 signers, and there are 0 signatures"),
    (read_artifact, {"contractName": "A", "bytecode": "0x"}, "has no abi"),
    (read_artifact, {"contractName": "A", "abi": "[]"}, "has no abi"),
    (decode_bytes, "\ud800", "is no text"),
    (decode_bytes, {"base64": "é"}, "is to be a text, or base64"),
    (decode_bytes, {"base64": "QUJD\n"}, "is to be a text, or base64"),
    (decode_bytes, {"base64": None}, "is to be a text, or base64"),
    (read_step, {"answer": {"status": 200, "headers": [], "sent": 7}}, "sent: is to be a text, or base64"),
)
def test_a_wrong_form_is_refused(read: Callable[[Any], Any], given: Any, message: str) -> None:
    with pytest.raises((ValueError, Malformed), match=message):
        read(given)


@cases(
    "read, given, value",
    (options.read_secret_name, "a" * 128, "a" * 128),
    (options.read_url, "https://a.example:8080/", "https://a.example:8080/"),
    (options.read_tls_host, "::1", "::1"),
    (options.read_port, "65535", 65535),
    (options.read_port, "0", 0),
    (options.read_boolean, "false", False),
    (options.read_limit, "9" * 12, 10**12 - 1),
    (require_phone_number, "+15555550100", "+15555550100"),
    (split_address, b"\x11" * 20, ("0x" + "11" * 20, b"")),
    (split_address, b"", (None, b"")),
    (lambda text: parse_type(text).least_bytes, "uint256[32768]", 1024 * 1024),
    (base58_decode, "1" * 1683, bytes(1683)),
    (
        lambda size: read_json(b'"' + bytes(size - 2).replace(b"\0", b"a") + b'"') is UNREAD,
        1024 * 1024,
        False,
    ),
    (
        lambda size: read_json(b'"' + bytes(size - 2).replace(b"\0", b"a") + b'"') is UNREAD,
        1024 * 1024 + 1,
        True,
    ),
)
def test_what_is_at_its_bounds_is_taken(read: Callable[[Any], Any], given: Any, value: Any) -> None:
    assert read(given) == value


@cases("version, others", ("0.6", "0.7"), ("0.7", "0.6"))
def test_an_operation_is_hashed_as_its_entry_point_has_it(version: str, others: str) -> None:
    with pytest.raises(ValueError, match=f"no operation of entry point {version}"):
        packed_operation_hash(packed_fields(OPERATION, others), version, 1, None)


@cases(
    "path, body, message",
    ("chains/300/contracts", {"bytecode": "0x00", "abi": []}, "another machine than the EVM"),
    (
        "chains/80002/contracts",
        {"bytecode": "0x00", "abi": TAKES_A_NUMBER, "args": ["x"]},
        "is not a whole number",
    ),
    ("wallet-secret/sign", {"method": "GET", "path": "/", "wallet_secret": "x"}, "wallet_secret"),
    ("solana/testnett/rpc", {"method": "getSlot"}, "'testnett' is no cluster, but"),
    ("solana/mainnet-beta/rpc", {"method": "getSlot"}, "test keys do not work with mainnet-beta"),
    ("solana/devnet/rpc", {"method": "getTokenSupply", "params": ["1" * 32]}, "could not find mint"),
    ("solana/devnet/rpc", {"method": "getTokenAccountBalance", "params": ["1" * 32]}, "find account"),
)
def test_a_call_that_does_not_fit_is_refused(
    api: Client, project: Project, path: str, body: dict[str, Any], message: str
) -> None:
    sent = {"jsonrpc": "2.0", "id": 1, "params": [], **body} if path.endswith("rpc") else body
    assert message in api.post(f"/_mock/projects/{project.id}/{path}", json=sent).text


def test_files_of_other_programs_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.txt"
    file.write_text("[1]")
    for read in (trial_of, read_not_applicable, lambda each: merge_into(each, ErrorCoverage({}))):
        with pytest.raises(ValueError, match=str(file)):
            read(file)
    assert file.read_text() == "[1]"
