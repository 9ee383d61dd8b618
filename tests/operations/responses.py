"""What tests read from responses."""

from typing import Any

from httpx import Response


def ok(response: Response) -> Any:
    """The body of a response that is to be a success."""
    assert response.status_code == 200, response.text
    return response.json()


def error_of(response: Response) -> tuple[int, str, str | None]:
    """The status, code and parameter of an error."""
    error = response.json()["error"]
    return response.status_code, error["code"], error.get("param")
