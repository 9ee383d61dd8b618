"""The Ethereum Virtual Machine: contracts that execute, as a pure function of a block, a call and a state."""
