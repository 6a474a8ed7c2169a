"""Recordings of BIDS datasets at native rates and in pieces, named views of them, kept results."""
