"""The bounds of values, for what is imported before pydantic is needed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class Bounds:
    """Stands for pydantic's `Field` and `AfterValidator` in an annotation, and imports neither.

    Every server has settings, and few are asked to read some before they are ready.
    """

    def __init__(self, *, check: Callable[[Any], Any] | None = None, **given: Any) -> None:
        self._check = check
        self._given = given

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic import AfterValidator, Field

        checks = () if self._check is None else (AfterValidator(self._check),)
        return handler.generate_schema(Annotated[source, Field(**self._given), *checks])
