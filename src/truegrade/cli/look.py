"""Commands that grade nothing: the metrics there are, a saved result, the facts of a file."""

from __future__ import annotations

import os
from typing import Annotated

from cyclopts import Parameter

from truegrade.cli.app import BAD_INPUT, DONE, app
from truegrade.cli.inputs import Wanted, read_pixels
from truegrade.cli.tools import UsageError, complain, saved, say
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.images.collection import OnError
from truegrade.images.manifest import Manifest
from truegrade.metrics import METRICS
from truegrade.protocols import PROTOCOLS
from truegrade.report.summary.origin import images_in_words
from truegrade.report.text import listing
from truegrade.report.words import counted, safe
from truegrade.result import did_you_mean
from truegrade.samples import align, check_pair
from truegrade.statistics import Statistics


@app.command
def metrics() -> int:
    """List all metrics: key, family, range, direction, ideal value."""
    say(listing.table(METRICS.values()))
    return DONE


@app.command
def protocols() -> int:
    """List the protocols of other tools: what each reproduces, with every setting, and what it cannot."""
    say(listing.protocols(PROTOCOLS.values()))
    return DONE


@app.command
def show(what: str, /) -> int:
    """Everything about one metric, or the table of a saved result.

    Args:
        what: Key of a metric, or a .json file that `evaluate --json` wrote.
    """
    if what in METRICS:
        say(listing.record(METRICS[what]))
    elif what.endswith(".json") or os.path.sep in what or os.path.exists(what):
        say(saved(what))
    else:
        raise UsageError(f"There is no metric called {what!r}.{did_you_mean(what, METRICS)}")
    return DONE


@app.command
def check(
    file: str,
    /,
    *more: str,
    key: str | None = None,
    columns: str | None = None,
    pixels: str | None = None,
    recursive: Annotated[bool, Parameter(negative=())] = False,
    on_error: OnError = "refuse",
) -> int:
    """Load files and check them as `evaluate` would, without grading.

    Args:
        file: File of samples; the others are checked against it as real samples.
        more: Further files.
        key: Which array of .npz files.
        columns: Which columns of tables to grade, by name, separated by commas; all by default.
        pixels: Where samples are images: HEIGHTxWIDTH or HEIGHTxWIDTHx3, such as 28x28.
        recursive: Read the folders inside a folder of images too.
        on_error: What to do with an image that cannot be read: refuse, or skip it and count it.
    """
    size = None if pixels is None else read_pixels(pixels)
    status, first = DONE, None
    for path in (file, *more):
        try:
            found = Wanted(key, columns, pixels=size, recursive=recursive, on_error=on_error).open(path)
            if isinstance(found, Images):
                say(_read_through(path, found))
                continue
            if isinstance(found, Statistics):
                say(f"{safe(path, 2000)}: mean and covariance of {counted(found.d, 'feature')}")
                continue
            samples = found if first is None else align(first, found)
            notices = samples.notices if first is None else check_pair(first, samples)
            first = first or samples
            say(listing.facts(path, samples, notices))
        except InputError as error:
            complain(str(error))
            status = BAD_INPUT
    return status


def _read_through(path: str, images: Images) -> str:
    """What was read of a set of images, all of them decoded."""
    manifest = Manifest(images)
    for item in images.stream():
        manifest.add(item)
    lines = [f"{path}: {images_in_words(manifest.summary())}", f"  fingerprint {images.fingerprint}"]
    skipped = [note for note in manifest.notices() if note.code == "images_skipped"]
    lines += [f"  {note.severity}: {note.text}" for note in (*images.notices, *skipped)]
    return "\n".join(safe(line, 2000) for line in lines)
