"""The audit's suite after the 2018 study, and the changes of images and recordings before embedding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from test_golden import GOLDEN, waves
from truegrade.audit.changes import ecg_changes, image_changes
from truegrade.audit.changes import recordings as signals
from truegrade.audit.changes.images import blurred, changed, noise, shifted, turned
from truegrade.audit.changes.simple import learn, principal_parts
from truegrade.audit.material import Material
from truegrade.audit.run import run_scenario
from truegrade.audit.scenario import Ask, Draw, Scenario, Seen, matching
from truegrade.audit.suites.study_2018 import CONVENTION, PAPER, SCENARIOS, agreement
from truegrade.audit.suites.study_2018.modes import collapsed, dropped, find_modes, leading_parts
from truegrade.audit.suites.study_2018.paper import kind_of_space
from truegrade.audit.suites.study_2018.rules import Betrays, Ignores
from truegrade.errors import InputError
from truegrade.images import Images, Skipped
from truegrade.metrics import FrechetDistance, InceptionScore, ModeScore
from truegrade.recordings import Recordings
from truegrade.samples import Samples

SEED = 5


# --- images before embedding --------------------------------------------------------------------------------


def pixels_of(images: Images) -> list[NDArray[Any]]:
    return [one.pixels for one in images.stream()]


def dots(n: int, height: int = 28, width: int = 28) -> NDArray[np.uint8]:
    made = np.zeros((n, height, width), np.uint8)
    made[:, height // 2 - 1 : height // 2 + 1, width // 2 - 1 : width // 2 + 1] = 200
    return made


def test_shifts_move_by_whole_pixels_up_to_a_fourteenth_of_each_side_and_never_by_none():
    made = np.stack(pixels_of(changed(tg.load_images(dots(60, 28, 56)), "shift", shifted, SEED)))[..., 0]
    places = np.array([np.argwhere(image).mean(0) for image in made]) - (13.5, 27.5)
    assert (made.sum((1, 2)) == 800).all()
    assert (places == np.rint(places)).all()
    assert np.abs(places).max(0).tolist() == [2, 4]
    assert (np.abs(places).max(1) >= 1).all()


def test_turns_turn_about_the_middle():
    made = np.stack(pixels_of(changed(tg.load_images(dots(30)), "turn", turned, SEED)))[..., 0]
    middles = [np.average(np.indices((28, 28)).reshape(2, -1), axis=1, weights=i.ravel()) for i in made]
    np.testing.assert_allclose(middles, 13.5, atol=0.05)
    bar = np.zeros((41, 41, 3), np.float32)
    bar[:, 20] = 250.0
    slopes = []
    for seed in range(40):
        rows, columns = np.nonzero(turned(bar, np.random.default_rng(seed))[..., 0] > 100)
        slopes.append(np.degrees(np.arctan(np.polyfit(rows, columns, 1)[0])))
    assert 8.0 < np.abs(slopes).max() < 10.6
    assert min(slopes) < 0 < max(slopes)


def test_blur_keeps_the_light_and_widens_a_dot_by_its_variance():
    dot = np.zeros((57, 57, 3), np.float32)
    dot[28, 28] = 100.0
    made = blurred(dot, np.random.default_rng(0))[..., 1]
    assert made.sum() == pytest.approx(100.0, rel=1e-4)
    spread = (made.sum(1) * (np.arange(57) - 28.0) ** 2).sum() / made.sum()
    assert spread == pytest.approx((57 / 28) ** 2, rel=0.02)


def test_noise_is_uniform_and_grey_where_the_image_is_grey():
    rng = np.random.default_rng(0)
    grey, colour = np.full((64, 64, 3), 9.0, np.float32), rng.uniform(0, 255, (64, 64, 3)).astype(np.float32)
    made = noise(grey, rng)
    assert (made == made[..., :1]).all()
    assert made.mean() == pytest.approx(127.5, abs=5)
    assert np.histogram(made[..., 0], 4, (0, 256))[0].min() > 900
    assert (noise(colour, rng)[..., 0] != noise(colour, rng)[..., 1]).mean() > 0.9


def test_the_simple_model_has_the_mean_and_covariance_of_the_leading_parts():
    rng = np.random.default_rng(0)
    few = np.outer(rng.normal(size=300), np.ones(16)) * 20 + rng.normal(size=(300, 16)) * 5 + 128
    given = np.rint(few).clip(0, 255).astype(np.uint8).reshape(300, 4, 4)
    model, blank = learn(tg.load_images(given[..., None]), SEED), np.zeros((4, 4, 3), np.float32)
    made = np.stack([model.draw_for(blank, rng)[..., 0].ravel() for _ in range(10_000)])
    flat = given.reshape(300, 16).astype(float)
    np.testing.assert_allclose(made.mean(0), flat.mean(0), atol=1.0)
    np.testing.assert_allclose(np.cov(made.T), np.cov(flat.T), rtol=0.08, atol=4.0)


def test_principal_parts_are_those_of_the_covariance():
    values = np.random.default_rng(1).normal(size=(30, 12)) * np.arange(1, 13)
    mean, parts = principal_parts(values, 3)
    lengths, vectors = np.linalg.eigh(np.cov(values.T))
    np.testing.assert_allclose(mean, values.mean(0))
    np.testing.assert_allclose((parts**2).sum(1), lengths[-3:], rtol=1e-9)
    np.testing.assert_allclose(np.abs(parts @ vectors[:, -3:]), np.diag(np.sqrt(lengths[-3:])), atol=1e-7)


def as_means(images: Images) -> Samples:
    """An embedder of images of any size: the mean of each channel."""
    return Samples.from_array(np.stack([p.reshape(-1, 3).mean(0) for p in pixels_of(images)]))


def test_images_of_any_size_are_changed_at_their_own_size_and_in_their_place():
    rng = np.random.default_rng(2)
    given = [rng.integers(0, 256, (20 + i, 70 - i, 3), np.uint8) for i in range(8)]
    seen: list[list[tuple[int, ...]]] = []

    def embed(images: Images) -> Samples:
        seen.append([p.shape for p in pixels_of(images)])
        return as_means(images)

    made = image_changes(tg.load_images(given), embed, SEED)
    assert set(made) == {"shift", "turn", "blur", "noise", "simple"}
    found = {name: make() for name, make in made.items()}
    assert all(shapes == [image.shape for image in given] for shapes in seen)
    means = as_means(tg.load_images(given)).array()
    assert np.abs(found["blur"].array() - means).max() < 2.0  # row i is of image i
    assert np.abs(found["noise"].array() - means).max() > 2.0


def test_what_is_drawn_for_an_image_depends_on_its_place_and_the_seed_alone():
    given = np.random.default_rng(3).integers(0, 256, (6, 16, 16), np.uint8)
    whole, part = (np.stack(pixels_of(changed(tg.load_images(g), "turn", turned, 1))) for g in (given, given[:4]))
    np.testing.assert_array_equal(whole[:4], part)
    other = changed(tg.load_images(given), "turn", turned, 2)
    assert (np.stack(pixels_of(other)) != whole).any()
    assert other.fingerprint != changed(tg.load_images(given), "turn", turned, 1).fingerprint


def test_an_image_that_cannot_be_read_is_left_out_of_every_change(tmp_path: Path):
    from PIL import Image

    for number in range(4):
        Image.new("L", (9, 9), 60 * number).save(tmp_path / f"{number}.png")
    (tmp_path / "2.png").write_bytes(b"no picture")
    images = tg.load_images(tmp_path, on_error="skip")
    left = [isinstance(one, Skipped) for one in changed(images, "blur", blurred, SEED).stream()]
    assert left == [isinstance(one, Skipped) for one in images.stream()] == [False, False, True, False]
    with pytest.raises(InputError, match=r"2\.png"):
        list(changed(tg.load_images(tmp_path), "blur", blurred, SEED).stream())


def test_deep_images_stay_deep():
    given = np.random.default_rng(3).uniform(0, 1, (2, 12, 12, 3)).astype(np.float32)
    made = pixels_of(changed(tg.load_images(given, value_range=(0, 1)), "blur", blurred, SEED))
    assert made[0].dtype == np.float32
    assert 5.0 < made[0].mean() < 255.0


# --- recordings before their features ------------------------------------------------------------------------


def ecg(n: int = 12) -> Recordings:
    values = np.rint(tg.samplers.simulate_ecg(n, fs=100, seconds=3, seed=1).values * 1000).astype(np.int16)
    return Recordings.from_array(values, fs=100, units="uV", ids=[f"r{i}" for i in range(n)])


def test_gain_noise_dead_lead_and_another_beginning():
    real = ecg()
    before = real.data
    after = {
        name: signals.changed(real, name, change, SEED)
        for name, change in (
            ("gain", signals.amplified),
            ("noise", signals.noisy),
            ("dead lead", signals.without_a_lead),
            ("shift", signals.begun_elsewhere),
        )
    }
    assert all(r.units == "mV" and r.ids is not None and list(r.ids) == list(real.ids) for r in after.values())
    np.testing.assert_allclose(after["gain"].data, 2 * before, rtol=1e-6)
    ratio = (after["noise"].data - before).std(2) / before.std(2)
    assert ratio.mean() == pytest.approx(0.25, rel=0.02)
    dead = after["dead lead"]
    assert dead.missing.sum(1).tolist() == [1] * 12
    assert len(set(np.argwhere(dead.missing)[:, 1])) > 3
    np.testing.assert_array_equal(dead.data[~dead.missing], before[~dead.missing])
    moved = after["shift"].data
    np.testing.assert_array_equal(np.sort(moved, 2), np.sort(before, 2))
    assert (moved != before).any(2).all()


def test_missing_leads_stay_missing_and_features_are_of_the_changed_recordings():
    real = ecg()
    values = real.data.copy()
    values[2, 3] = np.nan
    values[4, 5, 7] = np.inf
    holed = Recordings.from_array(values, fs=100, units="mV")

    def features(recordings: Recordings) -> Samples:
        told = Samples.from_array(np.nan_to_num(recordings.data.std(2), nan=-1.0, posinf=-1.0))
        return replace(told, ecg=recordings)

    with np.errstate(invalid="ignore"):
        made = {name: make() for name, make in ecg_changes(holed, features, SEED).items()}
    assert set(made) == {"noise", "gain", "dead lead", "shift"}
    assert all(samples.ecg is None for samples in made.values())
    assert all(samples.array()[2, 3] == -1.0 for name, samples in made.items() if name != "dead lead")
    np.testing.assert_allclose(made["gain"].array()[0], 2 * holed.data[0].std(1), rtol=1e-5)


# --- what is drawn -------------------------------------------------------------------------------------------


def study(key: str) -> Scenario:
    return matching(SCENARIOS, f"study-{key}")


def numbered(n: int = 240) -> Material:
    """Real samples whose first column is their number, with class probabilities, in 12 clouds; "simple" is them, off by
    a million."""
    rng = np.random.default_rng(0)
    values = 40.0 * rng.normal(size=(12, 6))[np.arange(n) % 12] + rng.normal(size=(n, 6))
    values[:, 0] = np.arange(n) / 1000.0
    known = rng.dirichlet(np.ones(4), n)
    real = replace(Samples.from_array(values), probabilities=known)

    def simple() -> Samples:
        return replace(Samples.from_array(values + 1e6), probabilities=known[::-1].copy())

    return Material(real, remake={"simple": simple, "shift": simple})


def ask(material: Material, level: float, *, n: int = 500, arm: str = "score", seed: int = 1) -> Ask:
    return Ask(level, n, np.random.default_rng(seed), material, arm)


def sides(draw: Draw) -> tuple[Samples, Samples]:
    assert isinstance(draw.real, Samples)
    assert isinstance(draw.synthetic, Samples)
    return draw.real, draw.synthetic


def numbers(samples: Samples) -> NDArray[np.int64]:
    return np.rint(samples.array()[:, 0] * 1000).astype(np.int64)


def test_mixtures_hold_the_share_they_say_and_grow_within_a_repeat():
    material, before = numbered(), np.zeros(0)
    for level in (0.0, 0.2, 0.5, 1.0):
        real, mixed = sides(study("generated").make(ask(material, level, n=100)))
        assert real.n == mixed.n == 100
        damaged = mixed.array()[:, 0] > 1e5
        assert damaged.sum() == round(100 * level)
        kept = numbers(mixed.subset(~damaged)) if not damaged.all() else np.zeros(0)
        assert not set(kept) & set(numbers(real))
        wrong = np.rint((mixed.array()[damaged, 0] - 1e6) * 1000)
        assert set(before) <= set(wrong)
        before = wrong


def test_class_probabilities_come_along():
    material = numbered()
    _, mixed = sides(study("generated").make(ask(material, 0.5)))
    damaged = mixed.array()[:, 0] > 1e5
    known = material.real.probabilities
    assert known is not None
    np.testing.assert_array_equal(mixed.probabilities[~damaged], known[numbers(mixed.subset(~damaged))])
    _, copies = sides(study("copies").make(ask(material, 0.5, arm="copied")))
    np.testing.assert_array_equal(copies.probabilities, known[numbers(copies)])


def test_without_a_change_generated_samples_are_gaussian_and_foreign_ones_fill_the_box():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4000, 3)) @ np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 5.0]]) + 7.0
    material = Material(Samples.from_array(values))
    _, generated = sides(study("generated").make(ask(material, 1.0, n=2000)))
    np.testing.assert_allclose(generated.array().mean(0), values.mean(0), atol=0.5)
    np.testing.assert_allclose(np.cov(generated.array().T), np.cov(values.T), rtol=0.15, atol=0.5)
    _, foreign = sides(study("foreign").make(ask(material, 1.0, n=2000)))
    low, high = values.min(0), values.max(0)
    assert ((foreign.array() >= low) & (foreign.array() <= high)).all()
    np.testing.assert_allclose(foreign.array().var(0), (high - low) ** 2 / 12, rtol=0.1)


def test_collapse_leaves_one_sample_a_cluster_the_nearest_to_its_centre():
    material = numbered()
    distinct = []
    for level in (0.0, 0.5, 1.0):
        real, collapsed_set = sides(study("collapse").make(ask(material, level, n=100)))
        assert collapsed_set.n == 100
        assert not set(numbers(collapsed_set)) & set(numbers(real))  # no copies of what it is graded against
        distinct.append(len(set(numbers(collapsed_set))))
    assert distinct[0] == 100
    assert distinct[0] > distinct[1] > distinct[2]
    assert distinct[2] <= 24  # 240 samples in 24 clusters
    modes, pool = find_modes(material.real), np.arange(240)
    rows = collapsed(modes, pool, 240, 1.0, np.random.default_rng(0))
    for row, chosen in zip(pool, rows, strict=True):
        same = np.flatnonzero(modes.cluster == modes.cluster[row])
        assert chosen == same[modes.away[same].argmin()]


def test_dropped_clusters_are_gone_no_sample_is_twice_and_sizes_stay():
    material = numbered()
    for level in (0.0, 0.25, 0.5):
        real, kept = sides(study("drop").make(ask(material, level)))
        assert real.n == kept.n == len(set(numbers(kept))) == 60
        assert not set(numbers(kept)) & set(numbers(real))
    modes, pool, left = find_modes(material.real), np.arange(240), [set(range(24))]
    for share in (0.25, 0.5):
        rows = dropped(modes, pool, 240, share, np.random.default_rng(3))
        left.append(set(modes.cluster[rows]))
        assert len(left[-1]) == 24 - round(24 * share)
        assert left[-1] < left[-2]
        assert set(modes.cluster[np.setdiff1d(pool, rows)]) == left[0] - left[-1]


def test_copies_are_copies_of_the_training_samples_on_both_arms():
    material = numbered()
    for level in (0.0, 0.5, 1.0):
        train, made = sides(study("copies").make(ask(material, level, arm="copied")))
        others, same = sides(study("copies").make(ask(material, level, arm="other")))
        np.testing.assert_array_equal(made.array(), same.array())
        assert np.isin(numbers(made), numbers(train)).sum() == round(80 * level)
        assert not set(numbers(others)) & (set(numbers(made)) | set(numbers(train)))


def test_few_and_many():
    material = numbered()
    real, fresh = sides(study("samples").make(ask(material, 50, arm="real")))
    assert real.n == fresh.n == 50
    assert not set(numbers(real)) & set(numbers(fresh))
    assert (sides(study("samples").make(ask(material, 50, arm="generated")))[1].array()[:, 0] > 1e5).all()
    with pytest.raises(InputError, match="Sets of 200 need 400 real samples, and 240 are there"):
        study("samples").make(ask(material, 200, arm="real"))
    real, fresh = sides(study("time").make(ask(material, 1000)))
    assert real.n == fresh.n == 1000
    assert len(np.unique(np.concatenate([real.array(), fresh.array()]), axis=0)) == 2000
    assert real.probabilities is not None


def test_clusters_are_looked_for_along_the_leading_parts():
    values = np.random.default_rng(4).normal(size=(30, 12)) * np.arange(1, 13)
    left, lengths, _ = np.linalg.svd(values - values.mean(0), full_matrices=False)
    for given in (values, np.hstack([values, np.zeros((30, 40))])):  # fewer, and more features than samples
        found = leading_parts(given, 3)
        np.testing.assert_allclose(np.abs(found[:, ::-1]), np.abs(left[:, :3] * lengths[:3]), atol=1e-6)
    modes = find_modes(Samples.from_array(values))
    for number in range(modes.count):
        mine = (values - values.mean(0))[modes.cluster == number]
        np.testing.assert_allclose(
            modes.away[modes.cluster == number], np.linalg.norm(mine - mine.mean(0), axis=1), atol=1e-9
        )


# --- rules ---------------------------------------------------------------------------------------------------

SPREAD = np.array([-1.0, 0.0, 1.0])


def seen(metric: Any = FrechetDistance, levels: tuple[float, ...] = (0.0, 0.5, 1.0), **arms: list[float]) -> Seen:
    """Curves with the standard deviation 1 by chance, the same in all arms."""
    curves = {arm: np.array(means)[:, None] + SPREAD for arm, means in arms.items()}
    return Seen(np.array(levels), curves, metric.info, 0)


def test_copies_are_betrayed_by_the_gap_whichever_way_it_goes():
    rule = Betrays(("copied", "other"))

    def judged(copied: list[float], other: list[float]) -> Any:
        noise = np.random.default_rng(0).normal(size=(3, 8))
        curves = {"copied": np.array(copied)[:, None], "other": np.array(other)[:, None] + noise}
        return rule(Seen(np.array([0.0, 0.5, 1.0]), curves, FrechetDistance.info, 0))

    assert judged([0, -5, -20], [0, 0, 0]).passed
    assert judged([0, 5, 20], [0, 0, 0]).passed
    assert not judged([0, 0, 0], [0, 0, 0]).passed
    assert not judged([0, 20, 5], [0, 0, 0]).passed
    assert rule(seen(copied=[3, 2, 1], other=[3, 2, 1])).passed is False  # no gap at all


def test_what_is_harmless_is_small_beside_damage():
    rule = Ignores(("changed", "damaged"))
    assert rule(seen(changed=[0, 1, 2.5], damaged=[0, 5, 10])).number == pytest.approx(0.25)
    assert rule(seen(changed=[0, 1, 2.5], damaged=[0, 5, 10])).passed
    assert rule(seen(changed=[0, 1, 2.6], damaged=[0, 5, 10])).passed is False
    assert rule(seen(changed=[0, -1, -2], damaged=[0, 5, 10])).number == pytest.approx(0.2)
    assert rule(seen(changed=[0, -1, -2.6], damaged=[0, 5, 10])).passed is False  # better is not as before either
    assert rule(seen(changed=[0, 0, 0], damaged=[0, 1, 2])).passed is None  # nothing is seen
    assert rule(seen(changed=[0, 0, 5], damaged=[0, 1, 2])).passed is False
    assert rule(seen(changed=[0, 0, -5], damaged=[0, 1, 2])).passed is False
    assert rule(seen(InceptionScore, changed=[9, 8, 8], damaged=[9, 7, 1])).number == pytest.approx(0.125)


# --- the metrics and the paper -------------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "real", "synthetic"), [("G1", 0.65, 0.675), ("G3", 0.51, 0.28)])
def test_the_two_parts_of_the_neighbour_test(case: str, real: float, synthetic: float):
    n, m, d, _ = GOLDEN[case]
    chosen = [CONVENTION[key] for key in ("nn_two_sample", "nn_real", "nn_synthetic")]
    found = tg.evaluate(*waves(n, m, d), metrics=chosen, intervals=False, floor=False, exhibits=False)
    assert found["nn_real"].value == pytest.approx(real, abs=1e-9)
    assert found["nn_synthetic"].value == pytest.approx(synthetic, abs=1e-9)
    assert found["nn_two_sample"].value == pytest.approx((real + synthetic) / 2, abs=1e-9)


def test_the_convention_is_the_studys():
    assert CONVENTION["inception_score"] == InceptionScore(splits=1)
    assert CONVENTION["mode_score"] == ModeScore()
    assert CONVENTION["mmd"].parameters()["compat"] == "gan-metrics"
    assert [metric.info.key for metric in CONVENTION.values()] == list(CONVENTION)


def test_every_claim_is_about_a_metric_and_a_scenario_of_the_suite_and_stands_once():
    keys = {scenario.key for scenario in SCENARIOS}
    assert {claim.scenario for claim in PAPER} <= keys
    assert {claim.metric for claim in PAPER} == set(CONVENTION)
    cells = [(claim.metric, claim.scenario, claim.kind) for claim in PAPER]
    assert len(set(cells)) == len(cells)
    spaces = ("pixels", "lite0", "lite0 probabilities", "random-conv", "")
    assert [kind_of_space(space) for space in spaces] == ["pixels", "network", None, None, None]


def small(n: int = 400) -> Material:
    """Two round clouds with the probabilities of two classes that follow them, said to be in a network's space."""
    rng = np.random.default_rng(7)
    which = np.arange(n) % 2
    values = 6.0 * which[:, None] + rng.normal(size=(n, 8))
    sure = rng.uniform(0.9, 1.0, n)
    known = np.where((which == 1)[:, None], np.column_stack([1 - sure, sure]), np.column_stack([sure, 1 - sure]))
    return Material(replace(Samples.from_array(values), probabilities=known), space="lite0")


