"""What the checkpoints of the generators show, in words and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from empirical_study.ladder import families
from empirical_study.study import NAMES
from empirical_study.tables import escape, join_words, ladder_table, markdown

_RARE = 0.5  # of the real share of a class: so few are worth a word


def ladder_words(ladder: Mapping[str, Any]) -> str:
    """The table, and how the main scores go along each family."""
    names = list(ladder["scores"])
    lines = [
        f"Sets of {ladder['n']} digits by generators after growing numbers of training steps, against as many real "
        "ones, in the last hidden layer of a digit classifier (64 features), which is right for "
        f"{ladder['accuracy']:.1%} of further digits.",
        markdown(*ladder_table(ladder)),
        *(_family(family, members, ladder) for family, members in families(names).items()),
    ]
    return "\n\n".join(lines)


def _family(family: str, members: Sequence[str], ladder: Mapping[str, Any]) -> str:
    """How the main scores go along one family, and what the classes say where the distance turns."""
    scores = ladder["scores"]
    courses = {m: course([scores[name][m] for name in members]) for m in NAMES}
    frechet = [scores[name]["frechet_distance"] for name in members]
    pixels = [ladder["pixels"][name] for name in members]
    text = (
        f"**{escape(family)}**: the Fréchet distance {course(frechet)} ({_chain(frechet)}), by pixels it "
        f"{course(pixels)} ({_chain(pixels)}); 1-NN accuracy {courses['nn_two_sample']}; the Inception Score "
        f"{courses['inception_score']}."
    )
    last, real = ladder["classes"][members[-1]], ladder["classes"]["real"]
    rare = min(range(len(real)), key=lambda c: last[c] / max(real[c], 1e-9))
    if course(frechet) == "falls" or last[rare] > _RARE * real[rare]:
        return text
    return text + (
        f" The distance turns as the classes go out of balance: the classifier takes {last[rare]:.1%} of "
        f"{escape(members[-1])} for class {rare}, and {real[rare]:.1%} of the real digits. The Mode Score "
        f"{courses['mode_score']}.{_unseen(courses, pixels)}"
    )


def _unseen(courses: Mapping[str, str], pixels: Sequence[float]) -> str:
    """Which of the other courses do not turn."""
    names = ["the Inception Score"] if courses["inception_score"] == "rises" else []
    names += ["the distance by pixels"] if course(pixels) == "falls" else []
    return f" This does not show in {join_words(names)}." if names else ""


def course(values: Sequence[float]) -> str:
    """Falls, rises, turns once, or anything else."""
    if all(b < a for a, b in pairwise(values)):
        return "falls"
    if all(b > a for a, b in pairwise(values)):
        return "rises"
    least, most = min(range(len(values)), key=values.__getitem__), max(range(len(values)), key=values.__getitem__)
    if most == 0 and _turns(values, least):
        return f"falls until the {_nth(least)} and rises again"
    if least == 0 and _turns([-value for value in values], most):
        return f"rises until the {_nth(most)} and falls again"
    return "goes up and down"


def _turns(values: Sequence[float], turn: int) -> bool:
    """Whether the values fall up to this place and rise after it."""
    steps = enumerate(pairwise(values))
    return all(later < earlier if place < turn else later > earlier for place, (earlier, later) in steps)


def _nth(place: int) -> str:
    return ("first", "second", "third", "fourth", "fifth")[place] if place < 5 else f"{place + 1}th"


def _chain(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
