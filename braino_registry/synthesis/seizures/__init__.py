"""Seizures as the scalp sees them, and what only looks like them."""
