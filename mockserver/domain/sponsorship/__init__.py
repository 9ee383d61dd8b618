"""Sponsoring of gas: fee sponsorships, paymasters, gas policies and their budgets."""
