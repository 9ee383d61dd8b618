"""Operations that clients and documents call, beside those that the ledger says were shown by them."""

from collections.abc import Iterable

from mockserver.api.endpoint import find_method
from mockserver.fidelity.ledger import Evidence, read_ledger
from mockserver.server.assembly import ROUTES


def evidence(name: str) -> Evidence:
    """What the mock was last shown against, by its id."""
    (found,) = (each for each in read_ledger().evidence if each.id == name)
    return found


def assert_shown(name: str, requests: Iterable[str]) -> None:
    """Requests (`GET /v2/users`) are those of the operations that the ledger lists."""
    called = (find_method(ROUTES.find(path)[0], method) for method, path in map(str.split, requests))
    served = {one.operation for one in called if one and one.handler is not None and one.family.public}
    listed = set(evidence(name).operations)
    assert sorted(served - listed) == [], f"mockserver/fidelity/evidence.yaml lacks them at {name}"
    assert sorted(listed - served) == [], f"mockserver/fidelity/evidence.yaml lists them at {name}"
