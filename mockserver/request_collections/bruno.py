"""A Bruno collection: a directory of `.bru` files."""

import json
from collections.abc import Iterator, Mapping
from textwrap import indent

from mockserver.request_collections.references import Reference, as_variables
from mockserver.request_collections.tour import Item, Tour

_STEP = "  "


def to_bruno(tour: Tour, values: Mapping[str, str]) -> dict[str, str]:
    """The files by their paths. The environment `local` has the variables."""
    about = {"version": "1", "name": "mockserver", "type": "collection"}
    found = {
        "bruno.json": json.dumps(about, indent=2) + "\n",
        "environments/local.bru": _block("vars", (f"{name}: {value}" for name, value in values.items())),
    }
    for number, (folder, items) in enumerate(tour.folders.items(), 1):
        place = f"{number:02} {folder}"
        found[f"{place}/folder.bru"] = _block("meta", (f"name: {folder}", f"seq: {number}"))
        for seq, item in enumerate(items, 1):
            found[f"{place}/{seq:02} {item.name}.bru"] = _request(item, seq)
    return found


def _request(item: Item, seq: int) -> str:
    body = "json" if item.body else "none"
    url = f"url: {as_variables(item.url)}"
    blocks = [
        _block("meta", (f"name: {seq:02} {item.name}", "type: http", f"seq: {seq}")),
        _block(item.endpoint.method.lower(), (url, f"body: {body}", "auth: none")),
    ]
    if item.headers:
        blocks.append(_block("headers", (f"{name}: {as_variables(value)}" for name, value in item.headers)))
    if item.body:
        blocks.append(_block("body:json", (as_variables(item.body),)))
    if item.captures:
        blocks.append(_block("vars:post-response", map(_capture, item.captures)))
    blocks.append(_block("assert", (f"res.status: eq {item.status}",)))
    # A redirect would lead to the application.
    blocks.append(_block("settings", ("encodeUrl: false", "followRedirects: false")))
    blocks.append(_block("docs", (item.endpoint.summary,)))
    return "\n".join(blocks)


def _block(name: str, lines: "Iterator[str] | tuple[str, ...] | map[str]") -> str:
    return "\n".join([f"{name} {{", *(indent(line, _STEP) for line in lines), "}"]) + "\n"


def _capture(reference: Reference) -> str:
    return f"{reference.variable}: {reference.script('res.body', 'res.headers.location')}"
