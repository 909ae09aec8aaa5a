"""Monitor: batches of a generator in training are collected, and graded whenever that is asked for."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from truegrade import codec
from truegrade.errors import InputError, MissingExtra
from truegrade.monitor import history as past
from truegrade.monitor import stored
from truegrade.monitor.batches import Intake, values_of
from truegrade.monitor.collected import Arrays, Collected
from truegrade.monitor.history import Checkpoint
from truegrade.monitor.references import Graded, References
from truegrade.result import Evaluation
from truegrade.samples import Samples


class Monitor:
    """Collects batches of synthetic samples and grades them; `truegrade.monitor` makes it.

    `update`, `compute` and `merge` either do all of their work or leave the monitor as it was, also when they are
    interrupted.
    """

    def __init__(self, references: References, intake: Intake, collected: Collected) -> None:
        self._references = references
        self._intake = intake
        self._collected = collected
        self._graded: Graded | None = None
        self._history: tuple[Checkpoint, ...] = ()

    def __repr__(self) -> str:
        real = self._references.training.real
        return f"Monitor({real.name!r}, {self.seen:,} samples seen, {self.kept:,} kept, {len(self._history)} steps)"

    # --- collecting ------------------------------------------------------------------------------------------

    def update(self, batch: object) -> Self:
        """Add a batch of synthetic samples; returns the monitor.

        Args:
            batch: (b, d), an array, a tensor (with or without gradient, on any device), a data frame, a path or
                Samples; or with an embedder images: (b, height, width, 3), (b, 3, height, width), lists of Pillow
                images. It is copied.

        Raises InputError, and keeps nothing of the batch, where it holds NaN or does not fit the real samples.
        """
        known, samples = self._collected, self.read(batch)
        self._collected = known.with_batch(
            values_of(samples), embedded=samples.space is not None, notices=samples.notices
        )
        return self

    def read(self, batch: object, number: int | None = None) -> Samples:
        """A batch as samples in the space of the real ones, checked; nothing of it is kept. Raises as `update`.

        number: what messages call it; by default one more than there were batches.
        """
        return self._intake.read(batch, self._collected.batches + 1 if number is None else number)

    def of_all(self, values: Arrays) -> Monitor:
        """A monitor with the same references and no history that has seen exactly these rows, and keeps all.

        values: `rows` (n, d), perhaps `probabilities` (n, c), as `read` made them.
        """
        known, rows = self._collected, values["rows"]
        fresh = Collected(max(2, len(rows)), known.seed, known.rank)
        embedded = self._references.training.real.space is not None
        seen = fresh.with_batch(values, embedded=embedded) if len(rows) else fresh
        return Monitor(self._references, self._intake, seen)

    def reset(self) -> Self:
        """Forget all samples, not the history; returns the monitor."""
        known = self._collected
        self._collected = Collected(known.keep, known.seed, known.rank)
        return self

    @property
    def seen(self) -> int:
        """Synthetic samples seen since the last reset."""
        return self._collected.seen

    @property
    def kept(self) -> int:
        """How many of them are kept."""
        return self._collected.kept

    # --- grading ---------------------------------------------------------------------------------------------

    def compute(self, step: float | None = None) -> Evaluation:
        """Grade what was collected against the real samples; with `step` (a number) record it in `history`.

        With validation samples it is graded against these too: `against_validation`, `gap`. Samples stay: call
        `reset` to begin anew. Raises InputError for fewer than 2 samples.
        """
        known, at = self._collected, None if step is None else past.check_step(step)
        graded = self._references.grade(self._samples(known), known)
        record = () if at is None else (past.checkpoint(at, known.seen, known.kept, graded),)
        self._graded, self._history = graded, (*self._history, *record)
        return graded.training

    def _samples(self, known: Collected) -> Samples:
        if known.kept < 2:
            raise InputError(
                f"The monitor has {known.kept} synthetic sample{'s' * (known.kept != 1)}; at least 2 are needed. Call "
                "monitor.update(batch) first."
            )
        values = known.values()
        real = self._references.training.real
        space = real.space if known.embedded else None
        return replace(
            Samples.from_array(values["rows"], name="synthetic", columns=real.columns),
            probabilities=values.get("probabilities"),
            space=None if space is None else replace(space, images={"used": known.seen}),
            notices=known.notices,
        )

    @property
    def against_validation(self) -> Evaluation | None:
        """The last evaluation against the validation samples; None before it, and without such samples."""
        return None if self._graded is None else self._graded.validation

    @property
    def gap(self) -> Mapping[str, float] | None:
        """By key, how much nearer the samples of the last evaluation are to the training than to the validation set.

        The difference of both scores at equal numbers of real samples, in the score's unit. Positive means
        overfitting: nearer to the training samples than fresh ones would be. None without validation samples.
        """
        return None if self._graded is None else self._graded.gap

    # --- several processes -----------------------------------------------------------------------------------

    def merge(self, other: Monitor | Mapping[str, Any]) -> Self:
        """Add everything another monitor, or the `state()` of one, has seen; returns this monitor.

        Moments add up exactly, and the rows kept are a uniform sample of both. Rows come in the order of the ranks.
        The history stays as it is. Raises InputError where real set, metrics or `keep` differ, or rows are shared.
        """
        if other is self:
            raise InputError("A monitor cannot be merged with itself; give that of another process.")
        if isinstance(other, Monitor):
            found, theirs = other._collected, other._identity
        elif isinstance(other, Mapping):
            found, theirs = stored.from_arrays(other, self._identity.d)
        else:
            raise InputError(f"{type(other).__name__} given; a Monitor or what state() returned is accepted.")
        self._identity.check(theirs)
        self._collected = self._collected.merged(found)
        return self

    def state(self) -> Arrays:
        """What was collected and recorded, as plain arrays: for gathering, and `numpy.savez(path, **state)`.

        Moments are `moments_count`, `moments_shift` + `moments_offset` (the mean) and `moments_scatter` (about it);
        `rows` (kept, d) are in order. No pickles are needed to store it.
        """
        return stored.to_arrays(self._collected, self._identity) | {"history": np.array(past.as_text(self._history))}

    def load_state(self, state: Mapping[str, Any]) -> Self:
        """Go on from what `state` returned (also as read back from a .npz); returns the monitor.

        Raises InputError for anything else, and where real set, metrics or `keep` differ.
        """
        collected, theirs = stored.from_arrays(state, self._identity.d)
        self._identity.check(theirs)
        records = _records(state["history"]) if "history" in state else ()
        self._collected, self._history, self._graded = collected, records, None
        return self

    @property
    def _identity(self) -> stored.Identity:
        session = self._references.training
        words = tuple(f"{key} {metric!r}" for key, metric in session.metrics.items())
        return stored.Identity(session.real.fingerprint, words, self._collected.keep, session.real.d)

    # --- what was recorded -----------------------------------------------------------------------------------

    @property
    def history(self) -> tuple[Checkpoint, ...]:
        """What `compute(step=...)` recorded, in order."""
        return self._history

    def table(self) -> list[dict[str, Any]]:
        """The history as plain rows, one for each step and metric."""
        return list(past.rows(self._history))

    def to_json(self, path: str | os.PathLike[str]) -> Path:
        """Write the history as strict JSON (undefined scores are null, with a reason); returns the path."""
        session, held = self._references.training, self._references.validation
        about = {
            key: {"title": metric.info.title, "direction": metric.info.direction}
            for key, metric in session.metrics.items()
        }
        sets = {"real": _facts(session.real), "validation": None if held is None else _facts(held.real)}
        record = json.loads(past.as_text(self._history))
        return codec.write(path, codec.dumps({"kind": "monitor", "version": 1, "metrics": about, **sets, **record}))

    def plot(self, path: str | os.PathLike[str], *, title: str = "") -> Path:
        """Draw every metric over the steps, against training and validation, with real against real as a band.

        path: .png, .svg or .pdf. Raises InputError where nothing was recorded, MissingExtra without matplotlib.
        """
        try:
            from truegrade.monitor import picture
        except ImportError as error:
            raise MissingExtra("Drawing needs matplotlib; pip install 'truegrade[report]'.") from error
        infos = {key: metric.info for key, metric in self._references.training.metrics.items()}
        return picture.draw(self._history, infos, path, title)


def _facts(samples: Samples) -> dict[str, Any]:
    return {"name": samples.name, "n": samples.n, "d": samples.d, "fingerprint": samples.fingerprint}


def _records(text: NDArray[Any]) -> tuple[Checkpoint, ...]:
    try:
        found = json.loads(str(np.asarray(text)))["history"]
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise InputError(f"This is no history of a monitor: {error}.") from error
    return past.of_records(found)
