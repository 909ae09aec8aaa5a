"""truegrade's scores as a torchmetrics object, for MetricCollection, Lightning and training on several devices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from truegrade.embedders import Embedder
from truegrade.errors import MissingExtra
from truegrade.metrics import Choice
from truegrade.monitor import monitor
from truegrade.monitor.batches import values_of
from truegrade.monitor.watch import Monitor

try:
    import torch
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat
except ImportError as error:
    raise MissingExtra(f'TruegradeMetric needs {error.name}; pip install "truegrade[torch]".') from error


class TruegradeMetric(Metric):  # type: ignore[misc]
    """All scores of synthetic samples; `update(batch)`, then `compute()` gives a dict of tensors.

    The state is the list of all vectors (`features`, and `probabilities` of embedders with classes), which is
    gathered from all processes. `compute` grades them as `truegrade.evaluate` does: a score without a value is NaN.
    With validation samples there are also `{key}_validation` and `{key}_gap`; see `Monitor.gap`.

    Args:
        real, metrics, k, seed, embed, validation, threads, value_range: as for `truegrade.monitor`.
        options: those of `torchmetrics.Metric`.

    Raises InputError as the monitor does, at the update that is wrong.
    """

    is_differentiable = False
    higher_is_better = None
    full_state_update = False
    features: list[torch.Tensor]
    probabilities: list[torch.Tensor]

    def __init__(
        self,
        real: object,
        *,
        metrics: Choice | Iterable[Choice] | None = None,
        k: int | None = None,
        seed: int = 0,
        embed: str | Embedder | None = None,
        validation: object = None,
        threads: int | None = None,
        value_range: tuple[float, float] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._watch: Monitor = monitor(
            real,
            metrics=metrics,
            k=k,
            seed=seed,
            embed=embed,
            validation=validation,
            floor=False,
            threads=threads,
            value_range=value_range,
        )
        self.add_state("features", default=[], dist_reduce_fx="cat")
        self.add_state("probabilities", default=[], dist_reduce_fx="cat")

    def update(self, batch: object) -> None:
        """Add a batch of synthetic samples: vectors, or images where they are embedded; as `Monitor.update`."""
        found = values_of(self._watch.read(batch, len(self.features) + 1))
        self.features.append(torch.tensor(found["rows"], device=self.device))
        if "probabilities" in found:
            self.probabilities.append(torch.tensor(found["probabilities"], device=self.device))

    def compute(self) -> dict[str, torch.Tensor]:
        """Every score of all batches, by key, as float64 (float32 on devices without); NaN where it has no value."""
        rows = dim_zero_cat(self.features) if len(self.features) else torch.zeros((0, 1))
        values = {"rows": rows.cpu().numpy()}
        if len(self.probabilities):
            values["probabilities"] = dim_zero_cat(self.probabilities).cpu().numpy()
        watch = self._watch.of_all(values)
        evaluation, other = watch.compute(), watch.against_validation
        found = {key: score.value for key, score in evaluation.scores.items()}
        if other is not None:
            found |= {f"{key}_validation": score.value for key, score in other.scores.items()}
            found |= {f"{key}_gap": value for key, value in (watch.gap or {}).items()}
        return {key: self._tensor(value) for key, value in found.items()}

    def _tensor(self, value: float | None) -> torch.Tensor:
        dtype = torch.float32 if self.device.type == "mps" else torch.float64
        return torch.tensor(float("nan") if value is None else value, dtype=dtype, device=self.device)
