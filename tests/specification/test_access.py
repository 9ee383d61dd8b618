"""Who may call: schemes, scopes, sessions and signed requests, and the errors of those who may not."""

from collections.abc import Iterator
from functools import partial

from tests.specification.checks import Check, carry_out, each_operation
from tests.specification.credentials import SCHEMES
from tests.specification.lines import Operation, operations
from tests.specification.sending import Heard, send
from tests.specification.setting import the_stage

USERS = ("auth_token", "pk_access_token", "pk_third_party")


def access_checks() -> Iterator[Check]:
    """A check for each scheme that an operation takes or refuses."""
    for operation in operations():
        if not operation.by:
            yield Check(operation, "access.none: taken", partial(is_admitted, operation, "none"))
            continue
        for scheme in SCHEMES:
            if scheme in operation.has_none:
                continue
            if scheme in operation.by and (not operation.session or scheme in USERS):
                yield Check(operation, f"access.{scheme}: taken", partial(is_admitted, operation, scheme))
            else:
                yield Check(operation, f"access.{scheme}: 401", partial(is_refused, operation, scheme))
        yield Check(operation, "access.none: 401", partial(is_refused, operation, "none"))
        if operation.scope:
            yield Check(operation, f"access.scope {operation.scope}: 403", partial(needs_scope, operation))
        if operation.wallet:
            yield Check(operation, "access.X-Wallet-Auth: 401", partial(needs_wallet_auth, operation))


def is_admitted(operation: Operation, scheme: str) -> None:
    heard = send(operation, by=scheme)
    assert heard.status not in (401, 403), heard


def is_refused(operation: Operation, scheme: str) -> None:
    heard = send(operation, by=scheme)
    assert heard.status == 401, heard
    check_error(operation, heard)
    if operation.session and scheme == "project_key" and operation.path.startswith("/iam/v2/auth/"):
        assert heard.error["code"] == "UNAUTHORIZED"


def needs_scope(operation: Operation) -> None:
    other, own = (
        send(operation, headers={"authorization": f"Bearer {the_stage().scoped_key(scope)}"})
        for scope in ("no:scope", operation.scope or "")
    )
    assert other.status == 403, other
    check_error(operation, other)
    assert own.succeeded, own


def needs_wallet_auth(operation: Operation) -> None:
    heard = send(operation, wallet=False)
    assert heard.status == 401, heard
    check_error(operation, heard)


def check_error(operation: Operation, heard: Heard) -> None:
    """An error has the form of its family."""
    if operation.is_iam:
        assert isinstance(heard.body["message"], str)
        return
    error = heard.body["error"]
    assert error["type"] == "invalid_request_error"
    assert isinstance(error["message"], str)
    assert error["code"].replace("_", "").isalnum()
    assert error["code"] == error["code"].lower()


@each_operation(access_checks())
def test_an_operation_takes_the_credentials_that_are_specified(checks: list[Check]) -> None:
    carry_out(checks)
