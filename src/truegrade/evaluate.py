"""evaluate and compare: load, sweep once for all metrics, compute, add intervals and floors, collect."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict, Unpack, cast

import numpy as np

from truegrade.ecg.choice import ecg_in_words
from truegrade.ecg.options import EcgOptions
from truegrade.embedders import Embedder
from truegrade.embedders.reading import Reader
from truegrade.engine.cache import AnswerCache
from truegrade.errors import InputError
from truegrade.grading import Progress
from truegrade.images.collection import OnError
from truegrade.load import Kind
from truegrade.metrics import Choice
from truegrade.metrics.base import Metric, check_whole
from truegrade.opening import make_reader, open_cache, open_session, samples_of
from truegrade.protocols import Protocol, select_for_statistics
from truegrade.result import Comparison, Evaluation, Score
from truegrade.samples import Samples, align, check_pair
from truegrade.session import Session, plan_text
from truegrade.statistics import Statistics, grade_statistics, holds_statistics, refuse_samples_only
from truegrade.tabular import in_words
from truegrade.uncertainty.paired import combine
from truegrade.uncertainty.repeats import Repetition, repetition


class Settings(TypedDict, total=False):
    """What concerns the real side and the metrics; see `evaluate`."""

    metrics: Choice | Iterable[Choice] | None
    k: int | None
    compat: str | None
    protocol: str | Protocol | None
    seed: int
    holdout: object
    embed: str | Embedder | None
    kind: Kind
    types: Mapping[str, str] | None
    ecg: EcgOptions | Mapping[str, Any] | None
    on_error: OnError
    intervals: bool
    floor: bool
    exhibits: bool
    threads: int | None
    cache: AnswerCache | str | os.PathLike[str] | None
    progress: Progress | None


class Options(Settings, total=False):
    """What `evaluate` and `compare` accept beside the samples; see `evaluate`."""

    repeats: object


def evaluate(
    real: object,
    synthetic: object,
    *,
    metrics: Choice | Iterable[Choice] | None = None,
    k: int | None = None,
    compat: str | None = None,
    protocol: str | Protocol | None = None,
    seed: int = 0,
    holdout: object = None,
    embed: str | Embedder | None = None,
    kind: Kind = "auto",
    types: Mapping[str, str] | None = None,
    ecg: EcgOptions | Mapping[str, Any] | None = None,
    on_error: OnError = "refuse",
    repeats: object = None,
    intervals: bool = True,
    floor: bool = True,
    exhibits: bool = True,
    threads: int | None = None,
    cache: AnswerCache | str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Grade a synthetic set against a real one.

    Args:
        real, synthetic: (n, d) and (m, d): arrays, tensors, data frames, paths or Samples; or images: folders, zips,
            `truegrade.Images`, and with `embed` arrays (n, height, width, 3); or tables or ECGs, see `kind`.
            `synthetic` may also be a list of such sets, several runs of one generator: the first is graded, see
            `repeats`. Either may be a .npz file with the mean `mu` and the covariance `sigma` (as pytorch-fid writes
            it): then only the Fréchet distance is graded.
        metrics: keys, family names or metric instances; None is the default set. Of tables also "table", for all scores
            of columns and pairs, or one of `truegrade.tabular.TABLE_SCORES`; of ECGs "ecg" or one of
            `truegrade.ecg.ECG_SCORES`.
        k: neighbour count of the metrics that are chosen by name.
        compat: reproduce a published code's convention ("official") where a metric chosen by name offers it.
        protocol: give the numbers of another tool, by name ("torch-fidelity", "clean-fid", ...; see
            `truegrade.protocols`): its conventions for every metric chosen by name, its own set of metrics where none
            is named, its feature space for images. An explicit k goes before it. It stands in the result.
        seed: of everything that is drawn at random; equal seeds give equal results.
        holdout: real samples that the generator never saw; enables all copy checks and better floors.
        embed: what turns images into vectors: a name such as "lite0" (the default for images), a name with options
            ("pixels:size=32,pca=64"), or a `truegrade.Embedder`. It stands in the result, and beside every distance. Of
            ECGs which features of all leads: "descriptors" (the default), "spectral" or "beats".
        kind: what data frames and files of tables are. "auto": tables where the columns have names of their own (not
            f0, f1 ..., at most 200) or hold more than numbers; `.table` of the result then has columns, pairs of
            columns, detection, utility and privacy, and the metrics read whole rows, encoded as vectors. "table",
            "vectors": always. With a protocol or `embed` "auto" is "vectors". "ecg": recordings (n, leads, samples), as
            arrays, `truegrade.ecg.Recordings`, WFDB folders or files; "auto" takes recordings and WFDB as such. `.ecg`
            of the result then has leads, the clinical scorecard, copies and more.
        types: the type of columns of a table by name, where another one than the one found is meant: "number", "few",
            "category", "boolean", "date", "identifier" or "text".
        ecg: what the recordings are where they do not say so, and how they are made alike: a mapping or
            `truegrade.ecg.EcgOptions`, {"fs": 500, "units": "mV", "leads": [...], "patients": ..., "resample": 100}.
        on_error: of tables, "refuse" rows that hold an infinity, or "skip" and count them; of ECGs the same of files
            that cannot be read.
        repeats: further synthetic sets of the same generator (a list), or how many sets of n to draw from
            `synthetic`, a pool larger than n; every score then has the spread over all sets in `.repeats`. Of a
            pool the first drawn set is the one that is graded.
        intervals, floor: add a 95 % interval, and the same metric of real against real, to every score.
        exhibits: keep the samples that are worth looking at with the result, for its report. Only where it costs
            little: not for large sets of which no metric looks at neighbours.
        cache: a folder, or an AnswerCache, that keeps what concerns the real side alone for the next time.
        threads, progress: as for the engine. Neither these nor the cache ever change a number.

    Raises InputError for sets that cannot be compared, unknown metrics, and for metrics asked for by name
    that do not fit the sizes or lack a hold-out. A metric that fails later has a status and a reason instead.
    """
    if holds_statistics(real) or holds_statistics(synthetic):
        refuse_samples_only(real, synthetic, holdout=holdout, repeats=repeats)
        check_whole("seed", seed, 0)
        chosen = select_for_statistics(protocol, metrics, k, compat)
        reader = make_reader(chosen, embed, threads, open_cache(cache), progress)
        return grade_statistics(real, synthetic, reader, chosen, int(seed))
    session, reader = open_session(
        real,
        metrics=metrics,
        k=k,
        compat=compat,
        protocol=protocol,
        seed=seed,
        holdout=holdout,
        embed=embed,
        kind=kind,
        types=types,
        ecg=ecg,
        on_error=on_error,
        intervals=intervals,
        floor=floor,
        exhibits=exhibits,
        threads=threads,
        cache=cache,
        progress=progress,
    )
    return _grade(session, _sets(session, reader, synthetic, repeats))


