"""Which rules of scenarios a call did not match, and why."""

from mockserver import errors
from mockserver.scenario.running import matching
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ListAnswer, ListQuery, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.journal import find_exchange
from mockserver.server.control.history.journal_filters import ShowExchange
from mockserver.server.control.history.past_calls import view_past_call

near_misses = ControlGroup("Journal")


class ListNearMisses(ShowExchange, ListQuery):
    """Which rules to list, and how values are shown."""


@near_misses.operation("GET /journal/{n}/near-misses", "ListNearMisses", errors.CONTROL_UNKNOWN_EXCHANGE)
def list_near_misses(call: ControlCall[None, ListNearMisses]) -> ListAnswer[matching.NearMiss]:
    """List the scenario rules that an exchange would nearly match if sent again now, nearest first."""
    view = view_past_call(call, find_exchange(call), unmasked=call.query.unmasked)
    found = () if view is None else matching.near_misses(view)
    return list_answer(call.query, found, lambda miss: miss)
