"""The pytest plugin: fixtures, the `mockserver` marker, and the report of a failed test.

pytest imports it in every run, so heavy imports are inside the functions that need them. It finds
fixtures and hooks by their names here.
"""

from mockserver.pytest_plugin.fixtures import mock_api, mock_asgi, mock_project, mockserver
from mockserver.pytest_plugin.options import pytest_configure
from mockserver.pytest_plugin.report import pytest_runtest_makereport

__all__ = [
    "mock_api",
    "mock_asgi",
    "mock_project",
    "mockserver",
    "pytest_configure",
    "pytest_runtest_makereport",
]
