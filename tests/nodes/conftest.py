"""The node that the tests of this folder ask."""

import pytest
from httpx import Client

from mockserver.state.project import Project
from tests.nodes.cluster import ALICE, SOL, Cluster
from tests.nodes.node import Node


@pytest.fixture
def node(api: Client, project: Project) -> Node:
    """The node of a chain of `project`."""
    return Node(api, project)


@pytest.fixture
def cluster(api: Client, project: Project) -> Cluster:
    """A cluster on which Alice has some SOL."""
    made = Cluster(api, project)
    made.ask("requestAirdrop", str(ALICE.pubkey()), 10 * SOL)
    return made
