"""What a scenario may say, and what that means: one module a kind of member."""
