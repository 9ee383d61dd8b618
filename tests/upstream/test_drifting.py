"""`drift`: a published OpenAPI document is compared with what is served, and what differs is said once."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from mockserver.cli import main
from mockserver.upstream.described import read_document, served_document
from mockserver.upstream.drifting import compare_documents
from tests.tables import cases

Document = dict[str, Any]
SERVED = read_document(served_document())
LIST = CREATE = "/v1/contracts"


def published(part: str = LIST) -> Document:
    """A document that says of the paths of one part what is served, to be changed."""
    served = served_document()
    paths = {path: item for path, item in served["paths"].items() if path.startswith(part)}
    return deepcopy({**served, "paths": paths})


def schema(document: Document, name: str) -> Document:
    """A named schema of a document."""
    found: Document = document["components"]["schemas"][name]
    return found


def _without(document: Document) -> None:
    del document["paths"]["/v1/contracts/{id}"]["delete"]


def _with(document: Document) -> None:
    document["paths"]["/v1/contracts/{id}/audit"] = {
        "get": {"operationId": "AuditContract", "summary": "Audit a contract.", "responses": {}}
    }


def _create(document: Document) -> Document:
    """The schema of the body that makes a contract."""
    body = document["paths"][CREATE]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return schema(document, body["$ref"].rsplit("/", 1)[1]) if "$ref" in body else body


def _answer(document: Document) -> Document:
    return schema(document, "ContractAnswer")


PLANTED: dict[str, tuple[Callable[[Document], Any], tuple[str, str, str]]] = {
    "an operation is gone": (_without, ("DeleteContract", "added", "operation")),
    "an operation is new": (_with, ("AuditContract", "missing", "operation")),
    "an operation is deprecated": (
        lambda d: d["paths"][LIST]["get"].update(deprecated=True),
        ("GetContracts", "deprecated", "operation"),
    ),
    "another status": (
        lambda d: d["paths"][CREATE]["post"].update(responses={"202": {"description": "Later."}}),
        ("CreateContract", "status", "status"),
    ),
    "a parameter is new": (
        lambda d: d["paths"][LIST]["get"]["parameters"].append(
            {"name": "tag", "in": "query", "schema": {"type": "string"}}
        ),
        ("GetContracts", "missing", "query tag"),
    ),
    "a parameter is gone": (
        lambda d: d["paths"][LIST]["get"]["parameters"].clear(),
        ("GetContracts", "added", "query limit"),
    ),
    "a member of a body is new": (
        lambda d: _create(d)["properties"].update(tag={"type": "string"}),
        ("CreateContract", "missing", "body /tag"),
    ),
    "a member of a body is required": (
        lambda d: _create(d)["required"].append("abi"),
        ("CreateContract", "required", "body /abi"),
    ),
    "a member of a body is not required": (
        lambda d: _create(d)["required"].remove("name"),
        ("CreateContract", "required", "body /name"),
    ),
    "a member of a body is gone": (
        lambda d: _create(d)["properties"].pop("publicVerification"),
        ("CreateContract", "added", "body /publicVerification"),
    ),
    "another type": (
        lambda d: _create(d)["properties"].update(chainId={"type": "string"}),
        ("CreateContract", "type", "body /chainId"),
    ),
    "a member of an answer is new": (
        lambda d: _answer(d)["properties"].update(tag={"type": "string"}),
        ("GetContract", "missing", "answer /tag"),
    ),
    "a member of an answer is gone": (
        lambda d: _answer(d)["properties"].pop("name"),
        ("GetContract", "added", "answer /name"),
    ),
    "a value is new": (
        lambda d: _answer(d)["properties"].update(object={"enum": ["contract", "token"]}),
        ("GetContract", "enum", "answer /object"),
    ),
    "a member is deprecated": (
        lambda d: _answer(d)["properties"]["name"].update(deprecated=True),
        ("GetContract", "deprecated", "answer /name"),
    ),
}


def test_the_document_that_is_served_has_no_drift() -> None:
    report = compare_documents(read_document(published("/")), SERVED)
    assert (report.drifts, report.compared) == ({}, len(SERVED))


@cases("name", *PLANTED)
def test_what_a_document_changes_is_said(name: str) -> None:
    change, (operation, kind, member) = PLANTED[name]
    document = published()
    change(document)
    drifts = compare_documents(read_document(document), SERVED).drifts
    found = {(drift.kind, drift.member): operations for drift, operations in drifts.items()}
    assert operation in {each.operation_id for each in found[kind, member]}
    about = {(of.operation_id, drift.member) for drift, each in drifts.items() for of in each}
    assert len(about) == len([of for each in drifts.values() for of in each])


def test_a_new_member_that_requests_must_have_is_told() -> None:
    document = published()
    for described in (_create(document), _answer(document)):
        described["properties"].update(tag={"type": "string"}, note={"type": "string"})
        described["required"].append("tag")
    told = {drift.member: drift.told for drift in compare_documents(read_document(document), SERVED).drifts}
    names = ("body /tag", "body /note", "answer /tag", "answer /note")
    types = ["string, required", "string", "string", "string"]
    assert [told[name] for name in names] == [f"new in the document ({type_})" for type_ in types]


def test_a_document_of_one_part_says_nothing_about_others() -> None:
    assert compare_documents(read_document(published()), SERVED).drifts == {}


def test_the_path_of_the_server_comes_before_the_others() -> None:
    document = published()
    document["servers"] = [{"url": "https://api.example.com/v1"}]
    document["paths"] = {path.removeprefix("/v1"): item for path, item in document["paths"].items()}
    assert compare_documents(read_document(document), SERVED).drifts == {}


def test_drifts_are_shown_and_known_ones_are_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document, known = published(), tmp_path / "known.yaml"
    _answer(document)["properties"]["tag"] = {"type": "string"}
    _answer(document)["properties"]["\x1b[2J"] = {"type": "string"}
    file = tmp_path / "openapi.yaml"
    file.write_text(yaml.dump(document, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)))
    assert main(["drift", str(file)]) == 1
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document))
    shown = capsys.readouterr().out
    assert (
        "answer /tag: new in the document (string); the ledger says otherwise: operations-of-contracts"
        in shown
    )
    assert "\x1b" not in shown, "a document does not drive a terminal"
    assert main(["drift", str(file), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert {each["member"] for each in told["drifts"]} == {
        f"answer {place}/{name}" for place in ("", "/data/*") for name in ("tag", "\x1b[2J")
    }
    assert {name for each in told["drifts"] for name in each["contradicts"]} == {"operations-of-contracts"}

    entry = {"operation": "*Contract*", "member": "answer *", "reason": "not read", "since": "2026-11-27"}
    known.write_text(json.dumps([entry]))
    assert main(["drift", str(file), "--known", str(known)]) == 0
    known.write_text(json.dumps([entry, entry | {"member": "body /gone"}]))
    assert main(["drift", str(file), "--known", str(known)]) == 1
    assert "no longer: *Contract* body /gone" in capsys.readouterr().out


CIRCLE = "paths: {/x: {get: {requestBody: {$ref: '#/a'}}}}\na: {$ref: '#/a'}"


@cases(
    "text, said",
    ("{", "expected"),
    ("", "no object `paths`"),
    ("[]", "no object `paths`"),
    ("a: b", "no object `paths`"),
    ("{paths: 3}", "no object `paths`"),
    ("paths: {/x: {get: {parameters: [{}]}}}", "another form (KeyError: 'in')"),
    ("paths: {/x: {get: {requestBody: {$ref: '#/a/b'}}}}", "it has no #/a/b"),
    (CIRCLE, "#/a refers to itself"),
    ("[" * 100_000, "depth"),
)
def test_what_is_no_document_is_refused(
    tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "openapi.json"
    file.write_text(text)
    assert main(["drift", str(file)]) == 3
    shown = capsys.readouterr().err
    assert "no OpenAPI document" in shown
    assert said in shown


def test_a_schema_may_be_a_variant_of_itself() -> None:
    itself = {"$ref": "#/a"}
    posted = {"requestBody": {"content": {"application/json": {"schema": itself}}}}
    document = {"paths": {"/x": {"post": posted}}, "a": {"allOf": [itself], "properties": {"b": itself}}}
    assert "/b/b" in read_document(document)["post", "/x"].body


def test_bytes_that_are_no_document_are_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "openapi.json"
    file.write_bytes(b"\xff" * 5000)
    assert main(["drift", str(file)]) == 3
    assert len(capsys.readouterr().err) < 500
