"""Opening a session: the real side, the hold-out and the choice of metrics, validated; what reads the other sides."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from truegrade.ecg.choice import ECG_NAMES, EcgWanted, split_ecg_choice
from truegrade.ecg.kind import are_recordings
from truegrade.ecg.options import EcgOptions
from truegrade.embedders import Embedder
from truegrade.embedders.reading import Reader, Tables
from truegrade.engine.cache import AnswerCache
from truegrade.errors import InputError
from truegrade.grading import Progress, Run
from truegrade.images import Images
from truegrade.images.collection import OnError
from truegrade.load import Kind, check_kind
from truegrade.metrics import Choice
from truegrade.metrics.base import check_whole
from truegrade.protocols import Protocol, Selection, select
from truegrade.recordings import Recordings
from truegrade.samples import Samples, align
from truegrade.session import Session
from truegrade.stored import cache_folder
from truegrade.tables import Table
from truegrade.tabular import TableReader, Wanted, split_choice


def open_session(
    real: object,
    *,
    metrics: Choice | Iterable[Choice] | None = None,
    k: int | None = None,
    compat: str | None = None,
    protocol: str | Protocol | None = None,
    seed: int = 0,
    holdout: object = None,
    embed: str | Embedder | None = None,
    kind: Kind = "vectors",
    types: Mapping[str, str] | None = None,
    ecg: EcgOptions | Mapping[str, Any] | None = None,
    on_error: OnError = "refuse",
    intervals: bool = True,
    floor: bool = True,
    exhibits: bool = True,
    threads: int | None = None,
    cache: AnswerCache | str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> tuple[Session, Reader]:
    """Everything that concerns the real side and the choice of metrics, validated; and what reads the other sides."""
    chosen = choose_all(protocol, metrics, k, compat, holdout is not None)
    selection = chosen.selection
    check_whole("seed", seed, 0)
    if threads is not None:
        check_whole("threads", threads, 1)
        threads = int(threads)
    keep = open_cache(cache)
    tables: Tables
    if kind_of(real, kind, ecg) == "ecg":
        tables, embed = make_recordings(selection, embed, ecg, types, on_error), None
    else:
        tables = make_tables(selection, embed, kind, types, on_error, int(seed))
    reader = make_reader(selection, embed, threads, keep, progress, tables)
    base = samples_of(reader, real, "real")
    _check_scores(chosen, base)
    fresh = None if holdout is None else _check_holdout(base, samples_of(for_holdout(reader), holdout, "holdout"))
    run = Run(threads, keep, progress)
    by = selection.in_space(base.space)
    if metrics is None and _is_plane(base):
        by = by.with_pairs()
    what = (by.metrics, by.named, k, int(seed), intervals, floor, run, exhibits)
    how = (by.record, by.notices, chosen.tables, chosen.ecg)
    return Session(base, fresh, *what, *how), reader


@dataclass(frozen=True)
class Chosen:
    """The metrics that were asked for with what a protocol says of them, the scores of tables and those of ECGs."""

    selection: Selection
    tables: Wanted
    ecg: EcgWanted = field(default_factory=EcgWanted)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of all of them."""
        return (*self.selection.metrics, *self.tables.keys, *self.ecg.keys)


def choose_all(
    protocol: str | Protocol | None,
    metrics: Choice | Iterable[Choice] | None,
    k: int | None,
    compat: str | None,
    holdout: bool,
) -> Chosen:
    """The metrics of vectors or whole rows, the scores of tables and those of ECGs, that were asked for; see
    `evaluate`."""
    rest, ecg = split_ecg_choice(metrics)
    rest, tables = split_choice(rest, ECG_NAMES)
    if (tables.named or ecg.named) and rest == []:
        return Chosen(Selection({}, frozenset()), tables, ecg)
    return Chosen(select(protocol, rest, k, compat, holdout), tables, ecg)


def _is_plane(real: Samples) -> bool:
    """Points in the plane as they were given: two columns, and neither images nor a table behind them."""
    return real.d == 2 and real.space is None and real.pixels is None and real.table is None


def kind_of(real: object, kind: Kind, ecg: EcgOptions | Mapping[str, Any] | None) -> Kind:
    """The kind that was asked for; where none was, "ecg" if the real set is recordings or options of such are given.

    Raises InputError for options of recordings beside another kind, and for an unknown kind.
    """
    if check_kind(kind) == "auto":
        return "ecg" if ecg is not None or are_recordings(real) else "auto"
    if ecg is not None and kind != "ecg":
        raise InputError(f"ecg={str(ecg)[:60]} given beside kind={kind!r}; it is for kind='ecg' (--kind ecg).")
    return kind


