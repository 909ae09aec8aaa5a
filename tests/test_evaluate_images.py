"""evaluate, compare and the commands on images, and on files of mean and covariance."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import ClassVar

import numpy as np
import pytest

import truegrade as tg
from truegrade.cli import main
from truegrade.embedders import FunctionEmbedder, fit
from truegrade.embedders.run import refuse_beyond_memory
from truegrade.images import load_images
from truegrade.report.summarize import summarize
from truegrade.statistics import save_statistics

Image = pytest.importorskip("PIL.Image")


def digits(n, seed, shift=0.0):
    """Grey squares of 12 x 12 with a bright patch somewhere."""
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 60, (n, 12, 12)).astype(np.uint8)
    for image, at in zip(images, rng.integers(0, 8, n), strict=True):
        image[at : at + 4, at : at + 4] = 180 + int(shift)
    return images


def folder(path, images):
    path.mkdir(parents=True)
    for i, image in enumerate(images):
        Image.fromarray(image).save(path / f"{i}.png")
    return path


@pytest.fixture
def two(tmp_path):
    return folder(tmp_path / "a" / "samples", digits(60, 0)), folder(tmp_path / "b" / "samples", digits(50, 1, 40))


FAST = {"metrics": ["frechet_distance", "precision"], "floor": False, "intervals": False}


def test_two_folders_are_graded_in_the_space_that_was_asked_for(two):
    evaluation = tg.evaluate(*two, embed="pixels:size=6", **FAST)
    assert evaluation["frechet_distance"].title == "Fréchet distance (pixels)"
    assert (evaluation.real.n, evaluation.synthetic.n, evaluation.real.d) == (60, 50, 36)
    assert evaluation.real.space.images["used"] == 60
    assert evaluation.real.space.embedder == evaluation.synthetic.space.embedder
    assert evaluation.exhibits.drawing == "image"


def test_the_value_is_that_of_the_pixels_themselves(two):
    images = digits(60, 0), digits(50, 1, 40)
    graded = tg.evaluate(*two, embed="pixels", **FAST)["frechet_distance"].value
    rows = [one.reshape(len(one), -1) / 255.0 for one in images]
    exact = tg.metrics.FrechetDistance()(*rows, floor=False, intervals=False).value
    assert graded == pytest.approx(exact, rel=1e-5)  # the pixels are float32
    np.testing.assert_allclose(tg.embed(load_images(images[0]), "pixels").array(), rows[0], rtol=1e-6)


def test_the_report_says_which_libraries_made_the_vectors(two):
    evaluation = tg.evaluate(*two, embed="pixels", **FAST)
    made = f"made with pillow {version('pillow')}, numpy {version('numpy')}"
    sets = summarize(evaluation)["provenance"]["sets"]
    assert [one["images"].endswith(made) for one in sets] == [True, True]
    assert sets[0]["images"].startswith("used 60, ")


def test_arrays_of_pixels_are_images_where_an_embedder_is_asked_for(two, tmp_path):
    folders = tg.evaluate(*two, embed="pixels", **FAST)
    arrays = tg.evaluate(digits(60, 0), digits(50, 1, 40), embed="pixels", **FAST)
    np.save(tmp_path / "real.npy", digits(60, 0))
    files = tg.evaluate(tmp_path / "real.npy", digits(50, 1, 40), embed="pixels", **FAST)
    rows = tg.Samples.from_array(digits(60, 0), pixels=(12, 12))
    samples = tg.evaluate(rows, digits(50, 1, 40), embed="pixels", **FAST)
    values = {e["frechet_distance"].value for e in (folders, arrays, files, samples)}
    assert len(values) == 1


def test_images_are_embedded_by_lite0_unless_told_otherwise(two):
    evaluation = tg.evaluate(*two, metrics=["kernel_distance", "inception_score"], floor=False, intervals=False)
    assert evaluation["kernel_distance"].title == "Kernel distance (lite0)"
    assert evaluation["inception_score"].title == "Inception Score (lite0)"
    assert 1 <= evaluation["inception_score"].value <= 1000


def test_an_embedder_is_fitted_on_the_real_set_alone(two):
    evaluation = tg.evaluate(*two, embed="pixels:pca=5", **FAST)
    turned = tg.evaluate(*reversed(two), embed="pixels:pca=5", **FAST)
    assert evaluation.real.d == 5
    assert evaluation.real.space.embedder == evaluation.synthetic.space.embedder
    assert evaluation.real.space.embedder != turned.real.space.embedder


def test_a_holdout_and_several_models_share_the_space(two, tmp_path):
    fresh = folder(tmp_path / "fresh", digits(40, 2))
    result = tg.compare(two[0], {"b": two[1], "again": digits(50, 3)}, holdout=fresh, embed="pixels", **FAST)
    assert result["b"].holdout.space.embedder == result["again"].synthetic.space.embedder


def test_vectors_and_images_do_not_mix(two):
    vectors = np.random.default_rng(0).normal(size=(50, 144))
    with pytest.raises(tg.InputError, match="do not say how they were made"):
        tg.evaluate(vectors, two[1], **FAST)
    with pytest.raises(tg.InputError, match="holds vectors of 144 features, not images"):
        tg.evaluate(vectors, two[1], embed="pixels", **FAST)


def test_vectors_of_a_space_refuse_images_and_vectors_of_another(two):
    six = [tg.embed(tg.load(one), "pixels:size=6") for one in two]
    for real, synthetic in ((six[0], two[1]), (two[0], six[1]), six):
        with pytest.raises(tg.InputError, match="pixels is asked for; they differ in"):
            tg.evaluate(real, synthetic, embed="pixels:size=5", **FAST)
    with pytest.raises(tg.InputError, match="lite0 would embed the images; they differ in"):
        tg.evaluate(six[0], two[1], **FAST)
    parts = tg.embed(tg.load(two[0]), fit("pixels:pca=5", tg.load(two[0])))
    with pytest.raises(tg.InputError, match="has to be fitted on the real images"):
        tg.evaluate(parts, two[1], embed="pixels:pca=5", **FAST)


def test_lists_and_generators_of_arrays_are_images(two):
    expected = tg.evaluate(*two, embed="pixels", **FAST)["precision"].value
    listed = tg.evaluate(list(digits(60, 0)), (one for one in digits(50, 1, 40)), embed="pixels", **FAST)
    assert listed["precision"].value == expected


def test_embedded_samples_are_graded_as_they_are(two):
    real, synthetic = (tg.embed(tg.load(one), "pixels") for one in two)
    assert tg.evaluate(real, synthetic, **FAST) is not None
    again = tg.evaluate(real, two[1], embed="pixels", **FAST)
    assert again["precision"].value == tg.evaluate(*two, embed="pixels", **FAST)["precision"].value


@dataclass
class Counted:
    """Counts the images that an embedder saw."""

    seen: ClassVar[list[int]] = []

    def __call__(self, batch):
        self.seen.append(len(batch))
        return np.asarray(batch, np.float64).reshape(len(batch), -1)[:, ::12]


def test_a_cache_folder_keeps_vectors_by_content(two, tmp_path):
    embedder = FunctionEmbedder("counted", "1", Counted(), size=(12, 12))
    Counted.seen.clear()
    first = tg.evaluate(*two, embed=embedder, cache=tmp_path / "kept", **FAST)
    assert sum(Counted.seen) == 110
    second = tg.evaluate(*two, embed=embedder, cache=tmp_path / "kept", **FAST)
    assert sum(Counted.seen) == 110
    assert {k: s.value for k, s in first.scores.items()} == {k: s.value for k, s in second.scores.items()}


def test_the_command_grades_folders_and_writes_a_page(two, tmp_path, capsys):
    page = tmp_path / "out" / "page.html"
    assert main(["evaluate", *map(str, two), "--embed", "pixels:size=6", "--html", str(page), "--no-intervals"]) == 0
    out = capsys.readouterr().out
    assert "a/samples" in out
    assert "b/samples" in out
    assert "36 features of pixels" in out
    assert page.read_text().count("data:image/png") > 10


def test_the_command_skips_and_counts_a_broken_image(two, capsys):
    whole = (two[1] / "3.png").read_bytes()
    (two[1] / "3.png").write_bytes(whole[: len(whole) // 2])
    options = ["--embed", "pixels", "--metrics", "precision", "--no-intervals", "--no-floor"]
    command = ["evaluate", *map(str, two), *options]
    assert main(command) == 1
    assert "3.png" in capsys.readouterr().err
    assert main([*command, "--on-error", "skip"]) == 0
    assert "(49)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--embed", "lite1"], 2, "Did you mean lite0"),
        (["--embed", "pixels:sise=3"], 2, "size"),
        (["--value-range", "low"], 2, "LOW,HIGH is accepted"),
        (["--recursive", "--embed", "pixels:size=6"], 0, ""),
    ],
)
def test_options_of_images(two, capsys, options, status, words):
    rest = ["--metrics", "precision", "--no-intervals", "--no-floor"]
    assert main(["evaluate", *map(str, two), *options, *rest]) == status
    assert words in capsys.readouterr().err


def test_check_reads_images_through(two, capsys):
    (two[0] / "Thumbs.db").write_bytes(b"")
    assert main(["check", str(two[0])]) == 0
    assert "used 60" in capsys.readouterr().out
    (two[0] / "7.png").write_bytes(b"no png")
    assert main(["check", str(two[0])]) == 1
    assert main(["check", str(two[0]), "--on-error", "skip"]) == 0
    assert "skipped 1" in capsys.readouterr().out


@pytest.fixture
def moments(tmp_path):
    x, y = (np.random.default_rng(seed).normal(size=(80, 5)) for seed in (0, 1))
    np.savez(tmp_path / "stats.npz", mu=x.mean(0), sigma=np.cov(x, rowvar=False))
    np.save(tmp_path / "y.npy", y)
    return tmp_path / "stats.npz", tmp_path / "y.npy", x, y


def test_a_mean_and_a_covariance_are_graded_by_the_frechet_distance_alone(moments, capsys):
    stats, file, x, y = moments
    evaluation = tg.evaluate(stats, file, metrics=["frechet_distance", "precision"])
    exact = tg.metrics.FrechetDistance()(x, y, floor=False, intervals=False).value
    assert evaluation["frechet_distance"].value == pytest.approx(exact, rel=1e-9)
    assert evaluation["precision"].status == "undefined"
    assert main(["evaluate", str(stats), str(file)]) == 0
    assert "size unknown" in capsys.readouterr().out


def test_a_mean_and_a_covariance_are_graded_with_the_same_care(two, tmp_path):
    real = tg.embed(two[0], "pixels")
    stats = save_statistics(real, tmp_path / "stats.npz")
    kept = tmp_path / "kept"
    embedder = FunctionEmbedder("counted", "1", Counted(), size=(12, 12))
    whole = tg.evaluate(stats, two[1], embed="pixels")["frechet_distance"]
    assert whole.title == "Fréchet distance (pixels)"
    assert whole.value == pytest.approx(tg.evaluate(real, two[1], embed="pixels", **FAST)["frechet_distance"].value)
    Counted.seen.clear()
    counted = save_statistics(tg.embed(two[0], embedder), tmp_path / "counted.npz")
    for _ in range(2):
        tg.evaluate(counted, two[1], embed=embedder, cache=kept)
    assert sum(Counted.seen) == 110
    for wrong in ({"k": -3}, {"compat": "nonsense"}, {"seed": "x"}):
        with pytest.raises(tg.InputError, match="given"):
            tg.evaluate(stats, two[1], embed="pixels", **wrong)


def test_what_needs_samples_is_refused_for_a_mean_and_a_covariance(moments, capsys):
    stats, file, x, _ = moments
    with pytest.raises(tg.InputError, match="holdout given"):
        tg.evaluate(stats, file, holdout=x)
    with pytest.raises(tg.InputError, match="a comparison needs samples"):
        tg.compare(x, {"a": stats})
    assert main(["evaluate", str(file), str(stats), str(file)]) == 2
    assert main(["evaluate", str(stats), str(file), "--holdout", str(file)]) == 2
    assert main(["check", str(stats)]) == 0
    assert "5 features" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--html", "--json", "--markdown"])
def test_an_output_never_replaces_an_image_that_is_read(two, capsys, option):
    before = (two[0] / "0.png").read_bytes()
    assert main(["evaluate", *map(str, two), "--embed", "pixels", option, str(two[0] / "0.png")]) == 2
    assert "which is read" in capsys.readouterr().err
    assert (two[0] / "0.png").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "of_images"),
    [
        (["--columns", "a,b"], True),
        (["--key", "x"], True),
        (["--pixels", "7x9"], True),
        (["--recursive"], False),
        (["--on-error", "skip"], False),
        (["--value-range", "0,1"], False),
    ],
)
def test_an_option_that_means_nothing_for_the_files_is_refused(two, moments, capsys, options, of_images):
    files = two if of_images else (moments[1], moments[1])
    assert main(["evaluate", *map(str, files), *options]) == 2
    assert f"{options[0]} given" in capsys.readouterr().err


def test_sizes_that_no_machine_holds_are_refused(two):
    with pytest.raises(tg.InputError, match="4,194,304 pixels an image"):
        tg.evaluate(*two, embed="pixels:size=99999")
    with pytest.raises(tg.InputError, match="this machine has"):
        refuse_beyond_memory(10**9, 10**6)


def test_file_formats_without_overlap_are_a_caution(two, tmp_path):
    other = tmp_path / "jpeg"
    other.mkdir()
    for i, image in enumerate(digits(50, 1)):
        Image.fromarray(image).save(other / f"{i}.jpg")
    codes = {note.code for note in tg.evaluate(two[0], other, embed="pixels", **FAST).notices}
    assert "images_differ" in codes
    for same in (two[1], digits(50, 1)):  # files and arrays without loss
        assert "images_differ" not in {note.code for note in tg.evaluate(two[0], same, embed="pixels", **FAST).notices}
