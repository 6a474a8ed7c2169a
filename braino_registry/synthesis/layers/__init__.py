"""The layers that recipes are made of, one module per family."""
