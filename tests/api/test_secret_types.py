"""Every text of a wire shape, a row or a path says by its type whether it is a secret."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mockserver.api.endpoint import SECRET_PARAMETERS
from mockserver.kernel.secrecy import FREE, KNOWN_NAMES, NAMES, Plan, Secrecy, members_by, members_of, plan_of
from mockserver.server.assembly import ENDPOINTS
from mockserver.state.project import SCHEMAS
from tests.tables import cases

PLAIN = {
    # Contracts and amounts of tokens on a chain.
    *("Charge.token", "CollectedTokenAnswer.token", "CollectedTokens.token"),
    *("CreateTransaction.feeSponsorshipToken", "EstimateAnswer.estimatedTXGasFeeToken"),
    "GasReportAnswer.totalTransactionFeeInCustomTokens",
    *("Payment.token", "PaymentAnswer.token", "Strategy.spl_tokens", "StrategyAnswer.splTokens"),
    *("StrategyBody.splTokens", "TokenHolding.token", "TransactionRequest.feeSponsorshipToken"),
    # EIP-7702 authorizations, which are public on the chain.
    *("CreateIntent.signedAuthorization", "CreateTransaction.signedAuthorization"),
    *("CreateTransaction.authorization", "Transaction.authorization"),
    *("TransactionRequest.authorization", "TransactionRequest.signedAuthorization"),
    # Code of contracts.
    *("AddressAnswer.code", "ContractCode.code", "DumpedAccount.code", "SetAddress.code"),
    # What went wrong.
    *("Failed.code", "FateAnswer.code", "RpcErrorMembers.code"),
}  # fmt: skip
"""Members that have names like those of secrets, and are none."""
PLAIN_PARAMETERS = {
    *("acc", "accountUuid", "address", "chain", "chainId", "cluster", "d", "f", "feeSponsorshipId", "file"),
    *("id", "n", "name", "p", "pol", "policyId", "provider", "reference", "s", "table", "triggerId"),
}  # fmt: skip


def members(shape: Any) -> Iterator[tuple[str, Plan]]:
    """The members of all records of a shape, by the name of the record and their own."""
    coming, seen = [plan_of(shape)], set[Plan]()
    while coming:
        plan = coming.pop()
        if plan not in seen:
            seen.add(plan)
            for record in plan - FREE:
                if not isinstance(record, (tuple, Secrecy)):
                    for name, inner in members_of(record).items():
                        yield f"{record.__name__}.{name}", inner
            coming += [*members_by(plan).known.values(), members_by(plan).others]


def test_members_with_secret_names_are_typed_or_declared_plain() -> None:
    shapes = [each for endpoint in ENDPOINTS for each in (endpoint.body, endpoint.query, endpoint.answer)]
    rows = [schema.row_class for schema in SCHEMAS.values()]
    kind = KNOWN_NAMES.kind
    found = {
        place
        for shape in (*filter(None, shapes), *rows)
        for place, plan in members(shape)
        if not plan and kind(place.rpartition(".")[2]) is not None
    }
    assert found == PLAIN


def test_parameters_of_paths_are_secrets_or_declared_plain() -> None:
    found = {name for endpoint in ENDPOINTS for name in re.findall(r"{(\w+)}", endpoint.path)}
    assert found == SECRET_PARAMETERS | PLAIN_PARAMETERS


def test_the_guide_lists_the_names_of_secrets() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guides" / "control-api.md"
    listed = guide.read_text().partition("by their names:")[2].partition("Case, separators")[0]
    assert {*re.findall(r"`(\w+)`", listed)} == {*NAMES, "code"}


SECRETS = ("x-api-key", "api-key", "x-auth-token", "x-access-token", "x-client-secret", "apiKey", "APIKey")
MORE = ("secret", "secretKey", "mnemonic", "passphrase", "newPasswords", "set-auth-jwt", "WALLET_SECRET")


@cases("name", *SECRETS, *MORE, "accesstoken")
def test_names_are_secrets_by_their_end_in_any_spelling(name: str) -> None:
    assert KNOWN_NAMES.kind(name) is not None


@cases(
    "name", "tokenAddress", "address", "shipping", "idempotency-key", "keyId", "pass", "expires", "process"
)
def test_other_names_are_none_of_secrets(name: str) -> None:
    assert KNOWN_NAMES.kind(name) is None
