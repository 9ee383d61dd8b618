"""Subscriptions: which events go where, as webhooks or mails."""

from mockserver.api.access import secret_key
from mockserver.api.endpoint import Group

subscriptions = Group("Subscriptions (v1)")

_READ = secret_key("subscriptions:read")
_WRITE = secret_key("subscriptions:write")
_DELETE = secret_key("subscriptions:delete")

subscriptions.planned("GET", "/v1/subscriptions", "GetSubscriptions", _READ)
subscriptions.planned("POST", "/v1/subscriptions", "CreateSubscription", _WRITE)
subscriptions.planned("GET", "/v1/subscriptions/logs", "ListSubscriptionLogs", _READ)
subscriptions.planned("POST", "/v1/subscriptions/test", "TestTrigger", _WRITE)
subscriptions.planned("GET", "/v1/subscriptions/{id}", "GetSubscription", _READ)
subscriptions.planned("DELETE", "/v1/subscriptions/{id}", "DeleteSubscription", _DELETE)
subscriptions.planned("GET", "/v1/subscriptions/{id}/triggers", "GetTriggers", _READ)
subscriptions.planned("POST", "/v1/subscriptions/{id}/triggers", "CreateTrigger", _WRITE)
subscriptions.planned("GET", "/v1/subscriptions/{id}/triggers/{triggerId}", "GetTrigger", _READ)
subscriptions.planned("DELETE", "/v1/subscriptions/{id}/triggers/{triggerId}", "DeleteTrigger", _DELETE)
