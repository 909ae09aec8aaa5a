"""The sixteen metrics of recordings: against their definitions, by construction, and where a lead is missing."""

import functools
import math

import numpy as np
import pytest
from scipy import linalg, signal

from oracles import ecg_registry as oracle
from truegrade.ecg import AVAILABLE_METRICS, Recordings, load_ecg_npy
from truegrade.ecg.descriptors import eleven, seven
from truegrade.ecg.floors import partner_cuts
from truegrade.ecg.registry import grade_registry
from truegrade.ecg.registry.neighbours import inside
from truegrade.ecg.registry.rhythm import rhythms_of
from truegrade.ecg.registry.spectra import shares_of_power
from truegrade.ecg.registry.vectors import gaussian, kernel_mean, mmd_squared
from truegrade.errors import InputError
from truegrade.metrics.frechet import distance_between
from truegrade.samplers.ecg import simulate_ecg

KEYS = tuple(key for key in AVAILABLE_METRICS if key != "fed")
WITH_FS = {"psd", "hrv", "heart_rate", "spectral_entropy", "sqi"}
LEADS = ("I", "V2")


def simulated(n=30, seed=1, **settings):
    return simulate_ecg(n, seed=seed, **{"fs": 100, "seconds": 5, "leads": LEADS, **settings})


@functools.cache
def two():
    return simulated(24, 1), simulated(20, 2)


def noise(n, length, seed):
    return np.random.default_rng(seed).normal(size=(n, 2, length)).cumsum(axis=2) * 0.1


def metric(key, **parameters):
    return AVAILABLE_METRICS[key](**parameters, **({"fs": 100} if key in WITH_FS else {}))


def scaled(real, synthetic, lead):
    x, y = seven(real[:, lead]), seven(synthetic[:, lead])
    return x / x.std(axis=0), y / x.std(axis=0)


def test_the_snippet_of_ecgen_eval_runs(tmp_path, capsys):
    for name, seed in (("real", 1), ("synth", 2)):
        np.save(tmp_path / f"{name}.npy", simulated(8, seed).values)
    real = load_ecg_npy(tmp_path / "real.npy", label="PTB-XL")
    synth = load_ecg_npy(tmp_path / "synth.npy", label="mine")
    result = AVAILABLE_METRICS["mmd"]().compute(real.data, synth.data, lead_names=real.lead_names)
    print(result.metric_name, f"{result.score:.6f}", result.per_lead_scores)
    assert "mmd" in capsys.readouterr().out
    assert list(result.per_lead_scores) == real.lead_names
    assert result.summary_dict()["score"] == round(result.score, 6)


def test_sixteen_keys_each_with_what_was_corrected():
    keys = "mmd dtw prd psd fd fed psnr ssim swd mae hrv pr_dist sqi nn_dist heart_rate spectral_entropy"
    assert " ".join(AVAILABLE_METRICS) == keys
    for key, one in AVAILABLE_METRICS.items():
        assert one.key == key
        assert all(len(text) > 20 for text in (one.corrected, one.description, one.reference))


# --- against definitions ---------------------------------------------------------------------------------------------


def test_mmd_by_definition_and_for_gaussians():
    real, synthetic = noise(9, 40, 0), noise(7, 40, 1) * 1.5
    got = metric("mmd", kernel_bandwidths=[0.5, 2.0]).compute(real, synthetic)
    expected = [oracle.mmd_squared(*scaled(real, synthetic, lead), (0.5, 2.0)) for lead in (0, 1)]
    assert list(got.per_lead_scores.values()) == pytest.approx(expected, rel=1e-10)
    assert got.score == pytest.approx(np.mean(expected), rel=1e-10)
    # N(0, 1) against N(2, 1) in one dimension: E k = sqrt(w / (w + 2)) exp(-d^2 / (2 (w + 2)))
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(1500, 1)), rng.normal(2.0, 1.0, size=(1400, 1))
    closed = 2 * math.sqrt(1 / 3) * (1 - math.exp(-4 / 6))
    assert mmd_squared(x, y, [1.0])[0] == pytest.approx(closed, abs=0.03)
    assert kernel_mean(x, x + 0.0, [1.0]) == pytest.approx(math.sqrt(1 / 3), abs=0.02)


