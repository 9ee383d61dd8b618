"""What is imitated, simplified, absent, accepted or decided: the ledger, as data."""
