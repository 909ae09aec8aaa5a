"""The command line of the study."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import truegrade as tg
from empirical_study.cases import Plan
from empirical_study.figures import draw_damage, draw_samples
from empirical_study.images import digits, own
from empirical_study.ladder import load_ladder, run_ladder
from empirical_study.page import page, report
from empirical_study.spaces import SPACES
from empirical_study.study import run_study
from empirical_study.tables import ladder_table, plain, study_table
from empirical_study.verdicts import CRITERIA
from truegrade.codec import write

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_FULL, _QUICK = Plan(500), Plan(30, (0.0, 0.4, 1.0), draws=3)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 bad input."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except tg.TruegradeError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="empirical_study",
        description="How good are the metrics? The experiments of Xu et al. 2018 on real digits.",
    )
    parser.add_argument("--images", metavar="DIR", help="a folder of your own images instead of digits")
    parser.add_argument("--spaces", default=",".join(SPACES), help="which spaces, by comma (default: all four)")
    parser.add_argument("--n", type=int, help=f"images a set (default {_FULL.n})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="small sets and few levels: to see that it works")
    parser.add_argument("--ladder", metavar="FILE.npz", help="also grade these sets of digits, named FAMILY_STEP")
    parser.add_argument("--out", metavar="DIR", default="study", help="where results go (default: study)")
    parser.add_argument("--results", metavar="FILE.json", help="of an earlier run, instead of running it again")
    parser.add_argument("--docs", action="store_true", help="write docs/study.md with its figures and docs/study.json")
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.docs and (options.images or options.quick):
        raise tg.InputError("--docs given with --images or --quick; the page is about digits and the full run.")
    sets = None if options.ladder is None else load_ladder(options.ladder)  # refused before anything is computed
    results = _read(Path(options.results)) if options.results else _compute(options)
    if sets is not None:
        results["ladder"] = run_ladder(sets, seed=options.seed, say=_say)
    print(plain(*study_table(results)))
    print("\n" + CRITERIA)
    if "ladder" in results:
        print("\n" + plain(*ladder_table(results["ladder"])))
    folder = _DOCS if options.docs else Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise tg.InputError(f"{folder} is no folder and cannot be made one: {error.strerror or error}.") from error
    write(folder / "study.json", dump(results))
    write(folder / "study.md", page(results) if options.docs else report(results))
    draw_damage(results, folder / "study_damage.png")
    draw_samples(results, folder / "study_samples.png")
    print(f"\nWritten to {folder}: study.json, study.md, study_damage.png, study_samples.png", file=sys.stderr)


def _compute(options: argparse.Namespace) -> dict[str, Any]:
    spaces = [name.strip() for name in options.spaces.split(",")]
    if not set(spaces) <= set(SPACES):
        raise tg.InputError(f"--spaces {options.spaces[:80]!r} given; some of {', '.join(SPACES)} are accepted.")
    plan = _QUICK if options.quick else _FULL
    n = plan.n if options.n is None else options.n
    if n < 20 or options.seed < 0:
        raise tg.InputError(f"--n {n} --seed {options.seed} given; at least 20 images a set and seed 0 are accepted.")
    material = own(options.images, n, options.seed) if options.images else digits(n, options.seed)
    plan = Plan(material.n, plan.shares, plan.draws)
    return run_study(material, plan, seed=options.seed, spaces=spaces, say=_say)


def dump(results: dict[str, Any]) -> str:
    """Strict JSON, a line for every list of numbers."""
    parts = (json.dumps(value, ensure_ascii=False, allow_nan=False) for value in results.values())
    lines = (f" {json.dumps(key)}: {text}" for key, text in zip(results, parts, strict=True))
    return "{\n" + ",\n".join(lines).replace('}, "', '},\n  "').replace('], "', '],\n  "') + "\n}\n"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise tg.InputError(f"{path} cannot be read as the results of a run: {error}.") from error
    if not isinstance(found, dict) or not {"spaces", "cases"} <= set(found):
        raise tg.InputError(f"{path} does not hold the results of a run; study.json of an earlier run is accepted.")
    return dict(found)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
