"""Random stories, a few: `python -m tests.replay.stories --count 1000` tells many."""

from tests.replay.stories import check
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS


@cases("seed", *range(6 * THOROUGHNESS))
def test_a_story_has_one_history_however_it_is_told(seed: int) -> None:
    assert check(seed) > 10
