"""Numbers: reading them out of text, their units, and where each of them came from.

Pure Python without further imports, so that the session, the tools and the scoring can share one
reading and one ledger.
"""

from braino_registry.numbers.ledger import Entry, Ledger
from braino_registry.numbers.reading import Number, read_numbers
from braino_registry.numbers.structured import excess, numbers_of_data
from braino_registry.numbers.transcripts import from_transcript
from braino_registry.numbers.units import Unit, convert, convertible, find_unit, unit_of

__all__ = [
    "Entry",
    "Ledger",
    "Number",
    "Unit",
    "convert",
    "convertible",
    "excess",
    "find_unit",
    "from_transcript",
    "numbers_of_data",
    "read_numbers",
    "unit_of",
]
