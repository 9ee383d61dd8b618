"""One-time codes by mail."""

from mockserver.api.access import PROJECT
from mockserver.api.endpoint import Group

email_otp = Group("Authentication: one-time codes")

email_otp.planned("POST", "/iam/v2/auth/email-otp/send-verification-otp", "sendVerificationOTP", PROJECT)
email_otp.planned("POST", "/iam/v2/auth/email-otp/check-verification-otp", "checkVerificationOtp", PROJECT)
email_otp.planned("POST", "/iam/v2/auth/email-otp/verify-email", "verifyEmailOTP", PROJECT)
email_otp.planned("POST", "/iam/v2/auth/sign-in/email-otp", "signInEmailOTP", PROJECT)
email_otp.planned("POST", "/iam/v2/auth/forget-password/email-otp", "forgetPasswordEmailOTP", PROJECT)
email_otp.planned("POST", "/iam/v2/auth/email-otp/reset-password", "resetPasswordEmailOTP", PROJECT)