def test_unbiased_mmd_is_negative_where_it_is():
    real = noise(12, 40, 0)
    scores = [metric("mmd").compute(real, noise(12, 40, seed)).score for seed in range(1, 9)]
    assert min(scores) < 0 < max(scores)


def test_fd_by_definition_and_for_gaussians():
    real, synthetic = noise(40, 60, 0), noise(30, 60, 1) + 0.2
    got = metric("fd").compute(real, synthetic)
    for lead, value in enumerate(got.per_lead_scores.values()):
        x, y = (eleven(side[:, lead], 1.0) for side in (real, synthetic))
        expected = oracle.frechet((x - x.mean(0)) / x.std(0), (y - x.mean(0)) / x.std(0))
        assert value == pytest.approx(expected, rel=1e-6)
    other = metric("fd", fs=500).compute(real, synthetic)
    assert other.score == pytest.approx(got.score, rel=1e-9)


def test_the_root_of_the_product_is_right_where_that_of_its_symmetric_part_is_not():
    from truegrade.ecg.registry.compat.vectors import frechet_of_symmetric_part

    first, second = np.array([[1.0, 0.8], [0.8, 1.0]]), np.array([[1.0, 0.0], [0.0, 0.05]])
    rng = np.random.default_rng(0)
    white = rng.normal(size=(400, 2))
    white = (white - white.mean(0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(white.T))).T
    x, y = (white @ np.linalg.cholesky(s).T for s in (first, second))
    closed = np.trace(first + second - 2 * linalg.sqrtm(first @ second).real)
    assert distance_between(gaussian(x, 0.0), gaussian(y, 0.0)).value == pytest.approx(closed, rel=1e-9)
    assert abs(frechet_of_symmetric_part(x, y, 0.0) - closed) > 0.05


def test_swd_is_exact_for_unequal_sizes():
    real, synthetic = noise(9, 40, 0), noise(7, 40, 1) + 0.3
    got = metric("swd", n_projections=6, seed=5).compute(real, synthetic)
    directions = np.random.default_rng(5).standard_normal((6, 7))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    expected = [oracle.sliced(*scaled(real, synthetic, lead), directions) for lead in (0, 1)]
    assert list(got.per_lead_scores.values()) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("rule", ["nearest", "union"])
@pytest.mark.parametrize("k", [1, 3])
def test_pr_dist_by_definition(rule, k):
    real, synthetic = noise(25, 40, 0), noise(20, 40, 1) * 1.2
    got = metric("pr_dist", k=k, rule=rule).compute(real, synthetic, lead_names=LEADS)
    for lead, name in enumerate(LEADS):
        x, y = scaled(real, synthetic, lead)
        precision, recall = oracle.shares_inside(x, y, k, rule), oracle.shares_inside(y, x, k, rule)
        assert (got.extra["precision"][name], got.extra["recall"][name]) == (precision, recall)
        assert got.per_lead_scores[name] == pytest.approx(2 * precision * recall / (precision + recall))


@pytest.mark.parametrize("rule", ["nearest", "union"])
def test_balls_are_closed(rule):
    grid = np.arange(5.0)[:, None]
    points = np.array([[-1.0], [5.0], [5.0 + 1e-12], [2.5]])
    assert inside(grid, points, 1, rule).tolist() == [True, True, False, True]
    assert inside(np.zeros((4, 1)), np.array([[0.0], [1e-9]]), 2, rule).tolist() == [True, False]


