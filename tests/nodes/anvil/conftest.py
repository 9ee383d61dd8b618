"""The two nodes that the tests of this folder ask."""

from tests.nodes.anvil.pair import pair as pair
