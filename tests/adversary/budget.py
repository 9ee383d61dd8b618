"""What an attack may spend, and the chance that it draws from."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Budget:
    """A number of attempts, or of seconds; iterating over it gives the number of each attempt.

    The same seed draws the same attempts.
    """

    attempts: int | None = None
    seconds: float | None = None
    seed: str = "adversary"
    spent: int = 0
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    def __iter__(self) -> Iterator[int]:
        end = None if self.seconds is None else time.monotonic() + self.seconds
        while self.spent != self.attempts and (end is None or time.monotonic() < end):
            self.spent += 1
            yield self.spent