def make_recordings(
    selection: Selection,
    embed: str | Embedder | None,
    ecg: EcgOptions | Mapping[str, Any] | None,
    types: Mapping[str, str] | None,
    on_error: OnError,
) -> Tables:
    """What reads ECG recordings. InputError for a protocol, types of columns, or an embedder of images."""
    from truegrade.ecg.reading import EcgReader, feature_set  # scipy is loaded when recordings are read

    if selection.protocol is not None:
        raise InputError(
            f"The protocol {selection.protocol.name} gives the numbers of a tool that grades vectors or images; of ECG "
            "recordings leave it out. truegrade.ecg.AVAILABLE_METRICS has the numbers of ECGEN-Eval (compat=...)."
        )
    if types is not None:
        raise InputError(f"types={dict(types)!r} given, and ECG recordings have no columns. Leave it out.")
    return EcgReader(EcgOptions.read(ecg), feature_set(embed), on_error)


def for_holdout(reader: Reader) -> Reader:
    """What reads real samples that the generator never saw: of recordings, with what was said of real ones."""
    turn = getattr(reader.tables, "for_holdout", None)
    return reader if turn is None else replace(reader, tables=turn())


def make_tables(
    selection: Selection,
    embed: str | Embedder | None,
    kind: Kind,
    types: Mapping[str, str] | None,
    on_error: OnError,
    seed: int,
) -> TableReader:
    """What reads tables. "auto" is "vectors" where the metrics are of vectors: with a protocol, with an embedder, and
    for metrics of a pair of columns alone."""
    pairs = {metric.info.family for metric in selection.metrics.values()} == {"pairs"}
    vectors = selection.protocol is not None or embed is not None or pairs
    chosen = "vectors" if check_kind(kind) == "auto" and vectors else kind
    return TableReader(chosen, types, on_error, seed)


def make_reader(
    selection: Selection,
    embed: str | Embedder | None,
    threads: int | None,
    cache: AnswerCache | None,
    progress: Progress | None,
    tables: Tables | None = None,
) -> Reader:
    """What reads the sets, in the feature space that was asked for, or the protocol's; without `tables`, vectors."""
    default, why = selection.default_embed
    folder = None if cache is None else cache.folder
    return Reader(selection.embed(embed), folder, threads, progress, default=default, why=why, tables=tables)


def open_cache(cache: AnswerCache | str | os.PathLike[str] | None) -> AnswerCache | None:
    """The cache itself, or the one in a folder, which is made if it is not there."""
    if cache is None or isinstance(cache, AnswerCache):
        return cache
    return AnswerCache(cache_folder(cache, "a folder or an AnswerCache"))


def samples_of(reader: Reader, given: object, name: str) -> Samples:
    """Samples, images, tables, recordings and files keep the names they have; `name` is for what has none."""
    named = isinstance(given, (Samples, Images, Table, Recordings, str, os.PathLike))
    return reader.read(given, None if named else name)


def _check_scores(chosen: Chosen, real: Samples) -> None:
    """InputError where scores of tables or of ECGs were asked for by name, and the real set is none."""
    if real.ecg is None and chosen.ecg.named:
        raise InputError(
            f"{', '.join(sorted(chosen.ecg.keys)[:10])} asked for, which grade ECG recordings, and {real.name} holds "
            "none. Give recordings, or kind='ecg' (--kind ecg) where arrays are recordings."
        )
    if real.table is None and chosen.tables.named:
        raise InputError(
            f"{', '.join(sorted(chosen.tables.keys))} asked for, which grade tables, and {real.name} holds vectors of "
            f"{real.d} features. Give a table with named columns, or kind='table' (--kind table) where it is one."
        )


def _check_holdout(real: Samples, holdout: Samples) -> Samples:
    if holdout.n < 2:
        raise InputError(f"The hold-out set ({holdout.name}) has {holdout.n} sample; at least 2 are needed.")
    holdout = align(real, holdout)
    if holdout.d != real.d:
        raise InputError(
            f"The hold-out set ({holdout.name}) has {holdout.d} features, the real set {real.d}; "
            "both must come from the same feature space."
        )
    if holdout.fingerprint == real.fingerprint:
        raise InputError("The hold-out set is the real set itself; give real samples that the generator never saw.")
    return holdout
