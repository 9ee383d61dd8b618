"""Phone numbers: codes by text message, and passwords reset with them."""

from mockserver.api.access import PROJECT
from mockserver.api.endpoint import Group

phone = Group("Authentication: phone numbers")

_PATH = "/iam/v2/auth/phone-number"

phone.planned("POST", "/iam/v2/auth/sign-in/phone-number", "signInPhoneNumber", PROJECT)
phone.planned("POST", f"{_PATH}/send-otp", "sendPhoneNumberOTP", PROJECT)
phone.planned("POST", f"{_PATH}/verify", "verifyPhoneNumber", PROJECT)
phone.planned("POST", f"{_PATH}/forget-password", "forgetPasswordPhoneNumber", PROJECT)
phone.planned("POST", f"{_PATH}/request-password-reset", "requestPasswordResetPhoneNumber", PROJECT)
phone.planned("POST", f"{_PATH}/reset-password", "resetPasswordPhoneNumber", PROJECT)
