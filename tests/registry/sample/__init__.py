"""A small package of check kinds, layers and conversions, as other packages bring them."""
