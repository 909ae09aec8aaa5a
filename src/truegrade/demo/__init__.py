"""Real 8 x 8 digits and three generated sets, shipped with the package (see README.md beside this file)."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from truegrade.samples import Samples

PIXELS = (8, 8)


def load_demo() -> dict[str, NDArray[np.float32]]:
    """The demo data by name.

    "train" (900, 64) are the real digits that the generators were trained on, "holdout" (897, 64) real
    digits they never saw. "good", "mode_dropping" (never draws 2, 4, 6 or 8) and "copying" (900, 64 each) are
    generated. "train_labels" and "holdout_labels" say which digit each real row is. Pixels are whole numbers
    from 0 to 16.
    """
    with (files(__name__) / "digits.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def demo_samples() -> dict[str, Samples]:
    """The five sets of `load_demo` as images, the real ones with the digit of each row as its label.

    The set "train" is named "real".
    """
    data = load_demo()
    labels = {name.removesuffix("_labels"): v.astype(int) for name, v in data.items() if name.endswith("_labels")}
    sets = {name: values for name, values in data.items() if not name.endswith("_labels")}
    names = {name: "real" if name == "train" else name for name in sets}
    return {
        name: Samples.from_array(values, name=names[name], labels=labels.get(name), pixels=PIXELS)
        for name, values in sets.items()
    }
