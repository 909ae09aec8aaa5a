"""Entropic optimal transport in the log domain: potentials of two point clouds, or of one with itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from truegrade.engine.needs import Floats
from truegrade.errors import NotConverged
from truegrade.metrics.distances import squared_distances

ITERATIONS = 1000  # of a set to itself, which takes some 20
STEPS = 50  # of Newton's rule, which takes some 10
CONJUGATE = 500  # of conjugate gradients in each
_STORED = 1 << 24  # costs kept (128 MB); of larger sets they are computed again in each round
_BLOCK = 1 << 17  # costs worked on at a time
_SHRINK = 0.5  # of the softness from level to level
_ROUGH, ROUGH_STEPS = 0.05, 12  # marginal error and Newton steps before the last
_FAR = 50.0  # exponents beyond count as this


class Costs:
    """|x_i - y_j|^p / p of points (n, d) and (m, d) by blocks of rows, kept if they are few."""

    def __init__(self, x: Floats, y: Floats, p: int) -> None:
        self._x, self._y, self._p = x, y, p
        self.shape = (len(x), len(y))
        self._step = max(1, _BLOCK // len(y))
        self._kept = self._rows(0, len(x)) if len(x) * len(y) <= _STORED else None

    def _rows(self, start: int, stop: int) -> Floats:
        found = squared_distances(self._x[start:stop], self._y)
        if self._p == 1:
            return np.sqrt(found, out=found)
        found /= 2.0
        return found

    @property
    def kept(self) -> bool:
        return self._kept is not None

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        n = self.shape[0]
        for start in range(0, n, self._step):
            stop = min(start + self._step, n)
            yield slice(start, stop), self._rows(start, stop) if self._kept is None else self._kept[start:stop]

    def answers(self, left: Floats, right: Floats, softness: float) -> tuple[Floats, Floats]:
        """The best answer of each side to the potentials of the other: of the left one (n,) the soft minimum
        -softness log mean_j exp((right_j - c_ij) / softness), of the right one (m,) its mirror image.

        Both from the one plan of both potentials, exp((left_i + right_j - c_ij) / softness).
        """
        rows, columns = np.empty(self.shape[0]), np.zeros(self.shape[1])
        with np.errstate(over="ignore"):
            for at, block in self.blocks():
                plan = right - block
                plan += left[at, None]
                plan /= softness
                np.exp(plan, out=plan)
                rows[at] = plan.sum(1)
                columns += plan.sum(0)
        sums = np.concatenate([rows, columns])
        if not (np.isfinite(sums).all() and (sums > 0.0).all()):
            return self._safely(left, right, softness)
        n, m = self.shape
        return left - softness * np.log(rows / m), right - softness * np.log(columns / n)

    def _safely(self, left: Floats, right: Floats, softness: float) -> tuple[Floats, Floats]:
        """The same where the plan overflows or vanishes: largest exponents first, in two passes."""
        top = np.full(self.shape[1], -np.inf)
        for at, block in self.blocks():
            np.maximum(top, ((left[at, None] - block) / softness).max(0), out=top)
        rows, columns = np.empty(self.shape[0]), np.zeros(self.shape[1])
        for at, block in self.blocks():
            rows[at] = logsumexp((right - block) / softness, axis=1)
            columns += np.exp((left[at, None] - block) / softness - top).sum(0)
        n, m = self.shape
        return -softness * (rows - np.log(m)), -softness * (np.log(columns / n) + top)


class Plan:
    """P_ij = exp((left_i + right_j - c_ij) / softness) / m, whose rows are fitted: each sums up to 1. Kept as the
    costs are.

    columns: (m,) mean of the rows times m, which is 1 where the columns are fitted too.
    """

    def __init__(self, costs: Costs, left: Floats, right: Floats, softness: float) -> None:
        self.left, self.right, self.softness = left, right, softness
        self._costs = costs
        n, m = costs.shape
        self._kept = np.empty(costs.shape) if costs.kept else None
        self.columns = np.zeros(m)
        for at, block in costs.blocks():
            plan = self._exponential(at, block, None if self._kept is None else self._kept[at])
            self.columns += plan.sum(0)
        self.columns *= m / n

    def _exponential(self, at: slice, block: Floats, out: Floats | None) -> Floats:
        plan = np.subtract(self.right, block, out=out)
        plan += self.left[at, None]
        plan /= self.softness
        np.exp(plan, out=plan)
        plan /= len(self.right)
        return np.asarray(plan)

    def there_and_back(self, values: Floats) -> Floats:
        """Of values of the right side (m,) the means that the left side sees, brought back: P'P values, times m / n."""
        n, m = self._costs.shape
        if self._kept is not None:
            return np.asarray((self._kept @ values) @ self._kept * (m / n))
        out = np.zeros(m)
        for at, block in self._costs.blocks():
            plan = self._exponential(at, block, None)
            out += (plan @ values) @ plan
        return out * (m / n)


