"""fed: encoders with a written input spec, ONNX files among them, and what is said where there is none."""

import importlib.util
import math

import numpy as np
import pytest
from scipy import signal, stats

from oracles import ecg_registry as oracle
from truegrade.ecg import AVAILABLE_METRICS, Recordings
from truegrade.ecg.registry import InputSpec, OnnxEncoder, grade_registry
from truegrade.errors import InputError
from truegrade.samplers.ecg import simulate_ecg

LEADS = ("I", "II", "V2")
WEIGHTS = np.random.default_rng(0).normal(size=(2 * 200, 3)).astype(np.float32)


def simulated(n=14, seed=1, **settings):
    return simulate_ecg(n, seed=seed, **{"fs": 100, "seconds": 3, "leads": LEADS, **settings})


def project(values):
    """(n, 2, 200) to (n, 3)."""
    return values.reshape(len(values), -1).astype(np.float64) @ WEIGHTS


def fed(**parameters):
    return AVAILABLE_METRICS["fed"](**parameters)


def graph(path, *, pooled):
    """A linear encoder of (batch, 2, 200), or the absolute values (batch, 200, 2) of each time."""
    onnx = pytest.importorskip("onnx")
    helper, numpy_helper, kind = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
    given = helper.make_tensor_value_info("ecg", kind, ["batch", 2, 200])
    if pooled:
        nodes = [
            helper.make_node("Transpose", ["ecg"], ["turned"], perm=[0, 2, 1]),
            helper.make_node("Abs", ["turned"], ["out"]),
        ]
        weights, shape = [], ["batch", 200, 2]
    else:
        nodes = [helper.make_node("Flatten", ["ecg"], ["flat"]), helper.make_node("MatMul", ["flat", "w"], ["out"])]
        weights, shape = [numpy_helper.from_array(WEIGHTS, "w")], ["batch", 3]
    out = helper.make_tensor_value_info("out", kind, shape)
    model = helper.make_model(
        helper.make_graph(nodes, "encoder", [given], [out], weights),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    onnx.save(model, str(path))
    return path


def test_frechet_distance_of_what_the_encoder_gives():
    real, synthetic = simulated(), simulated(12, 2)
    spec = InputSpec(leads=("v2", "Lead I"), fs=100, seconds=2, units="uV")
    result = fed(encoder=project, spec=spec).compute(real, synthetic)
    x, y = (project(side.data[:, [2, 0], :200] * 1000.0) for side in (real, synthetic))
    assert result.score == pytest.approx(oracle.frechet(x, y), rel=1e-4)
    assert result.extra["spec"] == {"leads": ("V2", "I"), "fs": 100, "seconds": 2, "units": "uV", "normalise": None}
    assert result.extra["encoder"] == "project"
    assert result.per_lead_scores == {}
    wrong = fed(encoder=project, spec=spec, compat="ecgen-eval-0.5").compute(real, synthetic)
    from ecgen_eval.metrics._frechet_utils import frechet_distance

    assert wrong.score == pytest.approx(frechet_distance(x, y), rel=1e-4)


def test_recordings_are_brought_into_the_form_that_is_wanted():
    seen = []

    def keep(values):
        seen.append(values)
        return values.mean(axis=2)

    real, synthetic = simulated(4, fs=200), simulated(4, 2, fs=200)
    fed(encoder=keep, spec=InputSpec(leads="II", fs=100, normalise="zscore")).compute(real, synthetic)
    expected = signal.resample_poly(real.lead("II"), 1, 2, axis=1)
    expected = (expected - expected.mean(1, keepdims=True)) / expected.std(1, keepdims=True)
    np.testing.assert_allclose(seen[0][:, 0], expected, atol=1e-5)
    assert seen[0].dtype == np.float32
    fed(encoder=keep, spec=InputSpec(normalise="ranks")).compute(real.values, synthetic.values)
    ranks = stats.rankdata(real.values[0, 1])
    np.testing.assert_allclose(seen[-2][0, 1], 2 * (ranks - 1) / 599 - 1, atol=1e-6)


def test_an_onnx_file_is_an_encoder(tmp_path):
    pytest.importorskip("onnxruntime")
    form = {"leads": ("V2", "I"), "fs": 100, "seconds": 2, "units": "mV"}
    encoder = OnnxEncoder(graph(tmp_path / "linear.onnx", pooled=False), **form, batch=5)
    real, synthetic = simulated(), simulated(12, 2)
    by_hand = fed(encoder=project, spec=InputSpec(**form)).compute(real, synthetic)
    result = fed(encoder=encoder).compute(real, synthetic)
    assert result.score == pytest.approx(by_hand.score, rel=1e-4)
    assert result.extra["spec"]["leads"] == ("V2", "I")
    pooled = graph(tmp_path / "pooled.onnx", pooled=True)
    found = OnnxEncoder(pooled, **form, pool=1)(real.data[:, [2, 0], :200].astype(np.float32))
    np.testing.assert_allclose(found, np.abs(real.data[:, [2, 0], :200]).mean(axis=2), rtol=1e-5)
    for wrong, words in (
        (OnnxEncoder(pooled, **form), "say pool="),
        (OnnxEncoder(pooled, leads=("I",), fs=100, seconds=2, units="mV", pool=1), "refused recordings of the shape"),
        (OnnxEncoder(pooled, outputs=("latent",)), "has no output 'latent'"),
        (OnnxEncoder(tmp_path / "none.onnx"), "There is no file"),
        (OnnxEncoder(__file__), "cannot be read as an ONNX graph"),
    ):
        with pytest.raises(InputError, match=words):
            fed(encoder=wrong).compute(real, synthetic)


def test_without_an_encoder_it_says_what_to_give(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="fed needs an encoder"):
        fed().compute(simulated(), simulated(12, 2))
    with pytest.raises(InputError, match="fed needs an encoder"):
        fed(encoder="ecgfounder")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"leads": ("V6",)}, "wants the lead V6"),
        ({"seconds": 10}, "wants 10 s; the real recordings have 3 s"),
    ],
)
def test_recordings_that_cannot_be_brought_into_the_form(spec, words):
    with pytest.raises(InputError, match=words):
        fed(encoder=project, spec=InputSpec(**spec)).compute(simulated(), simulated())


