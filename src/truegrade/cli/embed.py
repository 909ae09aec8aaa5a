"""The commands about feature spaces: embed writes vectors, embedders lists what there is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from truegrade.cli.app import DONE, app
from truegrade.cli.inputs import read_range
from truegrade.cli.tools import UsageError, progress_bar, say, unread
from truegrade.embedders import REGISTRY, get_embedder, run
from truegrade.embedders.provenance import output_files, save_vectors
from truegrade.images import Images, load_images
from truegrade.images.collection import OnError
from truegrade.images.manifest import Manifest
from truegrade.report.words import counted, safe
from truegrade.samples import Samples


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Reading:
    """How images are read.

    Attributes:
        recursive: Read the folders inside a folder too.
        on_error: What to do with an image that cannot be read: refuse, or skip it and count it.
        value_range: Values of black and white where they are not evident: LOW,HIGH, such as 0,1 or -1,1.
        key: Which array of a .npz.
        labels: Array of a .npz that holds labels, or "folder" for the first folder inside that an image lies in.
    """

    recursive: Annotated[bool, Parameter(negative=())] = False
    on_error: OnError = "refuse"
    value_range: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    key: str | None = None
    labels: str | None = None

    def images(self, path: str) -> Images:
        """The images of a folder, archive or file."""
        return load_images(
            path,
            recursive=self.recursive,
            on_error=self.on_error,
            value_range=read_range(self.value_range),
            key=self.key if path.lower().endswith(".npz") else None,
            labels=self.labels,
        )


@dataclass(frozen=True)
class _Target:
    """The files of one command."""

    vectors: Path
    manifest: Path | None
    statistics: bool

    def ready(self, read: list[str]) -> _Target:
        """The same, known to be writable and none of the files that are read."""
        kind = self.vectors.suffix.lower()
        if kind not in (".npy", ".npz") or (self.statistics and self.vectors.suffix != ".npz"):
            accepted = "a .npz file is" if self.statistics else ".npy and .npz files are"
            raise UsageError(f"--out {self.vectors} given; {accepted} written.")
        unread(self.vectors, read, "--out")
        written = [self.vectors] if self.statistics else output_files(self.vectors)
        if self.manifest is not None:
            unread(self.manifest, read, "--manifest")
            if os.path.realpath(self.manifest) in map(os.path.realpath, written):
                raise UsageError(f"--manifest {self.manifest} is also written by --out; name another file.")
        return self

    def write(self, samples: Samples, manifest: Manifest, fingerprint: str) -> Path:
        """Write all of them."""
        if self.manifest is not None:
            manifest.to_json(self.manifest)
        if self.statistics:
            from truegrade.statistics import save_statistics

            save_statistics(samples, self.vectors)
            return self.vectors
        return save_vectors(samples, self.vectors, images=fingerprint)[0]


@app.command
def embed(
    source: str,
    /,
    *,
    out: Path,
    embed: str = "lite0",
    reading: Reading = Reading(),
    fit: str | None = None,
    manifest: Path | None = None,
    statistics: Annotated[bool, Parameter(negative=())] = False,
    batch: int = 32,
    threads: int | None = None,
    cache: Annotated[Path | None, Parameter(env_var="TRUEGRADE_CACHE")] = None,
    no_cache: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Turn images into vectors and write them, with what made them.

    Args:
        source: Folder or .zip of images, or array of pixels (.npy, .npz).
        out: f.npy, with a description in f.npy.json and class probabilities in f.probabilities.npy; or f.npz with all.
        embed: Embedder, with options perhaps: lite0, pixels:size=32,pca=64 (see the command `embedders`).
        fit: The real images, for an embedder that is fitted on them (pixels with pca).
        manifest: Also write what was read of every image to this .json file.
        statistics: Write mean and covariance (mu, sigma) instead of the vectors.
        batch: Images the network sees at once.
        threads: Of decoding. Default: all processors, 8 at most.
        cache: Folder that keeps vectors by content for the next time.
        no_cache: Use no such folder, even if TRUEGRADE_CACHE names one.
    """
    for option, value in (("--batch", batch), ("--threads", threads)):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value} given; a whole number of at least 1 is accepted.")
    read_range(reading.value_range)
    target = _Target(out, manifest, statistics).ready([source, *([] if fit is None else [fit])])
    chosen = get_embedder(embed)
    images = reading.images(source)
    real = None if fit is None else reading.images(fit)
    keep = None if no_cache else cache
    with progress_bar() as progress:
        if real is not None:
            chosen = run.fit(chosen, real, cache=keep, progress=progress, threads=threads)
        samples, read = run.embed_with_manifest(
            images, chosen, cache=keep, progress=progress, threads=threads, batch=batch
        )
    say(_words(samples, target.write(samples, read, images.fingerprint), statistics))
    return DONE


@app.command
def embedders() -> int:
    """List the embedders: features, what they are, what they need."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("name", "features", "installed", "what"):
        drawn.add_column(Text(heading, "bold"), no_wrap=heading != "what")
    for name, entry in REGISTRY.items():
        installed = "yes" if not entry.missing else f"no: truegrade[{entry.extra}]"
        drawn.add_row(*(Text(safe(cell, 200)) for cell in (name, entry.dimension, installed, entry.words)))
    say(drawn)
    return DONE


def _words(samples: Samples, path: Path, statistics: bool) -> str:
    """What was written."""
    assert samples.space is not None
    what = "mean and covariance of " if statistics else ""
    text = f"{safe(str(path), 4000)}: {what}{counted(samples.n, 'image')} x {counted(samples.d, 'feature')}"
    lines = [f"{text} ({safe(samples.space.name, 200)}), fingerprint {samples.fingerprint}"]
    lines += [f"  {note.severity}: {safe(note.text, 600)}" for note in samples.notices]
    return "\n".join(lines)
