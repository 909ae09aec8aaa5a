"""The Fréchet distance of an encoder's vectors: fed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from truegrade.ecg.lacking import lost
from truegrade.ecg.registry.base import Floor, RegistryMetric, check_whole
from truegrade.ecg.registry.encoders import InputSpec, OnnxEncoder
from truegrade.ecg.registry.result import MetricResult
from truegrade.ecg.registry.sides import Floats, Pair, Rows, Side
from truegrade.ecg.registry.vectors import frechet
from truegrade.errors import InputError

GIVE = (
    "fed needs an encoder: AVAILABLE_METRICS['fed'](encoder=OnnxEncoder('encoder.onnx', leads=('I', 'II'), fs=500, "
    "seconds=10, units='mV')), or any function from (n, L, T) float32 to (n, d). No network is downloaded."
)


@dataclass(frozen=True, kw_only=True)
class FED(RegistryMetric):
    """Fréchet distance of the vectors that an encoder makes of whole recordings.

    encoder: a callable from (n, L, T) float32 to (n, d), such as `OnnxEncoder`; without one that of the openecg
    package, if it is installed. spec: what the encoder wants (`InputSpec`), unless it has a `.spec` of its own;
    recordings are brought into that form or refused. Real recordings that lack a lead the encoder wants are left out;
    of the synthetic ones each counts as one far out would. Range 0 to infinity, lower is better,
    comparable only for one encoder and at equal sizes. No scores by lead. `extra["encoder"]`, `extra["spec"]`. Raises
    InputError where there is no encoder.
    Source: Heusel et al. 2017 for the distance.
    """

    encoder: Any = None
    spec: InputSpec | None = None
    fs: float | None = None
    backbone: str | None = None
    device: str = "cpu"
    batch_size: int = 64
    n_subsample: int | None = None
    seed: int = 42
    eps: float | None = None

    key: ClassVar[str] = "fed"
    floor: ClassVar[Floor] = "1/n"
    title: ClassVar[str] = "Fréchet distance of an encoder"
    least: ClassVar[tuple[int, int]] = (2, 2)
    description: ClassVar[str] = "Distance of the means and covariances of an encoder's vectors; lower is better."
    reference: ClassVar[str] = "Heusel et al. 2017, GANs trained by a two time-scale update rule converge."
    corrected: ClassVar[str] = (
        "Any encoder, with what it is fed with written down (there three networks that are downloaded, and recordings "
        "at whatever rate and unit); the root of the product of the covariances itself; no ridge."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("batch_size", self.batch_size, 1)
        if self.backbone is not None:
            raise InputError(f"backbone={self.backbone!r} given, and no networks are downloaded. {GIVE}")
        if self.encoder is not None and not callable(self.encoder):
            raise InputError(f"encoder={self.encoder!r} given. {GIVE}")

    def of(self, pair: Pair) -> MetricResult:
        self.check(pair)
        encoder = self.encoder or OnnxEncoder.openecg()
        if encoder is None:
            raise InputError(GIVE)
        used = replace(self, encoder=encoder, spec=self.spec or getattr(encoder, "spec", None) or InputSpec())
        return used._score(pair.sampled(self.n_subsample, self.seed))

    def _score(self, pair: Pair) -> MetricResult:
        assert self.spec is not None
        real, synthetic = (self.spec.check(side) for side in (pair.real, pair.synthetic))
        x_rows, y_rows = (np.flatnonzero(_whole(side)) for side in (real, synthetic))
        if len(x_rows) < 2:
            raise InputError(f"fed is undefined: {len(x_rows)} real recordings have a signal in every lead it reads.")
        x = self.vectors(real, x_rows)
        score, reason = math.inf, "fewer than 2 synthetic recordings have a signal in every lead"
        counts = [(len(side) - len(rows), len(side)) for side, rows in ((synthetic, y_rows), (real, x_rows))]
        if len(y_rows) >= 2 and not self.compat and (why := lost(*counts)):
            reason = why
        elif len(y_rows) >= 2:
            score, reason = self._distance(x, self.vectors(synthetic, y_rows), len(y_rows) / len(synthetic))
        return MetricResult(
            metric_name=self.key,
            score=score,
            extra={
                "encoder": getattr(self.encoder, "path", None) or getattr(self.encoder, "__name__", "encoder"),
                "spec": self.spec.as_dict(),
                "missing_real": {"all": len(real) - len(x_rows)},
                "missing_synthetic": {"all": len(synthetic) - len(y_rows)},
            },
            description=self.description,
            reference=self.reference,
            corrected="" if self.compat else self.corrected,
            reason=reason or None,
        )

    def _distance(self, x: Floats, y: Floats, share: float) -> tuple[float, str]:
        if self.compat:
            from truegrade.ecg.registry.compat.vectors import frechet_of_symmetric_part

            return frechet_of_symmetric_part(x, y, 1e-6 if self.eps is None else self.eps), ""
        found = frechet(x, y, share, self.eps or 0.0)
        return math.inf if found.value is None else found.value, found.reason or ""

    def vectors(self, side: Side, rows: Rows) -> Floats:
        """(r, d) of recordings. Raises InputError where the encoder gives something else."""
        assert self.spec is not None
        parts = []
        for start in range(0, len(rows), self.batch_size):
            block = self.spec.prepared(side, rows[start : start + self.batch_size])
            found = np.asarray(self.encoder(block), dtype=np.float64)
            if found.ndim != 2 or len(found) != len(block):
                raise InputError(
                    f"The encoder gave {found.shape} for recordings of the shape {block.shape}; (n, d) is needed."
                )
            if not np.isfinite(found).all():
                raise InputError("The encoder gave vectors with NaN or infinities; they have no distance.")
            parts.append(found)
        return np.concatenate(parts)


def _whole(side: Side) -> Any:
    return np.all([side.alive(lead) for lead in range(len(side.leads))], axis=0)
