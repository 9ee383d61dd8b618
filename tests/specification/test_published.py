"""What differs from the published documents is named, with the reason."""

import json
import os
import re
from pathlib import Path

import pytest

from mockserver.fidelity.ledger import read_ledger
from mockserver.server.assembly import ENDPOINTS
from mockserver.upstream.described import Operations, read_document, served_document
from mockserver.upstream.drifting import compare_documents
from mockserver.upstream.known import PUBLISHED, read_known
from tests.evidence import assert_shown
from tests.tables import cases

FOLDER = os.environ.get("MOCKSERVER_TEST_DOCUMENTS")
"""Where the documents are, which belong to others and are not in the repository."""
DOCUMENTS = {"openapi.json": "", "openapi-auth.json": "/iam/v2/auth"}
"""The documents, and what their paths are below."""
METHODS = ("get", "post", "put", "patch", "delete")


def served() -> set[str]:
    return {spelled(one.method, one.path) for one in ENDPOINTS if one.handler is not None}


def absent() -> set[str]:
    says = " ".join(each.says for each in read_ledger().statements if each.kind == "absent")
    return {spelled(*found) for found in re.findall(r"`([A-Z]+)\s(/[^`]*)`", says)}


def spelled(method: str, path: str) -> str:
    """An operation, whatever its parameters are called."""
    return f"{method.upper()} {re.sub('{[^}]*}', '{}', path)}"


@cases("name, below", *DOCUMENTS.items())
def test_published_operations_are_served_or_named(name: str, below: str) -> None:
    if FOLDER is None:
        pytest.skip("MOCKSERVER_TEST_DOCUMENTS names no folder with the published documents")
    document = json.loads((Path(FOLDER) / name).read_text("utf-8"))
    published = {
        spelled(method, below + path)
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    }
    assert len(published) > 20
    assert published - served() - absent() == set()
    assert_shown("auth-document" if below else "document", published & served())


def test_other_differences_have_a_reason() -> None:
    if FOLDER is None:
        pytest.skip("MOCKSERVER_TEST_DOCUMENTS names no folder with the published documents")
    published: Operations = {}
    for name in DOCUMENTS:
        published |= read_document(json.loads((Path(FOLDER) / name).read_text("utf-8")))
    report = compare_documents(published, read_document(served_document()), read_known(PUBLISHED))
    assert report.drifts == {}
    assert report.known.outdated == []


def test_what_is_named_as_absent_is_not_served() -> None:
    assert absent()
    assert absent() & served() == set()
