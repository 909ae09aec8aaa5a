"""Protocols: the numbers of other tools, how a choice of metrics is brought under one, and that the result says so."""

import contextlib
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

import truegrade as tg
from grading import grade
from oracles import brute
from oracles import protocols as oracle
from oracles.distances import golden_sets
from truegrade import metrics as tm
from truegrade.cli import main
from truegrade.embedders import FunctionEmbedder
from truegrade.metrics.drawing import part_sizes
from truegrade.protocols import PROTOCOLS, Protocol, get_protocol, select
from truegrade.report.summarize import summarize
from truegrade.report.text.markdown import render_markdown
from truegrade.report.text.terminal import render_text
from truegrade.space import Space

PLAIN = {"intervals": False, "floor": False, "exhibits": False}


def pair(n=90, m=80, d=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), 0.8 * rng.normal(size=(m, d)) + 0.3


def classes(n, seed, c=7):
    return np.random.default_rng(seed).dirichlet(np.full(c, 0.4), n)


def graded(real, synthetic, protocol, metrics=None):
    return tg.evaluate(real, synthetic, metrics=metrics, protocol=protocol, **PLAIN)


# --- the numbers of the tools ------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["torch-fidelity", "clean-fid", "pytorch-fid", "torchmetrics"])
def test_the_frechet_distance_is_the_tools(protocol):
    real, synthetic = pair()
    value = graded(real, synthetic, protocol, "frechet_distance")["frechet_distance"].value
    assert value == pytest.approx(oracle.frechet(real, synthetic), rel=1e-9)


@pytest.mark.parametrize(("protocol", "seed"), [("torch-fidelity", 2020), ("clean-fid", 0)])
def test_the_subsets_of_the_kernel_distance_are_the_tools(protocol, seed):
    real, synthetic = pair()
    metric = get_protocol(protocol).metrics["kernel_distance"]
    assert (metric.subsets, metric.subset_size, metric.seed) == (100, 1000, seed)
    score = graded(real, synthetic, protocol, replace(metric, subsets=9, subset_size=40))["kernel_distance"]
    rng = np.random.RandomState(seed)  # also what numpy's global generator is after numpy.random.seed(seed)
    expected = oracle.kernel_distances(real, synthetic, 9, 40, lambda n, k: rng.choice(n, k, replace=False))
    assert score.value == pytest.approx(expected.mean(), rel=1e-10)
    assert score.details["subset_sd"] == pytest.approx(expected.std(), rel=1e-9)


