"""Protocol: the conventions of another tool, as metrics with their parameters and a default feature space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truegrade.codec import plain
from truegrade.metrics.base import Metric
from truegrade.space import Space


@dataclass(frozen=True, eq=False)
class Protocol:
    """A preset that gives the numbers of another tool.

    Attributes:
        name: as in `protocol="name"`.
        reproduces: the tool and its version.
        source: where it is described, an address.
        metrics: by key, the metrics that the tool computes, with its conventions as parameters.
        conventions: by key of a metric, what the tool does that is no parameter here: plain values.
        embed: the feature space in which the tool grades images, written as for `embed`; None if it takes vectors.
        differs: what cannot be reproduced, and what is equal all the same; a sentence each.
    """

    name: str
    reproduces: str
    source: str
    metrics: Mapping[str, Metric]
    conventions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    embed: str | None = None
    differs: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, dict[str, Any]]:
        """Every convention, by key of a metric: plain JSON values."""
        return self.settings_of(self.metrics)

    def settings_of(self, metrics: Mapping[str, Metric]) -> dict[str, dict[str, Any]]:
        """The same of these metrics, by key, which are the protocol's but perhaps for parameters."""
        return {
            key: {name: plain(value) for name, value in metric.parameters().items()}
            | dict(self.conventions.get(metric.info.key, {}))
            for key, metric in metrics.items()
        }

    @property
    def network(self) -> str | None:
        """The name of the embedder."""
        return None if self.embed is None else self.embed.partition(":")[0]

    @property
    def options(self) -> dict[str, str]:
        """The options of the embedder."""
        return _options((self.embed or "").partition(":")[2])

    def completed(self, embed: str) -> str:
        """The embedder that was asked for; of the tool's own network, with the options that were left open."""
        name, _, given = embed.strip().partition(":")
        if name != self.network:
            return embed
        missing = [f"{key}={value}" for key, value in self.options.items() if key not in _options(given)]
        parts = [*missing, *([given] if given else [])]
        return f"{name}:{','.join(parts)}" if parts else name

    def grades_in(self, space: Space | None) -> bool:
        """Whether these features are the tool's, as far as can be told: vectors of unknown origin are taken as such."""
        if space is None or self.embed is None:
            return True
        resize = self.options.get("resize")
        read = space.embedder.get("preprocessing")
        way = read.get("as") if isinstance(read, Mapping) else None
        return space.embedder.get("name") == self.network and resize in (None, way)


def _options(text: str) -> dict[str, str]:
    parts = (part.partition("=") for part in text.split(",") if part.strip())
    return {key.strip(): value.strip() for key, _, value in parts}
