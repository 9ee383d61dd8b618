"""JSON-RPC, as bundlers, paymasters and wallets are asked."""

from mockserver.api.access import USERS, Scheme, any_scheme
from mockserver.api.endpoint import Group

rpc = Group("JSON-RPC")

rpc.declare_unimplemented("POST", "/rpc", "HandleRpcRequest", any_scheme(*USERS))
rpc.declare_unimplemented(
    "POST", "/rpc/{chainId}", "HandleChainRpcRequest", any_scheme(Scheme.PUBLISHABLE_KEY)
)
rpc.declare_unimplemented(
    "POST", "/rpc/solana/{cluster}", "HandleSolanaRpcRequest", any_scheme(Scheme.PUBLISHABLE_KEY)
)
