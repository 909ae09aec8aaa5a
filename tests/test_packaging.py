"""What a user receives: version, licence, wheel, and a light import."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
HEAVY = ("jinja2", "matplotlib", "pandas", "polars", "pyarrow", "sklearn", "torch")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as opened:
        yield opened


def test_version_is_the_same_everywhere() -> None:
    assert metadata.version("truegrade") == PROJECT["version"]
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_licence_is_apache_2_word_for_word() -> None:
    digest = hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest()
    assert digest == "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
    assert PROJECT["license"] == "Apache-2.0"


def test_wheel_holds_the_demo_the_type_marker_and_the_licence(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    shipped = (ROOT / "src" / "truegrade" / "demo" / "digits.npz").read_bytes()
    assert wheel.read("truegrade/demo/digits.npz") == shipped
    assert "truegrade/demo/README.md" in names
    assert "truegrade/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_wheel_holds_every_module_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    names = wheel.namelist()
    assert {name for name in names if name.endswith(".py")} == modules
    assert {name.split("/")[0].split("-")[0] for name in names} == {"truegrade"}
    assert [name for name in names if "__pycache__" in name] == []


def test_import_is_light() -> None:
    code = f"import sys, truegrade; print([name for name in {HEAVY} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "[]"


def test_import_prints_nothing_and_warns_of_nothing() -> None:
    command = [sys.executable, "-W", "error", "-c", "import truegrade"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    assert shown.stdout + shown.stderr == ""


def test_the_ci_script_runs_what_a_user_runs() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make test" in script.read_text().splitlines()[-1]
