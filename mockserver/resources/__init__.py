"""The API, one module a resource. Every group is listed here by hand, in the order of the URLs."""

from mockserver.api.endpoint import Group
from mockserver.resources.contracts import contracts

GROUPS: tuple[Group, ...] = (contracts,)
