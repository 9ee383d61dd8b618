"""The forks whose rules are known, in their order."""

from enum import IntEnum


class Fork(IntEnum):
    """A fork: `fork >= Fork.PRAGUE` says that the rules of Prague hold."""

    CANCUN = 1
    PRAGUE = 2
    OSAKA = 3
