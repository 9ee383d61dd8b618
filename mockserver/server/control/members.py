"""Bodies and queries of the control API, which refuse what they do not know."""

import dataclasses
from typing import Any

from pydantic import ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, core_schema

from mockserver.api.wire import Body, Query
from mockserver.kernel.spelling import did_you_mean, nearest


class ControlBody(Body):
    """The parent of the control API's bodies. Who misspells a member of one would wonder what went wrong."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        inner = super().__get_pydantic_core_schema__(source, handler)
        names = [field.name for field in dataclasses.fields(source)]

        def refuse_unknown(value: object) -> object:
            unknown = [name for name in value if name not in names] if isinstance(value, dict) else []
            if unknown:
                raise ValidationError.from_exception_data(cls.__name__, [_unknown(n, names) for n in unknown])
            return value

        return core_schema.no_info_before_validator_function(refuse_unknown, inner)


class ControlQuery(ControlBody, Query):
    """The parent of the control API's queries."""


def _unknown(name: str, names: list[str]) -> InitErrorDetails:
    hint = did_you_mean(nearest(name, names)) or f"; there is {', '.join(names)}"
    problem = PydanticCustomError("unknown_member", f"is not known here{hint}")
    return InitErrorDetails(type=problem, loc=(name,), input=None)
