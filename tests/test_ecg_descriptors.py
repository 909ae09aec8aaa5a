"""The 7 and 11 descriptors of a lead, against their definitions written out, and by hand."""

import numpy as np
import pytest
from scipy import stats

from truegrade.ecg.descriptors import ELEVEN, SEVEN, eleven, seven


def naive_seven(x):
    steps = range(len(x) - 1)
    mean = sum(x) / len(x)
    energy = sum(v * v for v in x) / len(x)
    square = sum((v - mean) ** 2 for v in x)
    crossing = sum(abs(np.sign(x[t + 1]) - np.sign(x[t])) for t in steps) / (2 * len(steps))
    lagged = sum((x[t] - mean) * (x[t + 1] - mean) for t in steps) / square
    return [mean, (square / len(x)) ** 0.5, energy**0.5, max(map(abs, x)), energy, crossing, lagged]


def test_seven_by_definition_and_by_hand():
    rng = np.random.default_rng(0)
    x = rng.normal(0.3, 1.0, (5, 41)).round(2)
    assert len(SEVEN) == 7
    np.testing.assert_allclose(seven(x), [naive_seven([float(v) for v in row]) for row in x], rtol=1e-12)
    np.testing.assert_allclose(seven(np.array([[1, -1, 1, -3]])), [[-0.5, 11**0.5 / 2, 3**0.5, 3, 3, 1, -5.25 / 11]])


def test_eleven_against_scipy_and_the_fourier_sum():
    rng = np.random.default_rng(1)
    x = rng.gamma(2.0, size=(3, 50))
    got = dict(zip(ELEVEN, eleven(x, 100.0).T, strict=True))
    both = dict(zip(SEVEN, seven(x).T, strict=True))
    for key in SEVEN:
        np.testing.assert_array_equal(got[key], both[key])
    np.testing.assert_allclose(got["skewness"], stats.skew(x, axis=1), rtol=1e-12)
    np.testing.assert_allclose(got["kurtosis"], stats.kurtosis(x, axis=1, fisher=False), rtol=1e-12)
    time, hertz = np.arange(50) / 100.0, np.arange(26) * 2.0
    wave = np.exp(-2j * np.pi * hertz[:, None] * time)
    size = np.abs((x - x.mean(axis=1, keepdims=True)) @ wave.T)
    centre = (size * hertz).sum(axis=1) / size.sum(axis=1)
    np.testing.assert_allclose(got["spectral_centroid"], centre, rtol=1e-10)
    width = np.sqrt((size * (hertz - centre[:, None]) ** 2).sum(axis=1) / size.sum(axis=1))
    np.testing.assert_allclose(got["spectral_bandwidth"], width, rtol=1e-10)


@pytest.mark.parametrize("fs", [100.0, 500.0])
def test_a_tone_is_at_its_frequency_in_hertz_whatever_the_sampling_rate(fs):
    tone = 3.0 + np.sin(2 * np.pi * 12.0 * np.arange(int(4 * fs)) / fs)[None]
    got = dict(zip(ELEVEN, eleven(tone, fs)[0], strict=True))
    assert got["spectral_centroid"] == pytest.approx(12.0, abs=1e-9)
    assert got["spectral_bandwidth"] == pytest.approx(0.0, abs=1e-4)


def test_constant_rows_and_rows_with_nan():
    x = np.full((4, 999), 0.1)
    x[1] = 0.0
    x[2, 5] = np.nan
    x[3, 5] = np.inf
    got = eleven(x, 250.0)
    np.testing.assert_allclose(got[0], [0.1, 0, 0.1, 0.01, 0.1, 0, 0, 0, 0, 0, 0], atol=1e-15)
    assert (got[1] == 0).all()
    assert np.isnan(got[2:]).all()
    assert np.isnan(seven(x)[2:]).all()


def test_integers_are_computed_as_float64_and_blocks_do_not_matter():
    x = np.random.default_rng(2).integers(-3000, 3000, (300, 40)).astype(np.int16)
    np.testing.assert_array_equal(seven(x), seven(x.astype(np.float64)))
    np.testing.assert_allclose(seven(x)[[7, 290]], seven(x[[7, 290]]), rtol=1e-13)
