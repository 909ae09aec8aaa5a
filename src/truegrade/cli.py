"""The command line. Each command reads its arguments, calls the Python interface and prints.

Results go to stdout, progress and complaints to stderr. Exit status: 0 done, 1 bad input, 2 usage (unknown
option or misspelt metric), 3 a --fail-under was missed, 4 some metric failed, 130 interrupted. When a gate is
missed and another metric failed it is 3; a gate whose metric has no value is missed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter

from truegrade import Comparison, Evaluation, __version__, cli_tools, codec, compare
from truegrade.cli_tools import Gate, UsageError, complain, load_all, load_one, progress_bar, say
from truegrade.errors import InputError, TruegradeError
from truegrade.evaluate import explain
from truegrade.grading import choose
from truegrade.metrics import METRICS
from truegrade.report import listing, terminal
from truegrade.report.summarize import summarize
from truegrade.result import did_you_mean
from truegrade.samples import align, check_pair

DONE, BAD_INPUT, USAGE, MISSED, FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130

app = App(
    name="truegrade",
    version=__version__,
    help="How good is a generative model really? Grades synthetic samples against real ones.",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of an evaluation.

    Attributes:
        metrics: Keys or families, separated by commas (see the command `metrics`).
        k: Neighbour count.
        compat: Reproduce a published code's convention where a metric offers it, such as "official".
        seed: Of everything that is drawn at random.
        holdout: Real samples that the generator never saw: enables all copy checks, better references.
        key: Which array of .npz files.
        columns: Which columns of tables to grade, by name, separated by commas; all by default.
        json: Also write everything to this file.
        fail_under: KEY=VALUE: exit with 3 unless that score is at least as good as VALUE.
        explain: Print what would be computed for the first synthetic set, and stop.
        intervals: Give 95 % intervals.
        floor: Grade real against real, as a reference.
        threads: Default: all processors.
        cache: Folder that keeps what concerns the real set alone for the next time.
        no_cache: Use no such folder, even if TRUEGRADE_CACHE names one.
    """

    metrics: Annotated[list[str] | None, Parameter(negative=())] = None
    k: int | None = None
    compat: str | None = None
    seed: int = 0
    holdout: Path | None = None
    key: str | None = None
    columns: str | None = None
    json: Path | None = None
    fail_under: Annotated[list[str] | None, Parameter(negative=())] = None
    explain: Annotated[bool, Parameter(negative=())] = False
    intervals: bool = True
    floor: bool = True
    threads: int | None = None
    cache: Annotated[Path | None, Parameter(env_var="TRUEGRADE_CACHE")] = None
    no_cache: Annotated[bool, Parameter(negative=())] = False

    def chosen(self) -> list[str]:
        """The metric names that were given; "default" if none."""
        return [word for text in self.metrics or ["default"] for word in text.split(",") if word]

    def keywords(self) -> dict[str, Any]:
        """What `truegrade.evaluate` is called with."""
        names = ("k", "compat", "seed", "intervals", "floor", "threads")
        holdout = None if self.holdout is None else load_one(str(self.holdout), None, self.key, self.columns)
        cache = None if self.no_cache else self.cache
        return {n: getattr(self, n) for n in names} | {
            "metrics": self.chosen(),
            "holdout": holdout,
            "cache": cache,
        }


@app.command
def evaluate(real: str, synthetic: str, /, *more: str, options: Options = Options()) -> int:
    """Grade a synthetic set, or several, against the real one.

    Exit status: 0 done, 1 the input cannot be graded, 2 wrong usage, 3 a --fail-under was missed,
    4 a metric failed.

    Args:
        real: File of the real samples (.npy, .npz, .csv, .tsv, .parquet), one sample a row.
        synthetic: File of the synthetic samples, or NAME=FILE.
        more: Further synthetic sets, each FILE or NAME=FILE, graded against the same real set.
    """
    gates = _check_usage(options)
    target = cli_tools.output(options.json, [real, synthetic, *more], options.holdout)
    base, *models = load_all(real, [synthetic, *more], options.key, options.columns)
    keywords = options.keywords()
    if options.explain:
        say(explain(base, models[0], **keywords))
        return DONE
    with progress_bar() as progress:
        result = compare(base, {m.name: m for m in models}, **keywords, progress=progress)
    return _finish(result if more else next(iter(result.evaluations.values())), target, gates)


