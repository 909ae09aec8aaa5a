"""Names and values of users in messages: quoted, cut, on one line; and what a wrong name was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_LONGEST = 60  # characters of a name or value that a message shows
_SEARCHED = 2_000  # names among which a near one is looked for


def quoted(name: object, most: int = _LONGEST) -> str:
    """The name in quotes, its control characters escaped, cut after `most` characters."""
    text = str(name)
    return repr(text if len(text) <= most else text[:most] + "…")


def shown(text: str, most: int = _LONGEST) -> str:
    """The text as one line: no control, format or direction characters, not longer than `most`."""
    begin = text[: most + 1]  # what is beyond is not shown, and may be long
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in begin)
    return line if len(line) <= most else line[: most - 1] + "…"


def listed(names: Sequence[object], most: int = 10) -> str:
    """Names quoted and separated by commas, cut after `most`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(quoted(name) for name in names[:most]) + more


def near(name: str, others: Iterable[str]) -> str | None:
    """The name that `name` may have been meant to be; capitals, spaces, dots and underscores do not count."""
    plain = {_plain(other): other for other in list(others)[:_SEARCHED]}
    found = difflib.get_close_matches(_plain(name), list(plain), n=1, cutoff=0.75)
    return plain[found[0]] if found else None


def _plain(name: str) -> str:
    return "".join(c for c in name[:200].casefold() if c.isalnum()) or name[:200]