@pytest.fixture(scope="module")
def ran() -> dict[str, Any]:
    material = small()
    metrics = {key: CONVENTION[key] for key in CONVENTION if key not in ("nn_real", "nn_synthetic")}
    chosen = ("foreign", "copies", "samples", "drop")
    return {key: run_scenario(study(key), material, metrics, quick=True, threads=1) for key in chosen}


def passed(outcome: Any) -> dict[str, bool | None]:
    return {finding.metric: finding.passed for finding in outcome.findings}


def test_distances_see_foreign_samples_and_class_scores_say_why_they_have_no_value(ran: dict[str, Any]):
    found = passed(ran["foreign"])
    assert [found[key] for key in ("mmd", "wasserstein", "frechet_distance", "nn_two_sample")] == [True] * 4
    assert found["inception_score"] is None
    assert "no class probabilities" in ran["foreign"].curve("inception_score").reasons[0]


def test_a_score_that_reads_no_real_sample_cannot_betray_copies(ran: dict[str, Any]):
    found = passed(ran["copies"])
    assert found["inception_score"] is False
    assert found["wasserstein"]
    assert found["nn_two_sample"]
    copied, other = (ran["copies"].curve("wasserstein").values[arm] for arm in ("copied", "other"))
    assert (copied[-1] == 0.0).all()
    assert (other[-1] > 1.0).all()


