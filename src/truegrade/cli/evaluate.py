"""The commands that grade: evaluate and demo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from truegrade import Comparison, Evaluation, compare
from truegrade import evaluate as grade
from truegrade.cli import inputs, tools
from truegrade.cli.app import DONE, FAILED, MISSED, app
from truegrade.cli.baseline import Baseline, read_baseline
from truegrade.cli.files import Files
from truegrade.cli.inputs import open_all
from truegrade.cli.options import Options
from truegrade.cli.recordings import kind_of
from truegrade.cli.tools import Gate, UsageError, complain, progress_bar, say
from truegrade.ecg import ECG_SCORES
from truegrade.embedders import get_embedder
from truegrade.embedders.reading import Reader
from truegrade.errors import InputError, MissingExtra
from truegrade.evaluate import explain
from truegrade.opening import (
    for_holdout,
)
from truegrade.report.summarize import summarize
from truegrade.report.text import terminal
from truegrade.samples import Samples
from truegrade.statistics import Statistics
from truegrade.tabular import TABLE_SCORES

_NONE = Options()


@app.command
def evaluate(
    real: str,
    /,
    *sets: str,
    synthetic: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    options: Options = _NONE,
) -> int:
    """Grade a synthetic set, or several, against the real one.

    Exit status: 0 done, 1 the input cannot be graded, 2 wrong usage, 3 a --fail-under was missed or
    a score is worse than the --baseline, 4 a metric failed.

    Args:
        real: File of the real samples (.npy, .npz, .csv, .tsv, .parquet), one sample a row; or a folder or .zip of
            images; or ECG recordings (see --kind).
        sets: Files (folders) of synthetic samples, each FILE or NAME=FILE; several are models to compare.
        synthetic: Instead: several sets of one generator, FILE FILE ...; the first is graded, and the spread of its
            scores over all of them is given.
    """
    if bool(sets) == bool(synthetic):
        found = "was given twice" if sets else "is missing"
        raise UsageError(f"SYNTHETIC {found}: name files of models, or --synthetic and several runs of one generator.")
    options = replace(options, kind=kind_of(real, options.kind, options))
    gates = _check_usage(options)
    given = [*sets, *(synthetic or ())]
    baseline = read_baseline(options.baseline)
    read = [real, *given, *(() if baseline is None else [str(baseline.path)])]
    files = Files(options.json, options.html, options.markdown).ready(read, options.holdout)
    wanted = options.wanted()
    *opened, fresh = open_all(real, given, wanted, options.holdout)
    with progress_bar() as progress:
        reader = options.reader(progress)
        if any(isinstance(one, Statistics) for one in (*opened, fresh)):
            return _finish(_from_statistics(reader, opened, fresh, options), files, gates)
        base = reader.read(opened[0])
        held = None if fresh is None else for_holdout(reader).read(fresh)
        loaded = [reader.read(one) for one in opened[1:]]
        _check_gates(gates, base)
        keywords = options.keywords() | {"holdout": held}
        models = {loaded[0].name: loaded} if synthetic else {m.name: m for m in loaded}
        if baseline is not None:
            baseline.refuse(base, models)
        if options.explain:
            say(explain(base, next(iter(models.values())), **keywords))
            return DONE
        result = compare(base, models, **keywords, progress=progress)
    return _finish(result if len(models) > 1 else next(iter(result.evaluations.values())), files, gates, baseline)


@app.command
def demo(*, html: Path | None = None, json: Path | None = None, markdown: Path | None = None) -> int:
    """Grade three generated sets of handwritten digits, shipped with truegrade, against real digits.

    Args:
        html: Write the report, a page, to this file; report.html by default.
        json: Also write everything to this file.
        markdown: Also write Markdown to this file.
    """
    from truegrade.demo import demo_samples

    files = _demo_files(html, json, markdown)
    data = demo_samples()
    models = {name: data[name] for name in ("good", "mode_dropping", "copying")}
    with progress_bar() as progress:
        result = compare(data["train"], models, holdout=data["holdout"], progress=progress)
    status = _finish(result, files, ())
    if files.html is not None:
        say(f"\nReport: {files.html.resolve()}")
    return status


def _demo_files(html: Path | None, json: Path | None, markdown: Path | None) -> Files:
    """What the demo writes: a page even if none was asked for, where it can be drawn."""
    try:
        return Files(json, html or Path("report.html"), markdown).ready()
    except MissingExtra as error:
        if html is not None:
            raise
        complain(f"There will be no page. {error}")
        return Files(json, None, markdown).ready()


def _from_statistics(reader: Reader, opened: Sequence[Any], fresh: object, options: Options) -> Evaluation:
    """The grade of one pair of which a side is only a mean and a covariance."""
    if len(opened) != 2 or fresh is not None or options.baseline is not None:
        raise UsageError("A file of mu and sigma is graded against one other set, without --holdout and --baseline.")
    real, synthetic = (one if isinstance(one, Statistics) else reader.read(one) for one in opened)
    names = None if options.metrics is None else options.chosen()
    return grade(real, synthetic, metrics=names, protocol=options.protocol, k=options.k, seed=options.seed)


def _check_usage(options: Options) -> tuple[Gate, ...]:
    """Refuse misspelt metrics and gates before any file is read."""
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed} given; a whole number of at least 0 is accepted.")
    if options.repeats is not None and options.repeats < 2:
        raise UsageError(f"--repeats {options.repeats} given; a whole number of at least 2 is accepted.")
    if options.threads is not None and options.threads < 1:
        raise UsageError(f"--threads {options.threads} given; a whole number of at least 1 is accepted.")
    inputs.read_types(options.types)
    try:
        chosen = options.choice()
        if options.kind == "ecg":
            options.reader(None)
        elif options.embed is not None:
            get_embedder(chosen.selection.embed(options.embed) or options.embed)
    except InputError as error:
        raise UsageError(str(error)) from error
    options.wanted()
    return tuple(tools.read_gate(text, chosen.keys) for text in options.fail_under or ())


def _check_gates(gates: Sequence[Gate], real: Samples) -> None:
    """UsageError, before any work, for a gate on a score of tables where there is none."""
    for gate in gates:
        if gate.key in TABLE_SCORES and real.table is None:
            raise UsageError(
                f"--fail-under {gate.key}: {real.name} holds vectors, and that score is of tables with named columns."
            )
        if gate.key in ECG_SCORES and real.ecg is None:
            raise UsageError(f"--fail-under {gate.key}: {real.name} holds no ECG recordings, which that score is of.")


def _finish(
    result: Evaluation | Comparison, files: Files, gates: Sequence[Gate], baseline: Baseline | None = None
) -> int:
    """Print and save a result, and say how it went."""
    summary = summarize(result)
    say(terminal.drawing(summary))
    files.write(result, summary)
    evaluations: Mapping[str, Evaluation] = (
        {result.synthetic.name: result} if isinstance(result, Evaluation) else result.evaluations
    )
    missed = [text for name, e in evaluations.items() for gate in gates if (text := gate.missed(e, name))]
    for found in () if baseline is None else (baseline.check(name, e) for name, e in evaluations.items()):
        say(found.words)
        missed += found.worse
    failed = [f"{e[k].title} of {name} failed: {e[k].reason}" for name, e in evaluations.items() for k in e.failed]
    for text in (*missed, *failed):
        complain(text)
    return MISSED if missed else FAILED if failed else DONE
