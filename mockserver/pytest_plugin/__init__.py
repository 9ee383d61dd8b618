"""The pytest plugin: fixtures, the `mockserver` marker, options, and the report of a failed test.

pytest imports it in every run, so heavy imports are inside the functions that need them. It finds
fixtures and hooks by their names here.
"""

from mockserver.pytest_plugin.fixtures import mock_api as mock_api
from mockserver.pytest_plugin.fixtures import mock_asgi as mock_asgi
from mockserver.pytest_plugin.fixtures import mock_async_api as mock_async_api
from mockserver.pytest_plugin.fixtures import mock_class_project as mock_class_project
from mockserver.pytest_plugin.fixtures import mock_env as mock_env
from mockserver.pytest_plugin.fixtures import mock_module_project as mock_module_project
from mockserver.pytest_plugin.fixtures import mock_project as mock_project
from mockserver.pytest_plugin.fixtures import mock_project_factory as mock_project_factory
from mockserver.pytest_plugin.fixtures import mock_session_project as mock_session_project
from mockserver.pytest_plugin.fixtures import mockserver as mockserver
from mockserver.pytest_plugin.options import pytest_addhooks as pytest_addhooks
from mockserver.pytest_plugin.options import pytest_addoption as pytest_addoption
from mockserver.pytest_plugin.options import pytest_configure as pytest_configure
from mockserver.pytest_plugin.report import pytest_runtest_call as pytest_runtest_call
from mockserver.pytest_plugin.report import pytest_runtest_makereport as pytest_runtest_makereport
from mockserver.pytest_plugin.report import pytest_runtest_setup as pytest_runtest_setup
from mockserver.pytest_plugin.sharing import pytest_configure_node as pytest_configure_node
from mockserver.pytest_plugin.sharing import pytest_unconfigure as pytest_unconfigure
