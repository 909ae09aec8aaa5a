"""The command that compares models."""

from __future__ import annotations

from truegrade.cli.app import app
from truegrade.cli.evaluate import evaluate
from truegrade.cli.options import Options
from truegrade.cli.tools import UsageError

_NONE = Options()


@app.command
def compare(real: str, /, *sets: str, options: Options = _NONE) -> int:
    """Which of several models is better in what, and what is within noise.

    Prints a verdict, all scores with their ranks, the differences with intervals and corrected p-values, and how far
    the scores agree. Exit status: 0 done, 1 the input cannot be graded, 2 wrong usage, 3 a --fail-under was missed or
    a score is worse than the --baseline, 4 a metric failed.

    Args:
        real: File of the real samples (.npy, .npz, .csv, .tsv, .parquet), one sample a row.
        sets: Files of the synthetic samples of two models or more, each FILE or NAME=FILE.
    """
    if len(sets) < 2:
        raise UsageError(f"{len(sets)} synthetic sets given; compare needs two or more, such as A=a.npy B=b.npy.")
    return evaluate(real, *sets, options=options)
