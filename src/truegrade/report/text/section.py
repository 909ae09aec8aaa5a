"""What the terminal shows of one kind of data, model by model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from truegrade.report.words import safe

SEVERITIES = {"serious": "red", "caution": "yellow", "note": "dim"}
"""Their styles."""
View = Mapping[str, Any]


class Section(ABC):
    """The part of each model of a summary that has one, under the model's name, as something rich can print."""

    part: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, summary: View) -> None:
        self.models = [model for model in summary["models"] if model[self.part]]
        self.single = summary["kind"] == "evaluation"

    def __bool__(self) -> bool:
        return bool(self.models)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for model in self.models:
            who = "" if self.single else f": {safe(model['name'])}"
            yield Text(f"{self.title}{who}", "bold")
            yield from self.body(model[self.part], options.max_width)
            yield Text("")

    @abstractmethod
    def body(self, view: View, width: int) -> Iterator[RenderableType]:
        """Of one model, in so many columns."""
