"""Signing up and in with a password."""

from dataclasses import replace
from typing import Any

from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.auth import AUTH

ADA = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}


def sign_up(visitor: Client, **changes: Any) -> Response:
    return visitor.post(f"{AUTH}/sign-up/email", json=ADA | changes)


def sign_in(visitor: Client, password: str = ADA["password"], **changes: Any) -> Response:
    body = {"email": ADA["email"], "password": password} | changes
    return visitor.post(f"{AUTH}/sign-in/email", json=body)


def require_verification(project: Project) -> None:
    project.settings = replace(project.settings, email_verification_required=True)
