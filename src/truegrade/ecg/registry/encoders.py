"""Encoders of recordings for `fed`: what an encoder wants to be fed with, written down, and ONNX files as encoders."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly
from scipy.stats import rankdata

from truegrade.ecg.registry.sides import Rows, Side
from truegrade.errors import InputError, MissingExtra
from truegrade.recordings.checking import UNITS
from truegrade.recordings.leads import canonical

Normalise = Literal["zscore", "ranks"] | None
OPENECG = "models/codec_v6_int8.onnx"


@dataclass(frozen=True, kw_only=True)
class InputSpec:
    """What an encoder wants; None takes the recordings as they are.

    leads: by name, in this order. fs: Hz; recordings at another rate are resampled. seconds: the first ones of longer
    recordings, shorter ones are refused. units: "mV", "uV" ... normalise: each lead of each recording to mean 0 and
    sd 1 ("zscore"), or to its ranks from -1 to 1 ("ranks"); units do not matter then.
    """

    leads: tuple[str, ...] | None = None
    fs: float | None = None
    seconds: float | None = None
    units: str | None = None
    normalise: Normalise = None

    def __post_init__(self) -> None:
        if self.leads is not None:
            given = (self.leads,) if isinstance(self.leads, str) else self.leads
            object.__setattr__(self, "leads", tuple(canonical(lead) for lead in given))
        if self.units is not None and self.units not in UNITS:
            raise InputError(f"units={self.units!r} given; {', '.join(UNITS)} is accepted.")
        if self.normalise not in (None, "zscore", "ranks"):
            raise InputError(f"normalise={self.normalise!r} given; 'zscore', 'ranks' or None is accepted.")

    def as_dict(self) -> dict[str, Any]:
        """For the result."""
        return {name: getattr(self, name) for name in ("leads", "fs", "seconds", "units", "normalise")}

    def check(self, side: Side) -> Side:
        """The side's leads that are wanted. Raises InputError where the recordings cannot be brought into this form."""
        lacking = [lead for lead in self.leads or () if lead not in side.leads]
        if lacking:
            raise InputError(
                f"The encoder wants the lead {lacking[0]}; the {side.name} recordings have {', '.join(side.leads)}."
            )
        if side.fs is None and (self.fs is not None or self.seconds is not None):
            raise InputError(f"The encoder wants {self.fs or ''} Hz; say fs= of the {side.name} recordings.")
        if self.units is not None and self.normalise is None and side.units is None:
            raise InputError(f"The encoder wants {self.units}; say units= of the {side.name} recordings.")
        if self.seconds is not None and side.fs is not None and side.length / side.fs < self.seconds * (1 - 1e-9):
            raise InputError(
                f"The encoder wants {self.seconds:g} s; the {side.name} recordings have {side.length / side.fs:g} s."
            )
        return side if self.leads is None else side.select(self.leads)

    def prepared(self, side: Side, rows: Rows) -> NDArray[np.float32]:
        """(r, L, T) of a side that was checked, in the form wanted; a lead with a NaN is a flat line at 0."""
        values = np.stack([side.read(lead, rows) for lead in range(len(side.leads))], axis=1)
        values[~np.isfinite(values).all(axis=2)] = 0.0
        if self.fs is not None and side.fs is not None and self.fs != side.fs:
            ratio = Fraction(self.fs / side.fs).limit_denominator(1000)
            values = resample_poly(values, ratio.numerator, ratio.denominator, axis=2)
        rate = self.fs or side.fs
        if self.seconds is not None and rate is not None:
            values = values[:, :, : round(self.seconds * rate)]
        if self.normalise is not None:
            return _normalised(values, self.normalise).astype(np.float32)
        return (values / UNITS[self.units] if self.units is not None else values).astype(np.float32)


def _normalised(values: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    if how == "ranks":
        return np.asarray((rankdata(values, axis=2) - 1.0) / max(values.shape[2] - 1, 1) * 2.0 - 1.0)
    centred = values - values.mean(axis=2, keepdims=True)
    spread = centred.std(axis=2, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0))


