"""The command line of the study."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import truegrade as tg
from empirical_study.figures import draw_damage, draw_samples
from empirical_study.ladder import load_ladder, run_ladder
from empirical_study.page import page, report_page
from empirical_study.spaces import SPACES
from empirical_study.study import judged, run_study
from empirical_study.tables import ladder_table, plain, study_table
from truegrade.codec import write
from truegrade.result.audit import AuditReport

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_FULL, _QUICK, _LEAST = 1500, 400, 60
_DIGITS = 5  # that are kept of a number


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
    parser.add_argument("--n", type=int, help=f"real images in all (default {_FULL:,})")
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
    report, ladder = read(Path(options.results)) if options.results else (judged(rounded(_compute(options))), None)
    if sets is not None:
        ladder = run_ladder(sets, seed=options.seed, say=_say)
    print(plain(*study_table(report)))
    if ladder is not None:
        print("\n" + plain(*ladder_table(ladder)))
    folder = _DOCS if options.docs else Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise tg.InputError(f"{folder} is no folder and cannot be made one: {error.strerror or error}.") from error
    write(folder / "study.json", dump(report, ladder))
    write(folder / "study.md", page(report, ladder) if options.docs else report_page(report, ladder))
    draw_damage(report, folder / "study_damage.png")
    draw_samples(report, folder / "study_samples.png")
    print(f"\nWritten to {folder}: study.json, study.md, study_damage.png, study_samples.png", file=sys.stderr)


def _compute(options: argparse.Namespace) -> AuditReport:
    spaces = [name.strip() for name in options.spaces.split(",")]
    if not set(spaces) <= set(SPACES):
        raise tg.InputError(f"--spaces {options.spaces[:80]!r} given; some of {', '.join(SPACES)} are accepted.")
    n = options.n if options.n is not None else _QUICK if options.quick else _FULL
    if n < _LEAST or options.seed < 0:
        raise tg.InputError(f"--n {n} --seed {options.seed} given; {_LEAST} images or more and seed 0 are accepted.")
    return run_study(n, folder=options.images, seed=options.seed, quick=options.quick, spaces=spaces, say=_say)


def rounded(report: AuditReport) -> AuditReport:
    """With five digits of every measured value, as it is written down."""
    return AuditReport.from_dict(_shortened(report.to_dict()))


def _shortened(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _shortened(one) for key, one in value.items()}
    return [_shortened(one) for one in value] if isinstance(value, list) else value


def dump(report: AuditReport, ladder: dict[str, Any] | None) -> str:
    """Strict JSON, a line for every scenario and for everything else that the audit or the ladder holds."""
    audit = report.to_dict()
    scenarios = ",\n   ".join(_line(scenario) for scenario in audit["scenarios"])
    parts = [
        f'  "{key}": ' + (f"[\n   {scenarios}\n  ]" if key == "scenarios" else _line(value))
        for key, value in audit.items()
    ]
    more = "" if ladder is None else ',\n "ladder": {\n' + ",\n".join(f'  "{k}": {_line(v)}' for k, v in ladder.items())
    end = "" if ladder is None else "\n }"
    return '{\n "audit": {\n' + ",\n".join(parts) + "\n }" + more + end + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read(path: Path) -> tuple[AuditReport, dict[str, Any] | None]:
    """The results of an earlier run, judged again, and of the ladder if it was graded; InputError for another file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise tg.InputError(f"{path} cannot be read as the results of a run: {error}.") from error
    if not isinstance(found, dict) or "audit" not in found:
        raise tg.InputError(f"{path} does not hold the results of a run; study.json of an earlier run is accepted.")
    return judged(AuditReport.from_dict(found["audit"])), found.get("ladder")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
