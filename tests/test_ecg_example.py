"""The example of simulated generators: what it prints of one that is too fast."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from ecg import command, sets

SMALL = ["--n", "20", "--seconds", "4", "--fs", "100", "--leads", "II"]


def test_a_fault_is_named_in_the_table_and_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([*SMALL, "--only", "too fast"]) == 0
    printed = capsys.readouterr().out
    fast = next(line for line in printed.splitlines() if line.startswith("too fast"))
    assert float(fast.split()[8]) > 10 * float(fast.split()[9].strip("()"))  # heart rate beside real against real
    assert "Heart rate by" in printed


def test_unknown_generators_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main([*SMALL, "--only", "perfect"])
    assert "ideal, one class dropped" in capsys.readouterr().err


def test_dead_leads_and_copies_are_what_they_say() -> None:
    real = sets.real_set(3, 4.0, 100.0, ("I", "II"))
    made = sets.generators(real)
    assert made["dead lead"]().missing.tolist() == [[False, True]] * 3
    for one, other in zip(real.data, made["shifted copies"]().data, strict=True):
        assert sorted(one[0]) == sorted(other[0])
