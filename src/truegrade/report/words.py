"""Numbers as text, and the words for a number beside its floor."""

from __future__ import annotations

import math
from statistics import NormalDist

from truegrade.result import About, Interval, Score
from truegrade.tables.naming import shown

LONGEST = 60  # characters of a name that are shown


def safe(text: str, longest: int = LONGEST) -> str:
    """A user's text as one line, as `tables.naming.shown` makes it."""
    return shown(text, longest)


def sized(n: int, unknown: str = "unknown") -> str:
    """A number of samples; 0 is how a result says that it is not known."""
    return f"{n:,}" if n else unknown


def counted(count: int, what: str) -> str:
    """1 feature, 2 features."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def number(value: float, interval: Interval | None = None) -> str:
    """The value with the digits its interval supports: the second digit of the half-width is the last."""
    half = None if interval is None else (interval.high - interval.low) / 2
    supported = half is not None and math.isfinite(half) and half > 0
    tiny = 0 < abs(value) < 1e-4 and not (supported and half is not None and half >= 1e-5)
    if tiny or not abs(value) < 1e7:
        return f"{value:.3g}"
    if half is None or not supported:
        return f"{value:.3f}" if value == 0 or 0.01 <= abs(value) < 100 else f"{value:.4g}"
    text = f"{value:.{_decimals(half)}f}"
    return text if float(text) else text.removeprefix("-")


def bounds(interval: Interval) -> str:
    """low to high, with the digits of the interval itself."""
    return f"{number(interval.low, interval)} to {number(interval.high, interval)}"


def chance(p: float) -> str:
    """A p-value as text; never 0."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _decimals(half: float) -> int:
    return min(6, max(0, 1 - math.floor(math.log10(half))))


def noise(score: Score) -> float:
    """How far value and floor may lie apart by chance: the half-widths of both, as the root of their squares.

    The floor is independent of the value and as noisy for its own sizes; where it was measured on smaller sets
    its error is larger by the root of the ratio (not where it was carried to the asked sizes: such a floor and its
    error fall together). A distance scatters the more the larger it is, so its floor has an error of its own; where
    that is not known it is taken as small beside that of a value far above it. The interval of a distance reaches
    further up than down, and its floor lies below, so it is the part below the value that counts there.
    Where the floor is the mean of several cuts of real data, it is at least what the worst cut lies above it.
    """
    if score.interval is None:
        return _of_cuts(score)
    return max(_of_cuts(score), _of_interval(score, score.interval))


def _of_cuts(score: Score) -> float:
    """By how much the worst cut of real against real is worse than their mean, the floor; 0 where nobody cut."""
    if score.floor is None:
        return 0.0
    ends = [score.details.get(key) for key in ("floor_low", "floor_high")]
    return max([0.0, *(worse_by(float(end), score.floor.value, score.about) for end in ends if end is not None)])


def _of_interval(score: Score, interval: Interval) -> float:
    half = (interval.high - interval.low) / 2
    if score.about.direction == "lower":
        error = 0.0 if score.floor is None or score.floor.error is None else score.floor.error
        below = half if score.value is None or score.value < interval.low else score.value - interval.low
        return math.hypot(below, _normal(interval.level) * error)
    return half * math.sqrt(1.0 + _floor_variance(score))


def _normal(level: float) -> float:
    """Half-width of the central `level` of a standard normal law."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0)


def together(count: int, level: float = 0.95) -> float:
    """By what factor the half-widths of `count` scores grow when all of them are looked at and one may decide.

    So that the chance that any of them is off by more is 1 - level, however they depend on each other (Bonferroni).
    """
    return _normal(1.0 - (1.0 - level) / max(count, 1)) / _normal(level)


def _floor_variance(score: Score) -> float:
    """Variance of the floor in units of that of the value: both fall with 1/n and 1/m."""
    if score.floor is None or score.floor.scaled or not score.floor.n or not score.floor.m:
        return 1.0
    ours, floors = 1 / max(1, score.n_real) + 1 / max(1, score.n_synthetic), 1 / score.floor.n + 1 / score.floor.m
    return max(1.0, floors / ours)


def gap(score: Score) -> float | None:
    """How much worse than its floor the value is (negative: better), in the metric's unit."""
    if score.value is None or score.floor is None:
        return None
    return worse_by(score.value, score.floor.value, score.about)


