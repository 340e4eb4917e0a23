"""Permalinks: a program and its launch in the fragment of the page's address, so that no server sees them.

The fragment is ``1=`` and, in base64 for addresses without padding, what zlib makes of a JSON object with
``program`` and ``launch``. The page in the browser reads and writes the same
(``playground/src/permalink.js``).
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib

from ..frozen import dataclass

PAGE = "playground/index.html"
"""Where the page is in the site."""
LARGEST = 16 << 20
"""Characters of a fragment, and bytes of what it holds: more is refused."""
_VERSION = "1="


@dataclass(frozen=True, slots=True)
class Permalink:
    """What a link holds: the text of a program, and words of a launch as a ``; CONVCHECK:`` line has them."""

    program: str
    launch: str = ""


def link(program: str, launch: str = "", page: str = PAGE) -> str:
    """The address at which a page shows a program; the launch wins over the program's own lines."""
    text = json.dumps({"program": program, "launch": launch}, separators=(",", ":"), ensure_ascii=False)
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 9)
    return f"{page}#{_VERSION}{base64.urlsafe_b64encode(packed).decode('ascii').rstrip('=')}"


def read(address: str) -> Permalink:
    """What a link, or its fragment, holds.

    :raises ValueError: for what is no such link, with what is wrong
    """
    fragment = address.rpartition("#")[2]
    if not fragment.startswith(_VERSION):
        raise ValueError("the link does not hold a program")
    coded = fragment.removeprefix(_VERSION)
    if len(coded) > LARGEST:
        raise ValueError("the link is too long")
    try:
        packed = base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, LARGEST)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise ValueError("cut off, or too large")
        held = json.loads(text.decode("utf-8", "surrogatepass"))
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"the link is damaged: {error}") from None
    if not isinstance(held, dict) or not isinstance(held.get("program"), str):
        raise ValueError("the link does not hold a program")
    launch = held.get("launch", "")
    return Permalink(held["program"], launch if isinstance(launch, str) else "")
