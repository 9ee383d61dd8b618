"""Rows that must be there."""

import pytest

from mockserver import errors
from mockserver.domain.identity.users import create_user
from mockserver.errors import ApiError
from mockserver.state.existence import require
from mockserver.state.project import Project


def test_a_row_that_is_there_is_found(project: Project) -> None:
    user = create_user(project, name="Ada", email=None)
    users = project.identity.users
    assert require(users, user.id, errors.USER_NOT_FOUND) is user
    assert require(users, user.id, errors.USER_NOT_FOUND, accept=lambda row: row.name == "Ada") is user


def test_a_meaningless_id_is_refused_and_shown_shortened(project: Project) -> None:
    with pytest.raises(ApiError) as refused:
        require(project.identity.users, "usr_" + "0" * 500, errors.USER_NOT_FOUND, "user")
    assert (refused.value.row, refused.value.param) == (errors.USER_NOT_FOUND, "user")
    assert refused.value.message == f"There is no user usr_{'0' * 113}....", "the whole takes 120 characters"


def test_an_unacceptable_row_is_refused_like_a_missing_one(project: Project) -> None:
    user = create_user(project, name="Ada", email=None)
    with pytest.raises(ApiError) as refused:
        require(project.identity.users, user.id, errors.USER_NOT_FOUND, accept=lambda row: row.name == "Eve")
    assert (refused.value.row, refused.value.param) == (errors.USER_NOT_FOUND, None)
    assert refused.value.message == f"There is no user {user.id}."
