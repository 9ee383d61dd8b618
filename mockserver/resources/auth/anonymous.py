"""Signing in without saying who one is."""

from mockserver.api.access import PROJECT
from mockserver.api.endpoint import Group

anonymous = Group("Authentication: anonymous users")

anonymous.planned("POST", "/iam/v2/auth/sign-in/anonymous", "signInAnonymous", PROJECT)
