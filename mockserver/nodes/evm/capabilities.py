"""What a node is: the rules of its chain (EIP-7910), and for which blocks it has what."""

from typing import Any
from zlib import crc32

from mockserver.nodes.doors import NODE
from mockserver.nodes.evm.chain import Chain, ask_chain, position
from mockserver.nodes.methods import Methods
from mockserver.nodes.values import to_hex

methods = Methods("JSON-RPC", ask_chain, NODE)

_BLOBS = {"target": 6, "max": 9, "baseFeeUpdateFraction": 5_007_716}
"""The blobs of a block since Prague (EIP-7691)."""
_PRECOMPILES = (
    "ECREC",
    "SHA256",
    "RIPEMD160",
    "ID",
    "MODEXP",
    "BN254_ADD",
    "BN254_MUL",
    "BN254_PAIRING",
    "BLAKE2F",
    "KZG_POINT_EVALUATION",
    "BLS12_G1ADD",
    "BLS12_G1MSM",
    "BLS12_G2ADD",
    "BLS12_G2MSM",
    "BLS12_PAIRING_CHECK",
    "BLS12_MAP_FP_TO_G1",
    "BLS12_MAP_FP2_TO_G2",
    "P256VERIFY",
)
"""The names of EIP-7910, in the order of the addresses."""


@methods.method("eth_config")
def get_config(chain: Chain) -> dict[str, Any]:
    """Retrieve the rules of the chain: those of Osaka from its first block on, and no others."""
    from mockserver.chain.evm.forks import Fork
    from mockserver.chain.evm.precompiles import precompile_addresses

    genesis = bytes.fromhex(chain.hash_of(0)[2:])
    addresses = map(to_hex, precompile_addresses(Fork.OSAKA))
    current = {
        "activationTime": 0,
        "blobSchedule": _BLOBS,
        "chainId": hex(chain.id),
        # Of a chain without later forks it is the checksum of the first block's hash (EIP-2124).
        "forkId": f"0x{crc32(genesis):08x}",
        "precompiles": dict(zip(_PRECOMPILES, addresses, strict=True)),
        "systemContracts": {},
    }
    return {"current": current, "next": None, "last": None}


@methods.method("eth_capabilities")
def get_capabilities(chain: Chain) -> dict[str, Any]:
    """Retrieve from which block on the node has state, transactions, logs and receipts."""
    included = chain.included()
    last = position(included[-1])[0] if included else 0
    everything: dict[str, Any] = {"disabled": False, "oldestBlock": "0x0"}
    return {
        "head": {"number": hex(chain.latest), "hash": chain.hash_of(chain.latest)},
        # The state before the last transaction is not kept.
        "state": {**everything, "oldestBlock": hex(last)},
        "stateproofs": {"disabled": True},
        **dict.fromkeys(("tx", "logs", "receipts", "blocks"), everything),
    }
