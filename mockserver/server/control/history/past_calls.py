"""The calls of a journal as the conditions of scenarios look at them."""

from typing import Any

from mockserver.api.access import Scheme
from mockserver.api.call import Identified, Request
from mockserver.errors import ApiError
from mockserver.scenario.running.request_view import RequestPart, RequestView
from mockserver.server.answering.authenticate import identify
from mockserver.server.answering.browsers import claim_cookie, identify_by_cookie
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.masking import Walker, plan_of_request, plan_of_shape
from mockserver.state.history.event import Event


def view_past_call(
    call: ControlCall[Any, Any], exchange: Event, *, unmasked: bool = False
) -> RequestView | None:
    """A call as if it were made again now, on behalf of whom it was made; None if it is to no operation."""
    endpoint = call.routes.by_operation.get(exchange.operation or "")
    if endpoint is None:
        return None
    request = Request(
        exchange.method, exchange.path, exchange.query, exchange.request_headers, exchange.request_body
    )
    walker = Walker(call.server.names)

    def show(place: RequestPart, value: Any) -> Any:
        plan = plan_of_shape(endpoint.query) if place.part == "query" else plan_of_request(endpoint)
        return value if unmasked else walker.at(place.part, place.path, value, plan)

    return RequestView(call.routes, endpoint, request, _identify_again(call, request), show)


def _identify_again(call: ControlCall[Any, Any], request: Request) -> Identified:
    """Who made a request, as far as that can still be told."""
    try:
        found = identify(call.world, request.headers) or identify_by_cookie(call.world, request)
    except ApiError:
        found = None
    found = found or Identified(call.project, Scheme.PROJECT_KEY, frozenset())
    return claim_cookie(found._replace(project=call.project), request)
