"""The OpenAPI documents."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NotRequired, TypeVar

import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, Access, Scheme, secret_key
from mockserver.api.call import Call, RawHeaders
from mockserver.api.endpoint import Endpoint, Group
from mockserver.api.wire import Body, Query
from mockserver.server.answering.render import JSON, Response, response_of
from mockserver.server.assembly import ENDPOINTS, ROUTES
from mockserver.server.openapi import document, prepare
from mockserver.server.openapi.examples import read_examples
from mockserver.server.openapi.schemas import describe
from mockserver.version import __version__
from tests.described import close, undescribed
from tests.tables import cases
from tests.thoroughness import sampled

ROOT = Path(__file__).parents[2]
T = TypeVar("T")
SIGNED = Access(frozenset({Scheme.SECRET_KEY, Scheme.ACCESS_TOKEN}), wallet_auth=True)


class Shelf(TypedDict, Generic[T]):
    """Many of one kind."""

    books: list[T]


class Tale(TypedDict):
    """A book. Of pages."""

    title: Annotated[str, "any"]
    genre: Literal["novel", "poem"]
    sequel: "Tale | None"
    pages: NotRequired[int]


class Find(Query):
    """What to look for."""

    title: str
    tags: list[str] | None = None


class Write(Body):
    """What to write."""

    title: str
    chapters: "list[Chapter]"


class Chapter(Body):
    """A part of it."""

    text: str


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    """The document of a small API."""
    books = Group("Books")

    @books.endpoint("GET /v1/books", "FindBooks", NO_CREDENTIALS)
    def find_books(call: Call[None, Find]) -> Shelf[Tale]:
        """Find books. Many."""
        raise NotImplementedError

    @books.endpoint(
        "POST /v1/books/{id}",
        "WriteBook",
        secret_key("books:write", Scheme.ACCESS_TOKEN),
        status=201,
        on_behalf=True,
        errors=(errors.CONTRACT_EXISTS, errors.CONTROL_NO_KEY),
    )
    def write_book(call: Call[Write]) -> Tale:
        """Write a book."""
        raise NotImplementedError

    @books.endpoint("PUT /v1/books/{id}", "SignBook", SIGNED)
    def sign_book(call: Call) -> Tale:
        """Sign a book."""
        raise NotImplementedError

    return document(tuple(books), False)


@cases("control", False, True)
def test_the_documents_are_valid(control: bool) -> None:
    found = [
        error.message
        for error in OpenAPIV31SpecValidator(document(tuple(sampled(ENDPOINTS, 6)), control)).iter_errors()
    ]
    assert found == []


def test_the_document_of_a_small_api_is_valid(small: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(small).validate()


def test_every_operation_is_described_once() -> None:
    described = {endpoint.operation: _described(endpoint) for endpoint in ENDPOINTS}
    assert {name: operation["operationId"] for name, operation in described.items()} == {
        name: name for name in described
    }
    # What has no more to say than its summary has no description.
    assert [name for name, operation in described.items() if operation.get("description") == ""] == []


def _described(endpoint: Endpoint) -> dict[str, Any]:
    """An operation of the document that has it."""
    paths = document(ENDPOINTS, not endpoint.family.public)["paths"]
    operation: dict[str, Any] = paths[endpoint.path][endpoint.method.lower()]
    return operation


def test_no_two_operations_differ_in_case_only() -> None:
    # Generated clients name functions after operations in a case of their own, and pages are files.
    ids = Counter(endpoint.operation.lower() for endpoint in ENDPOINTS)
    assert [operation for operation, count in ids.items() if count > 1] == []


@cases("endpoint", *ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_every_answer_is_described_by_pydantic(endpoint: Endpoint) -> None:
    described = _described(endpoint)["responses"].get(str(endpoint.status), {})
    assert ("content" in described) == (endpoint.answer is not None or bool(endpoint.writes))
    if endpoint.answer is not None:
        assert TypeAdapter(endpoint.answer).json_schema(mode="serialization")


@cases("control", False, True)
def test_every_reference_leads_somewhere_every_schema_is_used(control: bool) -> None:
    found = document(ENDPOINTS, control)
    used = {reference.rpartition("/")[2] for reference in _references(found)}
    kinds = ("schemas", "parameters", "responses", "examples", "headers")
    components = {name for kind in kinds for name in found["components"].get(kind, {})}
    assert used == components


@cases("control", False, True)
def test_no_two_schemas_share_a_name(control: bool) -> None:
    names = document(ENDPOINTS, control)["components"]["schemas"]
    assert [name for name in names if "__" in name or name[-1].isdecimal()] == []


@cases("control", False, True)
def test_no_schema_has_the_name_of_a_class_of_generated_clients(control: bool) -> None:
    names = document(ENDPOINTS, control)["components"]["schemas"].keys()
    assert names & {"ApiClient", "ApiError", "ApiException", "ApiResponse", "Configuration"} == set()


@cases("control", False, True)
def test_every_list_says_what_is_in_it(control: bool) -> None:
    # openapi-python-client leaves out an operation that has one which does not.
    lists = [each for each in _objects(document(ENDPOINTS, control)) if "array" in (each.get("type") or "")]
    assert [each for each in lists if not each.keys() & {"items", "prefixItems"}] == []


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _objects(each)


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from _references(member)
    elif isinstance(value, list):
        for member in value:
            yield from _references(member)


@cases("control", False, True)
def test_generated_clients_find_the_fullest_alternative(control: bool) -> None:
    """They take the first that fits, and a reference fits what has an id and more."""
    schemas = document(ENDPOINTS, control)["components"]["schemas"]
    wrong = []
    for name, schema in _members(schemas):
        kinds = [kind.get("$ref", "") for kind in schema.get("items", schema).get("anyOf", ())]
        needed = [set(schemas.get(kind.rpartition("/")[2], {}).get("required", ())) for kind in kinds]
        pairs = combinations([each for each in needed if each], 2)
        wrong += [name for first, second in pairs if first <= second]
    assert wrong == []


@cases("control", False, True)
def test_no_member_has_a_type_that_languages_lack(control: bool) -> None:
    """Go has no type for what is always null, generated Python reads no constant truth value."""
    schemas = document(ENDPOINTS, control)["components"]["schemas"]
    lacking = {"null": {"type"}, "boolean": {"const", "enum"}}
    wrong = []
    for name, schema in _members(schemas):
        wrong += [name] * bool(schema.keys() & lacking.get(str(schema.get("type")), set()))
        lists = [kind for kind in schema.get("anyOf", ()) if kind.get("type") == "array"]
        wrong += [name] * (len(lists) > 1)
    assert wrong == []


def test_a_number_that_32_bits_do_not_hold_says_so() -> None:
    """Others have no format: clients in TypeScript would read a bigint."""
    schemas = document(ENDPOINTS, False)["components"]["schemas"]
    assert {name for name, schema in _members(schemas) if "int64" in str(schema)} == {"SessionAnswer.limit"}


def test_a_batch_of_requests_is_no_choice_of_one_kind() -> None:
    """Generated TypeScript imports a shape twice that `oneOf` has alone and in a list."""
    operation = document(ENDPOINTS, False)["paths"]["/rpc"]["post"]
    assert operation["requestBody"]["content"]["application/json"]["schema"].keys() == {"anyOf"}


def _members(schemas: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, schema in schemas.items():
        for member, described in schema.get("properties", {}).items():
            yield f"{name}.{member}", described


def test_answers_are_described_down_to_their_members(small: dict[str, Any]) -> None:
    schemas = small["components"]["schemas"]
    answer = small["paths"]["/v1/books"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": "#/components/schemas/Shelf_Tale"}
    tale = {"$ref": "#/components/schemas/Tale"}
    assert schemas["Shelf_Tale"]["properties"] == {"books": {"type": "array", "items": tale}}
    assert schemas["Tale"]["description"] == "A book. Of pages."
    assert schemas["Tale"]["required"] == ["title", "genre", "sequel"]
    assert schemas["Tale"]["properties"] == {
        "title": {"type": "string"},
        "genre": {"enum": ["novel", "poem"], "type": "string"},
        "sequel": {"anyOf": [tale, {"type": "null"}]},
        "pages": {"type": "integer"},
    }


@cases(
    "answer, finding",
    ({"status": "ready", "since": 1}, "'since' was unexpected"),
    ({}, '"status" is a required property'),
    ({"status": "ill"}, 'status: "ready" was expected'),
)
def test_the_tests_find_answers_that_are_not_as_described(answer: object, finding: str) -> None:
    ready = ROUTES.by_operation["GetReady"]
    assert finding in " ".join(undescribed(ready, response_of(ready, answer)))
    assert undescribed(ready, response_of(ready, {"status": "ready"})) == []


@cases(
    "status, headers, finding",
    (418, JSON, "answers 418, which is not described"),
    (200, ((b"content-type", b"text/plain"),), "text/plain is not described"),
    (200, (*JSON, (b"location", b"/")), "the header location is not described"),
)
def test_the_tests_find_what_is_not_described(status: int, headers: RawHeaders, finding: str) -> None:
    health = ROUTES.by_operation["GetHealth"]
    assert finding in " ".join(undescribed(health, Response(status, headers, b'{"status": "ok"}')))


@cases(
    "path, method, statuses",
    ("/iam/v2/auth/callback/{provider}", "get", {"302"}),
    ("/iam/v2/auth/verify-email", "get", {"200", "302"}),
    ("/iam/v2/auth/reset-password/{token}", "get", {"200", "302"}),
)
def test_redirects_are_described_with_where_they_lead(path: str, method: str, statuses: set[str]) -> None:
    responses = document(ENDPOINTS, False)["paths"][path][method]["responses"]
    assert {status for status in responses if status < "400"} == statuses
    assert "location" in responses["302"]["headers"]
    assert "content" not in responses["302"]


def test_queries_are_described_as_parameters(small: dict[str, Any]) -> None:
    parameters = {entry["name"]: entry for entry in small["paths"]["/v1/books"]["get"]["parameters"]}
    assert {name: entry["required"] for name, entry in parameters.items()} == {"title": True, "tags": False}
    assert parameters["title"]["schema"]["type"] == "string"
    assert "Find" not in small["components"]["schemas"]


@cases("control", False, True)
def test_a_parameter_of_a_query_is_left_out_and_never_null(control: bool) -> None:
    described = document(ENDPOINTS, control)["paths"].values()
    parameters = [
        parameter
        for operations in described
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter.get("in") == "query"
    ]
    assert parameters
    assert not [
        each for each in parameters if "null" in str(each["schema"]) or None in each["schema"].values()
    ]


def test_bodies_are_described_with_what_they_hold(small: dict[str, Any]) -> None:
    operation = small["paths"]["/v1/books/{id}"]["post"]
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/Write"}
    chapters = small["components"]["schemas"]["Write"]["properties"]["chapters"]
    assert chapters["items"] == {"$ref": "#/components/schemas/Chapter"}


def test_who_may_call_is_described(small: dict[str, Any]) -> None:
    assert small["paths"]["/v1/books/{id}"]["post"]["security"] == [
        {"secretKey": ["books:write"]},
        {"secretKeyBasic": ["books:write"]},
        {"publishableKey": [], "playerToken": []},
    ]
    assert small["paths"]["/v1/books"]["get"]["security"] == []
    assert small["paths"]["/v1/books/{id}"]["put"]["security"] == [
        {"secretKey": [], "walletAuth": []},
        {"secretKeyBasic": [], "walletAuth": []},
        {"publishableKey": [], "playerToken": [], "walletAuth": []},
    ]


def test_refusals_are_described_by_status_in_their_envelope(small: dict[str, Any]) -> None:
    responses = small["paths"]["/v1/books/{id}"]["post"]["responses"]
    assert list(responses) == ["201", "400", "401", "403", "409", "413", "414", "415", "431", "500", "503"]
    conflict = responses["409"]
    assert "`contract_already_exists`" in conflict["description"]
    assert "`no-key`" in conflict["description"]
    # A generated client reads the first.
    assert list(conflict["content"]) == ["application/json", "application/problem+json"]


@cases("control", False, True)
def test_what_many_operations_answer_is_described_once(control: bool) -> None:
    made = document(ENDPOINTS, control)
    inline = [
        response
        for path in made["paths"].values()
        for operation in path.values()
        for response in operation["responses"].values()
        if response.get("description", "").startswith("- ") and "\n" not in response["description"]
    ]
    shared = made["components"]["responses"].values()
    assert [response for response in inline if response in shared] == []
    assert {"description", "headers", "content"} == {name for response in shared for name in response}


@cases("control", False, True)
def test_a_prepared_document_has_nothing_left_to_describe(control: bool) -> None:
    describe.cache_clear()
    for _ in prepare(ENDPOINTS, control):
        pass
    described = describe.cache_info().misses
    document.__wrapped__(ENDPOINTS, control)
    assert describe.cache_info().misses == described > 0


def test_parameters_in_the_path_and_in_headers_are_described(small: dict[str, Any]) -> None:
    parameters = small["paths"]["/v1/books/{id}"]["post"]["parameters"]
    assert parameters[0]["name"] == "id"
    assert parameters[0]["required"] is True
    assert [entry["$ref"].rpartition("/")[2] for entry in parameters[1:]] == [
        "IdempotencyKey",
        "BehalfOfProject",
    ]


def test_a_group_of_operations_is_described_by_its_module() -> None:
    described = {tag["name"]: tag["description"] for tag in document(ENDPOINTS, False)["tags"]}
    assert described["Session keys"] == "Session keys: keys that may act for an account within limits."


def test_older_groups_of_operations_are_shown_last() -> None:
    names = [tag["name"] for tag in document(ENDPOINTS, False)["tags"]]
    older = [name for name in names if "(v1)" in name or "(older)" in name]
    assert len(older) > 10
    assert names[-len(older) :] == older


def test_p_names_a_project_in_the_control_api_only() -> None:
    assert [
        endpoint.path for endpoint in ENDPOINTS if endpoint.family.public and "p" in endpoint.parameters
    ] == []


@cases("control", False, True)
def test_every_member_and_parameter_says_what_it_means(control: bool) -> None:
    found = document(ENDPOINTS, control)
    members = {
        f"{name}.{member}": schema
        for name, kind in found["components"]["schemas"].items()
        for member, schema in kind.get("properties", {}).items()
    }
    for operation in _operations(found):
        for parameter in operation.get("parameters", ()):
            if "$ref" not in parameter:
                members[f"{operation['operationId']}({parameter['name']})"] = parameter
    assert [name for name, schema in members.items() if not schema.get("description")] == []


def test_a_member_means_its_docstring_or_its_name() -> None:
    schemas = document(ENDPOINTS, False)["components"]["schemas"]
    transaction, contract = (
        schemas["TransactionAnswer"]["properties"],
        schemas["ContractAnswer"]["properties"],
    )
    assert transaction["status"]["description"].startswith("Where it is in its lifecycle")
    assert transaction["chainId"]["description"] == contract["chainId"]["description"]
    assert contract["createdAt"]["description"] == "When it was created, in seconds since 1970."
    assert (
        schemas["AuthUser"]["properties"]["createdAt"]["description"] == "When it was created, in ISO 8601."
    )


def test_every_word_of_the_vocabulary_is_used() -> None:
    """A meaning that no member has any more is dropped."""
    text = "".join(str(document(ENDPOINTS, control)) for control in (False, True))
    words = yaml.safe_load((ROOT / "mockserver/server/openapi/vocabulary.yaml").read_text())
    assert [name for name, meaning in words.items() if meaning.removesuffix(".") not in text] == []


@cases("control", False, True)
def test_examples_are_as_the_schemas_say(control: bool) -> None:
    found = close(document(ENDPOINTS, control))
    wrong = []
    for operation in _operations(found):
        contents = [*operation.get("requestBody", {}).get("content", {}).values()]
        for response in operation["responses"].values():
            contents += response.get("content", {}).values()
        for content in contents:
            if "example" in content:
                schema = {**content["schema"], "components": found["components"]}
                errors_found = Draft202012Validator(schema).iter_errors(content["example"])
                wrong += [f"{operation['operationId']} {error.json_path}" for error in errors_found]
    assert wrong == []


_DOCUMENTS = ("GetOpenApi", "GetScenarioSchema")
"""The operations that answer a document too large for an example."""


def test_every_operation_that_answers_json_has_an_example() -> None:
    answering = {endpoint.operation for endpoint in ENDPOINTS if endpoint.answer is not None}
    assert answering - {*_DOCUMENTS} <= read_examples().calls.keys()


@cases("control", False, True)
def test_no_error_is_described_by_a_blank(control: bool) -> None:
    found = document(ENDPOINTS, control)
    responses = [
        *found["components"]["responses"].values(),
        *(response for operation in _operations(found) for response in operation["responses"].values()),
    ]
    lines = [line for each in responses for line in each.get("description", "").splitlines()]
    assert [line for line in lines if re.search(r"`: \{\w+\}$", line)] == []
    assert all(operation.get("description", "said") for operation in _operations(found))


def test_the_public_document_is_of_the_version_that_is_imitated() -> None:
    public, control = (document(ENDPOINTS, control)["info"] for control in (False, True))
    assert (public["version"], public["x-mockserver-version"]) == ("1.0.0", __version__)
    assert control["version"] == __version__


def test_what_the_specification_calls_deprecated_is_marked() -> None:
    found = document(ENDPOINTS, False)
    marked = {operation["operationId"] for operation in _operations(found) if operation.get("deprecated")}
    assert marked == {
        "ListOAuthConfig",
        "CreateOAuthConfig",
        "GetOAuthConfig",
        "DeleteOAuthConfig",
        "VerifyOAuthTokenOfProvider",
        "DeprecatedCallbackOAuth",
    }
    for name in ("StrategyBody", "StrategyAnswer"):
        members = found["components"]["schemas"][name]["properties"]
        assert {member for member, schema in members.items() if schema.get("deprecated")} == {
            "tokenContract",
            "tokenContractAmount",
        }


def _operations(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in found["paths"].values():
        yield from path.values()
