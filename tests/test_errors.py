"""The catalogue of errors: what each row says, and that each place which raises one fills in its message."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import mockserver
from mockserver import errors
from mockserver.errors import ApiError, ErrorRow, catalogue, find_row
from mockserver.state.settings import Settings
from tests.tables import cases

ROWS = {name: row for name, row in vars(errors).items() if isinstance(row, ErrorRow)}
RESERVED = {"param", "details", "authorization_code", "headers", "note"}


def fields(row: ErrorRow) -> set[str]:
    """The names in a row's message."""
    return {name for _, name, _, _ in string.Formatter().parse(row.message) if name is not None}


def raised_errors() -> Iterator[tuple[str, str, set[str] | None]]:
    """Every `ApiError(errors.ROW, ...)` in the source: place, row and values; None for `**values`."""
    root = Path(mockserver.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            match node.func.id, node.args[0]:
                case "ApiError", ast.Attribute(value=ast.Name(id="errors"), attr=row):
                    given = {keyword.arg for keyword in node.keywords if keyword.arg is not None}
                    complete = len(given) == len(node.keywords)
                    place = f"{path.relative_to(root)}:{node.lineno}"
                    yield place, row, given - RESERVED if complete else None


def test_a_row_is_found_by_its_code_the_endpoints_own_first() -> None:
    assert find_row("contract_not_found") is errors.CONTRACT_NOT_FOUND
    assert find_row("no_such_code") is None
    several = [row for row in catalogue() if row.code == "USER_NOT_FOUND"]
    assert len(several) > 1
    assert [find_row("USER_NOT_FOUND", [row]) for row in several] == several


def test_a_row_has_a_code_a_status_of_an_error_and_a_message() -> None:
    for name, row in ROWS.items():
        assert row.code.replace("_", "").isalnum(), name
        # Those of JSON-RPC are answers, in the words of nodes.
        assert row.status == 200 if row.rpc_code else 400 <= row.status < 600, name
        assert row.message[0].isupper() or row.message[0] == "{" or name.startswith(("IAM_", "RPC_")), name
        assert not fields(row) & RESERVED, name


@cases(
    "row, setting",
    (errors.AAL2_REQUIRED, "aal2"),
    (errors.CHAIN_UNKNOWN, "unknown_chains"),
    (errors.HTTPS_REQUIRED, "require_https"),
    (errors.PROJECT_NOT_AUTHORIZED, "ecosystems"),
    (errors.NOT_IN_SPECIFICATION, "strict"),
    (errors.IAM_DIFFERENT_EMAILS, "link_different_emails"),
    (errors.IAM_EMAIL_NOT_VERIFIED, "email_verification_required"),
    (errors.IAM_INVALID_CALLBACK_URL, "trusted_origins"),
    (errors.IAM_INVALID_ERROR_CALLBACK_URL, "trusted_origins"),
    (errors.IAM_INVALID_NEW_USER_CALLBACK_URL, "trusted_origins"),
    (errors.IAM_INVALID_REDIRECT_URL, "trusted_origins"),
    (errors.IAM_PASSWORD_TOO_LONG, "password_max_length"),
    (errors.IAM_PASSWORD_TOO_SHORT, "password_min_length"),
    (errors.IAM_SIGN_UP_DISABLED, "sign_up_on_request"),
    ids=lambda value: value if isinstance(value, str) else value.code,
)
def test_an_error_that_a_setting_makes_names_the_setting(row: ErrorRow, setting: str) -> None:
    assert setting in Settings.__dataclass_fields__
    assert f"setting {setting}" in row.message


def test_codes_are_snake_case_and_capitals_for_identity() -> None:
    for name, row in ROWS.items():
        assert row.code.isupper() if name.startswith("IAM_") else row.code.islower(), name


def test_a_problem_has_a_type_of_its_own() -> None:
    mock_only = [row.problem for row in ROWS.values() if row.mock_only]
    assert "unknown-project" in mock_only
    assert len(set(mock_only)) == len(mock_only)


def test_every_message_is_filled_in_completely() -> None:
    found = list(raised_errors())
    assert len(found) > 50
    wrong = [
        f"{place} {name}: {sorted(given)} instead of {sorted(fields(ROWS[name]))}"
        for place, name, given in found
        if given is not None and given != fields(ROWS[name])
    ]
    assert wrong == []


def test_every_row_of_the_catalogue_is_used() -> None:
    root = Path(mockserver.__file__).parent
    source = "\n".join(path.read_text() for path in root.rglob("*.py") if path.name != "errors.py")
    assert [name for name in ROWS if f"errors.{name}" not in source] == []


def test_a_note_follows_the_message_and_is_no_part_of_the_code() -> None:
    found = ApiError(errors.CONTRACT_NOT_FOUND, id="con_1", note="It may have been dropped.")
    assert found.message == "There is no contract con_1. It may have been dropped."
    assert ApiError(errors.IAM_INVALID_OTP, note="So.").message == "Invalid OTP. So."
    templated = ApiError(errors.IAM_PROVIDER_X_NOT_FOUND, provider="x", note="So.")
    assert templated.code == ApiError(errors.IAM_PROVIDER_X_NOT_FOUND, provider="x").code


def test_values_are_put_into_the_message_once() -> None:
    found = ApiError(errors.CONTRACT_NOT_FOUND, id="{id} {0} %s")
    assert found.message == "There is no contract {id} {0} %s."
    assert str(found) == f"404 contract_not_found: {found.message}"
    assert (found.param, found.details, found.headers, found.authorization_code) == (None, None, None, None)
