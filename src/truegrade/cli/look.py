"""Commands that grade nothing: the metrics there are, a saved result, the facts of a file."""

from __future__ import annotations

import os

from truegrade.cli.app import BAD_INPUT, DONE, app
from truegrade.cli.tools import UsageError, complain, load_one, read_pixels, saved, say
from truegrade.errors import InputError
from truegrade.metrics import METRICS
from truegrade.report.text import listing
from truegrade.result import did_you_mean
from truegrade.samples import align, check_pair


@app.command
def metrics() -> int:
    """List all metrics: key, family, range, direction, ideal value."""
    say(listing.table(METRICS.values()))
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
    file: str, /, *more: str, key: str | None = None, columns: str | None = None, pixels: str | None = None
) -> int:
    """Load files and check them as `evaluate` would, without grading.

    Args:
        file: File of samples; the others are checked against it as real samples.
        more: Further files.
        key: Which array of .npz files.
        columns: Which columns of tables to grade, by name, separated by commas; all by default.
        pixels: Where samples are images: HEIGHTxWIDTH or HEIGHTxWIDTHx3, such as 28x28.
    """
    size = None if pixels is None else read_pixels(pixels)
    status, first = DONE, None
    for path in (file, *more):
        try:
            samples = load_one(path, None, key, columns, pixels=size)
            samples = samples if first is None else align(first, samples)
            notices = samples.notices if first is None else check_pair(first, samples)
            first = first or samples
            say(listing.facts(path, samples, notices))
        except InputError as error:
            complain(str(error))
            status = BAD_INPUT
    return status
