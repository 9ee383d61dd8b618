"""How an export names the answers that later calls refer to."""

from keyword import kwlist
from typing import Any, cast

from mockserver.replay.export.history import PROJECT, Exchange
from mockserver.replay.export.names import name_answers, unused_name
from mockserver.server.assembly import ROUTES
from tests.tables import cases

OF_JAVASCRIPT = """
await break case catch class const continue debugger default delete do else enum export extends false finally
for function if implements import in instanceof interface let new null package private protected public return
static super switch this throw true try typeof var void while with yield
"""


def call(number: int, operation: str | None) -> Exchange:
    """A call of an operation, or of none."""
    endpoint = None if operation is None else ROUTES.by_operation[operation]
    return Exchange(number, cast("Any", None), None, endpoint)


@cases(
    "operation, name",
    ("CreateContract", "contract"),
    ("GetContracts", "contracts"),
    ("createAccountV2", "account"),
    ("signUpEmail", "sign_up_email"),
    ("ListOutbox", "outbox"),
    ("GetJwks", "jwks"),
    ("sendPhoneNumberOTP", "phone_number_otp"),
    (None, "reply"),
)
def test_an_answer_is_named_after_what_its_operation_makes(operation: str | None, name: str) -> None:
    assert name_answers([call(1, operation)], [1]) == {1: name}


def test_equally_named_answers_are_numbered_if_needed() -> None:
    calls = [call(number, "CreateContract") for number in (1, 2, 3, 4)]
    assert name_answers(calls, [PROJECT, 1, 3, 4]) == {1: "contract", 3: "contract_2", 4: "contract_3"}


def test_what_the_file_names_itself_is_no_name_of_an_answer() -> None:
    assert name_answers([call(1, "GetProject")], [1]) == {1: "project_2"}
    assert unused_name("answer", ["answer", "answer_2"]) == "answer_3"


def test_a_name_is_none_that_a_language_has() -> None:
    names = {name_answers([call(1, operation)], [1])[1] for operation in ROUTES.by_operation}
    assert [name for name in names if not name.isidentifier()] == []
    assert not names & {*kwlist, *OF_JAVASCRIPT.split()}
