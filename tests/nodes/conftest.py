"""The node that the tests of this folder ask."""

import pytest
from httpx import Client

from mockserver.state.project import Project
from tests.nodes.node import Node


@pytest.fixture
def node(api: Client, project: Project) -> Node:
    """The node of a chain of `project`."""
    return Node(api, project)