def compare(real: object, models: Mapping[str, object], **options: Unpack[Options]) -> Comparison:
    """Grade several synthetic sets, by name, against one real set; options as for `evaluate`.

    What concerns the real set alone (its floors, its neighbours) is computed once. A model may be a list of runs,
    as for `evaluate`; a number of `repeats` draws that many sets from every model's pool.
    The result has the differences of every pair of models, with intervals and corrected p-values, ranks, and how
    far the scores agree; see `truegrade.uncertainty.paired.combine`.
    Raises InputError as `evaluate` does, for no models, and for names that are empty or the same.
    """
    if not isinstance(models, Mapping) or not models:
        raise InputError("compare needs at least one synthetic set by name, such as {'model A': a}.")
    if len({str(name) for name in models}) < len(models) or not all(str(name).strip() for name in models):
        names = ", ".join(repr(str(name)[:60]) for name in list(models)[:10])
        raise InputError(f"The models are named {names}; names that differ and are not empty are accepted.")
    for one in (real, *models.values()):
        if holds_statistics(one):
            raise InputError(
                f"{one.name if isinstance(one, Statistics) else one} is only a mean and a covariance, and a comparison "
                "needs samples on every side; evaluate gives the Fréchet distance of one pair."
            )
    options["cache"] = options.get("cache") or AnswerCache()
    options.setdefault("kind", "auto")
    repeats = options.pop("repeats", None)
    if repeats is not None and not isinstance(repeats, (int, np.integer)):
        raise InputError(
            f"repeats={str(repeats)[:60]} given to compare, which takes a number; for several runs of a model give "
            "{'model A': [run1, run2]}."
        )
    session, reader = open_session(real, **cast(Settings, options))
    loaded = {str(name): _sets(session, reader, given, repeats, str(name)) for name, given in models.items()}
    return combine({name: _grade(session, sets) for name, sets in loaded.items()})


def grade_one(metric: Metric, real: object, synthetic: object, **options: Unpack[Options]) -> Score:
    """One metric alone; what `metric(real, synthetic)` returns. Tables of numbers are read as the vectors they are."""
    options["metrics"] = metric
    options.setdefault("kind", "vectors")
    options.setdefault("exhibits", False)
    (score,) = evaluate(real, synthetic, **options).scores.values()
    return score


def explain(real: object, synthetic: object, **options: Unpack[Options]) -> str:
    """The plan of an evaluation in words, and what is computed besides; nothing is computed (images are embedded)."""
    repeats = options.pop("repeats", None)
    options.setdefault("kind", "auto")
    session, reader = open_session(real, **cast(Settings, options))
    sets = _sets(session, reader, synthetic, repeats)
    samples = sets.first
    check_pair(session.real, samples)
    fit = {k: m for k, m in session.metrics.items() if k not in session.unfit(samples)}
    besides = [
        *(["intervals, some from sweeps over halves of the sets"] if session.intervals else []),
        *(["the same metrics of real against real"] if session.floor else []),
        *([f"the same metrics of {len(sets) - 1} further sets"] if len(sets) > 1 else []),
    ]
    sides = session.sides(samples)
    if session.grades_tables(sides):
        besides += in_words(session.tables.parts, samples.table.coded.schema)
    if session.grades_ecg(sides):
        besides += ecg_in_words(session.ecg.parts, len(session.real.ecg.leads))
    plan = plan_text(fit, sides, (*session.seen(fit, samples), *session.near(sides)))
    return "\n".join([plan, *(f"besides: {text}" for text in besides)])


def _sets(session: Session, reader: Reader, synthetic: object, repeats: object, name: str | None = None) -> Repetition:
    """One set, or several of one generator; `name` is what the first is called, whatever it was called before."""

    def load(given: object, number: int) -> Samples:
        nameless = "synthetic" if number == 1 else f"synthetic set {number}"
        samples = samples_of(reader, given, nameless) if name is None or number > 1 else reader.read(given, name)
        return align(session.real, samples)

    return repetition(synthetic, repeats, n=session.real.n, seed=session.seed, load=load)


def _grade(session: Session, sets: Repetition) -> Evaluation:
    if len(sets) == 1:
        return session.evaluate(sets.first)
    if session.run.cache is None:  # what concerns the real side alone is computed once
        session = replace(session, run=replace(session.run, cache=AnswerCache()))
    return session.evaluate(sets.first, sets)
