"""Commands that grade nothing: the metrics there are, a saved result, the facts of a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter
from rich.console import RenderableType

from truegrade.cli.app import BAD_INPUT, DONE, app
from truegrade.cli.inputs import Wanted, read_pixels, read_types, refuse_idle
from truegrade.cli.recordings import EcgFlags, kind_of, recording_facts
from truegrade.cli.tools import UsageError, complain, saved, say
from truegrade.cli.typing import table_facts
from truegrade.ecg import ECG_SCORES
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.images.collection import OnError
from truegrade.images.manifest import Manifest
from truegrade.load import Kind
from truegrade.metrics import METRICS
from truegrade.protocols import PROTOCOLS
from truegrade.recordings import Recordings
from truegrade.report.summary.origin import images_in_words
from truegrade.report.text import listing
from truegrade.report.words import counted, safe
from truegrade.result import did_you_mean
from truegrade.samples import Samples, align, check_pair
from truegrade.statistics import Statistics
from truegrade.tabular import TABLE_SCORES, TableReader

_NONE = EcgFlags()


@app.command
def metrics() -> int:
    """List all metrics and scores of tables and of ECG recordings: key, family, range, direction, ideal value."""
    scores = [(key, one.about) for key, one in TABLE_SCORES.items()]
    scores += [(key, one.about) for key, one in ECG_SCORES.items()]
    say(listing.table(METRICS.values(), scores))
    return DONE


@app.command
def protocols() -> int:
    """List the protocols of other tools: what each reproduces, with every setting, and what it cannot."""
    say(listing.protocols(PROTOCOLS.values()))
    return DONE


@app.command
def show(what: str, /) -> int:
    """Everything about one metric or score of tables or recordings, or the table of a saved result.

    Args:
        what: Key of a metric or score, or a .json file that `evaluate --json` wrote.
    """
    if what in METRICS:
        say(listing.record(METRICS[what]))
    elif what in TABLE_SCORES or what in ECG_SCORES:
        one = TABLE_SCORES[what] if what in TABLE_SCORES else ECG_SCORES[what]
        say(listing.table_record(what, one.title, one.about))
    elif what.endswith(".json") or os.path.sep in what or os.path.exists(what):
        say(saved(what))
    else:
        near = did_you_mean(what, [*METRICS, *TABLE_SCORES, *ECG_SCORES])
        raise UsageError(f"There is no metric called {what!r}.{near}")
    return DONE


@app.command
def check(
    file: str,
    /,
    *more: str,
    key: str | None = None,
    columns: str | None = None,
    kind: Kind = "auto",
    types: str | None = None,
    pixels: str | None = None,
    recursive: Annotated[bool, Parameter(negative=())] = False,
    on_error: OnError = "refuse",
    ecg: EcgFlags = _NONE,
) -> int:
    """Load files and check them as `evaluate` would, without grading.

    Args:
        file: File of samples; the others are checked against it as real samples.
        more: Further files.
        key: Which array of .npz files.
        columns: Which columns of tables to grade, by name, separated by commas; all by default.
        kind: What files of tables are: auto, table, vectors or ecg (see `evaluate`). The type of every column of a
            table is said, with what made it that; of ECG recordings their facts, and what speaks against grading them.
        types: Types of columns where others are meant: NAME=TYPE, separated by commas.
        pixels: Where samples are images: HEIGHTxWIDTH or HEIGHTxWIDTHx3, such as 28x28.
        recursive: Read the folders inside a folder of images or recordings too.
        on_error: What to do with an image or recording that cannot be read, or a row of a table with an infinity:
            refuse, or skip it and count it.
    """
    if kind_of(file, kind, ecg) == "ecg":
        said = ecg.recordings(labels=None, key=key, recursive=recursive)
        wanted = Wanted(key, columns, None, None, "ecg", types, recursive=recursive, on_error=on_error, ecg=said)
        return _check_recordings((file, *more), wanted)
    size = None if pixels is None else read_pixels(pixels)
    wanted = Wanted(key, columns, None, size, kind, types, recursive=recursive, on_error=on_error)
    seen = _Seen(TableReader(kind, read_types(types)))
    status = DONE
    for path in (file, *more):
        try:
            say(seen.facts(path, wanted))
        except InputError as error:
            complain(str(error))
            status = BAD_INPUT
    return status


def _check_recordings(paths: Sequence[str], wanted: Wanted) -> int:
    """Each set of recordings with what was found of it, the first alone and the others against it."""
    from truegrade.ecg.preflight import look_at, preflight
    from truegrade.ecg.reading import load_side

    assert wanted.ecg is not None
    refuse_idle(wanted, paths)
    real: Recordings | None = None
    status = DONE
    for path in paths:
        try:
            one = load_side(path, None, "real" if real is None else "synthetic", wanted.ecg, wanted.on_error)
            found = look_at(one) if real is None else preflight(real, one, wanted.ecg.override)
            found = tuple(
                finding for finding in found if real is None or finding.side != "real"
            )  # said with the first file
        except InputError as error:
            complain(str(error))
            status = BAD_INPUT
            continue
        real = real or one
        say(recording_facts(path, one, found, one.notices))
        if any(finding.severity == "refuse" and finding.code not in wanted.ecg.override for finding in found):
            status = BAD_INPUT
    return status


@dataclass
class _Seen:
    """The files so far: the first samples, or the first table, are what the others are checked against."""

    tables: TableReader
    first: Samples | None = None

    def facts(self, path: str, wanted: Wanted) -> RenderableType:
        """What a file holds; InputError for what cannot be graded."""
        if self.first is not None:
            wanted = replace(wanted, kind="vectors" if self.first.table is None else "table")
        found = wanted.open(path)
        if isinstance(found, Images):
            return _read_through(path, found)
        if isinstance(found, Statistics):
            return f"{safe(path, 2000)}: mean and covariance of {counted(found.d, 'feature')}"
        read = self.tables.read(found, None)
        assert isinstance(read, Samples)
        samples = read if self.first is None else align(self.first, read)
        notices = samples.notices if self.first is None else check_pair(self.first, samples)
        self.first = self.first or samples
        if samples.table is not None:
            return table_facts(path, samples.table.coded, notices)
        return listing.facts(path, samples, notices)


def _read_through(path: str, images: Images) -> str:
    """What was read of a set of images, all of them decoded."""
    manifest = Manifest(images)
    for item in images.stream():
        manifest.add(item)
    lines = [f"{path}: {images_in_words(manifest.summary())}", f"  fingerprint {images.fingerprint}"]
    skipped = [note for note in manifest.notices() if note.code == "images_skipped"]
    lines += [f"  {note.severity}: {note.text}" for note in (*images.notices, *skipped)]
    return "\n".join(safe(line, 2000) for line in lines)
