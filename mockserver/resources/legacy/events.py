"""Events: what a project wants to be told of its chains, and the logs of its requests."""

from mockserver.api.access import secret_key
from mockserver.api.endpoint import Group

events = Group("Events and logs (v1)")

events.declare_unimplemented("GET", "/v1/events", "GetEvents", secret_key("events:read"))
events.declare_unimplemented("POST", "/v1/events", "CreateEvent", secret_key("events:write"))
events.declare_unimplemented("GET", "/v1/events/{id}", "GetEvent", secret_key("events:read"))
events.declare_unimplemented("DELETE", "/v1/events/{id}", "DeleteEvent", secret_key("events:delete"))
events.declare_unimplemented("GET", "/v1/logs", "GetProjectLogs", secret_key("logs:read"))
events.declare_unimplemented("GET", "/v1/logs/webhook", "GetWebhookLogsByProjectId", secret_key("logs:read"))
