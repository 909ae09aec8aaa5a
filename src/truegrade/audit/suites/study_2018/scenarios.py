"""The experiments of the study on any real samples: parts of them are replaced, and a good metric says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from truegrade.audit.material import Material, Rows, joined
from truegrade.audit.movement import Cheap
from truegrade.audit.rules import Separates, Worsens
from truegrade.audit.scenario import Ask, Axis, Criterion, Data, Draw, Property, Rule, Scenario
from truegrade.audit.suites.study_2018.modes import collapsed, dropped, modes_of
from truegrade.audit.suites.study_2018.rules import Betrays, Ignores
from truegrade.errors import InputError
from truegrade.samples import Samples

SUITE, PAPER = "study-2018", "Xu et al. 2018"
SHARES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
ALL = ("distance", "two-sample", "classes")
"""Families of the study's metrics, all of which it asks everything of."""
_FEW = 100  # samples a side from which on generated ones are to be told from real ones
_SECONDS = 1.5
_JITTER = 0.05  # of a column's standard deviation: no two samples are equal
_BASIS = 2000  # real samples of which those of a Gaussian are made

Make = Callable[[Ask], Draw]


# --- samples that are not real ------------------------------------------------------------------------------


def generated(material: Material, rows: Rows, rng: np.random.Generator) -> Samples:
    """By a simple generative model, in the places of some samples: images by their principal parts, anything else by a
    Gaussian with the mean and covariance of the real samples."""
    if "simple" in material.remake:
        return material.changed("simple").subset(rows)
    real = material.rows(rng.permutation(material.n)[:_BASIS])
    centred = real - real.mean(axis=0)
    draws = rng.standard_normal((len(rows), len(real))) @ centred / np.sqrt(len(real) - 1)
    return Samples.from_array(real.mean(axis=0) + draws)


def foreign(material: Material, rows: Rows, rng: np.random.Generator) -> Samples:
    """Of another domain, in the places of some samples: images of uniform noise, or uniform values in the box about
    the real ones."""
    if "noise" in material.remake and "images" in material.offers:
        return material.changed("noise").subset(rows)
    low, high = material.real.summary.lowest, material.real.summary.highest
    return Samples.from_array(rng.uniform(low, high, (len(rows), material.real.d)))


def remade(name: str) -> Callable[[Material, Rows, np.random.Generator], Samples]:
    """The samples themselves with a change before embedding."""

    def change(material: Material, rows: Rows, rng: np.random.Generator) -> Samples:
        return material.changed(name).subset(rows)

    return change


# --- draws --------------------------------------------------------------------------------------------------


def mix(ask: Ask, others: dict[str, Callable[[Material, Rows, np.random.Generator], Samples]]) -> Draw:
    """Real samples, and as many other real ones of which a share is replaced by what belongs to the arm."""
    material = ask.material
    train, fresh = (part[: ask.n] for part in material.split(ask.rng))
    hit = ask.rng.permutation(len(fresh)) < round(ask.level * len(fresh))
    other = others[ask.arm](material, fresh, ask.rng)  # all of them, so that equal draws are equal at every level
    parts = [(material.real.subset(fresh[~hit]) if not hit.all() else None), (other.subset(hit) if hit.any() else None)]
    return Draw(material.real.subset(train), joined([part for part in parts if part is not None]))


def collapse(ask: Ask) -> Draw:
    """Real samples, and others of which a share of the clusters is one sample each."""
    train, pool = ask.material.split(ask.rng)
    rows = collapsed(modes_of(ask.material), pool, min(ask.n, len(pool)), ask.level, ask.rng)
    return Draw(ask.material.real.subset(train[: ask.n]), ask.material.real.subset(rows))


def drop(ask: Ask) -> Draw:
    """Real samples, and as many others that are in none of a share of the clusters; a pool three times as large fills
    their places."""
    train, *rest = ask.material.split(ask.rng, 4)
    n, pool = min(ask.n, len(train)), np.concatenate(rest)
    rows = dropped(modes_of(ask.material), pool, n, ask.level, ask.rng)
    return Draw(ask.material.real.subset(train[: len(rows)]), ask.material.real.subset(rows))


