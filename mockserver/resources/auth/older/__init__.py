"""The sign-in that `/iam/v2/auth` has replaced, as clients of the browser before 1.0 call it (`/iam/v1`)."""
