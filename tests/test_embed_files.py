"""Vectors in files: written with what made them, read back with it, ignored when it does not fit; the commands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from embed_cases import COLOURS, GREYS, Means, folder, means, pictured
from truegrade import cli
from truegrade.embedders import REGISTRY, embed, fit, get_embedder, registry
from truegrade.embedders.provenance import save_vectors
from truegrade.errors import InputError
from truegrade.images import load_images
from truegrade.samples import Samples
from truegrade.space import FID_WEIGHTS, Space
from truegrade.statistics.files import load_statistics, save_statistics

HOSTILE = ["<script>alert(1)</script>", "\"quote' & \\", "\u202eto the left", "x" * 10_000, "new\nline\x07", "é 日本"]


@pytest.fixture
def samples() -> Samples:
    """Twelve embedded images with hostile names and labels."""
    images = pictured(COLOURS[:12], name="faces <b>", labels=np.array(HOSTILE * 2))
    images.files.names = tuple(f"{text} {i}" for i, text in enumerate(HOSTILE * 2))  # type: ignore[attr-defined]
    return embed(images, Means())


def same(found: Samples, written: Samples) -> None:
    """Everything that a file holds of samples."""
    assert np.array_equal(found.array(), written.array())
    assert found.fingerprint == written.fingerprint
    assert found.space == written.space
    assert found.space is None or written.space is None or found.space.versions == written.space.versions
    assert found.pixels == written.pixels
    for what in ("ids", "labels", "probabilities"):
        ours, theirs = getattr(found, what), getattr(written, what)
        assert (ours is None) == (theirs is None), what
        assert ours is None or np.array_equal(ours, theirs), what
    assert not [note for note in found.notices if note.code == "record_ignored"]


@pytest.mark.parametrize("name", ["f.npy", "f.npz", "new/folder/F.NPY", "a [b] *.é.npz"])
def test_what_is_written_is_read_back(samples: Samples, tmp_path: Path, name: str) -> None:
    written = save_vectors(samples, tmp_path / name)
    assert written[0] == tmp_path / name
    assert all(path.is_file() for path in written)
    same(tg.load(tmp_path / name), samples)
    plain = embed(pictured(GREYS, labels=np.arange(40)), "pixels")  # no classes, but images
    save_vectors(plain, tmp_path / name)  # over the other
    same(tg.load(tmp_path / name), plain)
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".tmp")]


def test_the_arrays_are_plain_numpy_and_strict_json(samples: Samples, tmp_path: Path) -> None:
    save_vectors(samples, tmp_path / "f.npy", images="abc")
    save_vectors(samples, tmp_path / "f.npz", images="abc")
    assert np.array_equal(np.load(tmp_path / "f.npy", allow_pickle=False), means(COLOURS[:12]))
    assert np.load(tmp_path / "f.probabilities.npy", allow_pickle=False).shape == (12, 2)
    with np.load(tmp_path / "f.npz", allow_pickle=False) as archive:
        assert sorted(archive) == ["features", "ids", "labels", "probabilities", "provenance"]
        inside = json.loads(str(archive["provenance"]))
    beside = json.loads((tmp_path / "f.npy.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    for record in (inside, beside):
        assert record["format"] == "truegrade vectors"
        assert record["images"] == "abc"
        assert record["space"]["embedder"]["name"] == "means"
        assert record["space"]["images"]["used"] == 12


def test_a_description_of_other_values_is_ignored_with_a_notice(samples: Samples, tmp_path: Path) -> None:
    save_vectors(samples, tmp_path / "f.npy")
    np.save(tmp_path / "f.npy", samples.array() * 2)
    found = tg.load(tmp_path / "f.npy")
    assert (found.space, found.ids, found.labels, found.probabilities) == (None, None, None, None)
    (note,) = found.notices
    assert note.code == "record_ignored"
    assert "f.npy.json" in note.text
    assert "other values" in note.text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 2}, "version 2"),
        ({"space": {"name": "x"}}, "damaged"),
        ({"space": 3}, "damaged"),
        ({"space": {"name": 3, "embedder": {}}}, "damaged"),
        ({"ids": None, "unknown": 1}, "damaged"),
        ({"pixels": [5, 5]}, "25"),
        ({"ids": {"array": ["a"], "dtype": "<U1", "shape": [1], "not_finite": {}}}, "ids of shape (1,)"),
        ({"ids": {"array": ["a"], "dtype": "nonsense", "shape": [1], "not_finite": {}}}, "damaged"),
        ({"probabilities": "0" * 32}, "were changed"),
    ],
)
def test_damaged_descriptions_are_ignored_with_a_notice(
    samples: Samples, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    save_vectors(samples, tmp_path / "f.npy")
    path = tmp_path / "f.npy.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    found = tg.load(tmp_path / "f.npy")
    assert found.space is None
    assert found.n == 12
    (note,) = found.notices
    assert (note.code, words in note.text) == ("record_ignored", True), note.text


@pytest.mark.parametrize("name", ["f.npy", "f.npz"])
def test_a_file_gives_standard_names_only_by_the_digest_of_the_weights(
    samples: Samples, tmp_path: Path, name: str
) -> None:
    genuine = {"name": "inception-fid", "dimension": 2048, "file_sha256": FID_WEIGHTS}
    claimed = {"frechet_distance": "FID", "precision": "the best"}
    for embedder, names in (
        ({"name": "means"}, {}),
        (genuine, {"frechet_distance": "FID", "kernel_distance": "KID", "inception_score": "Inception Score"}),
        (genuine | {"file_sha256": "0" * 64}, {}),
        (genuine | {"dimension": 64}, {}),
        (genuine | {"name": "lite0"}, {}),
        ({}, {}),
    ):
        forged = replace(samples, space=Space("net", embedder, official=claimed))
        save_vectors(forged, tmp_path / name)
        found = tg.load(tmp_path / name)
        assert found.space is not None
        assert (found.space.embedder, found.space.official) == (embedder, names)
        save_statistics(forged, tmp_path / "statistics.npz")
        kept = load_statistics(tmp_path / "statistics.npz").space
        assert kept is not None
        assert kept.official == names


def test_probabilities_that_are_gone_or_changed_are_noticed(samples: Samples, tmp_path: Path) -> None:
    save_vectors(samples, tmp_path / "f.npy")
    path = tmp_path / "f.probabilities.npy"
    changed = np.load(path)[::-1]
    for spoil in (
        path.unlink,
        lambda: np.save(path, changed),
        lambda: np.save(path, changed[:3]),
        lambda: path.write_text("nonsense"),
        lambda: np.save(path, np.array([{}] * 12), allow_pickle=True),
    ):
        spoil()
        found = tg.load(tmp_path / "f.npy")
        assert (found.probabilities, found.space) == (None, None)
        assert [note.code for note in found.notices] == ["record_ignored"]


def test_other_files_beside_an_array_are_left_alone(tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", np.eye(5))
    for text in ('{"format": "something else"}', "[1, 2]", "3"):
        (tmp_path / "f.npy.json").write_text(text)
        assert tg.load(tmp_path / "f.npy").notices == ()
    np.savez(tmp_path / "f.npz", features=np.eye(5), probabilities=np.full((5, 4), 0.25))
    found = tg.load(tmp_path / "f.npz")
    assert found.space is None
    assert found.probabilities is not None
    assert found.probabilities.shape == (5, 4)
    np.savez(tmp_path / "g.npz", features=np.eye(5), other=np.eye(5))
    with pytest.raises(InputError, match="Choose one"):
        tg.load(tmp_path / "g.npz")
    assert tg.load(tmp_path / "g.npz", key="other").n == 5


def test_labels_of_the_caller_come_before_those_of_the_file(samples: Samples, tmp_path: Path) -> None:
    for name in ("f.npy", "f.npz"):
        save_vectors(samples, tmp_path / name)
        found = tg.load(tmp_path / name, labels=list("ab" * 6), ids=range(12))
        assert found.labels is not None
        assert found.ids is not None
        assert found.labels.tolist() == list("ab" * 6)
        assert found.ids.tolist() == list(range(12))
        assert found.space == samples.space


def test_samples_without_a_space_are_not_written(samples: Samples, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="was not embedded"):
        save_vectors(replace(samples, space=None), tmp_path / "f.npy")
    with pytest.raises(InputError, match=r"suffix \.csv"):
        save_vectors(samples, tmp_path / "f.csv")
    (tmp_path / "g.npy.json").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        save_vectors(samples, tmp_path / "g.npy")
    assert [path.name for path in tmp_path.iterdir()] == ["g.npy.json"]


# --- commands ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in a folder with the folders real and fake, fake with a text and a broken image."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRUEGRADE_CACHE", raising=False)
    monkeypatch.setitem(REGISTRY, "means", registry.Entry(Means, "6", "for tests"))
    folder(tmp_path / "real", COLOURS[:30])
    folder(tmp_path / "fake", COLOURS[30:])
    folder(tmp_path / "nested" / "0", COLOURS[:2])
    folder(tmp_path / "nested" / "1", COLOURS[2:5])
    np.save("floats.npy", COLOURS[:20] / np.float32(255) * 2 - 1)

    def go(*arguments: str) -> Ran:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return go


def test_embed_writes_vectors_that_load_gives_back(run: Run) -> None:
    ran = run("embed", "real", "--embed", "means:scale=2", "--out", "out/r.npy", "--manifest", "m.json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("out/r.npy: 30 images x 6 features (means), fingerprint ")
    found = tg.load("out/r.npy")
    assert np.allclose(found.array(), 2 * means(COLOURS[:30]), rtol=1e-6)
    assert found.ids is not None
    assert found.ids.tolist()[:2] == ["00.png", "01.png"]
    assert found.space is not None
    assert found.space.embedder["scale"] == 2
    record = json.loads(Path("m.json").read_text())
    assert [one["id"] for one in record["images"]][:2] == ["00.png", "01.png"]
    assert json.loads(Path("out/r.npy.json").read_text())["images"] == load_images("real").fingerprint
    assert sorted(os.listdir("out")) == ["r.npy", "r.npy.json", "r.probabilities.npy"]


def test_embedded_files_are_graded_only_within_one_space(run: Run) -> None:
    for name, options in (("real", "means"), ("fake", "means"), ("other", "means:scale=2")):
        source = name if name != "other" else "fake"
        assert run("embed", source, "--embed", options, "--out", f"{name}.npz").status == 0
    assert run("evaluate", "real.npz", "fake.npz", "--metrics", "recall", "--k", "3").status == 0
    ran = run("evaluate", "real.npz", "other.npz", "--metrics", "recall", "--k", "3")
    assert ran.status == 1
    assert "differ in scale" in ran.err


def test_embed_reads_as_it_is_told(run: Run) -> None:
    Path("fake/05.png").write_bytes(Path("fake/05.png").read_bytes()[:60])
    ran = run("embed", "fake", "--embed", "means", "--out", "f.npy")
    assert (ran.status, len(ran.err.splitlines())) == (1, 1)
    assert "05.png" in ran.err
    assert not Path("f.npy").exists()
    ran = run("embed", "fake", "--embed", "means", "--out", "f.npy", "--on-error", "skip")
    assert ran.status == 0
    assert tg.load("f.npy").n == 9
    assert "05.png" in ran.out  # the notice
    ran = run("embed", "nested", "--embed", "means", "--out", "n.npy", "--recursive", "--labels", "folder")
    assert ran.status == 0
    labels = tg.load("n.npy").labels
    assert labels is not None
    assert labels.tolist() == ["0", "0", "1", "1", "1"]
    assert run("embed", "floats.npy", "--embed", "means", "--out", "v.npy", "--value-range", "-1,1").status == 0
    assert np.allclose(tg.load("v.npy").array(), means(COLOURS[:20]), rtol=1e-4)


def test_embed_fits_on_the_real_images(run: Run) -> None:
    ran = run("embed", "fake", "--embed", "pixels:pca=3", "--out", "f.npy")
    assert (ran.status, len(ran.err.splitlines())) == (1, 1)
    assert "--fit REAL" in ran.err
    for name in ("real", "fake"):
        options = ("--embed", "pixels:pca=3", "--fit", "real", "--cache", "kept", "--out", f"{name}.npy")
        assert run("embed", name, *options).status == 0
    expected = embed(load_images("fake"), fit("pixels:pca=3", load_images("real")))
    assert np.array_equal(tg.load("fake.npy").array(), expected.array())
    assert tg.load("real.npy").space is not None
    assert sorted(path.name.partition("-")[0] for path in Path("kept").iterdir()) == ["fit", "vectors", "vectors"]


def test_embed_writes_mean_and_covariance_instead(run: Run) -> None:
    ran = run("embed", "real", "--embed", "means", "--out", "s.npz", "--statistics", "--manifest", "m.json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("s.npz: mean and covariance of 30 images x 6 features (means)")
    with np.load("s.npz") as archive:
        assert np.allclose(archive["mu"], means(COLOURS[:30]).mean(0, dtype=np.float64), rtol=1e-6)
        assert np.allclose(archive["sigma"], np.cov(means(COLOURS[:30]).astype(np.float64).T), rtol=1e-6)
        assert json.loads(str(archive["provenance"]))["space"]["name"] == "means"
    assert Path("m.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--out", "f.csv"), 2, ".npy and .npz files are written"),
        (("--out", "f.npy", "--batch", "0"), 2, "--batch 0"),
        (("--out", "f.npy", "--threads", "0"), 2, "--threads 0"),
        (("--out", "f.npy", "--value-range", "0"), 2, "LOW,HIGH is accepted"),
        (("--out", "f.npy", "--manifest", "f.npy.json"), 2, "also written by --out"),
        (("--out", "f.npy", "--statistics"), 2, "a .npz file is written"),
        (("--out", "f.npy", "--embed", "lite1"), 1, "Did you mean lite0"),
        (("--out", "f.npy", "--embed", "pixels:sise=3"), 1, "Did you mean size"),
        (("--out", "real/00.png/f.npy"), 1, "cannot be written"),
        (("--out", "f.npy", "--on-error", "ignore"), 2, "on-error"),
        ((), 2, "--out"),
    ],
)
def test_wrong_commands_are_one_line_before_any_work(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, words: str
) -> None:
    def no_work(*_: Any, **__: Any) -> None:
        raise AssertionError("images were read")

    monkeypatch.setattr("truegrade.cli.embed.load_images", no_work)
    before = sorted(os.listdir())
    ran = run("embed", "real", *arguments)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (status, "", 1)
    assert words in ran.err
    assert sorted(os.listdir()) == before


def test_an_output_that_is_a_folder_or_an_input_is_refused(run: Run) -> None:
    Path("f.npy").mkdir()
    for out, words in (("f.npy", "is a folder"), ("floats.npy", "is also read")):
        ran = run("embed", "floats.npy", "--embed", "means", "--out", out)
        assert ran.status in (1, 2)
        assert words in ran.err
    assert np.load("floats.npy").shape == COLOURS[:20].shape


def test_embedders_are_listed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, entry in REGISTRY.items():  # looking for torchvision imports torch here
        monkeypatch.setitem(REGISTRY, name, replace(entry, modules=("json",)))
    monkeypatch.setitem(REGISTRY, "lite0", replace(REGISTRY["lite0"], modules=("json", "no_such_module_here")))
    ran = run("embedders")
    assert (ran.status, ran.err) == (0, "")
    lines = {line.split()[0]: line for line in ran.out.splitlines()}
    for name in REGISTRY:
        assert ("no: truegrade[images]" in lines[name]) == (name == "lite0")


@pytest.mark.parametrize("name", ["lite0", "random-conv"])
def test_the_list_says_the_right_number_of_features(name: str) -> None:
    assert str(get_embedder(name).describe()["dimension"]) == REGISTRY[name].dimension
