"""What is done to accounts and users by transactions, and to transactions when accounts go."""
