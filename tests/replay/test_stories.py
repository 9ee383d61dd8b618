"""Random stories, a few: `python -m tests.replay.stories --count 1000` tells many."""

from tests.replay.stories import check
from tests.tables import cases


@cases("seed", *range(20))
def test_a_story_has_one_history_however_it_is_told(seed: int) -> None:
    assert check(seed) > 10
