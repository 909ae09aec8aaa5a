"""Samples that were embedded from images: their space stands in the result, their pictures in the report."""

import json
from dataclasses import replace

import numpy as np
import pytest

import truegrade as tg
from truegrade.report.summarize import summarize
from truegrade.report.summary.origin import images_in_words
from truegrade.report.text.markdown import render_markdown
from truegrade.report.text.terminal import render_text
from truegrade.space import Space

SIDE = 12


class Squares:
    """Pictures whose colour is their row."""

    def __init__(self, rows, side=SIDE):
        self.rows, self.side = np.asarray(rows), side

    def thumbnails(self, rows, side):
        edge = min(side, self.side)
        return [np.full((edge // 2, edge, 3), row % 256, np.uint8) for row in self.rows[rows]]

    def subset(self, rows):
        return Squares(self.rows[rows], self.side)


class Gone(Squares):
    def thumbnails(self, rows, side):
        raise tg.InputError("a file is not there any more")


def embedded(n, seed, pictures=Squares, version=1, official=None):
    rng = np.random.default_rng(seed)
    space = Space("net<b>", {"name": "net", "version": version, "size": [8, 8]}, {"used": n}, official or {})
    samples = tg.Samples.from_array(rng.normal(size=(n, 4)), name=f"set {seed}")
    probabilities = rng.dirichlet(np.ones(3), n)
    return replace(samples, space=space, pictures=pictures(np.arange(n)), probabilities=probabilities)


def test_a_subset_keeps_probabilities_space_and_pictures():
    whole = embedded(50, 0)
    part = whole.subset(np.array([7, 3]))
    np.testing.assert_array_equal(part.probabilities, whole.probabilities[[7, 3]])
    assert part.space == whole.space
    assert [one[0, 0, 0] for one in part.pictures.thumbnails(np.array([0, 1]), 64)] == [7, 3]


def test_sets_embedded_in_different_ways_are_refused():
    with pytest.raises(tg.InputError, match="differ in version"):
        tg.evaluate(embedded(50, 0), embedded(50, 1, version=2))


def test_distances_are_named_after_the_space_and_officially_only_by_the_standard_network():
    metrics = ["frechet_distance", "kernel_distance", "precision"]
    plain = tg.evaluate(embedded(60, 0), embedded(60, 1), metrics=metrics, floor=False)
    assert plain["frechet_distance"].title == "Fréchet distance (net<b>)"
    assert plain["precision"].title == "Precision"
    genuine = {"frechet_distance": "FID"}
    official = tg.evaluate(embedded(60, 0, official=genuine), embedded(60, 1, official=genuine), metrics=metrics)
    assert official["frechet_distance"].title == "FID"
    assert official["kernel_distance"].title == "Kernel distance (net<b>)"


def test_a_side_of_unknown_origin_is_a_caution_and_never_gives_a_standard_name():
    real = embedded(60, 0, official={"frechet_distance": "FID"})
    plain = np.random.default_rng(1).normal(size=(60, 4))
    evaluation = tg.evaluate(real, plain, metrics="frechet_distance", floor=False)
    assert evaluation["frechet_distance"].title == "Fréchet distance"
    assert "space_unknown" in {note.code for note in evaluation.notices}


def test_the_standard_name_is_that_of_the_standard_definition_alone():
    official = {"frechet_distance": "FID"}
    sides = (embedded(60, 0, official=official), embedded(60, 1, official=official))
    root = tg.metrics.FrechetDistance(root=True)(*sides, floor=False, intervals=False)
    assert root.title == "Root of the Fréchet distance (net<b>)"


def test_the_space_stands_in_every_output_and_survives_saving(tmp_path):
    evaluation = tg.evaluate(embedded(60, 0), embedded(60, 1), metrics="precision")
    assert tg.Evaluation.from_json(evaluation.to_json(tmp_path / "e.json")) == evaluation
    assert "4 features of net<b>" in render_text(evaluation)
    markdown = render_markdown(summarize(evaluation))
    assert "size 8 x 8" in markdown
    assert "used 60" in markdown
    page = evaluation.to_html(tmp_path / "e.html").read_text()
    assert "size 8 x 8" in page
    assert "net<b>" not in page.replace("\\u003c", "<").split("<script")[0]


def test_specimens_are_drawn_as_their_pictures_framed_to_a_square():
    evaluation = tg.evaluate(embedded(60, 0), embedded(60, 1), metrics="precision", floor=False, intervals=False)
    exhibits = evaluation.exhibits
    assert exhibits.drawing == "image"
    assert exhibits.shape == (SIDE, SIDE, 3)
    for one in exhibits.worst:
        image = one.values.reshape(exhibits.shape)
        assert (image[SIDE // 2] == one.row).all()
        assert (image[0] == 255).all()


def test_pictures_are_saved_compactly():
    record = tg.evaluate(embedded(60, 0), embedded(60, 1), metrics="precision", floor=False).to_dict()
    values = record["exhibits"]["worst"][0]["values"]
    assert isinstance(values["array"], str)
    assert len(json.dumps(values)) < 1.5 * SIDE * SIDE * 3


def test_a_picture_that_is_gone_costs_no_result():
    evaluation = tg.evaluate(embedded(60, 0, Gone), embedded(60, 1), metrics="precision", floor=False)
    assert evaluation["precision"].value is not None
    assert (evaluation.exhibits.uncovered[0].values == 255).all()


def test_what_was_read_is_told_in_words():
    read = {"used": 3, "skipped": 0, "modes": {"L": 3}, "conversions": {}, "sizes": 2}
    read |= {"height": {"min": 8, "median": 8.0, "max": 9}, "width": {"min": 10, "median": 10.0, "max": 10}}
    assert images_in_words(read) == "used 3, modes: L 3, size 8 x 10 to 9 x 10"
    assert images_in_words({"used": 3, "height": None, "width": None}) == "used 3"
