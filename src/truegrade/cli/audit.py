"""The command that audits metrics: audit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from truegrade import audit as audit_metrics
from truegrade import codec
from truegrade.cli import inputs
from truegrade.cli.app import DONE, MISSED, app
from truegrade.cli.files import Files
from truegrade.cli.inputs import Wanted, refuse_idle
from truegrade.cli.recordings import EcgFlags, kind_of
from truegrade.cli.tools import UsageError, complain, progress_bar, say
from truegrade.ecg import EcgOptions
from truegrade.embedders import get_embedder
from truegrade.errors import InputError
from truegrade.grading import choose
from truegrade.images.collection import OnError
from truegrade.load import Kind
from truegrade.result.audit import AuditReport, lost
from truegrade.statistics import Statistics


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AuditOptions(EcgFlags):
    """Options of an audit.

    Attributes:
        suite: Which scenarios, separated by commas: own (damage of your own data, the default), clipped-paper, raisa,
            study-2018, grade-inflation, all.
        metrics: Keys or families, separated by commas (see the command `metrics`); by default those of each suite.
        k: Neighbour count of metrics named with --metrics.
        quick: Fewer levels, repeats and samples: minutes instead of an hour.
        seed: Of everything that is drawn at random.
        n: Samples a side of built-in laws, in place of each scenario's own.
        repeats: Draws of every level, in place of each scenario's own.
        embed: Feature space of images; several, separated by spaces, are compared: --embed pixels lite0. Of ECG
            recordings: descriptors, spectral or beats.
        resume: File in which every measurement is kept at once. Given again, the audit goes on where it was.
        baseline: Saved .json of an earlier audit: exit with 3 if a check that was passed there is failed now.
        key: Which array of .npz files.
        columns: Which columns of tables, by name, separated by commas; all by default.
        kind: What a file of a table is: auto, table, vectors; or ecg: ECG recordings.
        types: The types of columns where others than those found are meant, NAME=TYPE separated by commas.
        recursive: Read the folders inside a folder of images or recordings too.
        on_error: What to do with an image or recording that cannot be read: refuse, or skip it and count it.
        value_range: Values of black and white in arrays of pixels where they are not evident: LOW,HIGH.
        json: Also write everything to this file.
        html: Also write a page to this file, with all curves.
        markdown: Also write Markdown to this file.
        threads: Default: all processors.
    """

    suite: Annotated[list[str] | None, Parameter(negative=())] = None
    metrics: Annotated[list[str] | None, Parameter(negative=())] = None
    k: int | None = None
    quick: Annotated[bool, Parameter(negative=())] = False
    seed: int = 0
    n: int | None = None
    repeats: int | None = None
    embed: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None
    resume: Path | None = None
    baseline: Path | None = None
    key: str | None = None
    columns: str | None = None
    kind: Kind = "auto"
    types: str | None = None
    recursive: Annotated[bool, Parameter(negative=())] = False
    on_error: OnError = "refuse"
    value_range: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    json: Path | None = None
    html: Path | None = None
    markdown: Path | None = None
    threads: int | None = None

    @property
    def suites(self) -> list[str]:
        """The names of suites."""
        return [name for text in self.suite or ["own"] for name in text.split(",") if name]

    @property
    def chosen(self) -> list[str] | None:
        """The names of metrics, None where none were given."""
        return [name for text in self.metrics for name in text.split(",") if name] if self.metrics else None

    def check(self) -> None:
        """UsageError, before any file is read, for names that do not exist and numbers out of range."""
        from truegrade.audit.suites import get_suites  # scenarios are imported when one is run

        for name, value, least in (("seed", self.seed, 0), ("n", self.n, 60), ("repeats", self.repeats, 2)):
            if value is not None and value < least:
                raise UsageError(f"--{name} {value} given; a whole number of at least {least} is accepted.")
        if self.threads is not None and self.threads < 1:
            raise UsageError(f"--threads {self.threads} given; a whole number of at least 1 is accepted.")
        try:
            get_suites(self.suites)
            choose(self.chosen, self.k)
            for space in self.embed or () if self.kind != "ecg" else ():
                get_embedder(space)
        except InputError as error:
            raise UsageError(str(error)) from error

    def said(self) -> EcgOptions:
        """What is said of ECG recordings."""
        return self.recordings(labels=None, key=self.key, recursive=self.recursive)

    def wanted(self) -> Wanted:
        """Which parts of the file are read, and as what."""
        return Wanted(
            key=self.key,
            columns=self.columns,
            embed=self.embed is not None and self.kind != "ecg",
            kind=self.kind,
            types=self.types,
            recursive=self.recursive,
            on_error=self.on_error,
            ecg=self.said() if self.kind == "ecg" else None,
            value_range=inputs.read_range(self.value_range),
        )


_NONE = AuditOptions()


@app.command
def audit(real: str | None = None, /, *, options: AuditOptions = _NONE) -> int:
    """Does a metric behave, on your data? Puts metrics through controlled damage and judges what they say.

    Exit status: 0 done, 1 the input cannot be read, 2 wrong usage, 3 a check of the --baseline is failed now.

    Args:
        real: File or folder of real samples, as `evaluate` takes them. Without it built-in samples are damaged.
    """
    if real is not None:
        options = replace(options, kind=kind_of(real, options.kind, options))
    from truegrade.report.text.audit import audit_drawing

    options.check()
    read = [path for path in (real, _text(options.baseline)) if path is not None]
    files = Files(options.json, options.html, options.markdown).ready(read)
    before = None if options.baseline is None else AuditReport.from_json(options.baseline)
    given = None if real is None else _open(real, options)
    with progress_bar() as progress:
        report = audit_metrics(given, **_keywords(options), progress=progress)
    say(audit_drawing(report))
    _write(report, files)
    failed = () if before is None else lost(before, report)
    for text in failed:
        complain(text)
    return MISSED if failed else DONE


def _open(real: str, options: AuditOptions) -> object:
    """The real samples, images, table or recordings of a path."""
    wanted = options.wanted()
    refuse_idle(wanted, [real])
    if wanted.ecg is not None:
        from truegrade.ecg.reading import load_side  # scipy is loaded when recordings are read

        return load_side(real, None, "real", wanted.ecg, options.on_error)
    found = wanted.open(real)
    if isinstance(found, Statistics):
        raise InputError(f"{real} holds only a mean and a covariance; an audit damages samples. Give samples.")
    return found


def _keywords(options: AuditOptions) -> dict[str, Any]:
    """What `truegrade.audit` is called with, but for the samples."""
    names = ("k", "quick", "seed", "n", "repeats", "kind", "on_error", "threads", "resume")
    ecg = EcgOptions(override=options.said().override) if options.kind == "ecg" else None  # the rest was used
    spaces = options.embed[0] if options.embed and len(options.embed) == 1 else options.embed
    chosen = {"suite": options.suites, "metrics": options.chosen, "embed": spaces}
    return {name: getattr(options, name) for name in names} | chosen | {
        "types": inputs.read_types(options.types),
        "ecg": ecg,
    }


def _write(report: AuditReport, files: Files) -> None:
    if files.json is not None:
        codec.write(files.json, codec.dumps(report.to_dict()))
    if files.html is not None:
        report.to_html(files.html)
    if files.markdown is not None:
        report.to_markdown(files.markdown)


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