def test_pr_dist_refuses_what_would_be_an_infinite_radius():
    real = noise(5, 40, 0)
    for given in ({"k": 5}, {"k": 4, "m": 1}, {"k": 3, "m": 1}):
        with pytest.raises(InputError, match=r"at least k \+ 1"):
            metric("pr_dist", k=given["k"]).compute(real, noise(given.get("m", 9), 40, 1))
    with pytest.raises(InputError, match="k=0 given"):
        metric("pr_dist", k=0)
    with pytest.raises(InputError, match="rule='any' given"):
        metric("pr_dist", rule="any")


def test_nn_dist_and_authenticity_by_definition():
    real, synthetic = noise(14, 40, 0), noise(9, 40, 1)
    synthetic[0] = real[3]
    got = metric("nn_dist").compute(real, synthetic)
    for lead, name in enumerate(("L1", "L2")):
        x, y = scaled(real, synthetic, lead)
        apart = np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1))
        own = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1)) + np.diag(np.full(14, np.inf))
        authentic = np.mean([apart[:, j].min() > own[apart[:, j].argmin()].min() for j in range(9)])
        assert got.per_lead_scores[name] == pytest.approx(apart.min(axis=1).mean(), rel=1e-9)
        assert got.extra["authenticity"][name] == authentic < 1


@pytest.mark.parametrize("offset", [0.0, 40.0])
def test_metrics_of_samples_by_definition(offset):
    real, synthetic = noise(9, 70, 0) + offset, noise(7, 70, 1) + offset
    got = {key: metric(key).compute(real, synthetic) for key in ("mae", "psnr", "ssim", "prd")}
    relative = np.zeros((2, 9, 7))
    for lead in (0, 1):
        x, y = real[:, lead], synthetic[:, lead]
        gaps = x[:, None] - y[None]
        square = (gaps**2).mean(-1)
        expected = {
            "mae": np.abs(gaps).mean(-1).min(1).mean(),
            "psnr": (10 * np.log10(np.ptp(x, axis=1) ** 2 / square.min(1))).mean(),
            "ssim": np.mean([max(oracle.ssim(a, b) for b in y) for a in x]),
        }
        for key, value in expected.items():
            assert got[key].per_lead_scores[f"L{lead + 1}"] == pytest.approx(value, rel=1e-9), key
        assert got["mae"].extra["rmse"][f"L{lead + 1}"] == pytest.approx(np.sqrt(square.min(1)).mean(), rel=1e-9)
        relative[lead] = 100 * np.sqrt(square / (x**2).mean(-1)[:, None])
    best = relative.mean(0).argmin(1)
    assert list(got["prd"].per_lead_scores.values()) == pytest.approx(
        [relative[lead][np.arange(9), best].mean() for lead in (0, 1)], rel=1e-9
    )


@pytest.mark.parametrize(("length", "window"), [(30, 0.1), (31, 0.35), (12, 1.0)])
def test_dtw_by_definition(length, window):
    real, synthetic = noise(4, length, 0), noise(5, length, 1)  # four: all real ones are candidates
    got = metric("dtw", window=window).compute(real, synthetic)
    band = max(1, int(window * length))
    for lead, value in enumerate(got.per_lead_scores.values()):
        nearest = [min(oracle.warped(y, x, band) for x in real[:, lead]) for y in synthetic[:, lead]]
        assert value == pytest.approx(np.mean(nearest), rel=1e-12)


def test_psd_by_definition_sees_a_quarter_of_a_hertz_and_needs_the_rate():
    real, synthetic = two()
    got = metric("psd").compute(real, synthetic)
    for lead in LEADS:
        shares = []
        for side in two():
            hertz, power = signal.welch(side.lead(lead), fs=100, nperseg=400, axis=1)
            power = power[:, hertz > 0]
            shares.append((power / power.sum(1, keepdims=True)).mean(0))
        assert got.per_lead_scores[lead] == pytest.approx(oracle.jensen_shannon(*shares), rel=1e-4)
    time = np.arange(1200) / 100
    tones = [np.sin(2 * np.pi * f * time)[None, None] for f in (5.0, 5.75)]
    assert metric("psd").compute(*tones).score > 0.6
    for key in sorted(WITH_FS):
        with pytest.raises(InputError, match="sampling rate"):
            AVAILABLE_METRICS[key]().compute(real.values, synthetic.values)


