"""Subscriptions: which events go where, as webhooks or mails."""

from mockserver.api.access import secret_key
from mockserver.api.endpoint import Group

subscriptions = Group("Subscriptions (v1)")

_READ = secret_key("subscriptions:read")
_WRITE = secret_key("subscriptions:write")
_DELETE = secret_key("subscriptions:delete")

subscriptions.declare_unimplemented("GET", "/v1/subscriptions", "GetSubscriptions", _READ)
subscriptions.declare_unimplemented("POST", "/v1/subscriptions", "CreateSubscription", _WRITE)
subscriptions.declare_unimplemented("GET", "/v1/subscriptions/logs", "ListSubscriptionLogs", _READ)
subscriptions.declare_unimplemented("POST", "/v1/subscriptions/test", "TestTrigger", _WRITE)
subscriptions.declare_unimplemented("GET", "/v1/subscriptions/{id}", "GetSubscription", _READ)
subscriptions.declare_unimplemented("DELETE", "/v1/subscriptions/{id}", "DeleteSubscription", _DELETE)
subscriptions.declare_unimplemented("GET", "/v1/subscriptions/{id}/triggers", "GetTriggers", _READ)
subscriptions.declare_unimplemented("POST", "/v1/subscriptions/{id}/triggers", "CreateTrigger", _WRITE)
subscriptions.declare_unimplemented("GET", "/v1/subscriptions/{id}/triggers/{triggerId}", "GetTrigger", _READ)
subscriptions.declare_unimplemented(
    "DELETE", "/v1/subscriptions/{id}/triggers/{triggerId}", "DeleteTrigger", _DELETE
)
