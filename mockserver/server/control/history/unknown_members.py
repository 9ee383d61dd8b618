"""Members of a body that its operation does not know. The service ignores them: most are misspelt."""

from collections.abc import Iterator
from functools import cache

from pydantic import TypeAdapter

from mockserver.api.endpoint import Endpoint
from mockserver.kernel.spelling import did_you_mean, nearest


def unknown_members(endpoint: Endpoint | None, body: object) -> Iterator[str]:
    """The names of a body that the operation does not know, each with the nearest that it does."""
    known = _members_of(endpoint.body) if endpoint is not None and endpoint.body is not None else ()
    # `unparsed` is in the place of a body that is not JSON.
    for name in sorted(body.keys() - known - {"unparsed"}) if isinstance(body, dict) and known else ():
        yield name + did_you_mean(nearest(name, known))


@cache
def _members_of(body: type) -> frozenset[str]:
    """The members that a body may have; empty if it may have any."""
    schema = TypeAdapter(body).json_schema()
    parts = [schema, *schema.get("$defs", {}).values()] if "properties" not in schema else [schema]
    if any(part.get("additionalProperties") not in (None, False) for part in parts[:1]):
        return frozenset()
    return frozenset(name for part in parts for name in part.get("properties", ()))
