"""Monitoring in torch: tensors as batches, and the torchmetrics object against torchmetrics' own machinery."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from truegrade.errors import InputError

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")
KEYS = ["frechet_distance", "precision", "nn_two_sample"]
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "monitor_training.py"


def rows(seed: int, n: int, d: int = 6, shift: float = 0.0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(shift, 1.0, (n, d)).astype(np.float32)


def metric(**options: Any) -> Any:
    from truegrade.monitor.torchmetric import TruegradeMetric

    return TruegradeMetric(rows(0, 80), **{"metrics": KEYS, **options})


def expected(synthetic: NDArray[Any]) -> dict[str, float]:
    found = tg.evaluate(rows(0, 80), synthetic, metrics=KEYS, floor=False, intervals=False)
    return {key: score.value for key, score in found.scores.items()}


def floats(found: dict[str, Any]) -> dict[str, float]:
    assert all(torch.is_tensor(value) and value.dtype == torch.float64 for value in found.values())
    return {key: value.item() for key, value in found.items()}


# --- tensors as batches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "bfloat16", "int64"])
def test_tensors_of_every_type_and_with_gradient(kind: str) -> None:
    tensor = torch.from_numpy(rows(1, 40) * 3).to(getattr(torch, kind))
    whole = tensor.double().numpy()
    if kind != "int64":
        tensor.requires_grad_()
    state = tg.monitor(rows(0, 80), metrics=KEYS).update(tensor[:15]).update(tensor[15:]).state()
    np.testing.assert_array_equal(state["rows"], whole)


def test_a_training_loop_that_reuses_its_tensor() -> None:
    buffer, batches = torch.empty(20, 6), [rows(seed, 20) for seed in range(1, 4)]
    monitor = tg.monitor(rows(0, 80), metrics=KEYS, floor=False)
    for batch in batches:
        buffer.copy_(torch.from_numpy(batch))
        monitor.update(buffer)
    found = {key: score.value for key, score in monitor.compute().scores.items()}
    assert found == expected(np.concatenate(batches))


# --- as a torchmetrics object ---------------------------------------------------------------------------------


def test_the_object_grades_as_evaluate_does() -> None:
    synthetic, found = rows(1, 50, shift=0.3), metric()
    for start in (0, 20, 21):
        found.update(torch.from_numpy(synthetic[start : 20 if start == 0 else 21 if start == 20 else None]))
    assert floats(found.compute()) == expected(synthetic)


def test_reset_begins_anew() -> None:
    found = metric()
    found.update(rows(5, 30))
    found.compute()
    found.reset()
    found.update(rows(1, 50))
    assert floats(found.compute()) == expected(rows(1, 50))


def test_in_a_collection_with_other_metrics_and_itself() -> None:
    collection = torchmetrics.MetricCollection({"a": metric(), "b": metric(metrics=["coverage"])}, prefix="val_")
    for seed in (1, 2):
        collection.update(torch.from_numpy(rows(seed, 30)))
    whole = np.concatenate([rows(1, 30), rows(2, 30)])
    found = floats(collection.compute())
    for key, value in expected(whole).items():
        assert found[f"val_{key}"] == value
    plain = tg.evaluate(rows(0, 80), whole, metrics="coverage", floor=False, intervals=False)
    assert found["val_coverage"] == plain["coverage"].value
    collection.reset()
    again = collection.clone(prefix="test_")
    again.update(torch.from_numpy(rows(1, 30)))
    assert floats(again.compute())["test_precision"] == expected(rows(1, 30))["precision"]


def test_merged_states_are_one_piece() -> None:
    first, second = metric(), metric()
    first.update(rows(1, 30))
    second.update(rows(2, 20))
    first.merge_state(second)
    either = (np.concatenate([rows(1, 30), rows(2, 20)]), np.concatenate([rows(2, 20), rows(1, 30)]))
    assert floats(first.compute()) in [expected(one) for one in either]


def test_states_are_gathered_from_all_processes() -> None:
    """What torchmetrics does on several devices, with the gathering replaced by that of two known processes."""
    mine, other = rows(1, 30), rows(2, 20)

    def gather(tensor: Any, group: Any = None) -> list[Any]:
        return [tensor, torch.from_numpy(other)] if tensor.ndim == 2 and tensor.shape[1] == 6 else [tensor, tensor]

    found = metric(dist_sync_fn=gather, distributed_available_fn=lambda: True)
    found.update(mine)
    assert floats(found.compute()) == expected(np.concatenate([mine, other]))


def test_forward_gives_the_value_of_the_batch_and_keeps_both() -> None:
    found = metric()
    found(torch.from_numpy(rows(1, 30)))
    of_batch = found(torch.from_numpy(rows(2, 20)))
    assert floats(of_batch) == expected(rows(2, 20))
    assert floats(found.compute()) == expected(np.concatenate([rows(1, 30), rows(2, 20)]))


def test_validation_gives_the_gap() -> None:
    found = metric(validation=rows(9, 80))
    found.update(rows(0, 80))
    values = floats(found.compute())
    assert values["frechet_distance_gap"] == values["frechet_distance_validation"] - values["frechet_distance"] > 0


def test_a_score_without_a_value_is_nan() -> None:
    found = metric(metrics=["classes"])
    found.update(rows(1, 30))
    assert all(np.isnan(value) for value in floats(found.compute()).values())


def test_pickled_and_copied_as_training_on_several_devices_does() -> None:
    found = metric()
    found.update(rows(1, 30))
    assert floats(pickle.loads(pickle.dumps(found)).compute()) == expected(rows(1, 30))


def test_bad_batches_are_refused_at_once_and_not_kept() -> None:
    found = metric()
    found.update(rows(1, 30))
    with pytest.raises(InputError, match="Batch 2 has 4 features"):
        found.update(rows(1, 30, 4))
    assert floats(found.compute()) == expected(rows(1, 30))


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric:UserWarning")
def test_nothing_to_compute() -> None:
    with pytest.raises(InputError, match="0 synthetic samples"):
        metric().compute()


def test_images_are_embedded() -> None:
    from truegrade.monitor.torchmetric import TruegradeMetric

    pytest.importorskip("PIL")
    real, synthetic = (np.random.default_rng(s).integers(0, 256, (30, 8, 8, 3)).astype(np.uint8) for s in (0, 1))
    options: dict[str, Any] = {"metrics": KEYS, "embed": "pixels:size=4"}
    found = TruegradeMetric(real, **options)
    found.update(torch.from_numpy(synthetic).permute(0, 3, 1, 2))
    whole = tg.evaluate(real, synthetic, floor=False, intervals=False, **options)
    assert floats(found.compute()) == {key: score.value for key, score in whole.scores.items()}


# --- the example ----------------------------------------------------------------------------------------------


def test_the_example_runs(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLE), "--quick", "--spaces", "pixels,classes", "--out", str(tmp_path)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    made = {f"monitor{space}.{kind}" for space in ("", "_classes") for kind in ("json", "png")}
    assert {one.name for one in tmp_path.iterdir()} == made
    lines = shown.stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["0", "30", "60"]
    first, last = (float(lines[at].split()[1]) for at in (2, 4))
    assert last < first
    scores = next(line.split() for line in lines if line.startswith("inception_score"))
    assert float(scores[3]) > float(scores[1])  # in the space of classes alone
    after = lines[next(at for at, line in enumerate(lines) if line.startswith("gap")) :]
    gaps = {line.split()[0]: [float(v) for v in line.split()[-2:]] for line in after if "_distance " in line}
    assert gaps["frechet_distance"][1] > abs(gaps["frechet_distance"][0])
