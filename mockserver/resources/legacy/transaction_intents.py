"""Transaction intents: the older vocabulary for transactions (specification, Transaction intents)."""

from mockserver.api.access import USERS, Scheme, secret_key
from mockserver.api.endpoint import Group

transaction_intents = Group("Transaction intents")

_WRITERS = secret_key("transactions:write", *USERS)

transaction_intents.planned(
    "GET", "/v1/transaction_intents", "GetTransactionIntents", secret_key("transactions:read")
)
transaction_intents.planned("POST", "/v1/transaction_intents", "CreateTransactionIntent", _WRITERS)
transaction_intents.planned(
    "GET", "/v1/transaction_intents/{id}", "GetTransactionIntent", secret_key("transactions:read", *USERS)
)
transaction_intents.planned(
    "POST", "/v1/transaction_intents/estimate_gas_cost", "EstimateTransactionIntentCost", _WRITERS
)
transaction_intents.planned(
    "POST",
    "/v1/transaction_intents/{id}/signature",
    "Signature",
    secret_key("transactions:write", Scheme.PUBLISHABLE_KEY),
)