def test_shares_of_power_at_an_odd_segment():
    rows = noise(3, 500, 4)[:, 0]
    hertz, power = signal.welch(rows, fs=400.0, nperseg=133, axis=1)
    power = power[:, (hertz > 0) & (hertz <= 150)]
    np.testing.assert_allclose(shares_of_power(400.0, 133)(rows), power / power.sum(1, keepdims=True), rtol=1e-4)


def test_spectral_entropy_is_one_of_white_noise_and_nought_of_a_tone():
    rng = np.random.default_rng(0)
    time = np.arange(4000) / 100
    white, tone = rng.normal(size=(4, 1, 4000)), np.sin(2 * np.pi * 8 * time + rng.uniform(0, 6, (4, 1, 1)))
    got = metric("spectral_entropy").compute(white, tone)
    assert got.score == pytest.approx(math.log(2))
    assert got.extra["real_mean"]["L1"] > 0.97
    assert got.extra["synthetic_mean"]["L1"] < 0.2


# --- beats -----------------------------------------------------------------------------------------------------------


def test_rhythm_by_hand():
    peaks = [[100, 180, 270, 340], [10, 90], [5], [], [7, 107, 207]]
    found = rhythms_of([np.array(one, dtype=np.int64) for one in peaks], 100.0)  # the first: 800, 900, 700 ms
    assert found[0] == pytest.approx((75.0, 100.0, math.sqrt(25_000), 1.0))
    assert found[1, 0] == 75.0
    assert found[4] == pytest.approx((60.0, 0.0, 0.0, 0.0))
    assert np.isnan(found).sum(axis=1).tolist() == [0, 3, 4, 4, 0]


@pytest.mark.parametrize("bpm", [40, 180])
def test_heart_rates_are_measured(bpm):
    real, synthetic = (
        simulated(6, s, rate=float(bpm), rr_sd=0.01, spread=0.2, seconds=10, leads=("II",)) for s in (1, 2)
    )
    got = metric("heart_rate").compute(real, synthetic)
    assert got.extra["real_mean"]["II"] == pytest.approx(bpm, abs=2)
    assert got.extra["real_without"]["II"] == 0
    assert metric("heart_rate").compute(real, simulated(6, 3, rate=90.0, leads=("II",))).score == pytest.approx(
        math.log(2)
    )


def test_no_beats_are_an_outcome_and_never_perfect():
    real = two()[0]
    wander = np.sin(np.arange(500) / 80.0)[None, None] * np.ones((8, 2, 1))
    for key in ("heart_rate", "hrv"):
        got = metric(key).compute(real, Recordings.from_array(wander, fs=100, units="mV", leads=LEADS))
        assert got.score == pytest.approx(math.log(2), abs=0.02)
    without = metric("heart_rate").compute(real.values, wander).extra["synthetic_without"]
    assert list(without.values()) == [8, 8]
    assert metric("sqi").compute(real.values, wander).score == -1.0
    with pytest.raises(InputError, match="no real recording has a signal"):
        metric("heart_rate").compute(np.zeros((4, 2, 500)), real.values)


def test_sqi_does_not_mind_the_phase_but_the_polarity():
    real, synthetic = (simulated(12, s, classes=("normal",), spread=0.2, leads=("II",)) for s in (1, 2))
    got = metric("sqi").compute(real, synthetic)
    assert got.score > 0.95
    assert got.score == pytest.approx(got.extra["real_self"]["II"], abs=0.02)
    assert metric("sqi").compute(real.values, -synthetic.values).score < -0.9
    shifted = np.roll(synthetic.values, 37, axis=2)
    assert metric("sqi").compute(real.values, shifted).score == pytest.approx(got.score, abs=0.02)


# --- laws that hold for every metric ---------------------------------------------------------------------------------

