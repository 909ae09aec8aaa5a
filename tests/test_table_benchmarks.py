"""The page of tables says of their speed what was measured: its section is made from the benchmark's JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
MADE: dict[str, Any] = {
    "kernels": {"n": 2_000, "points": 50_000, "seconds": [0.01, 7.5], "ratio": 750.0, "cores": 2},
    "repeats": {"n": 768, "repeats": 5_000, "moved": 254, "cpu_seconds": 41.23, "cores": 2},
    "memory": {"rows": 581_012, "columns": 54, "pairs": 1_431, "cpu_seconds": 50.0, "peak_gb": 1.5, "source": "x"},
}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import table_page

    return table_page


def test_the_section_is_made_from_the_record(module: Any) -> None:
    page = module.PAGE.read_text(encoding="utf-8")
    results = json.loads(module.RESULTS.read_text(encoding="utf-8"))
    assert results
    assert page == module.with_section(page, results), "run `python -m benchmarks.tables` again"


def test_a_part_that_is_measured_reaches_record_and_page(module: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "RESULTS", tmp_path / "tables.json")
    monkeypatch.setattr(module, "PAGE", tmp_path / "tables.md")
    module.PAGE.write_text(f"# Tables\n\n{module.START}\nold\n{module.END}\n\n## Limits\n", encoding="utf-8")
    for part in reversed(MADE):
        module.record(part, MADE[part] | {"cores": 2})
    page = module.PAGE.read_text(encoding="utf-8")
    assert list(module.read()) == list(MADE)
    assert "750 times" in page
    assert "5,000 repeat samples of 768 points (the earth mover's of 254) | 41.2 s" in page
    assert "1,431 pairs of 54 columns, 581,012 rows a side, x | 50.0 s | peak memory 1.50 GB" in page
    assert "old" not in page
    assert page.endswith("\n\n## Limits\n")
    assert page == module.with_section(page, module.read())


def test_what_is_no_part_is_refused(module: Any) -> None:
    from benchmarks.tables import main

    with pytest.raises(SystemExit, match="pears given; small, or some of kernels, kernels large, repeats"):
        main(["pears"])
