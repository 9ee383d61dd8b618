"""The node of an EVM chain."""
