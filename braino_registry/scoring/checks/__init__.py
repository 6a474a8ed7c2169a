"""The check kinds, one module per family."""