def test_facts_that_nobody_told():
    values = simulated().values
    for spec, words in (({"fs": 500}, "say fs="), ({"units": "mV"}, "say units=")):
        with pytest.raises(InputError, match=words):
            fed(encoder=project, spec=InputSpec(**spec)).compute(values, values)
    with pytest.raises(InputError, match="units='millivolt' given"):
        InputSpec(units="millivolt")
    with pytest.raises(InputError, match="normalise='min' given"):
        InputSpec(normalise="min")


def test_what_is_no_vector_is_refused():
    for wrong, words in ((lambda v: v, r"\(n, d\) is needed"), (lambda v: v[:, :, 0] * np.nan, "NaN or infinities")):
        with pytest.raises(InputError, match=words):
            fed(encoder=wrong).compute(simulated(), simulated(12, 2))


def test_missing_leads():
    real, synthetic = simulated(), simulated(12, 2)
    spec = InputSpec(leads=("I", "V2"), seconds=2)
    before = fed(encoder=project, spec=spec).compute(real, synthetic).score
    for rows in ([3], [0, 5, 7]):
        values = synthetic.values.copy()
        values[rows, 2] = np.nan
        result = fed(encoder=project, spec=spec).compute(
            real, Recordings.from_array(values, fs=100, units="mV", leads=LEADS)
        )
        assert result.score > before
        assert result.extra["missing_synthetic"] == {"all": len(rows)}
    values = real.values.copy()
    values[:2, 0] = 0.0
    broken = Recordings.from_array(values, fs=100, units="mV", leads=LEADS)
    left = real.subset(np.arange(2, 14))
    assert fed(encoder=project, spec=spec).compute(broken, synthetic).score == pytest.approx(
        fed(encoder=project, spec=spec).compute(left, synthetic).score
    )
    assert fed(encoder=project, spec=spec).compute(synthetic, broken.subset(np.arange(3))).score == math.inf
    with pytest.raises(InputError, match="1 real recordings have a signal"):
        fed(encoder=project, spec=spec).compute(broken.subset(np.arange(3)), synthetic)


def test_fed_is_graded_with_its_floor_where_an_encoder_is_given():
    given = {"fed": {"encoder": project, "spec": InputSpec(leads=("I", "V2"), seconds=2)}}
    grades = grade_registry(simulated(24), simulated(20, 2), seed=1, keys=("fed",), parameters=given)
    assert grades[0].score.floor > 0
