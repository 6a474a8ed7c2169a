"""The kinds of decision, one file each."""
