"""Developer accounts as the older API shows them (specification, Older endpoints)."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.responses.players import latest_intents
from mockserver.responses.shapes import Reference, optional, present
from mockserver.state.project import Project
from mockserver.state.wallets import DeveloperAccount


class DeveloperAccountFields(TypedDict):
    """A developer account without related objects."""

    id: str
    object: Literal["developerAccount"]
    createdAt: int
    address: str
    custodial: bool
    name: NotRequired[str]


class DeveloperAccountAnswer(DeveloperAccountFields):
    """A developer account, not expanded: its transactions are given by id."""

    transactionIntents: list[Reference]


def developer_account_answer(project: Project, row: DeveloperAccount) -> DeveloperAccountAnswer:
    """A developer account as the older API shows it."""
    answer: DeveloperAccountAnswer = {
        "id": row.id,
        "object": "developerAccount",
        "createdAt": to_seconds(row.created_ms),
        "address": row.address,
        "custodial": row.custodial,
        "transactionIntents": latest_intents(project, "account_id", row.id),
        "name": optional(row.name),
    }
    return present(answer)