@dataclass(frozen=True, eq=False)
class OnnxEncoder:
    """An ONNX file that turns recordings into vectors, with what it wants to be fed with (see `InputSpec`).

    Args:
        path: the file; its one input is (batch, leads, samples), or (batch, samples) of a single lead.
        outputs: which outputs are put side by side; None takes the first.
        pool: axis of an output of more than two axes that is averaged over, such as time; 1 of (batch, time, channels).
        batch: recordings at a time.

    Called with (n, L, T) float32 it gives (n, d) float64. Raises InputError for a file that is no such graph.
    """

    path: str | os.PathLike[str]
    leads: Sequence[str] | None = None
    fs: float | None = None
    seconds: float | None = None
    units: str | None = None
    normalise: Normalise = None
    outputs: tuple[str, ...] | None = None
    pool: int | None = None
    batch: int = 32
    spec: InputSpec = field(init=False)
    _session: list[Any] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        leads = None if self.leads is None else tuple([self.leads] if isinstance(self.leads, str) else self.leads)
        spec = InputSpec(leads=leads, fs=self.fs, seconds=self.seconds, units=self.units, normalise=self.normalise)
        object.__setattr__(self, "spec", spec)

    def __call__(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        session = self._loaded()
        (given,) = session.get_inputs()
        flat = len(given.shape) == 2
        if flat and values.shape[1] != 1:
            raise InputError(f"{self._name()} takes one lead, and {values.shape[1]} were given; say leads=('II',).")
        names = list(self.outputs or (session.get_outputs()[0].name,))
        parts = []
        for start in range(0, len(values), self.batch):
            block = values[start : start + self.batch]
            try:
                found = session.run(names, {given.name: block[:, 0] if flat else block})
            except Exception as error:  # onnxruntime's own kinds of error are not public
                raise InputError(f"{self._name()} refused recordings of the shape {block.shape}: {error}") from None
            parts.append(np.concatenate([self._pooled(np.asarray(one)) for one in found], axis=1))
        return np.concatenate(parts).astype(np.float64)

    def _pooled(self, output: NDArray[Any]) -> NDArray[Any]:
        pooled = output if output.ndim == 2 or self.pool is None else output.mean(axis=self.pool)
        if pooled.ndim != 2:
            raise InputError(
                f"{self._name()} gives an output of the shape {output.shape}; say pool=, the axis to average over, so "
                "that (batch, features) remains."
            )
        return np.asarray(pooled)

    def _loaded(self) -> Any:
        if not self._session:
            try:
                import onnxruntime
            except ImportError:
                raise MissingExtra("ONNX encoders need onnxruntime: pip install 'truegrade[images]'.") from None
            if not Path(self.path).is_file():
                raise InputError(f"There is no file {os.fspath(self.path)}; give the path of an ONNX file.")
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4
            try:
                session = onnxruntime.InferenceSession(os.fspath(self.path), options, ["CPUExecutionProvider"])
            except Exception as error:
                raise InputError(f"{self._name()} cannot be read as an ONNX graph: {error}") from None
            if len(session.get_inputs()) != 1 or len(session.get_inputs()[0].shape) not in (2, 3):
                raise InputError(f"{self._name()} needs one input of the shape (batch, leads, samples).")
            unknown = set(self.outputs or ()) - {one.name for one in session.get_outputs()}
            if unknown:
                raise InputError(f"{self._name()} has no output {sorted(unknown)[0]!r}.")
            self._session.append(session)
        return self._session[0]

    def _name(self) -> str:
        return Path(self.path).name

    @staticmethod
    def openecg(lead: str = "II") -> OnnxEncoder | None:
        """The beat and rhythm network of the openecg package, if that is installed: one lead, 500 Hz, 10 s, ranks; its
        16 scores of waves, beats and rhythms averaged over time. Blind to voltage."""
        found = importlib.util.find_spec("openecg")
        path = Path(found.origin).parent / OPENECG if found is not None and found.origin else None
        if path is None or not path.is_file():
            return None
        outputs = ("frame_logits", "beat_logits", "rhythm_logits")
        return OnnxEncoder(
            path, leads=(lead,), fs=500.0, seconds=10.0, normalise="ranks", outputs=outputs, pool=1, batch=1
        )
