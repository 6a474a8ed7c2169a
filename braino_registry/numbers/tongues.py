"""Numbers in words of other languages, and round ones: "zweiundsiebzig", "the low seventies".

They are not read as values. Where a text must give no number, they are numbers all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_DE = "(?:ein|zwei|drei|vier|f(?:ü|ue)nf|sechs|sieben|acht|neun)"
_DE_TENS = "(?:zwanzig|drei(?:ß|ss)ig|vierzig|f(?:ü|ue)nfzig|sechzig|siebzig|achtzig|neunzig)"
_NL = "(?:een|twee|drie|vier|vijf|zes|zeven|acht|negen)"
_NL_TENS = "(?:twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig)"
_FR_TENS = (
    "(?:vingt|trente|quarante|cinquante|soixante|septante|huitante|octante|nonante"
    "|quatre[- ]vingts?)"
)
_FR = (
    "(?:un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix(?:[- ](?:sept|huit|neuf))?|onze|douze"
    "|treize|quatorze|quinze|seize)"
)
_ES_TENS = "(?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)"
_ES = "(?:uno?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)"
_PT_TENS = "(?:vinte|trinta|quarenta|cinquenta|sessenta|oitenta)"
_PT = "(?:um|dois|tr[eê]s|quatro|cinco|seis|sete|oito|nove)"
_IT_TENS = "(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)"
_IT = "(?:uno|due|tre|tr[eé]|quattro|cinque|sei|sette|otto|nove)"

_WORDS = re.compile(
    r"(?<!\w)(?:"
    rf"(?:{_DE}?hundert(?:und)?)?(?:(?:{_DE}und)?{_DE_TENS}|{_DE}?hundert)"
    r"|(?:drei|vier|f(?:ü|ue)nf|sech|sieb|acht|neun)zehn|zw(?:ö|oe)lf"
    rf"|(?:{_NL}(?:en|ën))?{_NL_TENS}"
    rf"|{_FR_TENS}(?:(?:[- ]et)?[- ]{_FR})?|cent[- ](?:{_FR_TENS}|{_FR})"
    rf"|{_ES_TENS}(?: y {_ES})?|veint(?:e|i\w+)"
    rf"|{_PT_TENS}(?: e {_PT})?"
    rf"|{_IT_TENS}[ia]?{_IT}|(?:venti|trenta|quaranta|cinquanta|sessanta|settanta|ottanta|novanta)"
    r")(?!\w)"
    r"|[一二三四五六七八九]?[十百][一二三四五六七八九十]{0,4}",
    re.IGNORECASE,
)
_ROUND = re.compile(
    r"(?<!\w)(?:(?P<where>low(?:er)?|mid(?:dle)?|high(?:er)?|upper|early"
    r"|late)[- ](?:to[- ](?:low|mid|high)[- ])?)?"
    r"(?:(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies|hundreds|(?P<digits>[1-9]0)['’]?s)(?!\w)",
    re.IGNORECASE,
)


class Foreign(NamedTuple):
    """A number in other words.

    Parameters
    ----------
    start, stop : int
        Where it stands.
    round : bool
        It names a decade, "the low seventies".
    """

    start: int
    stop: int
    round: bool


def foreign(text: str) -> Iterator[Foreign]:
    """Yield numbers above ten in words of other languages, and English decades.

    The languages are German, Dutch, French, Spanish, Portuguese, Italian and Chinese.

    Parameters
    ----------
    text : str
        Legible text.
    """
    for match in _WORDS.finditer(text):
        yield Foreign(match.start(), match.end(), False)
    for match in _ROUND.finditer(text):
        # "70s" without a word of place is seventy seconds
        if match["digits"] is None or match["where"] is not None:
            yield Foreign(match.start(), match.end(), True)
