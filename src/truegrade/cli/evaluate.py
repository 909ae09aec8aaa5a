"""The commands that grade: evaluate and demo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from truegrade import Comparison, Evaluation, compare
from truegrade import evaluate as grade
from truegrade.cli import inputs, tools
from truegrade.cli.app import DONE, FAILED, MISSED, app
from truegrade.cli.baseline import Baseline, read_baseline
from truegrade.cli.files import Files
from truegrade.cli.inputs import Wanted, open_all
from truegrade.cli.tools import Gate, UsageError, complain, progress_bar, say
from truegrade.embedders import get_embedder
from truegrade.embedders.reading import Reader
from truegrade.errors import InputError, MissingExtra
from truegrade.evaluate import explain
from truegrade.grading import Progress
from truegrade.images.collection import OnError
from truegrade.load import Kind
from truegrade.opening import Chosen, choose_all, make_reader, make_tables, open_cache
from truegrade.report.summarize import summarize
from truegrade.report.text import terminal
from truegrade.samples import Samples
from truegrade.statistics import Statistics
from truegrade.tabular import TABLE_SCORES


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of an evaluation.

    Attributes:
        metrics: Keys or families, separated by commas (see the command `metrics`).
        k: Neighbour count.
        compat: Reproduce a published code's convention where a metric offers it, such as "official".
        protocol: Give the numbers of another tool by its conventions, and its set of metrics unless some are named (see
            the command `protocols`).
        seed: Of everything that is drawn at random.
        holdout: Real samples that the generator never saw: enables all copy checks, better references.
        repeats: Draw this many sets of the real set's size from the synthetic one, a larger pool, and give the spread.
        key: Which array of .npz files.
        columns: Which columns of tables to grade, by name, separated by commas; all by default.
        kind: What files of tables are: auto (tables where the columns have names of their own, not f0, f1 ..., or hold
            more than numbers), table (always; columns and pairs are graded), vectors (rows of numbers).
        types: The types of columns where others than those found are meant, NAME=TYPE separated by commas: number, few,
            category, boolean, date, identifier or text (see the command `check`).
        labels: Column of tables, or array of .npz files, that holds labels: scores are also given by label. Of images
            "folder": the first folder inside that an image lies in.
        pixels: Where samples are images: HEIGHTxWIDTH or HEIGHTxWIDTHx3, such as 28x28, to be shown as such.
        embed: What turns images into vectors, with options perhaps: lite0 (the default for folders of images),
            pixels:size=32,pca=64 (see the command `embedders`). Arrays of pixels (.npy, .npz) are read as images then.
        recursive: Read the folders inside a folder of images too.
        on_error: What to do with an image that cannot be read, or a row of a table with an infinity: refuse, or skip it
            and count it.
        value_range: Values of black and white in arrays of pixels where they are not evident: LOW,HIGH.
        json: Also write everything to this file.
        html: Also write a page to this file, to be opened in a browser or sent to somebody.
        markdown: Also write Markdown to this file.
        fail_under: KEY=VALUE: exit with 3 unless that score is at least as good as VALUE.
        baseline: Saved .json of an earlier result on the same real samples (of the same name, if it holds several):
            exit with 3 if a score is significantly worse now.
        explain: Print what would be computed for the first synthetic set, and stop.
        intervals: Give 95 % intervals.
        floor: Grade real against real, as a reference.
        exhibits: Keep the samples that are worth looking at with the result, for its report.
        threads: Default: all processors.
        cache: Folder that keeps what concerns the real set alone for the next time.
        no_cache: Use no such folder, even if TRUEGRADE_CACHE names one.
    """

    metrics: Annotated[list[str] | None, Parameter(negative=())] = None
    k: int | None = None
    compat: str | None = None
    protocol: str | None = None
    seed: int = 0
    holdout: Path | None = None
    repeats: int | None = None
    key: str | None = None
    columns: str | None = None
    kind: Kind = "auto"
    types: str | None = None
    labels: str | None = None
    pixels: str | None = None
    embed: str | None = None
    recursive: Annotated[bool, Parameter(negative=())] = False
    on_error: OnError = "refuse"
    value_range: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    json: Path | None = None
    html: Path | None = None
    markdown: Path | None = None
    fail_under: Annotated[list[str] | None, Parameter(negative=())] = None
    baseline: Path | None = None
    explain: Annotated[bool, Parameter(negative=())] = False
    intervals: bool = True
    floor: bool = True
    exhibits: bool = True
    threads: int | None = None
    cache: Annotated[Path | None, Parameter(env_var="TRUEGRADE_CACHE")] = None
    no_cache: Annotated[bool, Parameter(negative=())] = False

    def chosen(self) -> list[str] | None:
        """The metric names that were given; if none "default", or None where a protocol has its own set."""
        if not self.metrics and self.protocol is not None:
            return None
        return [word for text in self.metrics or ["default"] for word in text.split(",") if word]

    def choice(self) -> Chosen:
        """The metrics and what a protocol says of them, and the scores of tables."""
        return choose_all(self.protocol, self.chosen(), self.k, self.compat, self.holdout is not None)

    def reader(self, progress: Progress | None) -> Reader:
        """What reads the sets, in the feature space that was asked for, or the protocol's."""
        selection = self.choice().selection
        tables = make_tables(selection, self.embed, self.kind, inputs.read_types(self.types), "refuse", self.seed)
        return make_reader(selection, self.embed, self.threads, open_cache(self.kept), progress, tables)

    def wanted(self) -> Wanted:
        """Which parts of the files are read, and as what."""
        return Wanted(
            key=self.key,
            columns=self.columns,
            labels=self.labels,
            pixels=None if self.pixels is None else inputs.read_pixels(self.pixels),
            embed=self.embed is not None,
            kind=self.table_kind,
            types=self.types,
            recursive=self.recursive,
            on_error=self.on_error,
            value_range=inputs.read_range(self.value_range),
        )

    @property
    def table_kind(self) -> Kind:
        """What files of tables are read as."""
        return make_tables(self.choice().selection, self.embed, self.kind, None, "refuse", self.seed).kind

    def keywords(self) -> dict[str, Any]:
        """What `truegrade.evaluate` is called with, but for the samples."""
        names = ("k", "compat", "protocol", "seed", "repeats", "intervals", "floor", "exhibits", "threads")
        read = {"metrics": self.chosen(), "cache": self.kept, "kind": "vectors"}  # tables have become vectors by then
        return {n: getattr(self, n) for n in names} | read

    @property
    def kept(self) -> Path | None:
        """The cache."""
        return None if self.no_cache else self.cache


@app.command
def evaluate(
    real: str,
    /,
    *sets: str,
    synthetic: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    options: Options = Options(),
) -> int:
    """Grade a synthetic set, or several, against the real one.

    Exit status: 0 done, 1 the input cannot be graded, 2 wrong usage, 3 a --fail-under was missed or
    a score is worse than the --baseline, 4 a metric failed.

    Args:
        real: File of the real samples (.npy, .npz, .csv, .tsv, .parquet), one sample a row; or a folder or .zip of
            images.
        sets: Files (folders) of synthetic samples, each FILE or NAME=FILE; several are models to compare.
        synthetic: Instead: several sets of one generator, FILE FILE ...; the first is graded, and the spread of its
            scores over all of them is given.
    """
    if bool(sets) == bool(synthetic):
        found = "was given twice" if sets else "is missing"
        raise UsageError(f"SYNTHETIC {found}: name files of models, or --synthetic and several runs of one generator.")
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
        base, *loaded = [reader.read(one) for one in opened]
        _check_gates(gates, base)
        keywords = options.keywords() | {"holdout": None if fresh is None else reader.read(fresh)}
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
        if options.embed is not None:
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
