"""Principal components of images, from one pass over them: the covariance in float64, its largest eigenvectors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from truegrade.embedders.base import Progress
from truegrade.errors import InputError
from truegrade.images import Images, in_order
from truegrade.images.collection import Decoded

Values = Callable[[Decoded], NDArray[np.float32]]
_MOST_VALUES = 8192  # the covariance of more takes minutes
_BLOCK = 256  # images
_RANK = 1e-10  # of the largest eigenvalue; below it an eigenvector is rounding


@dataclass(frozen=True, eq=False)
class Principal:
    """mean (d,) and components (k, d), orthonormal rows, float64."""

    mean: NDArray[np.float64]
    components: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.components.shape[1:] != self.mean.shape:
            raise ValueError(f"mean {self.mean.shape} and components {self.components.shape} do not fit")

    @cached_property
    def fingerprint(self) -> str:
        """Hash of both."""
        whole = hashlib.sha256(f"{self.components.shape}".encode())
        whole.update(np.ascontiguousarray(self.mean, "<f8").tobytes())
        whole.update(np.ascontiguousarray(self.components, "<f8").tobytes())
        return whole.hexdigest()[:32]

    def project(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The image by its k components; one at a time and without BLAS, so that nothing but the image decides them."""
        made = np.einsum("kd,d->k", self.components, values.astype(np.float64) - self.mean)
        return np.asarray(made, np.float32)


def find_principal(
    values: Values, real: Images, count: int, progress: Progress | None, threads: int | None
) -> Principal:
    """The first `count` eigenvectors of the covariance of the images, each with its largest entry positive.

    InputError where the images have fewer, or more values than can be treated.
    """
    n, mean, products = 0, np.zeros(0), np.zeros((0, 0))
    with threadpool_limits(1, "blas"):  # sums that do not depend on the number of threads
        for block in _blocks(values, real, progress, threads):
            if n == 0:
                _refuse_wide(block.shape[1])
                mean, products = np.zeros(block.shape[1]), np.zeros((block.shape[1],) * 2)
            own = block.mean(0)
            shift = own - mean
            block -= own
            products += block.T @ block
            products += np.outer(shift, shift) * (n * len(block) / (n + len(block)))
            mean += shift * (len(block) / (n + len(block)))
            n += len(block)
        most = min(n - 1, len(mean))
        if count > most:
            raise InputError(
                f"pca={count} given to pixels, and {n} images of {len(mean)} values have at most {most} principal "
                "components."
            )
        return Principal(mean, _largest(products / (n - 1), count))


def _largest(covariance: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    from scipy.linalg import eigh

    d = len(covariance)
    lengths, vectors = eigh(covariance, subset_by_index=(d - count, d - 1), overwrite_a=True, check_finite=False)
    lengths, vectors = lengths[::-1], np.ascontiguousarray(vectors.T[::-1])
    rank = int((lengths > _RANK * lengths[0]).sum()) if lengths[0] > 0 else 0
    if rank < count:
        raise InputError(
            f"pca={count} given to pixels, and the real images vary in {rank} directions only; at most that many "
            "principal components can be found."
        )
    peaks = np.abs(vectors).argmax(1)
    vectors *= np.sign(vectors[np.arange(count), peaks])[:, None]
    return vectors


def _refuse_wide(d: int) -> None:
    if d > _MOST_VALUES:
        raise InputError(
            f"pca given to pixels for images of {d:,} values; at most {_MOST_VALUES:,} are accepted (90 x 90 grey, "
            "52 x 52 in colour). Resize them: --embed pixels:size=32,pca=64."
        )


def _blocks(
    values: Values, real: Images, progress: Progress | None, threads: int | None
) -> Iterator[NDArray[np.float64]]:
    rows: list[NDArray[np.float32]] = []
    stream = in_order(partial(_one, values, real), real.stream(threads=threads), threads)
    for done, row in enumerate(stream, 1):
        if progress is not None:
            progress(done, len(real), f"fitting on {real.name}")
        rows += [] if row is None else [row]
        if len(rows) == _BLOCK:
            yield np.array(rows, np.float64)
            rows = []
    if rows:
        yield np.array(rows, np.float64)


def _one(values: Values, real: Images, image: Decoded | str) -> NDArray[np.float32] | None:
    if not isinstance(image, Decoded):
        return None
    try:
        return values(image)
    except InputError as error:
        raise InputError(f"Image {real.ids[image.index]!r} of {real.name}: {error}") from error