def copy(ask: Ask) -> Draw:
    """Fresh real samples of which a share is replaced by copies of the training samples, against these or against
    others."""
    train, others, fresh = (part[: ask.n] for part in ask.material.split(ask.rng, 3))
    hit = ask.rng.permutation(len(fresh)) < round(ask.level * len(fresh))
    real = ask.material.real
    return Draw(real.subset(train if ask.arm == "copied" else others), real.subset(np.where(hit, train, fresh)))


def few(ask: Ask) -> Draw:
    """Few real samples, against as many others or against generated ones."""
    train, fresh = ask.material.split(ask.rng)
    n = int(ask.level)
    if n > len(train):
        raise InputError(f"Sets of {n} need {2 * n} real samples, and {ask.material.n} are there.")
    real = ask.material.real
    if ask.arm == "real":
        return Draw(real.subset(train[:n]), real.subset(fresh[:n]))
    return Draw(real.subset(train[:n]), generated(ask.material, fresh[:n], ask.rng))


def many(ask: Ask) -> Draw:
    """As many samples as it takes to measure time: real ones, again and again, each with a little noise of its own."""
    sides = (_again(ask.material, part, int(ask.level), ask.rng) for part in ask.material.split(ask.rng))
    return Draw(*sides)


def _again(material: Material, rows: Rows, n: int, rng: np.random.Generator) -> Samples:
    chosen = rows[np.arange(n) % len(rows)]
    values = material.rows(chosen)
    values += _JITTER * values.std(axis=0) * rng.standard_normal(values.shape)
    known = material.real.probabilities
    made = Samples.from_array(values.astype(material.real.dtype))
    return made if known is None else replace(made, probabilities=known[chosen])


# --- scenarios ----------------------------------------------------------------------------------------------


def _scenario(
    key: str,
    title: str,
    question: str,
    section: str,
    axis: Axis,
    make: Make,
    judged: tuple[str, Property, Rule, tuple[str, ...]],
    *,
    data: Data = "vectors",
    arms: tuple[str, ...] = ("score",),
    repeats: tuple[int, int] = (8, 3),
    timed: bool = False,
) -> Scenario:
    name, prop, rule, of = judged
    return Scenario(
        key=f"study-{key}",
        title=title,
        suite=SUITE,
        question=question,
        source=section,
        axis=axis,
        make=make,
        criteria=(Criterion(name, prop, rule, of, describes=True),),
        data=data,
        sizes=(500, 200),
        repeats=repeats,
        arms=arms,
        timed=timed,
    )


def _share(what: str, levels: tuple[float, ...] = SHARES, quick: tuple[float, ...] = (0.0, 0.2, 0.4, 0.7, 1.0)) -> Axis:
    return Axis(f"share {what}", levels, quick)


_DISCRIMINABILITY, _ROBUSTNESS = f"{PAPER}, discriminability", f"{PAPER}, robustness to small transformations"
_SEES: tuple[str, Property, Rule, tuple[str, ...]] = ("sees", "noise", Worsens(), (*ALL, "fidelity"))
_HALF = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5)


def _mixing(
    key: str, title: str, question: str, source: str, what: str, data: Data = "vectors", name: str | None = None
) -> Scenario:
    """A scenario in which damaged samples are mixed in."""
    makers = {"generated": generated, "foreign": foreign}
    other = makers[key] if name is None else remade(name)
    return _scenario(
        key, title, question, source, _share(what), partial(mix, others={"score": other}), _SEES, data=data
    )


def _harmless(
    key: str, title: str, question: str, source: str, what: str, data: Data, name: str, worse: str
) -> Scenario:
    """A scenario in which a change that does not matter is mixed in, beside one that does."""
    arms = ("changed", worse)
    damage = generated if worse == "generated" else remade(worse)
    return _scenario(
        key,
        title,
        question,
        source,
        _share(what, (0.0, 0.2, 0.5, 1.0), (0.0, 1.0)),
        partial(mix, others={"changed": remade(name), worse: damage}),
        ("ignores", "harmless", Ignores(arms), ALL),
        data=data,
        arms=arms,
    )


