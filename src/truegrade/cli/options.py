"""Options of the commands that grade."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from truegrade.cli import inputs
from truegrade.cli.inputs import Wanted
from truegrade.cli.recordings import EcgFlags
from truegrade.ecg import EcgOptions
from truegrade.embedders.reading import Reader
from truegrade.grading import Progress
from truegrade.images.collection import OnError
from truegrade.load import Kind
from truegrade.opening import Chosen, choose_all, make_reader, make_recordings, make_tables, open_cache


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Options(EcgFlags):
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
            more than numbers), table (always; columns and pairs are graded), vectors (rows of numbers). Or ecg: ECG
            recordings; auto takes folders of WFDB records as such.
        types: The types of columns where others than those found are meant, NAME=TYPE separated by commas: number, few,
            category, boolean, date, identifier or text (see the command `check`).
        labels: Column of tables, or array of .npz files, that holds labels: scores are also given by label. Of images
            "folder": the first folder inside that an image lies in. Of ECG recordings a .csv file with the columns
            record and label, an array of .npz files, or a comment of headers.
        pixels: Where samples are images: HEIGHTxWIDTH or HEIGHTxWIDTHx3, such as 28x28, to be shown as such.
        embed: What turns images into vectors, with options perhaps: lite0 (the default for folders of images),
            pixels:size=32,pca=64 (see the command `embedders`). Arrays of pixels (.npy, .npz) are read as images then.
            Of ECG recordings the features of all leads: descriptors (the default), spectral or beats.
        recursive: Read the folders inside a folder of images or recordings too.
        on_error: What to do with an image or recording that cannot be read, or a row of a table with an infinity:
            refuse, or skip it and count it.
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
        how = (self.threads, open_cache(self.kept), progress)
        if self.kind == "ecg":
            said = EcgOptions(override=self.said().override)  # all else was used when they were read
            tables = make_recordings(selection, self.embed, said, None, self.on_error)
            return make_reader(selection, None, *how, tables)
        tables = make_tables(selection, self.embed, self.kind, inputs.read_types(self.types), "refuse", self.seed)
        return make_reader(selection, self.embed, *how, tables)

    def said(self) -> EcgOptions:
        """What is said of ECG recordings."""
        return self.recordings(labels=self.labels, key=self.key, recursive=self.recursive)

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
            ecg=self.said() if self.kind == "ecg" else None,
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