PERFECT = {"mmd": None, "psnr": 100.0, "ssim": 1.0, "pr_dist": 1.0, "sqi": None}


@pytest.mark.parametrize("key", KEYS)
def test_copies_are_perfect_and_integers_are_as_good_as_floats(key):
    real = two()[0]
    microvolts = np.round(real.values * 1000).astype(np.int16)
    whole, floats = (metric(key).compute(v, v) for v in (microvolts, microvolts.astype(np.float64)))
    assert whole.score == floats.score
    if PERFECT.get(key, 0.0) is not None:
        assert whole.score == pytest.approx(PERFECT.get(key, 0.0), abs=1e-6)


def worse_or_equal(key, killed, before):
    return killed <= before if AVAILABLE_METRICS[key].higher_is_better else killed >= before


@pytest.mark.parametrize("key", KEYS)
def test_a_dead_lead_never_improves_a_score(key):
    real, synthetic = two()
    before = metric(key).compute(real, synthetic)
    for rows, how in (([3], np.nan), ([0, 5, 11], 0.7), (range(10), 0.0), (range(20), np.nan)):
        values = synthetic.values.copy()
        values[list(rows), 1] = how
        got = metric(key).compute(real, Recordings.from_array(values, fs=100, units="mV", leads=LEADS))
        assert worse_or_equal(key, got.score, before.score), (rows, got.score, before.score)
        assert got.score != before.score or len(rows) == 1  # one recording may be nobody's nearest
        assert not math.isnan(got.score)
        assert got.extra["missing_synthetic"] == {"I": 0, "V2": len(rows)}
        if len(rows) == 20:  # the worst value, or none and a reason
            worst = AVAILABLE_METRICS[key].worst
            assert got.per_lead_scores["V2"] == worst
            assert math.isfinite(got.score) == (worst is not None) == (got.reason is None)
            assert "no synthetic recording has a signal" in got.extra["reasons"]["V2"]


@pytest.mark.parametrize("key", KEYS)
def test_a_dead_lead_does_not_improve_a_bad_generator_either(key):
    real, bad = two()[0], simulated(20, 2, noise=1.5, rate=150.0)
    before = metric(key).compute(real, bad).score
    for rows in ([0, 5, 11], range(20)):
        values = bad.values.copy()
        values[list(rows)] = 0.0
        got = metric(key).compute(real.values, values).score
        assert worse_or_equal(key, got, before)


@pytest.mark.parametrize("key", ["fd", "swd", "dtw", "mmd"])
def test_the_farthest_recordings_do_not_improve_it_by_dying(key):
    """Half of the recordings 40 times as large: from the others alone the score would fall a hundredfold."""
    real, synthetic = two()
    large = synthetic.values.copy()
    large[:10] *= 40.0
    before, dead = metric(key).compute(real.values, large, LEADS), large.copy()
    dead[:10, 1] = np.nan
    after = metric(key).compute(real.values, dead, LEADS)
    assert after.per_lead_scores["I"] == before.per_lead_scores["I"]
    if key == "mmd":
        assert before.per_lead_scores["V2"] < after.per_lead_scores["V2"] <= 2.0
    else:
        assert after.per_lead_scores["V2"] is None
        assert after.score == math.inf
        assert "10 of 20 synthetic recordings have no signal and 0 of 24 real ones" in after.reason
    few = synthetic.values.copy()
    few[:2, 1] = np.nan  # one in ten
    assert math.isfinite(metric(key).compute(real.values, few, LEADS).score)
    ours = real.values.copy()
    ours[:12, 1] = np.nan
    assert math.isfinite(metric(key).compute(ours, dead, LEADS).score)  # as many of the real ones


