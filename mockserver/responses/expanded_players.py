"""Players with related objects, as the older API shows them with `expand`."""

from collections.abc import Collection, Sequence
from typing import Literal, cast

from mockserver.responses.players import OlderAccountAnswer, PlayerFields, older_account_answer, player_answer
from mockserver.responses.shapes import Reference
from mockserver.responses.transaction_intents import IntentAnswer, latest_intent_answers
from mockserver.state.project import Project

PlayerExpansion = Literal["transactionIntents", "accounts"]


class ExpandedPlayerAnswer(PlayerFields):
    """A player, with the related objects that `expand` names."""

    transactionIntents: Sequence[IntentAnswer | Reference]
    accounts: Sequence[OlderAccountAnswer | Reference]


def player_with_expansions(
    project: Project, wallet_id: str, expand: Collection[PlayerExpansion] = ()
) -> ExpandedPlayerAnswer:
    """A player, with their latest ten intents and their accounts whole where `expand` names them."""
    answer = cast(ExpandedPlayerAnswer, player_answer(project, wallet_id))
    if "transactionIntents" in expand:
        answer["transactionIntents"] = latest_intent_answers(project, "wallet_id", wallet_id)
    if "accounts" in expand:
        rows = project.wallets.accounts.find("wallet_id", wallet_id)
        answer["accounts"] = [older_account_answer(project, row) for row in rows if row.is_known_to_older_api]
    return answer