SCENARIOS: tuple[Scenario, ...] = (
    _mixing(
        "generated",
        "Generated samples mixed in",
        "Does the metric see samples of a simple generative model among real ones?",
        f"{_DISCRIMINABILITY}: mixing of generated images",
        "of generated samples",
    ),
    _mixing(
        "foreign",
        "Samples of another domain mixed in",
        "Does the metric see samples that are nothing like the real ones?",
        f"{_DISCRIMINABILITY}; conclusion, on images of another distribution",
        "of foreign samples",
    ),
    _scenario(
        "collapse",
        "Modes collapse to their centres",
        "Does the metric see that modes give one sample each, again and again?",
        f"{_DISCRIMINABILITY}: mode collapsing",
        _share("of clusters collapsed"),
        collapse,
        ("sees", "collapse", Worsens(), ALL),
    ),
    _scenario(
        "drop",
        "Modes are dropped",
        "Does the metric see that modes are missing?",
        f"{_DISCRIMINABILITY}: mode dropping",
        _share("of clusters dropped", _HALF, (0.0, 0.1, 0.2, 0.35, 0.5)),
        drop,
        ("sees", "dropping", Worsens(), (*ALL, "coverage")),
    ),
    _harmless(
        "shift",
        "Images moved by a few pixels",
        "Does the metric leave alone that images are moved by up to 1/14 of their side?",
        _ROBUSTNESS,
        "of moved images",
        "images",
        "shift",
        "generated",
    ),
    _harmless(
        "turn",
        "Images turned a little",
        "Does the metric leave alone that images are turned by up to 10 degrees?",
        _ROBUSTNESS,
        "of turned images",
        "images",
        "turn",
        "generated",
    ),
    _mixing(
        "blur",
        "Blurred images mixed in",
        "Does the metric see that images lose their detail?",
        "Heusel et al. 2017, figure 3 (not in the study)",
        "of blurred images",
        "images",
        "blur",
    ),
    _mixing(
        "signal-noise",
        "Noisy recordings mixed in",
        "Does the metric see white noise of a quarter of each lead's standard deviation?",
        f"{_DISCRIMINABILITY}, for recordings",
        "of noisy recordings",
        "ecg",
        "noise",
    ),
    _mixing(
        "gain",
        "Recordings of a wrong gain mixed in",
        "Does the metric see recordings of twice the voltage?",
        f"{_DISCRIMINABILITY}, for recordings",
        "of amplified recordings",
        "ecg",
        "gain",
    ),
    _mixing(
        "dead-lead",
        "Recordings with a dead lead mixed in",
        "Does the metric see that one lead, another in each recording, is a flat line?",
        f"{_DISCRIMINABILITY}, for recordings",
        "of recordings with a dead lead",
        "ecg",
        "dead lead",
    ),
    _harmless(
        "begin",
        "Recordings begun elsewhere",
        "Does the metric leave alone where in the rhythm a recording begins?",
        f"{_ROBUSTNESS}, for recordings",
        "of recordings begun elsewhere",
        "ecg",
        "shift",
        "noise",
    ),
    _scenario(
        "copies",
        "Training samples copied",
        "Does the score against other real samples betray that training samples were copied?",
        f"{PAPER}, detecting overfitting",
        _share("of copied samples"),
        copy,
        ("gap", "copying", Betrays(("copied", "other")), (*ALL, "copying")),
        arms=("copied", "other"),
    ),
    _scenario(
        "samples",
        "Samples needed",
        "From how many samples on is every set of generated ones told from every set of real ones?",
        f"{PAPER}, efficiency: samples",
        Axis("samples a side", (20, 50, 100, 200, 500), (20, 50, 100), None, log=True),
        few,
        ("few", "efficient", Separates(("real", "generated"), by=_FEW), ALL),
        arms=("real", "generated"),
    ),
    _scenario(
        "time",
        "Time needed",
        "What does the metric cost, and how does that grow with the samples?",
        f"{PAPER}, efficiency: computation",
        Axis("samples a side", (1000, 3000), (), None, log=True),
        many,
        ("cheap", "cheap", Cheap(_SECONDS), ALL),
        repeats=(2, 1),
        timed=True,
    ),
)