def test_balls_do_not_grow_as_one_of_four_equal_recordings_dies():
    real = two()[0]
    values = np.repeat(simulated(6, 5).values, 4, axis=0)
    values *= 1.0 + 1e-4 * np.random.default_rng(0).normal(size=(24, 1, 1))
    before = metric("pr_dist").compute(real.values, values, LEADS)
    values[::4, 1] = 0.0
    after = metric("pr_dist").compute(real.values, values, LEADS)
    assert after.extra["recall"]["V2"] <= before.extra["recall"]["V2"] < 0.1
    values[1::4, 1] = values[2::4, 1] = 0.0
    assert metric("pr_dist").compute(real.values, values, LEADS).extra["recall"]["V2"] == 0.0


def test_dead_recordings_are_not_authentic_and_have_no_distance_of_rates():
    real, synthetic = two()
    values = synthetic.values.copy()
    values[[1, 4, 5], 1] = np.nan
    values[7:9, 1] = values[6, 1]  # neighbours of none of the dead ones
    alive = np.delete(values, [1, 4, 5], axis=0)
    got, others = (
        metric("nn_dist").compute(real.values, one, LEADS).extra["authenticity"]["V2"] for one in (values, alive)
    )
    assert others > 0
    assert got == pytest.approx(others * 17 / 20)
    for key, name in (("heart_rate", "wasserstein"), ("hrv", "sdnn_wasserstein"), ("spectral_entropy", "wasserstein")):
        extra = metric(key).compute(real.values, values, LEADS).extra[name]
        assert extra["V2"] is None
        assert extra["I"] > 0


@pytest.mark.parametrize("key", KEYS)
def test_missing_leads_of_real_recordings_are_left_out(key):
    real, synthetic = two()
    values = real.values.copy()
    values[[2, 7], 1, 40] = np.nan
    got = metric(key).compute(values, synthetic.values, lead_names=LEADS)
    alone = metric(key).compute(np.delete(values, [2, 7], axis=0), synthetic.values, lead_names=LEADS)
    if key != "prd":  # whose partner is chosen over the leads that there are
        assert got.per_lead_scores["V2"] == pytest.approx(alone.per_lead_scores["V2"], rel=1e-9)
    assert got.extra["missing_real"] == {"I": 0, "V2": 2}
    values[:, 1] = 0.0
    got = metric(key).compute(values, synthetic.values, lead_names=LEADS)
    assert got.per_lead_scores["V2"] is None
    assert got.score == got.per_lead_scores["I"]
    assert "no real recording has a signal" in got.extra["reasons"]["V2"]


def test_the_choice_of_recordings_follows_the_seed():
    real, synthetic = two()
    for key in ("mmd", "mae", "pr_dist"):
        one, same, other = (metric(key, n_subsample=12, seed=s).compute(real, synthetic).score for s in (1, 1, 2))
        assert one == same != other


# --- what is refused -------------------------------------------------------------------------------------------------


def test_sides_must_agree():
    real, synthetic = two()
    compute = AVAILABLE_METRICS["mmd"]().compute
    turned = synthetic.select_leads(("V2", "I"))
    assert compute(real, turned).per_lead_scores == compute(real, synthetic).per_lead_scores
    for other, words in (
        (simulated(9, 2, fs=200), "100 Hz, the synthetic ones 200 Hz"),
        (Recordings.from_array(synthetic.values, fs=100, leads=LEADS), "Only of the real recordings the units"),
        (Recordings.from_array(synthetic.values, fs=100, units="mV", leads=("I", "V3")), "the same leads"),
        (synthetic.values[:, :1], "2 leads, the synthetic ones 1"),
        (synthetic.values[:, 0], "of the shape"),
        (synthetic.values.astype(str), "numbers of the shape"),
    ):
        with pytest.raises(InputError, match=words):
            compute(real, other)
    with pytest.raises(InputError, match="lead_names=I, I given"):
        compute(real.values, synthetic.values, lead_names=["I", "I"])
    with pytest.raises(InputError, match="fs=250 given"):
        AVAILABLE_METRICS["psd"](fs=250).compute(real, synthetic)
    with pytest.raises(InputError, match="500 samples, the synthetic ones 400"):
        AVAILABLE_METRICS["mae"]().compute(real.values, synthetic.values[:, :, :400])
    with pytest.raises(InputError, match="mmd needs at least 2"):
        compute(real.values, synthetic.values[:1])


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("psd", {"fs": -1}),
        ("psd", {"nperseg": 2}),
        ("dtw", {"window": 0}),
        ("dtw", {"n_pairs": 0}),
        ("mmd", {"kernel_bandwidths": []}),
        ("mmd", {"n_subsample": 1}),
        ("swd", {"seed": -1}),
        ("fed", {"backbone": "ecgfounder"}),
    ],
)
def test_parameters_out_of_range(key, parameters):
    with pytest.raises(InputError, match=f"{next(iter(parameters))}="):
        AVAILABLE_METRICS[key](**parameters)