@pytest.mark.parametrize("n", [100, 103, 59])
def test_the_inception_score_of_torch_fidelity(n):
    logits = np.random.default_rng(n).normal(size=(n, 6)) * 2
    metric = get_protocol("torch-fidelity").metrics["inception_score"]
    score = graded(logits, logits, "torch-fidelity", replace(metric, logits=True))["inception_score"]
    order = np.random.RandomState(2020).permutation(n)
    expected = oracle.inception_scores(logits[order], [i * n // 10 for i in range(11)])
    assert score.value == pytest.approx(expected.mean(), rel=1e-12)
    assert score.details["sd"] == pytest.approx(expected.std(), rel=1e-10)


def test_precision_and_recall_of_torch_fidelity_are_closed_with_three_neighbours():
    real, synthetic = (np.random.default_rng(i).integers(0, 5, (70, 2)).astype(float) for i in range(2))
    scores = graded(real, synthetic, "torch-fidelity", ["precision", "recall"])
    assert scores["precision"].value == brute.precision(real, synthetic, 3)
    assert scores["recall"].value == brute.recall(real, synthetic, 3)
    assert scores["precision"].value != brute.precision(real, synthetic, 3, strict=True)


def test_torchmetrics_frechet_and_kernel_distance():
    torch = pytest.importorskip("torch")
    fid = pytest.importorskip("torchmetrics.image.fid")
    kid = pytest.importorskip("torchmetrics.image.kid")
    real, synthetic = pair(80, 80)
    passing = torch.nn.Identity()
    passing.num_features = real.shape[1]
    with pytest.warns(UserWarning, match="buffer"):
        peers = [fid.FrechetInceptionDistance(passing), kid.KernelInceptionDistance(passing, subset_size=80)]
    for peer in peers:
        peer.set_dtype(torch.float64)
        peer.update(torch.from_numpy(real), real=True)
        peer.update(torch.from_numpy(synthetic), real=False)
    scores = graded(real, synthetic, "torchmetrics", ["frechet_distance", "kernel_distance"])
    assert scores["frechet_distance"].value == pytest.approx(float(peers[0].compute()), rel=1e-9)
    mean, sd = map(float, peers[1].compute())
    assert scores["kernel_distance"].value == pytest.approx(mean, rel=1e-9)
    assert sd == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("n", [100, 103, 95])
def test_torchmetrics_inception_score_with_its_parts_and_deviation(n, monkeypatch):
    torch = pytest.importorskip("torch")
    image = pytest.importorskip("torchmetrics.image.inception")
    logits = np.random.default_rng(n).normal(size=(n, 6)) * 2
    with pytest.warns(UserWarning, match="buffer"):
        peer = image.InceptionScore(feature=torch.nn.Identity())
    peer.set_dtype(torch.float64)
    peer.update(torch.from_numpy(logits))
    monkeypatch.setattr(torch, "randperm", torch.arange)  # its shuffle alone is not reproduced
    mean, sd = map(float, peer.compute())
    metric = replace(get_protocol("torchmetrics").metrics["inception_score"], logits=True, shuffle=False)
    score = graded(logits, logits, "torchmetrics", metric)["inception_score"]
    assert score.value == pytest.approx(mean, rel=1e-12)
    assert score.details["sd"] == pytest.approx(sd, rel=1e-10)


def test_prdc_with_its_ties():
    prdc = pytest.importorskip("prdc")
    rng = np.random.default_rng(3)
    real, synthetic = (np.unique(rng.integers(0, 12, (150, 2)), axis=0).astype(float) for _ in range(2))
    with contextlib.redirect_stdout(io.StringIO()):
        expected = prdc.compute_prdc(real, synthetic, 5)
    scores = graded(real, synthetic, "prdc")
    assert set(scores) == set(expected)
    for key, value in expected.items():
        assert scores[key].value == pytest.approx(value, rel=1e-12)
    closed = tg.evaluate(real, synthetic, metrics=list(expected), **PLAIN)
    assert any(closed[key].value != scores[key].value for key in expected)


def test_gan_metrics_distances():
    ot = pytest.importorskip("ot")
    real, synthetic = pair(70, 55)
    scores = graded(real, synthetic, "gan-metrics")
    ground = np.sqrt(((real[:, None] - synthetic) ** 2).sum(2))
    assert scores["wasserstein"].value == pytest.approx(ot.emd2([], [], ground), rel=1e-9)
    assert scores["mmd"].value == pytest.approx(oracle.gan_mmd(real, synthetic), rel=1e-6)
    assert scores["frechet_distance"].value == pytest.approx(np.sqrt(oracle.frechet(real, synthetic)), rel=1e-9)
    nearest, (both, of_real, of_synthetic) = scores["nn_two_sample"], oracle.gan_accuracies(real, synthetic)
    assert nearest.value == pytest.approx(both, rel=1e-12)
    assert nearest.details["accuracy_real"] == pytest.approx(of_real, rel=1e-12)
    assert nearest.details["accuracy_synthetic"] == pytest.approx(of_synthetic, rel=1e-12)
    assert scores["mode_score"].status == "undefined"  # rows that are no probabilities cost only their metric


def test_gan_metrics_class_scores_in_the_scripts_order():
    real, synthetic = classes(120, 0), classes(90, 1) ** 3
    synthetic /= synthetic.sum(1, keepdims=True)
    scores = graded(real, synthetic, "gan-metrics", ["inception_score", "mode_score"])
    assert scores["inception_score"].value == pytest.approx(oracle.gan_inception_score(synthetic), rel=1e-9)
    assert scores["mode_score"].value == pytest.approx(oracle.gan_mode_score(real, synthetic), rel=1e-9)
    proper = tm.ModeScore()(real, synthetic, **PLAIN)
    assert proper.value == pytest.approx(oracle.gan_mode_score(synthetic, real), rel=1e-9)
    assert abs(proper.value - scores["mode_score"].value) > 0.1


def test_clipped_paper_gives_the_published_codes_numbers():
    for (n, m, d), coverage in {(60, 45, 3): 31 / 46, (100, 100, 8): 77 / 101}.items():
        real, synthetic = golden_sets(n, m, d)
        scores = graded(real, synthetic, "clipped-paper")
        assert scores["clipped_coverage"].value == pytest.approx(coverage, rel=1e-12)
        density = brute.clipped_density_official_raw(real, synthetic, 5)
        assert scores["clipped_density"].raw == pytest.approx(density, rel=1e-12)


# --- the parameters that came with them --------------------------------------------------------------------


def test_mode_score_of_swapped_sets_is_the_swapped_order():
    real, synthetic = classes(100, 0), classes(80, 1)
    swapped = tm.ModeScore(first="real")(real, synthetic, floor=False)
    other = tm.ModeScore()(synthetic, real, floor=False)
    assert swapped.value == other.value
    assert swapped.interval.low == pytest.approx(other.interval.low, rel=1e-9)
    assert swapped.interval.high == pytest.approx(other.interval.high, rel=1e-9)
    np.testing.assert_array_equal(swapped.per_sample["real"], other.per_sample["synthetic"])
    assert swapped.details["missing_share_real"] == pytest.approx(other.details["overused_share_synthetic"])
    assert [n.code for n in swapped.warnings].count("rows_as_probabilities") == 2
    parts = grade(tm.ModeScore(first="real"), real, synthetic).influence.parts
    assert {side: len(part) for side, part in parts.items()} == {"real": 100, "synthetic": 80}
    with pytest.raises(tg.InputError, match="first='fake'"):
        tm.ModeScore(first="fake")


def test_mode_score_in_the_scripts_order_names_the_side_that_lacks_a_class():
    real, synthetic = classes(50, 0), classes(60, 1)
    synthetic[:, 2] = 0
    synthetic /= synthetic.sum(1, keepdims=True)
    score = tm.ModeScore(first="real")(real, synthetic, floor=False)
    (note,) = [n for n in score.warnings if n.code == "class_unseen"]
    assert score.value == 0.0
    assert "The real samples take up 1 of 7 classes" in note.text
    assert "every synthetic sample" in note.text


def test_the_root_of_the_frechet_distance_has_an_interval_about_it():
    real, synthetic = pair(400, 400)
    squared = tm.FrechetDistance()(real, synthetic)
    root = tm.FrechetDistance(root=True)(real, synthetic)
    assert root.value == pytest.approx(np.sqrt(squared.value), rel=1e-12)
    assert root.floor.value == pytest.approx(np.sqrt(squared.floor.value), rel=1e-9)
    assert root.interval.low < root.value < root.interval.high
    assert root.interval.high**2 - root.interval.low**2 < 3 * (squared.interval.high - squared.interval.low)
    with pytest.raises(tg.InputError, match="root=1"):
        tm.FrechetDistance(root=1)


def test_a_floor_of_a_root_is_carried_by_the_root_of_the_sizes():
    real, synthetic = pair(400, 400)
    for metric in (tm.FrechetDistance(root=True), tm.MMD(compat="gan-metrics")):
        floor = metric(real, synthetic, intervals=False).floor
        assert floor.scaled
        assert "factor 0.7071" in floor.note


def test_the_kernel_distance_over_subsets_has_an_interval_that_holds_its_draws():
    real, synthetic = pair(200, 200)
    whole = tm.KernelDistance()(real, synthetic, floor=False).interval
    few = tm.KernelDistance("subsets", 4, 50)(real, synthetic, floor=False)
    many = tm.KernelDistance("subsets", 300, 50)(real, synthetic, floor=False)
    widths = [i.high - i.low for i in (whole, many.interval, few.interval)]
    assert widths[0] < 1.1 * widths[1] < 1.2 * widths[2]
    assert widths[1] < 1.5 * widths[0]
    draws = 1.96 * few.details["subset_sd"] / np.sqrt(3)
    assert widths[2] / 2 == pytest.approx(np.hypot(widths[1] / 2, draws), rel=0.1)
    assert few.interval.low < few.value < few.interval.high
    one = tm.KernelDistance("subsets", 1, 50)(real, synthetic, floor=False)
    assert one.interval.method != few.interval.method  # one draw does not show how draws scatter


def test_samples_are_cut_into_parts_in_three_ways():
    assert part_sizes(23, 5, "even").tolist() == [5, 5, 5, 4, 4]
    assert part_sizes(23, 5, "floor").tolist() == [4, 5, 4, 5, 5]
    assert part_sizes(21, 5, "ceil").tolist() == [5, 5, 5, 5, 1]
    assert part_sizes(11, 10, "ceil").tolist() == [2, 2, 2, 2, 2, 1]
    score = tm.InceptionScore(parts="ceil")(classes(11, 0), classes(11, 0), **PLAIN)
    assert score.details["splits"] == 6


def test_draws_and_parts_that_do_not_exist_are_refused():
    with pytest.raises(tg.InputError, match="drawing='old'"):
        tm.KernelDistance(drawing="old")
    with pytest.raises(tg.InputError, match="seeds up to"):
        tm.InceptionScore(drawing="legacy", seed=2**32)
    with pytest.raises(tg.InputError, match="parts='odd'"):
        tm.InceptionScore(parts="odd")


# --- a choice of metrics under a protocol ------------------------------------------------------------------


def test_every_protocol_says_what_it_is_in_plain_values():
    assert list(PROTOCOLS) == [
        "torch-fidelity", "clean-fid", "pytorch-fid", "torchmetrics", "prdc", "gan-metrics", "clipped-paper"
    ]  # fmt: skip
    for name, protocol in PROTOCOLS.items():
        assert protocol.name == name
        assert protocol.source.startswith("https://")
        assert protocol.differs
        assert set(protocol.settings) == set(protocol.metrics)
        assert json.loads(json.dumps(protocol.settings, allow_nan=False)) == protocol.settings
        assert all(metric.info.key == key for key, metric in protocol.metrics.items())


def test_an_unknown_protocol_is_refused_with_the_nearest_one():
    with pytest.raises(tg.InputError, match="Did you mean clean-fid"):
        get_protocol("cleanfid")
    with pytest.raises(tg.InputError, match="There are: torch-fidelity"):
        tg.evaluate(*pair(), protocol=3)


def test_names_families_instances_and_the_rest():
    mine = tm.Recall(k=7)
    found = select("prdc", ["fidelity", "coverage", mine])
    assert found.metrics["density"] == tm.Density(k=5, ties="strict")
    assert found.metrics["coverage"] == tm.Coverage(k=5, ties="strict")
    assert found.metrics["recall"] == mine
    assert found.metrics["clipped_density"] == tm.ClippedDensity()
    (note,) = found.notices
    assert note.code == "protocol_outside"
    assert "Clipped density" in note.text
    assert "Precision," not in note.text
    assert found.record["as_given"] == ["recall"]
    assert set(found.record["settings"]) == {"density", "precision", "coverage"}


def test_an_explicit_k_goes_before_the_protocols_and_is_said():
    found = select("prdc", None, 3)
    assert {metric.k for metric in found.metrics.values()} == {3}
    assert [note.code for note in found.notices] == ["protocol_k"]
    assert "k=3" in found.notices[0].text
    assert found.record["changed"] == {"k": 3}
    assert found.record["settings"]["density"] == {"k": 3, "ties": "strict"}
    assert select("prdc", None, 5).notices == ()
    assert get_protocol("prdc").metrics["density"].k == 5


def test_compat_and_a_protocol_contradict_each_other():
    with pytest.raises(tg.InputError, match="leave one out"):
        select("prdc", "precision", compat="official")


def test_only_what_was_named_must_fit():
    real, synthetic = pair()
    assert graded(real, synthetic, "torch-fidelity")["inception_score"].status == "undefined"
    with pytest.raises(tg.InputError, match="no class probabilities"):
        graded(real, synthetic, "torch-fidelity", "inception_score")


def test_metrics_may_come_from_a_generator():
    found = select("prdc", (one for one in ("precision", tm.Recall(k=2))))
    assert found.metrics == {"precision": tm.Precision(k=5, ties="strict"), "recall": tm.Recall(k=2)}


# --- the feature space -------------------------------------------------------------------------------------


def test_an_embedder_gets_the_options_that_were_left_open():
    clean = get_protocol("clean-fid")
    assert clean.completed("inception-fid:weights=w.pth") == "inception-fid:resize=clean-fid,weights=w.pth"
    assert clean.completed("inception-fid") == "inception-fid:resize=clean-fid"
    assert clean.completed("inception-fid:resize=torchmetrics") == "inception-fid:resize=torchmetrics"
    assert clean.completed("lite0") == "lite0"
    assert get_protocol("prdc").completed("pixels:size=8") == "pixels:size=8"


@pytest.mark.parametrize(
    ("name", "way", "fits"),
    [
        ("inception-fid", "clean-fid", True),
        ("inception-fid", "pytorch-fid", False),
        ("inception-fid, random weights", "clean-fid", False),
        ("lite0", None, False),
    ],
)
def test_features_that_are_not_the_protocols_are_said(name, way, fits):
    space = Space(name, {"name": name, "preprocessing": {"as": way} if way else {}})
    real, synthetic = (replace(tg.Samples.from_array(rows), space=space) for rows in pair())
    evaluation = graded(real, synthetic, "clean-fid")
    assert ("protocol_features" not in [n.code for n in evaluation.notices]) is fits
    assert evaluation.provenance.protocol["features"] == name


def images(seed):
    return np.random.default_rng(seed).integers(0, 255, (30, 8, 8, 3)).astype(np.uint8)


def small(pixels):
    return np.asarray(pixels, np.float64).reshape(len(pixels), -1)[:, :5]


def test_images_in_another_space_are_graded_with_a_caution():
    embedder = FunctionEmbedder(name="mine", version="1", function=small)
    evaluation = tg.evaluate(images(0), images(1), embed=embedder, protocol="pytorch-fid", **PLAIN)
    (note,) = [n for n in evaluation.notices if n.code == "protocol_features"]
    assert "these are of mine" in note.text
    assert evaluation["frechet_distance"].title == "Fréchet distance (mine)"


def test_images_without_the_weights_of_the_tools_network_are_refused_with_the_way_out(tmp_path):
    pytest.importorskip("torch")
    image = pytest.importorskip("PIL.Image")
    for side in "ab":
        (tmp_path / side).mkdir()
        for i, pixels in enumerate(images(0)[:3]):
            image.fromarray(pixels).save(tmp_path / side / f"{i}.png")
    with pytest.raises(tg.InputError, match=r"protocol torch-fidelity grades images.*inception-fid:weights=FILE"):
        tg.evaluate(tmp_path / "a", tmp_path / "b", protocol="torch-fidelity", **PLAIN)


def test_images_go_through_the_tools_network_and_resize(tmp_path):
    pytest.importorskip("torch")
    from truegrade.embedders import get_embedder

    embed = get_protocol("torch-fidelity").completed("inception-fid:weights=random")
    assert get_embedder(embed).preprocessing["as"] == "torch-fidelity"


# --- the result --------------------------------------------------------------------------------------------


def test_the_protocol_stands_in_every_output_and_survives_saving(tmp_path):
    evaluation = graded(*pair(), "torch-fidelity", ["kernel_distance", "density"])
    assert evaluation.provenance.protocol["name"] == "torch-fidelity"
    again = tg.Evaluation.from_json(evaluation.to_json(tmp_path / "e.json"))
    assert again == evaluation
    assert again.provenance.protocol == evaluation.provenance.protocol
    text, markdown = render_text(evaluation), render_markdown(summarize(again))
    assert "By the protocol torch-fidelity (torch-fidelity 0.4.0)" in text
    page = evaluation.to_html(tmp_path / "e.html").read_text()
    for told in (markdown.replace("\\", ""), re.sub(r"\s+", " ", page)):
        assert "seed 2020, drawing legacy" in told
        assert "by their own conventions: density" in told
        assert "The tool computes kernels and means" in told


def test_without_a_protocol_nothing_is_said(tmp_path):
    evaluation = tg.evaluate(*pair(), metrics="precision", **PLAIN)
    assert evaluation.provenance.protocol is None
    assert "rotocol" not in render_text(evaluation) + render_markdown(summarize(evaluation))
    record = evaluation.to_dict()
    del record["provenance"]["protocol"]  # a result of before
    assert tg.Evaluation.from_dict(record) == evaluation


def test_hostile_texts_of_a_protocol_are_escaped(tmp_path):
    nasty = "<script>alert(1)</script>\"'&" + "x" * 10_000
    conventions = {"precision": {nasty: nasty}}
    protocol = Protocol(nasty, nasty, nasty, {"precision": tm.Precision()}, conventions, None, (nasty,))
    evaluation = graded(*pair(), protocol)
    page = evaluation.to_html(tmp_path / "e.html").read_text()
    assert "<script>alert" not in page
    assert "<script" not in render_markdown(summarize(evaluation))
    assert max(map(len, render_text(evaluation).splitlines())) < 200


def test_compare_and_a_comparison_say_it(tmp_path):
    real, a = pair()
    comparison = tg.compare(real, {"a": a, "b": a[::-1] * 1.2}, protocol="prdc", floor=False, intervals=False)
    assert {e.provenance.protocol["name"] for e in comparison.evaluations.values()} == {"prdc"}
    assert "By the protocol prdc" in render_text(comparison)


def test_statistics_files_take_a_protocol(tmp_path):
    real, synthetic = pair()
    for name, rows in (("r", real), ("s", synthetic)):
        np.savez(tmp_path / f"{name}.npz", mu=rows.mean(0), sigma=np.cov(rows, rowvar=False))
    sides = tmp_path / "r.npz", tmp_path / "s.npz"
    evaluation = tg.evaluate(*sides, protocol="gan-metrics")
    assert list(evaluation) == ["frechet_distance"]
    assert evaluation["frechet_distance"].value == pytest.approx(np.sqrt(oracle.frechet(real, synthetic)), rel=1e-9)
    assert evaluation.provenance.protocol["name"] == "gan-metrics"
    with pytest.raises(tg.InputError, match="protocol prdc has no Fréchet distance"):
        tg.evaluate(*sides, protocol="prdc")


# --- the command line --------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, rows in zip(("r", "s"), pair(), strict=True):
        np.save(tmp_path / f"{name}.npy", rows)
        paths.append(str(tmp_path / f"{name}.npy"))
    return paths


def test_the_command_grades_by_a_protocol(files, tmp_path, capsys):
    out = str(tmp_path / "e.json")
    fast = ["--no-floor", "--no-intervals", "--no-exhibits"]
    assert main(["evaluate", *files, "--protocol", "prdc", "--k", "4", "--json", out, *fast]) == 0
    result = tg.Evaluation.from_json(out)
    assert set(result) == {"precision", "recall", "density", "coverage"}
    assert result["density"].parameters == {"k": 4, "ties": "strict"}
    assert "By the protocol prdc" in capsys.readouterr().out
    assert main(["evaluate", *files, "--protocol", "prdc", "--metrics", "recall", "--json", out, *fast]) == 0
    assert set(tg.Evaluation.from_json(out)) == {"recall"}


@pytest.mark.parametrize(
    ("more", "words"),
    [(["--protocol", "pdrc"], "Did you mean prdc"), (["--protocol", "prdc", "--compat", "official"], "leave one out")],
)
def test_the_command_refuses_before_it_reads(more, words, capsys):
    assert main(["evaluate", "absent.npy", "gone.npy", *more]) == 2
    assert words in capsys.readouterr().err


def test_the_command_lists_protocols_with_their_settings(capsys):
    assert main(["protocols"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for name in PROTOCOLS:
        assert name in out
    assert "--embed inception-fid:resize=clean-fid" in out
    assert "seed 2020, drawing legacy" in out
    assert "ties strict" in out
