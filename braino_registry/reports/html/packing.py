"""JSON that takes little room in a page: deflated, and written in base64."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any


def packed(value: Any) -> str:
    """Return a value for the page's script, which inflates it by ``DecompressionStream``."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    # What cannot be written as UTF-8 was made visible before; nothing is lost here.
    data = squeeze.compress(text.encode("utf-8", "replace")) + squeeze.flush()
    return base64.b64encode(data).decode("ascii")


def unpacked(text: str) -> Any:
    """Return the value that `packed` wrote."""
    return json.loads(zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS))
