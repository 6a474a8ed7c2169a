"""The stages of `braino task check`, one a module; their order stands in each."""
