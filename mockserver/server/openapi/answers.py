"""JSON Schemas of answers.

Answers are TypedDicts of the standard library, whose schemas pydantic only makes from Python 3.12 on;
so their members are walked here, and pydantic is asked about what they hold.
"""

from collections.abc import Mapping, Set
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from mockserver.api.call import Reply
from mockserver.api.wire import adapter
from mockserver.server.openapi.components import REF, Schema


class AnswerSchemas:
    """Makes the schemas of answers and collects the definitions that they refer to.

    `taken` are the names that definitions of others have.
    """

    def __init__(self, taken: Set[str]) -> None:
        self._taken = taken
        self.definitions: dict[str, Schema] = {}
        self._names: dict[Any, str] = {}

    def schema(self, annotation: Any, variables: Mapping[Any, Any] | None = None) -> Schema:
        """The schema of an annotation; anything goes where it says nothing."""
        variables = variables or {}
        if isinstance(annotation, TypeVar):
            return self.schema(variables.get(annotation, Any), variables)
        if annotation in (None, NoneType):
            return {"type": "null"}
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin in (Annotated, NotRequired, Required) and _holds_a_typed_dict(arguments[0]):
            return self.schema(arguments[0], variables)
        if is_typeddict(annotation) or is_typeddict(origin):
            return self._reference(annotation, variables)
        if origin in (Union, UnionType):
            return self._union(arguments, variables)
        if origin is list and not isinstance(arguments[0], str):
            return {"type": "array", "items": self.schema(arguments[0], variables)}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.schema(arguments[1], variables)}
        if origin is NotRequired or origin is Required:
            return self.schema(arguments[0], variables)
        return self._leaf(annotation)

    def _union(self, members: tuple[Any, ...], variables: Mapping[Any, Any]) -> Schema:
        shapes = [self.schema(member, variables) for member in members]
        if {} in shapes:
            return {}
        return shapes[0] if len(shapes) == 1 else {"anyOf": shapes}

    def _reference(self, annotation: Any, variables: Mapping[Any, Any]) -> Schema:
        arguments = tuple(variables.get(argument, argument) for argument in get_args(annotation))
        shape = get_origin(annotation) or annotation
        key = (shape, arguments)
        if key not in self._names:
            self._names[key] = name = self._free_name(shape, arguments)
            # Entered first, because a shape may hold itself.
            self.definitions[name] = {}
            bound = dict(zip(getattr(shape, "__parameters__", ()), arguments, strict=False))
            self.definitions[name] = self._members(shape, bound)
        return {"$ref": REF + self._names[key]}

    def _members(self, shape: Any, variables: Mapping[Any, Any]) -> Schema:
        hints = get_type_hints(shape, include_extras=True)
        schema: Schema = {
            "type": "object",
            "properties": {name: self.schema(hint, variables) for name, hint in hints.items()},
            "required": [name for name in hints if name in shape.__required_keys__],
        }
        if shape.__doc__:
            schema["description"] = shape.__doc__.partition("\n")[0]
        return schema

    def _free_name(self, shape: Any, arguments: tuple[Any, ...]) -> str:
        name: str = shape.__name__ + "".join(
            f"_{getattr(argument, '__name__', 'any')}" for argument in arguments
        )
        number = 2
        free = name
        while free in self.definitions or free in self._taken:
            free, number = f"{name}{number}", number + 1
        return free

    def _leaf(self, annotation: Any) -> Schema:
        if annotation in (Any, object, Reply, NoneType):
            return {}
        if get_origin(annotation) is Literal:
            return {"enum": list(get_args(annotation))}
        schema: Schema = adapter(annotation).json_schema(mode="serialization", ref_template=REF + "{model}")
        self.definitions.update(schema.pop("$defs", {}))
        return schema


def _holds_a_typed_dict(annotation: Any) -> bool:
    if is_typeddict(annotation) or is_typeddict(get_origin(annotation)):
        return True
    return any(_holds_a_typed_dict(argument) for argument in get_args(annotation))
