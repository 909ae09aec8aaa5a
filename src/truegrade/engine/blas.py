"""How many threads the matrix library uses: one, wherever a second one costs more than it brings.

Threads of the matrix library wait by spinning, so that on a busy machine two can be twenty times slower than one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

import numpy as np
import scipy.linalg  # noqa: F401 (has a matrix library of its own, which must be loaded before it is looked for)
from threadpoolctl import ThreadpoolController

_FEW = 1024  # features up to which matrices are small


@cache
def _libraries() -> ThreadpoolController:
    """The matrix libraries of this process; looking for them takes milliseconds, so once."""
    np.zeros((2, 2)) @ np.zeros((2, 2))
    return ThreadpoolController()


def single_thread() -> AbstractContextManager[object]:
    """One thread within; nests, and may be used by several threads at once."""
    limit: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limit


def thread_for(features: int) -> AbstractContextManager[object]:
    """One thread within, unless matrices of features x features are large."""
    return single_thread() if features <= _FEW else nullcontext()
