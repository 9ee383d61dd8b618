"""The contract ABI of Solidity."""
