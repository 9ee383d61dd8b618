"""The JSON Schema of HAR 1.2, after http://www.softwareishard.com/blog/har-12-spec/."""

from typing import Any


def _object(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """An object whose other members begin with an underscore."""
    return {
        "type": "object",
        "required": [*required],
        "properties": {**required, **optional, "comment": TEXT},
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


TEXT = {"type": "string"}
SIZE = {"type": "integer", "minimum": -1}
TIME = {"type": "number", "minimum": -1}
DATE = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$"}
PAIR = _object({"name": TEXT, "value": TEXT})
COOKIE = _object({"name": TEXT, "value": TEXT}, path=TEXT, domain=TEXT)
POST = _object({"mimeType": TEXT}, params=_list(PAIR), text=TEXT)
CONTENT = _object({"size": SIZE, "mimeType": TEXT}, compression=SIZE, text=TEXT, encoding=TEXT)
HEAD = {"httpVersion": TEXT, "cookies": _list(COOKIE), "headers": _list(PAIR)}
SIZES = {"headersSize": SIZE, "bodySize": SIZE}
REQUEST = _object({"method": TEXT, "url": TEXT, **HEAD, "queryString": _list(PAIR), **SIZES}, postData=POST)
RESPONSE = _object(
    {"status": SIZE, "statusText": TEXT, **HEAD, "content": CONTENT, "redirectURL": TEXT, **SIZES}
)
TIMINGS = _object({"send": TIME, "wait": TIME, "receive": TIME}, blocked=TIME, dns=TIME, connect=TIME)
ENTRY = _object(
    {
        "startedDateTime": DATE,
        "time": TIME,
        "request": REQUEST,
        "response": RESPONSE,
        "cache": _object({}),
        "timings": TIMINGS,
    },
    serverIPAddress=TEXT,
    connection=TEXT,
)
HAR = _object(
    {
        "log": _object(
            {
                "version": {"const": "1.2"},
                "creator": _object({"name": TEXT, "version": TEXT}),
                "entries": _list(ENTRY),
            }
        )
    }
)
