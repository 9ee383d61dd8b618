"""Who pays for gas: fee sponsorships, paymasters, gas policies and their budgets."""
