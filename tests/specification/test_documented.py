"""The OpenAPI document names the statuses that are specified, and the data all operations and members."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import yaml

from mockserver.api.endpoint import Endpoint
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document
from tests.specification.checks import Check, carry_out, each_operation
from tests.specification.lines import DATA, Operation, has, operations
from tests.tables import cases

IAM_STATUSES = (401, 403, 429)
PUBLIC = {
    endpoint.operation: endpoint
    for endpoint in ENDPOINTS
    # Those of JSON-RPC have methods instead: tests/nodes.
    if endpoint.family.public and not endpoint.family.is_rpc and endpoint.handler is not None
}


@cache
def described() -> Mapping[str, Mapping[str, Any]]:
    """The operations of the served document, by their ids."""
    paths = document(ENDPOINTS, control=False)["paths"]
    return {operation["operationId"]: operation for path in paths.values() for operation in path.values()}


def documented_checks() -> Iterator[Check]:
    """A check for each status that a document has to name."""
    for operation in operations():
        of_family = IAM_STATUSES if operation.path.startswith("/iam/v2/auth/") and operation.by else ()
        for status in dict.fromkeys((operation.status, *operation.documented, *of_family)):
            yield Check(operation, f"documented: {status}", partial(is_documented, operation, status))


def is_documented(operation: Operation, status: int) -> None:
    assert str(status) in described()[operation.id]["responses"]


@each_operation(documented_checks())
def test_the_document_names_the_statuses_that_are_specified(checks: list[Check]) -> None:
    carry_out(checks)


def test_the_data_have_every_operation_at_its_path() -> None:
    paths = {id: f"{endpoint.method} {endpoint.path}" for id, endpoint in PUBLIC.items()}
    assert paths == {operation.id: operation.call for operation in operations()}


def test_each_member_of_the_data_is_in_an_example() -> None:
    assert [
        f"{operation.id}.{member.path}"
        for operation in operations()
        for member in operation.members
        if not any(has(example, member.path) for example in operation.examples)
    ] == []


@cases("operation", *operations(), ids=[operation.id for operation in operations()])
def test_the_data_have_every_member_that_an_operation_declares(operation: Operation) -> None:
    declared = described()[operation.id]
    query = {each["name"] for each in declared.get("parameters", ()) if each.get("in") == "query"}
    assert query == {member.path.removeprefix("?") for member in operation.query}
    if PUBLIC[operation.id].body is not None:
        assert members_declared(PUBLIC[operation.id]) == {member.path for member in operation.body}


def members_declared(endpoint: Endpoint) -> set[str]:
    """The members that a body declares, with those of its objects: `calls[].to`."""
    schema = described()[endpoint.operation]["requestBody"]["content"]["application/json"]["schema"]
    return set(_paths(schema, ""))


def _paths(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    if "$ref" in schema:
        named = document(ENDPOINTS, control=False)["components"]["schemas"]
        schema = named[schema["$ref"].rpartition("/")[2]]
    for each in schema.get("anyOf", ()):
        yield from _paths(each, prefix)
    if "items" in schema:
        yield from _paths(schema["items"], f"{prefix.removesuffix('.')}[].")
    for name, member in schema.get("properties", {}).items():
        yield prefix + name
        yield from _paths(member, f"{prefix}{name}.")


def test_what_cannot_be_checked_is_said_with_the_reason() -> None:
    unchecked = yaml.safe_load((DATA / "unchecked.yaml").read_text())
    assert unchecked
    assert all(
        isinstance(reason, str) and len(reason) > 10
        for part in unchecked.values()
        for reason in part.values()
    )
