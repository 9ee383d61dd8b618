"""The whole story: the journeys, then what is drawn, and at last what takes the place of all projects."""

from collections.abc import Callable, Sequence

from tests.regression.drawn_calls import draw
from tests.regression.journeys import (
    accounts,
    control,
    edges,
    funding,
    money,
    nodes,
    providers,
    rules,
    shares,
    sign_in,
    tokens,
    transactions,
    wallets,
    webhooks,
)
from tests.regression.story import Story

Journey = Callable[[Story], None]

JOURNEYS: tuple[Journey, ...] = (
    *sign_in.JOURNEYS,
    *providers.JOURNEYS,
    *accounts.JOURNEYS,
    *wallets.JOURNEYS,
    *rules.JOURNEYS,
    *money.JOURNEYS,
    *transactions.JOURNEYS,
    *tokens.JOURNEYS,
    *webhooks.JOURNEYS,
    *funding.JOURNEYS,
    *shares.JOURNEYS,
    *nodes.JOURNEYS,
    *edges.JOURNEYS,
    *control.JOURNEYS,
)
DRAWN = 3500


def tell(story: Story, journeys: Sequence[Journey] = JOURNEYS, drawn: int = DRAWN) -> None:
    """Make every call of the story."""
    for journey in journeys:
        journey(story)
    draw(story, drawn)
    if journeys is JOURNEYS:
        control.replayed(story)
