"""The pytest plugin: fixtures, the `mockserver` marker, options, and the report of a failed test.

pytest imports it in every run, so heavy imports are inside the functions that need them. It finds
fixtures and hooks by their names here.
"""

from mockserver.pytest_plugin.fixtures import (
    mock_api,
    mock_asgi,
    mock_async_api,
    mock_class_project,
    mock_env,
    mock_module_project,
    mock_project,
    mock_project_factory,
    mock_session_project,
    mockserver,
)
from mockserver.pytest_plugin.options import pytest_addhooks, pytest_addoption, pytest_configure
from mockserver.pytest_plugin.report import (
    pytest_runtest_call,
    pytest_runtest_makereport,
    pytest_runtest_setup,
)
from mockserver.pytest_plugin.sharing import pytest_configure_node, pytest_unconfigure

__all__ = [
    "mock_api",
    "mock_asgi",
    "mock_async_api",
    "mock_class_project",
    "mock_env",
    "mock_module_project",
    "mock_project",
    "mock_project_factory",
    "mock_session_project",
    "mockserver",
    "pytest_addhooks",
    "pytest_addoption",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_runtest_call",
    "pytest_runtest_makereport",
    "pytest_runtest_setup",
    "pytest_unconfigure",
]