# --- what the numbers teach ------------------------------------------------------------------------------------------


def test_precision_stays_while_recall_falls():
    real = simulated(90, 1)
    sets = {
        "ideal": simulated(90, 2),
        "mode dropped": simulated(90, 3, classes=("normal",)),
        "too narrow": simulated(90, 4, spread=0.2, rate=(75.0, 85.0)),
        "too noisy": simulated(90, 5, noise=0.5),
    }
    got = {}
    for rule in ("nearest", "union"):
        for name, synthetic in sets.items():
            found = metric("pr_dist", rule=rule).compute(real, synthetic)
            got[name] = [found.score, *(np.mean(list(found.extra[e].values())) for e in ("precision", "recall"))]
        assert got["ideal"][0] > max(got[name][0] for name in sets if name != "ideal")
        for name in ("mode dropped", "too narrow"):
            assert got[name][1] > got["ideal"][1] - 0.12
            assert got[name][2] < got["ideal"][2] - 0.1
        assert got["too noisy"][0] < 0.1
    larger = [metric("pr_dist", k=k).compute(real, sets["too narrow"]).score for k in (1, 3, 9)]
    assert larger == sorted(larger)
    assert larger[0] < larger[-1]


# --- the registry in an evaluation -----------------------------------------------------------------------------------


def test_grades_with_floors_and_failures_that_cost_only_themselves():
    real, synthetic = two()
    grades = {grade.key: grade for grade in grade_registry(real, synthetic, seed=3)}
    assert list(grades) == list(KEYS)
    for key, grade in grades.items():
        assert grade.score.value == pytest.approx(metric(key).compute(real, synthetic).score)
        assert grade.score.floor is not None
        looking = {"partners": (3, 10, 14), "real partners": (3, 14, 10)}
        sizes = grade.score.cuts, grade.score.floor_n, grade.score.floor_m
        assert sizes == looking.get(AVAILABLE_METRICS[key].floor, (2, 13, 11))
        assert tuple(grade.per_lead) == LEADS
    assert set(grades["pr_dist"].extra) == {"precision", "recall", "missing_real", "missing_synthetic"}
    unknown = Recordings.from_array(real.values, units="mV", leads=LEADS)
    other = Recordings.from_array(synthetic.values, units="mV", leads=LEADS)
    grades = {g.key: g for g in grade_registry(unknown, other, seed=3, keys=("mmd", "psd"))}
    assert grades["mmd"].score.value is not None
    assert grades["psd"].score.value is None
    assert "sampling rate" in grades["psd"].score.reason
    with pytest.raises(InputError, match="Did you mean mmd"):
        grade_registry(real, synthetic, seed=0, keys=("mdd",))


def test_infinite_scores_are_none_with_a_reason_in_an_evaluation():
    real, synthetic = two()
    values = synthetic.values.copy()
    values[:, 1] = 0.0
    dead = Recordings.from_array(values, fs=100, units="mV", leads=LEADS)
    (grade,) = grade_registry(real, dead, seed=3, keys=("mae",))
    assert grade.score.value is None
    assert "no synthetic recording" in grade.score.reason
    assert grade.per_lead["V2"] is None
    assert grade.per_lead["I"] > 0