@dataclass(frozen=True)
class Solved:
    """cost: the regularised optimum. left (n,), right (m,): potentials. error: of the marginals, total variation."""

    cost: float
    left: Floats
    right: Floats
    error: float
    iterations: int


def between(x: Floats, y: Floats, p: int, softness: float, largest: float, tolerance: float) -> Solved:
    """Entropic transport of x to y: min <P, c> + softness KL(P | uniform product).

    The softness is halved from `largest` down; at each value Newton's rule finds the right potential that maximises the
    dual with the left one fitted to it, roughly until the last. The cost is a dual value with one side fitted exactly,
    so its error is of second order in that of the marginals. Raises NotConverged.
    """
    costs = Costs(x, y, p)
    right = costs.answers(np.zeros(len(x)), np.zeros(len(y)), max(largest, softness))[1]
    for soft in _softnesses(largest, softness):
        found = _newton(costs, right, soft, _ROUGH, ROUGH_STEPS)
        right = found.right
    found = _newton(costs, right, softness, tolerance, STEPS)
    if found.error > tolerance:
        raise _not_converged(found.error, tolerance)
    return found


def _newton(costs: Costs, right: Floats, softness: float, tolerance: float, steps: int) -> Solved:
    """Maximises mean left + mean right over right, left being its answer; each step after a round of Sinkhorn's."""
    left = costs.answers(np.zeros(costs.shape[0]), right, softness)[0]
    for step in range(steps + 1):
        right = costs.answers(left, right, softness)[1]
        left = costs.answers(left, right, softness)[0]
        plan = Plan(costs, left, right, softness)
        lacking = 1.0 - plan.columns
        error = float(np.abs(lacking).mean())
        if error <= tolerance or step == steps:
            break
        left, right = _uphill(costs, plan, softness * _solve(plan, lacking, min(0.1, error)))
    return Solved(float(left.mean() + right.mean()), left, right, error, step)


def _uphill(costs: Costs, plan: Plan, move: Floats) -> tuple[Floats, Floats]:
    """The potentials after the move, or after as much of it as makes the dual larger; else the answer to the plan."""
    before, softness = float(plan.left.mean() + plan.right.mean()), plan.softness
    gain = float(((1.0 - plan.columns) * move).mean())
    share = 1.0
    while share > 0.01:
        right = plan.right + share * move
        left = costs.answers(plan.left, right, softness)[0]
        if float(left.mean() + right.mean()) >= before + 1e-4 * share * gain - 1e-14 * (abs(before) + softness):
            return left, right
        share /= 3.0
    return plan.left, plan.right


def _solve(plan: Plan, lacking: Floats, accuracy: float) -> Floats:
    """Conjugate gradients for (diag(columns) - P'P) move = lacking, in units of the masses; until a share is left."""
    move, rest = np.zeros_like(lacking), lacking - lacking.mean()
    scale = 1.0 / np.maximum(plan.columns, 1e-12)
    ahead = scaled = scale * rest
    size, enough = float(rest @ scaled), accuracy**2 * float(rest @ scaled)
    for _ in range(CONJUGATE):
        bent = plan.columns * ahead - plan.there_and_back(ahead)
        curvature = float(ahead @ bent)
        if curvature <= 0.0:  # only rounding is left
            break
        length = size / curvature
        move, rest = move + length * ahead, rest - length * bent
        scaled = scale * rest
        last, size = size, float(rest @ scaled)
        if size <= enough:
            break
        ahead = scaled + (size / last) * ahead
    return np.asarray(move - move.mean())


def _not_converged(error: float, tolerance: float) -> NotConverged:
    return NotConverged(
        f"Entropic transport did not converge: marginal error {error:.2g}, asked {tolerance:g}. Give a larger blur."
    )


def within(x: Floats, p: int, softness: float, largest: float, tolerance: float) -> Solved:
    """The same of x to itself, where one potential serves both sides and converges fast."""
    costs = Costs(x, x, p)
    state = np.zeros(len(x))
    for soft in _softnesses(largest, softness):
        state = (state + costs.answers(state, state, soft)[0]) / 2.0
    error = np.inf
    for iteration in range(ITERATIONS):
        best = costs.answers(state, state, softness)[0]
        error = _off(state, best, softness)
        if error <= tolerance:
            both = (best + state) / 2.0
            return Solved(float(best.mean() + state.mean()), both, both, error, iteration)
        state = (state + best) / 2.0
    raise _not_converged(error, tolerance)


def _softnesses(largest: float, softness: float) -> list[float]:
    """From the largest down to above the last, each half of the one before."""
    out = []
    while largest > softness:
        out.append(largest)
        largest *= _SHRINK
    return out


def _off(potential: Floats, best: Floats, softness: float) -> float:
    """How far the mass that the plan moves from or to each point is from its own, summed: sum |P 1 - a|."""
    exponents = np.minimum((potential - best) / softness, _FAR)
    return float(np.abs(np.expm1(exponents)).mean())
