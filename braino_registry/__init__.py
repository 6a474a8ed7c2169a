"""A registry of EEG-analysis tasks and a thin runner that measures agents on them."""

__version__ = "0.1.0"
