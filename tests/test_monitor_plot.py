"""The drawing of a history: size, words, what is drawn where, hostile titles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from truegrade.errors import InputError, MissingExtra
from truegrade.monitor.history import Checkpoint

picture = pytest.importorskip("truegrade.monitor.picture")
KEYS = ["frechet_distance", "precision", "coverage", "nn_two_sample", "recall"]


def monitored(steps: int, **options: Any) -> tg.Monitor:
    rng = np.random.default_rng(0)
    monitor = tg.monitor(rng.normal(size=(60, 4)), metrics=KEYS, **options)
    for step in range(steps):
        monitor.reset().update(rng.normal(1 / (step + 1), 1, (50, 4))).compute(step=step * 10)
    return monitor


def test_a_png_is_1200_pixels_wide(tmp_path: Path) -> None:
    path = monitored(2, validation=np.random.default_rng(1).normal(size=(60, 4))).plot(tmp_path / "new" / "m.png")
    with pytest.importorskip("PIL.Image").open(path) as image:
        assert image.width == 1200
        assert 400 < image.height < 700  # two rows of panels


def test_an_svg_names_every_metric_and_line(tmp_path: Path) -> None:
    held = np.random.default_rng(1).normal(size=(60, 4))
    title = "<script>alert(1)</script> $x$ & co"
    text = monitored(3, validation=held).plot(tmp_path / "m.svg", title=title).read_text()
    for key in KEYS:
        assert tg.metrics.METRICS[key].info.title in text
    for words in ("against training samples", "against validation samples", "real against real"):
        assert words in text
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; $x$ &amp; co" in text


def test_without_validation_and_floors_nothing_of_them_is_drawn(tmp_path: Path) -> None:
    text = monitored(2, floor=False).plot(tmp_path / "m.svg").read_text()
    assert "against training" in text
    assert "validation" not in text
    assert "real against real" not in text


def test_lines_hold_the_values_that_were_recorded() -> None:
    infos = {"precision": tg.metrics.METRICS["precision"].info}
    points = [
        Checkpoint(step, 10, 10, {"precision": value}, {"precision": value / 2}, floors={"precision": (0.7, 0.9)})
        for step, value in ((0, 0.2), (5, None), (10, 0.6))
        if value is not None
    ]
    figure = picture._figure(points, infos, "")
    lines = [line.get_xydata().tolist() for line in figure.axes[0].get_lines()]
    assert [[0.0, 0.2], [10.0, 0.6]] in lines
    assert [[0.0, 0.1], [10.0, 0.3]] in lines
    np.testing.assert_allclose(lines[0], [[0.0, 0.8], [10.0, 0.8]])


def test_scores_without_a_value_leave_a_gap_or_a_word() -> None:
    info = tg.metrics.METRICS["precision"].info
    points = [Checkpoint(s, 9, 9, {"precision": v, "recall": None}) for s, v in ((0, 0.1), (1, None), (2, 0.3))]
    figure = picture._figure(points, {"precision": info, "recall": tg.metrics.METRICS["recall"].info}, "")
    (line,) = figure.axes[0].get_lines()
    assert np.isnan(line.get_ydata()[1])
    assert [text.get_text() for text in figure.axes[1].texts] == ["undefined"]


def test_one_step_can_be_drawn(tmp_path: Path) -> None:
    assert monitored(1).plot(tmp_path / "m.pdf").read_bytes().startswith(b"%PDF")


def test_the_same_history_gives_the_same_bytes(tmp_path: Path) -> None:
    monitor = monitored(2)
    assert monitor.plot(tmp_path / "a.svg").read_bytes() == monitor.plot(tmp_path / "b.svg").read_bytes()


def test_what_cannot_be_drawn_is_refused_and_no_file_is_left(tmp_path: Path) -> None:
    monitor = monitored(1)
    with pytest.raises(InputError, match=r"suffix \.jpg"):
        monitor.plot(tmp_path / "m.jpg")
    with pytest.raises(InputError, match="Nothing was recorded"):
        monitored(0).plot(tmp_path / "m.png")
    (tmp_path / "m.png").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        monitor.plot(tmp_path / "m.png")
    assert [one.name for one in tmp_path.iterdir()] == ["m.png"]


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "truegrade.monitor.picture", None)
    package = sys.modules["truegrade.monitor"]
    monkeypatch.delattr(package, "picture")
    with pytest.raises(MissingExtra, match=re.escape("truegrade[report]")):
        monitored(1).plot(tmp_path / "m.png")
