"""Why a fee sponsorship pays for a transaction, or does not, which no answer of the API says."""

from typing import TypedDict

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.errors import Refusal

sponsoring = Group("Sponsoring")


class SponsoringAnswer(TypedDict):
    """What was decided when a transaction was made. Its policy and its rules had to agree."""

    id: str
    fee_sponsorship_id: str | None
    """The sponsorship that was asked for; null when none was."""
    pays: bool
    reason: str


@sponsoring.endpoint(
    "GET",
    "/_mock/projects/{p}/transactions/{tin}/sponsoring",
    "GetSponsoring",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_ROW,),
)
def get_sponsoring(call: Call) -> SponsoringAnswer:
    """Whether the sponsorship that a transaction asked for pays for it, and why or why not."""
    row = call.project.onchain.transactions.get(call.path["tin"])
    if row is None:
        raise Refusal(errors.CONTROL_UNKNOWN_ROW, kind="transaction", id=call.path["tin"][:80])
    decided = row.sponsoring
    if decided is None:
        reason = "No fee sponsorship was asked for."
        return {"id": row.id, "fee_sponsorship_id": None, "pays": False, "reason": reason}
    return {
        "id": row.id,
        "fee_sponsorship_id": decided.sponsorship_id,
        "pays": decided.pays,
        "reason": decided.reason,
    }
