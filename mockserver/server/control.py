"""The control API: what a test tells and asks the mock server itself."""

from mockserver.api.endpoint import Group

control = Group("Control")
