"""What files that an agent left hold, measured on their content, never taken from a header."""