@app.command
def demo(*, json: Path | None = None) -> int:
    """Grade three generated sets of handwritten digits, shipped with truegrade, against real digits.

    Args:
        json: Also write everything to this file.
    """
    from truegrade.demo import load_demo

    target = None if json is None else codec.prepare_output(json)
    data = load_demo()
    models = {name: data[name] for name in ("good", "mode_dropping", "copying")}
    with progress_bar() as progress:
        result = compare(data["train"], models, holdout=data["holdout"], progress=progress)
    return _finish(result, target, ())


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
        say(cli_tools.saved(what))
    else:
        raise UsageError(f"There is no metric called {what!r}.{did_you_mean(what, METRICS)}")
    return DONE


@app.command
def check(file: str, /, *more: str, key: str | None = None, columns: str | None = None) -> int:
    """Load files and check them as `evaluate` would, without grading.

    Args:
        file: File of samples; the others are checked against it as real samples.
        more: Further files.
        key: Which array of .npz files.
        columns: Which columns of tables to grade, by name, separated by commas; all by default.
    """
    status, first = DONE, None
    for path in (file, *more):
        try:
            samples = load_one(path, None, key, columns)
            samples = samples if first is None else align(first, samples)
            notices = samples.notices if first is None else check_pair(first, samples)
            first = first or samples
            say(listing.facts(path, samples, notices))
        except InputError as error:
            complain(str(error))
            status = BAD_INPUT
    return status


def _check_usage(options: Options) -> tuple[Gate, ...]:
    """Refuse misspelt metrics and gates before any file is read."""
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed} given; a whole number of at least 0 is accepted.")
    if options.threads is not None and options.threads < 1:
        raise UsageError(f"--threads {options.threads} given; a whole number of at least 1 is accepted.")
    try:
        chosen, _ = choose(options.chosen(), options.k, options.compat)
    except InputError as error:
        raise UsageError(str(error)) from error
    return tuple(cli_tools.read_gate(text, chosen) for text in options.fail_under or ())


def _finish(result: Evaluation | Comparison, target: Path | None, gates: Sequence[Gate]) -> int:
    """Print and save a result, and say how it went."""
    say(terminal.drawing(summarize(result)))
    if target is not None:
        result.to_json(target)
    evaluations: Mapping[str, Evaluation] = (
        {result.synthetic.name: result} if isinstance(result, Evaluation) else result.evaluations
    )
    missed = [text for name, e in evaluations.items() for gate in gates if (text := gate.missed(e, name))]
    failed = [f"{e[k].title} of {name} failed: {e[k].reason}" for name, e in evaluations.items() for k in e.failed]
    for text in (*missed, *failed):
        complain(text)
    return MISSED if missed else FAILED if failed else DONE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; never a traceback for bad input."""
    try:
        cli_tools.make_printable()
        status = app(arguments, exit_on_error=False, print_error=False, result_action="return_value", verbose=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else DONE
    except CycloptsError as error:
        complain(str(error))
        return USAGE
    except UsageError as error:
        complain(str(error))
        return USAGE
    except TruegradeError as error:
        complain(str(error))
        return BAD_INPUT
    except MemoryError as error:
        complain(f"Out of memory ({error}); grade fewer samples at a time.")
        return BAD_INPUT
    except BrokenPipeError:  # the reader of our output left; nothing more to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        complain(f"{error.strerror or error}: {error.filename or 'the output'}")
        return BAD_INPUT
    except KeyboardInterrupt:
        complain("Interrupted; no file was changed.")
        return INTERRUPTED