@pytest.mark.parametrize("few", [True, False])
def test_leads_read_once_for_all_metrics_and_cuts_give_the_same_numbers(few, monkeypatch):
    """Whether products of recordings are kept or made again; with leads that are missing in some recordings."""
    monkeypatch.setattr("truegrade.ecg.registry.matching.REMEMBERED", 1e9 if few else 0.0)
    monkeypatch.setattr("truegrade.ecg.registry.matching.ROWS", 7)
    values = [side.values.astype(np.float64) for side in two()]
    values[0][[2, 11], 1], values[1][5, 0] = 0.0, np.nan
    real, synthetic = (Recordings.from_array(one, fs=100, units="mV", leads=LEADS) for one in values)
    grades = grade_registry(real, synthetic, seed=1, cuts=1, keys=("psnr", "ssim", "prd", "mae"))
    cuts = partner_cuts(24, synthetic.n, None, seed=1, cuts=2)
    for grade in grades:
        alone = metric(grade.key)
        assert grade.score.value == pytest.approx(alone.compute(real, synthetic).score, rel=1e-12), grade.key
        floors = [alone.compute(real.subset(first), real.subset(second)).score for first, second in cuts]
        assert grade.score.floor == pytest.approx(np.mean(floors), rel=1e-12), grade.key
        (first, second), floor = cuts[0], floors[0]
        reverse = alone.compute(real.subset(first[::-1]), real.subset(second[::-1])).score
        assert reverse == pytest.approx(floor, rel=1e-12), grade.key


@functools.cache
def ideal():
    """Values and floors of generators that are perfect, by metric."""
    keys = ("fd", "swd", "psd", "heart_rate", "hrv", "spectral_entropy", "nn_dist", "mae", "sqi")
    found = []
    for seed in range(8):
        real, synthetic = (simulated(60, 10 * seed + at, leads=("II",)) for at in (0, 1))
        found.append([(g.score.value, g.score.floor) for g in grade_registry(real, synthetic, seed=0, keys=keys)])
    return dict(zip(keys, np.array(found).mean(axis=0), strict=True))


@pytest.mark.parametrize("key", ["fd", "swd", "psd", "heart_rate", "hrv", "spectral_entropy", "nn_dist", "mae", "sqi"])
def test_a_perfect_generator_gets_its_floor_on_average(key):
    """At the sizes of the halves the floors of laws would be twice as large, of swd half as large again."""
    value, floor = ideal()[key]
    reach = {"fd": 0.45, "swd": 0.2, "nn_dist": 0.1, "mae": 0.1, "sqi": 0.1}.get(key, 0.3)
    assert value / floor == pytest.approx(1.0, abs=reach)


def test_floors_say_how_they_are_at_other_sizes():
    real, synthetic = two()
    keys = ("mmd", "swd", "pr_dist", "mae", "dtw")
    notes = [grade.score.note for grade in grade_registry(real, synthetic, seed=3, keys=keys)]
    assert "carried to 24 against 20 by the factor 0.546" in notes[0]
    assert "by the factor 0.739" in notes[1]
    assert "not carried" in notes[2]
    assert "Partners are chosen from 20 recordings, in the floor from 14, which makes it worse." in notes[3]
    assert "Partners are chosen from 24 recordings, in the floor from 14" in notes[4]


def test_floors_of_a_part_are_in_the_scale_of_all_real_recordings():
    real, synthetic = two()
    (grade,) = grade_registry(real, synthetic, seed=3, keys=("nn_dist",))
    floors = []
    for first, second in partner_cuts(24, 20, real.patients, seed=3, cuts=3):
        for lead in LEADS:
            every = seven(real.lead(lead).astype(np.float64))
            x, y = (every[rows] / every.std(axis=0) for rows in (first, second))
            floors.append(np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)).min(axis=1).mean())
    assert grade.score.floor == pytest.approx(np.mean(floors), rel=1e-9)
