"""An `.http` file, as the HTTP clients of JetBrains, httpYac and Visual Studio Code read it."""

from collections.abc import Iterator, Mapping

from mockserver.request_collections.references import Reference, as_variables
from mockserver.request_collections.tour import Item, Tour


def to_http(tour: Tour, values: Mapping[str, str]) -> str:
    """The file. The scripts behind requests keep what later ones need."""
    lines = [f"@{name} = {value}" for name, value in values.items()]
    for folder, items in tour.folders.items():
        lines += ["", f"### {folder}"]
        for item in items:
            lines += ["", *_request(item)]
    return "\n".join(lines) + "\n"


def _request(item: Item) -> Iterator[str]:
    yield f"### {item.name}: {item.endpoint.summary}"
    # A cookie would be looked at beside the token, and a redirect would lead to the application.
    yield from ("# @no-cookie-jar", "# @no-redirect")
    yield f"{item.endpoint.method} {as_variables(item.url)}"
    yield from (f"{name}: {as_variables(value)}" for name, value in item.headers)
    if item.body:
        yield from ("", as_variables(item.body))
    if item.captures:
        yield from ("", "> {%", *map(_capture, item.captures), "%}")


def _capture(reference: Reference) -> str:
    value = reference.script("response.body", 'response.headers.valueOf("Location")')
    return f'client.global.set("{reference.variable}", {value});'
