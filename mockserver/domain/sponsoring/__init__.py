"""Who pays for gas, from what, and what is paid back."""
