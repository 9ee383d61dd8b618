"""Sign-up, sign-in and sessions (`/iam/v2/auth`), one module for each sign-in method."""