def worse_by(value: float, floor: float, about: About) -> float:
    """How much worse than the floor a value is (negative: better), in the metric's unit."""
    if about.direction == "higher":
        return floor - value
    if about.direction == "lower":
        return value - floor
    if about.target is None:
        return abs(value - floor)
    return abs(value - about.target) - abs(floor - about.target)


def loss(score: Score, factor: float = 1.0) -> float | None:
    """The gap as a share of the way from the floor to the worst possible value, 0 within `factor` times the noise.

    None without a floor and for unbounded metrics.
    """
    apart, worst = gap(score), _way(score)
    if apart is None or worst is None:
        return None
    return 0.0 if apart <= factor * noise(score) else min(1.0, apart / worst)


def open_loss(score: Score) -> float:
    """The loss at the worse end of the interval of a value that is worse than its floor, by more than a little but
    within noise: from `CLEARLY` on it cannot be told at this size whether the value is good. 0 where that is not so,
    and for unbounded metrics, whose intervals reach far up by nature."""
    apart, worst, interval = gap(score), _way(score), score.interval
    if apart is None or worst is None or interval is None or not _SLIGHT * worst <= apart <= noise(score):
        return 0.0
    assert score.floor is not None
    ends = (worse_by(end, score.floor.value, score.about) for end in (interval.low, interval.high))
    return min(1.0, max(0.0, *ends) / worst)


def _way(score: Score) -> float | None:
    """From the floor to the worst possible value; None without a floor or an end."""
    if score.floor is None:
        return None
    low, high = score.about.range
    ideal = score.floor.value
    worst = {"higher": ideal - low, "lower": high - ideal}.get(score.about.direction, _farthest(score))
    return worst if math.isfinite(worst) and worst > 0 else None


def _farthest(score: Score) -> float:
    low, high = score.about.range
    target = score.about.target
    if target is None:
        return math.inf
    return max(target - low, high - target)


_SLIGHT = 0.10  # loss below which a value is nothing to doubt
LITTLE, CLEARLY = 0.15, 0.35  # losses up to which a value is a little, and clearly, worse than real data
_STEPS = (
    (0.05, "close to real data"),
    (LITTLE, "a little worse"),
    (CLEARLY, "clearly worse"),
    (0.7, "much worse"),
)


def _given_away(score: Score) -> bool:
    """Whether it counts what a table gives away of real rows: little of that is private, and no sign of quality."""
    return score.about.family == "table" and score.about.direction == "lower"


UNTOLD = "cannot be told at this size"
_TIMES = (1.1, 1.5, 3.0)  # times the floor: from which on a distance is more than close, a little, and clearly worse


def comparison_words(score: Score) -> str:
    """What the value says beside real against real, in a few words; empty without a floor."""
    return standing(score)[1]


def level(score: Score) -> int | None:
    """How far a value is from real against real: 0 as good, 1 a little worse, 2 clearly worse, 3 far; None unknown."""
    return standing(score)[0]


def standing(score: Score) -> tuple[int | None, str]:
    """Level and words of a value beside its floor: the one rule for scores, and for numbers of tables and recordings.

    As good as real data within noise; of that what may as well be clearly worse, by its interval, cannot be told.
    """
    apart = gap(score)
    if apart is None or score.floor is None or score.value is None:
        return None, ""
    floor, least = score.floor.value, score.about.target or 0.0
    ideal = score.about.direction == "lower" and score.value <= least  # unbiased distances are below 0 by chance
    if apart <= noise(score) or ideal:
        if _given_away(score):
            return 0, "no more than real data"
        return (None, UNTOLD) if open_loss(score) >= CLEARLY else (0, "as good as real data")
    share = loss(score)
    if share is not None:
        words = next((words for limit, words in _STEPS if share < limit), "far from real data")
        return (1 if share < LITTLE else 2 if share < CLEARLY else 3), words
    if score.about.direction != "lower":
        return _far(max(score.value / floor, floor / score.value) if floor > 0 and score.value > 0 else math.inf), (
            "above real data" if score.value > floor else "below real data"
        )
    many = score.value / floor if score.about.range[0] >= 0 and floor > 0 else math.inf
    words = f"{many:.2g} times real vs real" if many < 1000 else "worse than real data"
    return _far(many), "close to real data" if many < _TIMES[0] else words


def _far(many: float) -> int:
    """The level of a value without a worst one, by how many times its floor it is."""
    return 1 if many < _TIMES[1] else 2 if many < _TIMES[2] else 3
