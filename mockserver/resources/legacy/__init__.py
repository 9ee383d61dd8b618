"""The older API: it translates to the rows and state machines of the newer one and back."""
