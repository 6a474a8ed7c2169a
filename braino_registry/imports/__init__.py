"""Benchmarks of others: their files become entries of a registry folder, which runs as any does."""
