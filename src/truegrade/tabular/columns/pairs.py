"""Grading all columns and all pairs of columns of two tables, in the same passes over them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from threading import Lock
from typing import Any, NamedTuple

from truegrade.cores import usable_cores
from truegrade.density import Settings
from truegrade.result.table import ColumnGrade, PairForm, PairGrade, PairPicture
from truegrade.tables import LEVELLED, NUMERIC, Coded
from truegrade.tabular.columns.categories import TablePair
from truegrade.tabular.columns.draws import generator
from truegrade.tabular.columns.mixed import MixedPair
from truegrade.tabular.columns.numbers import NumberPair
from truegrade.tabular.columns.passes import BUDGET, Found, first_pass, second_pass
from truegrade.tabular.columns.pictures import Album
from truegrade.tabular.columns.single import LevelColumn, NumberColumn, bare_column, missing_share, with_curves
from truegrade.tabular.columns.states import State, column_state, pair_state

Progress = Callable[[int, int, str], None]
_Job = NumberColumn | LevelColumn | TablePair | MixedPair | NumberPair
_ORDER: dict[PairForm, int] = {"categories": 0, "mixed": 1, "numbers": 2}  # one after the other: fewer columns a pass


class PairsFound(NamedTuple):
    """All pairs of columns that are compared, in the order of the real table, and pictures of a few."""

    pairs: tuple[PairGrade, ...]
    pictures: tuple[PairPicture, ...]


def grade_columns(
    real: Coded, synthetic: Coded, settings: Settings | None = None, *, seed: int, intervals: bool = True
) -> tuple[ColumnGrade, ...]:
    """Every column of the real table, in its order; see `grade_columns_and_pairs`."""
    plan = _Plan(real, synthetic, settings or Settings(), seed, intervals)
    return plan.run(plan.columns(), [], None)[0]


def grade_pairs(
    real: Coded,
    synthetic: Coded,
    settings: Settings | None = None,
    *,
    seed: int,
    intervals: bool = True,
    progress: Progress | None = None,
) -> PairsFound:
    """Every pair of columns of the real table that are compared; see `grade_columns_and_pairs`."""
    plan = _Plan(real, synthetic, settings or Settings(), seed, intervals)
    return PairsFound(*plan.run([], plan.pairs(), progress)[1:])


def grade_columns_and_pairs(
    real: Coded,
    synthetic: Coded,
    settings: Settings | None = None,
    *,
    seed: int,
    intervals: bool = True,
    progress: Progress | None = None,
) -> tuple[tuple[ColumnGrade, ...], tuple[PairGrade, ...], tuple[PairPicture, ...]]:
    """Columns, pairs and pictures of `synthetic` against `real`, both coded by the schema of the real table.

    Columns are matched by name. Each table is read twice (moments; counts), and once more for every further
    `passes.BUDGET` bytes of counts. Neither threads nor the pieces in which a file holds its rows change a digit.

    Args:
        settings: of the scores of densities; always on a grid.
        seed: of the draws behind ceilings and intervals.
        intervals: whether to make any; see `draws.Effort` for how many draws tables of which size get.
        progress: called with (done, total, what).
    """
    plan = _Plan(real, synthetic, settings or Settings(), seed, intervals)
    return plan.run(plan.columns(), plan.pairs(), progress)


@dataclass
class _Plan:
    real: Coded
    synthetic: Coded
    settings: Settings
    seed: int
    intervals: bool
    album: Album = field(default_factory=Album)

    def columns(self) -> list[tuple[str, State]]:
        return [(c.name, column_state(c.name, self.real, self.synthetic)) for c in self.real.schema.columns]

    def pairs(self) -> list[tuple[str, str, State]]:
        names = self.real.schema.names(*NUMERIC, *LEVELLED)
        return [(a, b, pair_state(a, b, self.real, self.synthetic)) for a, b in combinations(names, 2)]

    def run(
        self, columns: list[tuple[str, State]], pairs: list[tuple[str, str, State]], progress: Progress | None
    ) -> tuple[tuple[ColumnGrade, ...], tuple[PairGrade, ...], tuple[PairPicture, ...]]:
        """Both passes; then every column and pair in its place, graded or with the reason why not."""
        counted = [name for name, state in columns if self._counts(name, state)]
        compared = sorted(((a, b) for a, b, state in pairs if state.ok), key=lambda pair: _ORDER[self._form(*pair)])
        found = self._first_pass(counted, compared)
        states = dict(columns)
        jobs = [self._column_job(name, states[name], found) for name in counted]
        jobs += [self._pair_job(a, b, found) for a, b in compared]
        grades = dict(zip([job.names for job in jobs], self._second_pass(jobs, found, progress), strict=True))
        graded = [self._column(name, state, grades.get((name,))) for name, state in columns]
        paired = [grades.get((a, b)) or self._bare_pair(a, b, state) for a, b, state in pairs]
        return with_curves(graded), tuple(paired), self.album.pictures()

    def _counts(self, name: str, state: State) -> bool:
        """Whether there is anything to count: values on both sides that differ in the real table."""
        if state.ok:
            return True
        number = self.real.schema[name].type in NUMERIC
        facts = self.synthetic.facts.get(name)
        return number and state.lacking and facts is not None and facts.missing < facts.rows

    def _form(self, first: str, second: str) -> PairForm:
        number = [self.real.schema[name].type in NUMERIC for name in (first, second)]
        return "numbers" if all(number) else "mixed" if any(number) else "categories"

    def _first_pass(self, columns: list[str], pairs: list[tuple[str, str]]) -> tuple[Found, Found]:
        used = {*columns, *(name for pair in pairs for name in pair)}
        numbers, levelled = ([n for n in self.real.schema.names(*types) if n in used] for types in (NUMERIC, LEVELLED))
        mixed = [self._split(*pair) for pair in pairs if self._form(*pair) == "mixed"]
        with ThreadPoolExecutor(min(2, usable_cores())) as pool:
            sides = pool.map(lambda coded: first_pass(coded, numbers, levelled, mixed), (self.real, self.synthetic))
            real, synthetic = sides
        return real, synthetic

    def _split(self, first: str, second: str) -> tuple[str, str]:
        """The number and the category of a mixed pair."""
        return (first, second) if self.real.schema[first].type in NUMERIC else (second, first)

    def _column_job(self, name: str, state: State, found: tuple[Found, Found]) -> _Job:
        if self.real.schema[name].type in NUMERIC:
            return NumberColumn(name, state, found, self.settings)
        return LevelColumn(name, self._levels(name), state)

    def _pair_job(self, first: str, second: str, found: tuple[Found, Found]) -> _Job:
        form = self._form(first, second)
        if form == "numbers":
            return NumberPair(first, second, found, self.settings)
        if form == "mixed":
            number, category = self._split(first, second)
            return MixedPair(first, second, number, found, self.settings, len(self.real.schema[category].levels))
        sizes = len(self._levels(first)), len(self._levels(second))
        return TablePair(first, second, sizes, max(len(self.real), len(self.synthetic)))

    def _levels(self, name: str) -> tuple[str, ...]:
        """All levels of both tables: the real table's, then the synthetic one's own."""
        return max(self.real.levels(name), self.synthetic.levels(name), key=len)

    def _second_pass(self, jobs: list[_Job], found: tuple[Found, Found], progress: Progress | None) -> list[Any]:
        done, lock = 0, Lock()

        def finish(job: _Job) -> Any:
            nonlocal done
            if isinstance(job, NumberPair):
                out: Any
                out, plane = job.finish(self.seed, intervals=self.intervals)
                if plane is not None:
                    self.album.show(out, plane)
            else:
                out = job.finish(self.seed, intervals=self.intervals)
            with lock:
                done += 1
                if progress is not None:
                    progress(done, len(jobs), "columns and pairs")
            return out

        return second_pass(jobs, (self.real, self.synthetic), found, finish, budget=BUDGET)

    def _column(self, name: str, state: State, found: Any) -> ColumnGrade:
        state, scores, curves, lost = found or (state, {}, None, ())
        if self.synthetic.has(name):
            rng = generator(self.seed, name, "missing")
            scores = {**scores, **missing_share(name, self.real, self.synthetic, rng, intervals=self.intervals)}
        return bare_column(name, self.real, self.synthetic, state, scores, curves, lost)

    def _bare_pair(self, first: str, second: str, state: State) -> PairGrade:
        n, m = (min(_known(coded, name) for name in (first, second)) for coded in (self.real, self.synthetic))
        return PairGrade(first, second, self._form(first, second), state.status, state.reason, n, m, {}, state.lacking)


def _known(coded: Coded, name: str) -> int:
    facts = coded.facts.get(name)
    return 0 if facts is None else facts.rows - facts.missing
