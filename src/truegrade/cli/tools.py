"""What the commands share: files, gates, progress, output."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from truegrade import codec
from truegrade.agreement import AgreementReport
from truegrade.codec import prepare_output
from truegrade.errors import InputError, TruegradeError
from truegrade.grading import Progress as Tell
from truegrade.report.summarize import summarize
from truegrade.report.text import terminal
from truegrade.report.text.agreement import agreement_drawing
from truegrade.report.text.audit import audit_drawing
from truegrade.report.words import safe
from truegrade.result import Evaluation, did_you_mean, read_result
from truegrade.result.audit import AuditReport

_WIDTH_OF_A_PIPE = 112
T = TypeVar("T")


class UsageError(Exception):
    """The command itself is wrong."""


def say(what: RenderableType) -> None:
    """Print a result on stdout, in colour only on a terminal; nothing is read as markup."""
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        console.print(what)
    elif isinstance(what, str):
        print(what)
    else:
        print(terminal.as_text(what, _WIDTH_OF_A_PIPE))


def make_printable() -> None:
    """Let stdout and stderr take any text: what their encoding lacks is printed as ?, never an error."""
    if sys.stdout is None:  # closed by the caller
        raise OSError("stdout is closed")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def saved(path: str) -> RenderableType:
    """The drawing of a result in a file; InputError also where its values contradict each other."""
    record = codec.read(path)
    if record.get("kind") == AgreementReport.kind:
        return agreement_drawing(AgreementReport.from_dict(record))
    if record.get("kind") == AuditReport.kind:
        report = AuditReport.from_dict(record)
        return undamaged(path, lambda: audit_drawing(report))
    result = read_result(path)
    return undamaged(path, lambda: terminal.drawing(summarize(result)))


def undamaged(path: str, work: Callable[[], T]) -> T:
    """What `work` on a saved result gives; InputError that names the file where its values contradict each other."""
    try:
        return work()
    except TruegradeError:
        raise
    except (ArithmeticError, AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
        text = f"{path} is damaged ({type(error).__name__}: {error}); give a file that truegrade wrote."
        raise InputError(text) from error


def complain(text: str) -> None:
    """One line on stderr."""
    print(f"truegrade: {safe(' '.join(text.split()), 2000)}", file=sys.stderr)


@contextmanager
def progress_bar() -> Iterator[Tell | None]:
    """A progress bar on stderr; nothing at all when that is not a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("planning", total=None)

        def tell(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield tell


# --- files ---------------------------------------------------------------------------------------------


def output(
    target: Path | None, sets: Sequence[str], holdout: Path | None, option: str = "--json"
) -> Path | None:
    """The file to write, ready to be written and none of those that are read."""
    if target is None:
        return None
    return unread(target, [split_name(text)[1] for text in sets] + ([] if holdout is None else [str(holdout)]), option)


def unread(target: Path, read: Sequence[str], option: str = "--json") -> Path:
    """A file to write, ready to be written; UsageError where it is one of those that are read."""
    for path in read:
        if os.path.exists(path) and os.path.exists(target) and os.path.samefile(path, target):
            raise UsageError(f"{option} {target} is also read ({path}); name another file for the result.")
        if os.path.isdir(path) and os.path.exists(target) and _inside(target, path):
            raise UsageError(
                f"{option} {target} is a file of {path}, which is read; name another file for the result."
            )
    return prepare_output(target)


def _inside(file: Path, folder: str) -> bool:
    return Path(folder).resolve() in Path(file).resolve().parents


def split_name(text: str) -> tuple[str | None, str]:
    """The name, None if there is none, and the path of FILE or NAME=FILE."""
    name, equals, path = text.partition("=")
    if not equals or os.path.exists(text):
        return None, text
    if not name or not path:
        raise UsageError(f"{text!r} given; FILE or NAME=FILE is accepted.")
    return name, path


# --- gates ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gate:
    """A score that must be at least as good as `limit`.

    Higher is better: the value must not be below the limit. Lower is better: not above it. Near a target:
    not farther from the target than the limit is (density=0.8 allows 0.8 to 1.2).
    """

    key: str
    limit: float

    def missed(self, evaluation: Evaluation, name: str) -> str | None:
        """Why the gate is missed, None if it is not."""
        score = evaluation[self.key]
        what = f"{score.title} of {name}"
        if score.value is None:
            return f"{what} has no value ({score.reason}); at least {self.limit:g} was asked."
        value, about = score.value, score.about
        if about.direction == "lower":
            return f"{what} is {value:.6g}, above {self.limit:g}." if value > self.limit else None
        if about.direction == "target" and about.target is not None:
            reach = abs(self.limit - about.target)
            far = abs(value - about.target) > reach
            return f"{what} is {value:.6g}, farther than {reach:g} from {about.target:g}." if far else None
        return f"{what} is {value:.6g}, below {self.limit:g}." if value < self.limit else None


def read_gate(text: str, chosen: Collection[str]) -> Gate:
    """KEY=VALUE as a gate on one of the chosen scores."""
    key, _, number = text.partition("=")
    try:
        limit = float(number)
    except ValueError:
        raise UsageError(f"--fail-under {text!r} given; KEY=NUMBER is accepted.") from None
    if not math.isfinite(limit):
        raise UsageError(f"--fail-under {text!r} given; the limit must be a finite number.")
    if key not in chosen:
        raise UsageError(f"--fail-under {key!r}: no such metric is evaluated.{_near(key, chosen)}")
    return Gate(key, limit)


def _near(key: str, chosen: Iterable[str]) -> str:
    return did_you_mean(key, chosen) or f" There are: {', '.join(chosen)}."