def test_a_gaussian_of_the_same_moments_is_not_told_by_the_frechet_distance(ran: dict[str, Any]):
    found = passed(ran["samples"])
    assert found["nn_two_sample"]
    assert found["frechet_distance"] is False


def test_agreement_counts_the_claims_that_could_be_judged(ran: dict[str, Any]):
    found = {a.metric: a for a in agreement(tuple(ran.values()))}
    assert found["inception_score"].cells == 2  # copies and dropped modes; foreign samples have no classes here
    assert found["wasserstein"].cells == 3  # nothing is claimed of it for foreign samples
    assert found["mmd"].cells == 4
    told = {cell for cell, _, _ in found["frechet_distance"].differ}
    assert "Samples needed in lite0" in told
    assert agreement([replace(outcome, space="random-conv") for outcome in ran.values()]) == ()


def test_a_metric_that_looks_at_nothing_is_blamed():
    class Same(FrechetDistance):
        def compute(self, answers: Any) -> Any:
            return replace(super().compute(answers), value=1.0)

    material = numbered(300)
    asked: list[tuple[str, Callable[[Any], bool]]] = [
        ("foreign", lambda p: p is False),
        ("drop", lambda p: p is False),
        ("copies", lambda p: p is False),
        ("samples", lambda p: p is False),
    ]
    for key, expected in asked:
        outcome = run_scenario(study(key), material, {"same": Same()}, quick=True, threads=1)
        (finding,) = outcome.findings
        assert finding.expected
        assert expected(finding.passed), key
