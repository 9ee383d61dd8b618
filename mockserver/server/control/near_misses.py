"""Why a scenario's rule left a call alone."""

from typing import TypedDict

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.call import Request
from mockserver.api.endpoint import Group
from mockserver.scenario import match
from mockserver.server.control.journal import find_exchange
from mockserver.server.control_call import ControlCall

near_misses = Group("Scenarios")


class NearMissAnswer(TypedDict):
    """A rule that a call does not meet, though it does in part, and what it lacks, a sentence each."""

    scenario: str
    rule: str
    missed: list[str]


class NearMissList(TypedDict):
    """The rules that a call nearly meets, the nearest first."""

    data: list[NearMissAnswer]
    total: int


@near_misses.endpoint(
    "GET",
    "/_mock/projects/{p}/journal/{n}/near-misses",
    "ListNearMisses",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_EXCHANGE,),
)
def list_near_misses(call: ControlCall) -> NearMissList:
    """List the rules that an exchange would nearly meet if it were sent again now, and what it lacks."""
    exchange = find_exchange(call)
    endpoint = call.routes.by_operation.get(exchange.operation or "")
    if endpoint is None:
        return {"data": [], "total": 0}
    request = Request(
        exchange.method, exchange.path, exchange.query, exchange.request_headers, exchange.request_body
    )
    found = match.near_misses(call.project, endpoint, request)
    data: list[NearMissAnswer] = [
        {"scenario": miss.scenario, "rule": miss.rule, "missed": list(miss.missed)} for miss in found
    ]
    return {"data": data, "total": len(data)}
