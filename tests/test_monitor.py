"""Monitoring: batches in any cut are the whole set, references side by side, merging, states, interruptions."""

from __future__ import annotations

import io
import json
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

import truegrade as tg
from truegrade.engine.moments import MomentState
from truegrade.errors import InputError
from truegrade.monitor import references
from truegrade.monitor.collected import Collected
from truegrade.monitor.references import towards
from truegrade.result import About

FEW = ["frechet_distance", "precision", "coverage", "nn_two_sample"]
FAST: dict[str, Any] = {"metrics": FEW, "floor": False}


def rows(seed: int, n: int, d: int = 8, shift: float = 0.0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(shift, 1.0, (n, d))


def fed(monitor: tg.Monitor, values: NDArray[Any], *sizes: int) -> tg.Monitor:
    """The values in batches of these sizes, over and over."""
    start, turn = 0, 0
    while start < len(values):
        size = sizes[turn % len(sizes)]
        monitor.update(values[start : start + size])
        start, turn = start + size, turn + 1
    return monitor


def values_of(evaluation: Any) -> dict[str, float | None]:
    return {key: score.value for key, score in evaluation.scores.items()}


def same_state(a: tg.Monitor, b: tg.Monitor) -> bool:
    first, second = a.state(), b.state()
    return first.keys() == second.keys() and all(np.array_equal(first[k], second[k]) for k in first)


# --- what is collected ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(1,), (7, 64, 1), (230,)])
def test_batches_of_any_size_are_graded_as_one_piece(sizes: tuple[int, ...]) -> None:
    real, synthetic = rows(0, 300).astype(np.float32), rows(1, 230, shift=0.2).astype(np.float32)
    whole = tg.evaluate(real, synthetic, intervals=False)
    found = fed(tg.monitor(real), synthetic, *sizes).compute()
    assert values_of(found) == values_of(whole)
    assert {k: s.floor for k, s in found.scores.items()} == {k: s.floor for k, s in whole.scores.items()}
    assert found.synthetic.fingerprint == whole.synthetic.fingerprint
    assert None not in values_of(found).values()


@pytest.mark.parametrize("sizes", [(1,), (13, 50, 2), (1000,)])
def test_beyond_keep_the_frechet_distance_is_that_of_all_rows(sizes: tuple[int, ...]) -> None:
    real, synthetic = rows(0, 300), rows(1, 1000, shift=0.2)
    monitor = fed(tg.monitor(real, keep=150, metrics=[*FEW, "energy_distance"], floor=False), synthetic, *sizes)
    found = monitor.compute()
    whole = tg.evaluate(real, synthetic, metrics="frechet_distance", intervals=False)["frechet_distance"]
    assert found["frechet_distance"].value == pytest.approx(whole.value, rel=1e-10)
    assert (found["frechet_distance"].n_synthetic, found["coverage"].n_synthetic) == (1000, 150)
    kept = monitor.state()["rows"]
    of_kept = tg.evaluate(real, kept, metrics=[*FEW[1:], "energy_distance"], floor=False, intervals=False)
    assert {k: found[k].value for k in of_kept} == values_of(of_kept)
    assert "Of 1,000 synthetic samples seen 150 were kept" in found.notices[-1].text
    in_one = tg.monitor(real, keep=150).update(synthetic).state()["rows"]
    np.testing.assert_array_equal(kept, in_one)


def test_beyond_keep_the_reference_of_the_frechet_distance_is_for_all_rows() -> None:
    real, synthetic = rows(0, 2000, 3), rows(1, 3000, 3)
    found = tg.monitor(real, keep=400, intervals=True, metrics="frechet_distance").update(synthetic).compute()
    score = found["frechet_distance"]
    of_kept = tg.evaluate(real, rows(2, 400, 3), metrics="frechet_distance", intervals=False)["frechet_distance"]
    assert score.floor.value == pytest.approx(of_kept.floor.value * (1 / 2000 + 1 / 3000) / (1 / 2000 + 1 / 400))
    assert score.interval.low <= score.value <= score.interval.high


def exact_moments(values: NDArray[np.float64]) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Mean and scatter in exact arithmetic."""
    columns = [[Fraction(v) for v in column] for column in values.T]
    means = [sum(c, Fraction(0)) / len(c) for c in columns]
    centred = [[v - m for v in c] for c, m in zip(columns, means, strict=True)]
    return means, [[sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0)) for b in centred] for a in centred]


@pytest.mark.parametrize("sizes", [(1,), (5, 17)])
def test_moments_keep_their_digits_at_an_offset_of_1e8(sizes: tuple[int, ...]) -> None:
    values = rows(3, 120, 3) + 1e8
    state = fed(tg.monitor(rows(0, 50, 3) + 1e8, keep=10, **FAST), values, *sizes).state()
    means, scatter = exact_moments(values)
    error = [Fraction(a) + Fraction(b) - m for a, b, m in zip(
        state["moments_shift"], state["moments_offset"], means, strict=True)]
    assert max(map(abs, error)) < 1e-14
    np.testing.assert_allclose(state["moments_scatter"], np.array(scatter, float), rtol=1e-13, atol=1e-12)
    assert state["moments_count"] == 120


def inclusions(build: Any) -> NDArray[np.int64]:
    """How often each of 40 rows is among the 8 kept, over 400 seeds."""
    counts = np.zeros(40, np.int64)
    for seed in range(400):
        counts[build(seed).values()["rows"][:, 0].astype(int)] += 1
    return counts


def in_batches(seed: int) -> Collected:
    found = Collected(8, seed)
    for start in range(0, 40, 6):
        found = found.with_batch({"rows": np.arange(start, min(start + 6, 40), dtype=float)[:, None]})
    return found


def in_two_processes(seed: int) -> Collected:
    first = Collected(8, seed, 0).with_batch({"rows": np.arange(30.0)[:, None]})
    return first.merged(Collected(8, seed, 1).with_batch({"rows": np.arange(30.0, 40.0)[:, None]}))


@pytest.mark.parametrize("build", [in_batches, in_two_processes])
def test_every_row_is_kept_with_the_same_probability(build: Any) -> None:
    counts = inclusions(build)
    assert counts.sum() == 400 * 8
    expected = 400 * 8 / 40
    statistic = float(((counts - expected) ** 2 / (expected * (1 - 8 / 40))).sum()) * 39 / 40
    assert chi2.ppf(1e-5, 39) < statistic < chi2.ppf(1 - 1e-5, 39)


def test_pairs_of_neighbours_are_kept_together_as_often_as_others() -> None:
    values = {"rows": np.arange(40.0)[:, None]}
    kept = [Collected(8, seed).with_batch(values).values()["rows"] for seed in range(1000)]
    share, expected = np.mean([np.isin([4, 5], one).all() for one in kept]), 8 * 7 / (40 * 39)
    assert abs(share - expected) < 4 * (expected * (1 - expected) / 1000) ** 0.5


def test_memory_is_bounded_by_keep_and_one_batch() -> None:
    monitor = tg.monitor(rows(0, 50), keep=100, **FAST)
    for seed in range(60):
        monitor.update(rows(seed + 1, 40))
    assert (monitor.seen, monitor.kept) == (2400, 100)
    assert len(monitor._collected.store["rows"]) <= 140
    known = fields(Collected)
    assert max(len(v) for f in known if isinstance(v := getattr(monitor._collected, f.name), np.ndarray)) == 100


def test_a_batch_is_copied() -> None:
    real, batch = rows(0, 60), rows(1, 40)
    monitor, untouched = tg.monitor(real, **FAST).update(batch), tg.monitor(real, **FAST).update(batch.copy())
    batch[:] = 7.0
    assert same_state(monitor, untouched)


def test_rows_of_other_precision_are_what_numpy_makes_of_the_whole() -> None:
    a, b, c = rows(1, 30).astype(np.float32), rows(2, 30), rows(3, 30).astype(np.float16)
    real = rows(0, 60)
    monitor = tg.monitor(real, **FAST).update(a).update(b).update(c)
    np.testing.assert_array_equal(monitor.state()["rows"], np.concatenate([a, b, c]))
    notes = [note.text for note in monitor.compute().notices if note.code == "converted"]
    assert notes == ["The Batch 3 values were float16 and were converted to float32 before grading."]


def test_data_frames_are_matched_by_name() -> None:
    frame = pytest.importorskip("pandas").DataFrame(rows(0, 60, 3), columns=list("abc"))
    monitor = tg.monitor(frame, **FAST).update(frame[["c", "a", "b"]])
    np.testing.assert_array_equal(monitor.state()["rows"], frame.to_numpy())
    with pytest.raises(InputError, match="Batch 2 are not those"):
        monitor.update(frame.rename(columns={"a": "z"}))


# --- what is refused ------------------------------------------------------------------------------------------

REFUSED = {
    "nan": (np.where(np.arange(24).reshape(3, 8) == 5, np.nan, 1.0), "Batch 3 has nan in row 0, column 5"),
    "infinite": (np.full((2, 8), np.inf), "Batch 3 has inf"),
    "wide": (rows(9, 4, 5), "Batch 3 has 5 features, the real samples .real. have 8"),
    "one row": (rows(9, 1)[0], "Batch 3 has 1 dimension"),
    "image": (np.zeros((2, 3, 8, 8)), "Batch 3 has 4 dimension"),
    "empty": (np.zeros((0, 8)), "Batch 3 is empty"),
    "text": (np.array([["a"] * 8]), "Batch 3 holds"),
    "nothing": (None, "Batch 3 is of type NoneType"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_batch_is_named_and_nothing_of_it_is_kept(case: str) -> None:
    bad, words = REFUSED[case]
    real, good = rows(0, 60), rows(1, 40)
    monitor = tg.monitor(real, **FAST).update(good[:20]).update(good[20:])
    with pytest.raises(InputError, match=words):
        monitor.update(bad)
    assert same_state(monitor, tg.monitor(real, **FAST).update(good[:20]).update(good[20:]))


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_samples(count: int) -> None:
    monitor = tg.monitor(rows(0, 60), **FAST)
    if count:
        monitor.update(rows(1, 1))
    with pytest.raises(InputError, match=f"has {count} synthetic sample"):
        monitor.compute(step=1)
    assert monitor.history == ()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep": 1}, "keep=1 given"),
        ({"keep": 2.5}, "keep=2.5 given"),
        ({"rank": -1}, "rank=-1 given"),
        ({"metrics": "nonsense"}, "nonsense"),
        ({"value_range": (1, 0)}, "value_range"),
        ({"validation": np.zeros((5, 3))}, "3 features"),
    ],
)
def test_bad_options_are_refused_at_the_start(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        tg.monitor(rows(0, 60), **options)


def test_statistics_alone_cannot_be_monitored_against(tmp_path: Any) -> None:
    np.savez(tmp_path / "s.npz", mu=np.zeros(8), sigma=np.eye(8))
    with pytest.raises(InputError, match="a monitor needs samples"):
        tg.monitor(tmp_path / "s.npz")


@pytest.mark.parametrize("step", [float("nan"), "1", True, [1]])
def test_steps_are_numbers(step: Any) -> None:
    with pytest.raises(InputError, match="step="):
        tg.monitor(rows(0, 60), **FAST).update(rows(1, 40)).compute(step=step)


# --- what is computed once ------------------------------------------------------------------------------------


def test_what_concerns_the_real_samples_alone_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from truegrade.engine import run

    swept: list[tuple[Any, Any]] = []
    summed: list[str] = []
    sweep, moments = run.run_sweep, references.moments

    def counting(job: Any, *rest: Any) -> Any:
        swept.append((job.sweep.a, job.sweep.b))
        return sweep(job, *rest)

    def counted(samples: Any) -> Any:
        summed.append(samples.name)
        return moments(samples)

    monkeypatch.setattr(run, "run_sweep", counting)
    monkeypatch.setattr(references, "moments", counted)
    monitor = tg.monitor(rows(0, 200, 10), validation=rows(5, 150, 10)).update(rows(1, 150, 10))
    monitor.compute()
    assert ("real", "real") in swept
    assert sorted(summed) == ["holdout", "real", "real"]  # training, as many of it as validation, validation
    swept.clear()
    summed.clear()
    monitor.reset().update(rows(2, 150, 10)).compute()
    assert ("real", "real") not in swept
    assert swept.count(("real", "synthetic")) + swept.count(("synthetic", "real")) >= 2
    assert summed == []


def test_references_of_sizes_that_are_past_are_forgotten() -> None:
    monitor = tg.monitor(rows(0, 100), metrics=FEW)
    for seed in range(4):
        monitor.update(rows(seed + 1, 30)).compute()
    assert {size for size, _ in monitor._references.training.floors} == {120}


# --- training and validation side by side ---------------------------------------------------------------------


def test_both_references_are_plain_evaluations_and_the_gap_is_their_difference() -> None:
    real, held, synthetic = rows(0, 120), rows(1, 120), rows(2, 100, shift=0.3)
    monitor = tg.monitor(real, validation=held, metrics=FEW).update(synthetic)
    found = monitor.compute(step=3)
    plain = {"metrics": FEW, "intervals": False}
    ours, theirs = tg.evaluate(real, synthetic, holdout=held, **plain), tg.evaluate(held, synthetic, **plain)
    assert values_of(found) == values_of(ours)
    assert values_of(monitor.against_validation) == values_of(theirs)
    assert {k: s.floor for k, s in found.scores.items()} == {k: s.floor for k, s in ours.scores.items()}
    signs = {"frechet_distance": -1, "precision": 1, "coverage": 1, "nn_two_sample": -1}
    expected = {key: sign * (ours[key].value - theirs[key].value) for key, sign in signs.items()}
    assert monitor.gap == expected
    (point,) = monitor.history
    assert (point.step, point.training, point.validation) == (3, values_of(ours), values_of(theirs))
    assert point.gap == expected


def test_copies_of_the_training_samples_have_a_large_gap_and_fresh_samples_none() -> None:
    real, held = rows(0, 200, 6), rows(1, 200, 6)
    keys = [*FEW, "energy_distance", "kernel_distance", "authenticity", "recall"]
    copies = tg.monitor(real, validation=held, metrics=keys, floor=False).update(real)
    fresh = tg.monitor(real, validation=held, metrics=keys, floor=False).update(rows(2, 200, 6))
    copies.compute()
    fresh.compute()
    for key in keys:
        assert copies.gap[key] > 0, key
        assert copies.gap[key] > abs(fresh.gap[key]), key
    assert copies.gap["authenticity"] > 0.3
    assert copies.gap["nn_two_sample"] > 0.3


def test_the_gap_is_taken_at_equal_numbers_of_real_samples() -> None:
    real, held, synthetic = rows(0, 400, 4), rows(1, 100, 4), rows(2, 100, 4)
    monitor = tg.monitor(real, validation=held, **FAST).update(synthetic)
    monitor.compute()
    assert monitor._references.peer.real.n == 100
    part = monitor._references.peer.real.array()
    assert {tuple(row) for row in part} < {tuple(row) for row in real}
    plain = {"metrics": FEW, "intervals": False, "floor": False}
    expected = tg.evaluate(held, synthetic, **plain)["frechet_distance"].value
    expected -= tg.evaluate(part, synthetic, **plain)["frechet_distance"].value
    assert monitor.gap["frechet_distance"] == pytest.approx(expected, rel=1e-12)
    turned = tg.monitor(held, validation=real, **FAST).update(synthetic)
    turned.compute()
    assert turned.against_validation.real.n == 100


def test_copy_checks_use_the_validation_samples_and_have_no_gap() -> None:
    monitor = tg.monitor(rows(0, 120), validation=rows(1, 120), metrics=["copying_test", "precision"], floor=False)
    found = monitor.update(rows(2, 120)).compute()
    assert found["copying_test"].status == "ok"
    assert set(monitor.against_validation) == set(monitor.gap) == {"precision"}


@pytest.mark.parametrize(
    ("family", "direction", "target", "sign"),
    [
        ("distance", "lower", None, -1),
        ("fidelity", "higher", 1.0, 1),
        ("fidelity", "target", 1.0, 1),
        ("fidelity", "target", None, 0),
        ("two-sample", "target", 0.5, -1),
        ("copying", "higher", None, -1),
        ("copying", "target", 0.0, 0),
    ],
)
def test_which_way_is_nearer(family: str, direction: str, target: float | None, sign: int) -> None:
    assert towards(About(family, direction, (0.0, 1.0), target, "", "", "")) == sign


def test_without_validation_there_is_no_gap() -> None:
    monitor = tg.monitor(rows(0, 60), **FAST).update(rows(1, 40))
    assert monitor.gap is None
    monitor.compute(step=0)
    assert (monitor.gap, monitor.against_validation) == (None, None)
    assert (monitor.history[0].gap, monitor.history[0].validation) == (None, None)


# --- several processes ----------------------------------------------------------------------------------------


def three(keep: int) -> list[tg.Monitor]:
    real = rows(0, 60)
    return [
        fed(tg.monitor(real, keep=keep, rank=rank, **FAST), rows(rank + 1, 50 + rank) + 1e4, 7, 20)
        for rank in range(3)
    ]


@pytest.mark.parametrize("keep", [1000, 60])
def test_merging_in_any_order_is_the_same(keep: int) -> None:
    results = []
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        parts = three(keep)
        results.append(parts[order[0]].merge(parts[order[1]]).merge(parts[order[2]]).state())
    whole = np.concatenate([rows(rank + 1, 50 + rank) + 1e4 for rank in range(3)])
    for state in results:
        np.testing.assert_array_equal(state["rows"], results[0]["rows"])
        np.testing.assert_allclose(state["moments_shift"] + state["moments_offset"], whole.mean(0), rtol=1e-12)
        np.testing.assert_allclose(state["moments_scatter"], np.cov(whole.T) * 152, rtol=1e-10, atol=1e-9)
        np.testing.assert_allclose(
            state["moments_scatter"], results[0]["moments_scatter"], rtol=1e-12, atol=1e-12 * 153
        )
        assert state["moments_count"] == state["seen"] == 153
    if keep > 153:
        np.testing.assert_array_equal(results[0]["rows"], whole)


def test_merged_monitors_grade_as_one(tmp_path: Any) -> None:
    parts = three(1000)
    for rank in (1, 2):  # as processes do: states as .npz files
        np.savez(tmp_path / f"{rank}.npz", **parts[rank].state())
    for rank in (2, 1):
        with np.load(tmp_path / f"{rank}.npz", allow_pickle=False) as state:
            parts[0].merge(state)
    whole = np.concatenate([rows(rank + 1, 50 + rank) + 1e4 for rank in range(3)])
    one = tg.evaluate(rows(0, 60), whole, **FAST, intervals=False)
    assert values_of(parts[0].compute()) == values_of(one)


def test_without_ranks_rows_come_as_they_were_merged() -> None:
    real, a, b = rows(0, 60), rows(1, 30), rows(2, 20)
    first, second = (tg.monitor(real, **FAST).update(one) for one in (a, b))
    np.testing.assert_array_equal(first.merge(second).state()["rows"], np.concatenate([a, b]))
    np.testing.assert_array_equal(second.state()["rows"], b)
    np.testing.assert_array_equal(first.update(a[:5] + 1).state()["rows"], np.concatenate([a, b, a[:5] + 1]))


def test_an_empty_monitor_adds_nothing_and_takes_everything() -> None:
    real = rows(0, 60)
    full = tg.monitor(real, **FAST).update(rows(1, 30))
    assert same_state(full.merge(tg.monitor(real, **FAST)), tg.monitor(real, **FAST).update(rows(1, 30)))
    taken = tg.monitor(real, rank=3, **FAST).merge(full).state()
    np.testing.assert_array_equal(taken["rows"], rows(1, 30))
    assert taken["moments_count"] == 30


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda: tg.monitor(rows(7, 60), **FAST), "the real set"),
        (lambda: tg.monitor(rows(0, 60), keep=9, **FAST), "keep .50000 and 9"),
        (lambda: tg.monitor(rows(0, 60), metrics="precision"), "the metrics"),
        (lambda: tg.monitor(rows(0, 60), metrics=FEW, k=3), "the metrics"),
        (lambda: rows(0, 5), "ndarray given"),
        (lambda: {}, "no state of a monitor"),
        (lambda: tg.monitor(rows(0, 60), **FAST).update(rows(1, 30)), "share rows"),
    ],
)
def test_what_cannot_be_merged_is_refused(other: Any, words: str) -> None:
    monitor = tg.monitor(rows(0, 60), **FAST).update(rows(1, 30))
    with pytest.raises(InputError, match=words):
        monitor.merge(other())
    assert same_state(monitor, tg.monitor(rows(0, 60), **FAST).update(rows(1, 30)))


def test_a_monitor_is_not_merged_with_itself() -> None:
    monitor = tg.monitor(rows(0, 60), **FAST).update(rows(1, 30))
    with pytest.raises(InputError, match="itself"):
        monitor.merge(monitor)


# --- states ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [1000, 40])
def test_a_restored_monitor_goes_on_as_if_nothing_had_happened(keep: int) -> None:
    real = rows(0, 60)
    straight = fed(tg.monitor(real, keep=keep, **FAST), rows(1, 90), 30)
    straight.compute(step=1)
    half = fed(tg.monitor(real, keep=keep, **FAST), rows(1, 90), 30)
    half.compute(step=1)
    file = io.BytesIO()
    np.savez(file, **half.state())
    file.seek(0)
    with np.load(file, allow_pickle=False) as state:
        again = tg.monitor(real, keep=keep, **FAST).load_state(state)
    for monitor in (straight, again):
        fed(monitor, rows(2, 50), 25).compute(step=2)
    assert again.history == straight.history
    np.testing.assert_array_equal(again.state()["rows"], straight.state()["rows"])
    np.testing.assert_array_equal(again.state()["keys"], straight.state()["keys"])
    np.testing.assert_allclose(again.state()["moments_scatter"], straight.state()["moments_scatter"], rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": np.zeros((3, 8))}, "shape"),
        ({"rows": np.full((30, 8), np.nan)}, "not finite"),
        ({"rows": np.array([["x"]])}, "shape"),
        ({"version": np.array(99)}, "version 99"),
        ({"seen": np.array(1.5)}, "whole numbers"),
        ({"moments_scatter": np.eye(3)}, "shape"),
        ({"keys": np.zeros(30)}, "keys"),
        ({"seed": np.array([object()])}, "other things"),
        ({"history": np.array("{]")}, "no history"),
        ({"history": np.array('{"history": [{"step": "x"}]}')}, "no history"),
    ],
)
def test_broken_states_are_refused_and_change_nothing(change: dict[str, Any], words: str) -> None:
    monitor = tg.monitor(rows(0, 60), **FAST).update(rows(1, 30))
    state = monitor.state()
    with pytest.raises(InputError, match=words):
        monitor.load_state(state | change)
    assert same_state(monitor, tg.monitor(rows(0, 60), **FAST).update(rows(1, 30)))


def test_a_state_that_lacks_something_is_refused() -> None:
    monitor = tg.monitor(rows(0, 60), **FAST).update(rows(1, 30))
    for name in set(monitor.state()) - {"history"}:
        state = monitor.state()
        del state[name]
        with pytest.raises(InputError, match="no state of"):
            monitor.load_state(state)


def test_reset_forgets_samples_and_keeps_the_history() -> None:
    monitor = tg.monitor(rows(0, 60), **FAST).update(rows(1, 30))
    monitor.compute(step=1)
    assert monitor.reset().seen == 0
    assert len(monitor.history) == 1
    again = tg.monitor(rows(0, 60), **FAST).update(rows(2, 30))
    assert values_of(monitor.update(rows(2, 30)).compute()) == values_of(again.compute())


# --- interruptions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "method"), [(MomentState, "update"), (Collected, "_draw")])
def test_an_interrupted_update_leaves_no_trace(monkeypatch: pytest.MonkeyPatch, kind: type, method: str) -> None:
    monitor = fed(tg.monitor(rows(0, 60), keep=50, **FAST), rows(1, 90), 30)
    with monkeypatch.context() as patch:
        patch.setattr(kind, method, interrupt)
        with pytest.raises(KeyboardInterrupt):
            monitor.update(rows(2, 30))
    assert same_state(monitor, fed(tg.monitor(rows(0, 60), keep=50, **FAST), rows(1, 90), 30))


def test_an_update_interrupted_after_it_wrote_rows_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = fed(tg.monitor(rows(0, 60), keep=50, **FAST), rows(1, 90), 30)
    added = Collected._added

    def late(self: Collected, *given: Any) -> Any:
        added(self, *given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Collected, "_added", late)
        for seed in range(2, 6):
            with pytest.raises(KeyboardInterrupt):
                monitor.update(rows(seed, 30))
    assert same_state(monitor, fed(tg.monitor(rows(0, 60), keep=50, **FAST), rows(1, 90), 30))


def test_an_interrupted_compute_loses_nothing_that_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = tg.monitor(rows(0, 60), validation=rows(5, 60), **FAST).update(rows(1, 30))
    monitor.compute(step=1)
    before, gap = monitor.history, monitor.gap
    monitor.update(rows(2, 30))
    with monkeypatch.context() as patch:
        patch.setattr(references, "gaps", interrupt)
        with pytest.raises(KeyboardInterrupt):
            monitor.compute(step=2)
    assert (monitor.history, monitor.gap, monitor.seen) == (before, gap, 60)
    monitor.compute(step=2)
    assert [one.step for one in monitor.history] == [1, 2]


def interrupt(*given: Any, **named: Any) -> Any:
    raise KeyboardInterrupt


# --- what was recorded ----------------------------------------------------------------------------------------


def test_the_table_and_the_file_say_what_was_computed(tmp_path: Any) -> None:
    monitor = tg.monitor(rows(0, 60), validation=rows(5, 60), metrics=FEW)
    found = monitor.update(rows(1, 30)).compute(step=0.5)
    monitor.compute()  # not recorded
    table = monitor.table()
    assert [row["metric"] for row in table] == [*found]
    first = next(row for row in table if row["metric"] == "frechet_distance")
    assert first["training"] == found["frechet_distance"].value
    assert first["validation"] == monitor.against_validation["frechet_distance"].value
    assert first["gap"] == first["validation"] - first["training"]
    assert (first["step"], first["seen"], first["kept"]) == (0.5, 30, 30)
    record = json.loads(monitor.to_json(tmp_path / "new" / "m.json").read_text(), parse_constant=pytest.fail)
    assert record["history"][0]["training"]["precision"] == found["precision"].value
    assert record["history"][0]["floors"].keys() == {k for k, s in found.scores.items() if s.floor}
    assert (record["real"]["n"], record["validation"]["n"]) == (60, 60)


def test_an_undefined_score_is_recorded_with_its_reason(tmp_path: Any) -> None:
    monitor = tg.monitor(rows(0, 60), metrics=["classes", "precision"], floor=False).update(rows(1, 30))
    monitor.compute(step=1)
    (point,) = monitor.history
    assert point.training["inception_score"] is None
    assert "probabilities" in point.reasons["inception_score"]
    assert json.loads(monitor.to_json(tmp_path / "m.json").read_text())["history"][0]["training"]["mode_score"] is None
