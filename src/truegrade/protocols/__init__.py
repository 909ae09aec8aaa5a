"""Protocols: presets that give the numbers of other tools, and the choice of metrics by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from truegrade.embedders import Embedder
from truegrade.embedders.reading import DEFAULT
from truegrade.errors import InputError, Notice, notice
from truegrade.grading import choose
from truegrade.metrics import Choice
from truegrade.metrics.base import Metric
from truegrade.protocols.record import Protocol as Protocol
from truegrade.protocols.table import PROTOCOLS as PROTOCOLS
from truegrade.result import did_you_mean
from truegrade.space import Space


def get_protocol(name: str | Protocol) -> Protocol:
    """The protocol of a name. Raises InputError for an unknown one, with the nearest known ones."""
    if isinstance(name, Protocol):
        return name
    if not isinstance(name, str) or name not in PROTOCOLS:
        near = did_you_mean(name, PROTOCOLS) if isinstance(name, str) else ""
        raise InputError(f"There is no protocol {str(name)[:60]!r}.{near} There are: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]


@dataclass(frozen=True)
class Selection:
    """The metrics of an evaluation by key, those asked for one by one, and what a protocol has to say.

    record: the protocol with its settings, as plain values, for the result; None without one.
    """

    metrics: dict[str, Metric]
    named: frozenset[str]
    protocol: Protocol | None = None
    notices: tuple[Notice, ...] = ()
    record: Mapping[str, Any] | None = None

    def embed(self, asked: str | Embedder | None) -> str | Embedder | None:
        """The embedder that was asked for, with the protocol's options where it is the protocol's network."""
        return self.protocol.completed(asked) if self.protocol is not None and isinstance(asked, str) else asked

    @property
    def default_embed(self) -> tuple[str, str]:
        """What embeds images if nothing was asked for, and what to say where it cannot."""
        if self.protocol is None or self.protocol.embed is None:
            return DEFAULT, ""
        network = self.protocol.network
        return self.protocol.embed, (
            f"The protocol {self.protocol.name} grades images by this network: embed='{network}:weights=FILE' "
            "(--embed), or name another embedder."
        )

    def with_pairs(self) -> Selection:
        """The same and the scores of a pair of columns, unless a protocol says what is graded."""
        return self if self.protocol else replace(self, metrics=self.metrics | choose("family:pairs")[0])

    def in_space(self, space: Space | None) -> Selection:
        """The same, with the feature space in the record, and a notice if it is not the protocol's."""
        if self.protocol is None or self.record is None:
            return self
        record = {**self.record, "features": "vectors as given" if space is None else space.name}
        notices = self.notices
        if space is not None and not self.protocol.grades_in(space):
            names = {"name": self.protocol.name, "embed": self.protocol.embed, "space": space.name}
            notices += (notice("protocol_features", **names),)
        return replace(self, record=record, notices=notices)


def select(
    protocol: str | Protocol | None,
    metrics: Choice | Iterable[Choice] | None = None,
    k: int | None = None,
    compat: str | None = None,
    holdout: bool = False,
) -> Selection:
    """The metrics that were asked for (None: the protocol's own set, or the default one), by a protocol's conventions.

    Metrics chosen by name that are outside the protocol keep their own conventions, instances stay as given, and an
    explicit k goes before the protocol's; each is said. Raises InputError for an unknown protocol, for `compat` beside
    a protocol, and what `choose` raises.
    """
    if protocol is None:
        return Selection(*choose(metrics, k, compat, holdout))
    by = get_protocol(protocol)
    if compat is not None:
        raise InputError(f"compat={compat!r} and the protocol {by.name} given, which fixes conventions; leave one out.")
    wanted: Any = tuple(by.metrics) if metrics is None else metrics
    if isinstance(wanted, Iterable) and not isinstance(wanted, str):
        wanted = list(wanted)  # read twice
    chosen, named = choose(wanted, k, None, holdout)
    given = [one for one in (wanted if isinstance(wanted, list) else [wanted]) if isinstance(one, Metric)]
    sorted_out = _Sorted(by, k)
    out = {key: sorted_out.take(key, metric, metric in given) for key, metric in chosen.items()}
    return Selection(
        out, frozenset() if metrics is None else named, by, tuple(sorted_out.notices()), sorted_out.record(out)
    )


def select_for_statistics(
    protocol: str | Protocol | None, metrics: Choice | Iterable[Choice] | None, k: int | None, compat: str | None
) -> Selection:
    """The same where only mean and covariance are known: of the protocol's own set the Fréchet distance alone."""
    by = None if protocol is None else get_protocol(protocol)
    if by is not None and metrics is None and "frechet_distance" not in by.metrics:
        raise InputError(
            f"The protocol {by.name} has no Fréchet distance, and a mean and a covariance allow nothing else; "
            "leave the protocol out."
        )
    return select(by, "frechet_distance" if metrics is None else metrics, k, compat)


@dataclass
class _Sorted:
    """Metrics, sorted by whether they follow the protocol, are outside of it or were given as instances."""

    protocol: Protocol
    k: int | None
    within: list[str] = field(default_factory=list)
    outside: dict[str, str] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)

    def take(self, key: str, metric: Metric, instance: bool) -> Metric:
        """The metric by the protocol's conventions, where it is in the protocol."""
        own = self.protocol.metrics.get(metric.info.key)
        if instance:
            self.given.append(key)
        elif own is None:
            self.outside[key] = metric.info.title
        else:
            self.within.append(key)
        if instance or own is None:
            return metric
        changes = {"k": self.k} if self.k is not None and "k" in own.parameters() else {}
        return replace(own, **changes)  # type: ignore[type-var]

    def changed(self) -> list[int]:
        """The values of k that were replaced."""
        own = (metric.parameters().get("k") for key, metric in self.protocol.metrics.items() if key in self.within)
        return sorted({k for k in own if k is not None and self.k not in (None, k)})

    def notices(self) -> Iterable[Notice]:
        name = self.protocol.name
        if self.outside:
            yield notice("protocol_outside", name=name, titles=", ".join(self.outside.values()))
        for k in self.changed():
            yield notice("protocol_k", name=name, k=self.k, own=k)

    def record(self, metrics: Mapping[str, Metric]) -> dict[str, Any]:
        """The protocol as plain values, for the result."""
        by = self.protocol
        return {
            "name": by.name,
            "reproduces": by.reproduces,
            "source": by.source,
            "embed": by.embed,
            "settings": by.settings_of({key: metrics[key] for key in self.within}),
            "changed": {"k": self.k} if self.changed() else {},
            "outside": list(self.outside),
            "as_given": list(self.given),
            "differs": list(by.differs),
        }
