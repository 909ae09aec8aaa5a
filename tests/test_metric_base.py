"""What all metrics check their parameters with, and how they draw from a set."""

from __future__ import annotations

import numpy as np
import pytest

from truegrade.errors import InputError
from truegrade.metrics import MMD, PPrecision, PRDPrecision, SinkhornDivergence, TopPrecision, Vendi
from truegrade.metrics.base import check_number
from truegrade.metrics.drawing import drawn_rows
from truegrade.samples import Samples


@pytest.mark.parametrize(
    "value", [True, np.True_, "1", None, 1j, np.complex64(1), [1.0], np.nan, 0, -1.0, np.inf, 10**400]
)
def test_what_is_no_positive_number_is_refused(value):
    with pytest.raises(InputError, match=r"width=.* given; a positive, finite number is accepted"):
        check_number("width", value)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(2), np.int64(3), 1e-300])
def test_numbers_of_all_kinds_are_accepted(value):
    check_number("width", value)


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (Vendi, "order"),
        (PRDPrecision, "beta"),
        (TopPrecision, "alpha"),
        (PPrecision, "scale"),
        (SinkhornDivergence, "blur"),
        (SinkhornDivergence, "tolerance"),
        (MMD, "bandwidth"),
    ],
)
def test_every_metric_refuses_what_is_no_number(metric, name):
    for value in (True, 1j, "wide", -1.0, np.nan, 10**400):
        with pytest.raises(InputError, match=f"{name}=.* given; .* is accepted"):
            metric(**{name: value})


def test_random_rows_keep_the_order_of_the_set():
    rows = np.arange(40, dtype=np.float32).reshape(20, 2)
    samples = Samples.from_array(rows)
    rng = np.random.default_rng(0)
    whole = drawn_rows(samples, 20, rng)
    np.testing.assert_array_equal(whole, rows)
    assert whole.dtype == np.float64
    expected = rows[np.sort(np.random.default_rng(0).choice(20, 7, replace=False))]  # the whole set drew nothing
    np.testing.assert_array_equal(drawn_rows(samples, 7, rng), expected)
