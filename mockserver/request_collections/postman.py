"""A Postman collection, of the format v2.1.0."""

import json
from collections.abc import Mapping
from typing import Any

from mockserver.request_collections.references import as_variables
from mockserver.request_collections.tour import Item, Tour

_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


def to_postman(tour: Tour, values: Mapping[str, str]) -> str:
    """The collection. What later requests need is kept in variables by the scripts of earlier ones."""
    collection = {
        "info": {"name": "mockserver", "schema": _SCHEMA},
        "item": [
            {"name": folder, "item": [_item(item) for item in items]}
            for folder, items in tour.folders.items()
        ],
        "variable": [{"key": name, "value": value} for name, value in values.items()],
    }
    return json.dumps(collection, indent=2, ensure_ascii=False) + "\n"


def _item(item: Item) -> dict[str, Any]:
    request: dict[str, Any] = {
        "method": item.endpoint.method,
        "url": as_variables(item.url),
        "header": [{"key": name, "value": as_variables(value)} for name, value in item.headers],
        "description": item.endpoint.summary,
    }
    if item.body:
        request["body"] = {
            "mode": "raw",
            "raw": as_variables(item.body),
            "options": {"raw": {"language": "json"}},
        }
    return {
        "name": item.name,
        "request": request,
        "event": [{"listen": "test", "script": {"type": "text/javascript", "exec": _script(item)}}],
        # A cookie would be looked at beside the token, and a redirect would lead to the application.
        "protocolProfileBehavior": {"disableCookies": True, "followRedirects": False},
    }


def _script(item: Item) -> list[str]:
    lines = [
        f'pm.test("{item.name} answers {item.status}", () => pm.response.to.have.status({item.status}));'
    ]
    for each in item.captures:
        value = each.script("pm.response.json()", 'pm.response.headers.get("Location")')
        lines.append(f'pm.collectionVariables.set("{each.variable}", {value});')
    return lines
