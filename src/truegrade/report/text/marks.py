"""What a user named as Markdown in which nothing is markup, and tables."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from truegrade.report.words import safe

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_MARKUP = re.compile(r"[\\`*_{}\[\]()#+\-.!|~$:&<>@]")
_TEXT = re.compile(r"[\\`*_\[\]|~$#&<>@]")


def name(text: str, longest: int = 60) -> str:
    """What a user named, as text in which nothing is markup; right-to-left letters keep to themselves."""
    plain = safe(text, longest)
    shown = _MARKUP.sub(_escape, plain)
    turned = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in plain)
    return f"\u2068{shown}\u2069" if turned else shown


def prose(text: str, longest: int = 600) -> str:
    """A sentence of ours that may hold what a user named."""
    return _TEXT.sub(_escape, safe(text, longest))


def _escape(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0], "\\" + found[0])


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table whose first columns are to the left and the others, numbers, to the right."""
    marks = [":--" if at < left else "--:" for at in range(len(headings))]
    lines = [headings, marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def sections(
    summary: Mapping[str, Any], part: str, title: str, blocks: Callable[[Mapping[str, Any]], Iterable[str]]
) -> Iterator[str]:
    """The blocks of each model that has this part, under a heading; with the model's name where there are several."""
    models = [model for model in summary["models"] if model[part]]
    for model in models:
        yield f"## {title}" if len(models) == 1 else f"## {title}: {name(model['name'])}"
        yield from blocks(model[part])
