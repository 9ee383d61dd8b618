"""JSON-RPC, as bundlers, paymasters and wallets are asked."""

from mockserver.api.access import USERS, Scheme, accepting
from mockserver.api.endpoint import Group

rpc = Group("JSON-RPC")

rpc.planned("POST", "/rpc", "HandleRpcRequest", accepting(*USERS))
rpc.planned("POST", "/rpc/{chainId}", "HandleChainRpcRequest", accepting(Scheme.PUBLISHABLE_KEY))
rpc.planned("POST", "/rpc/solana/{cluster}", "HandleSolanaRpcRequest", accepting(Scheme.PUBLISHABLE_KEY))
