"""Every benchmark can be started: what it takes from the package is still there."""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
EXTRAS = {"cpsat": "ortools"}


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_what_a_benchmark_imports_is_there(name, monkeypatch):
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name], reason=f"needs {EXTRAS[name]}, an extra")
    # Some are run as files, from their folder.
    monkeypatch.syspath_prepend(str(FOLDER))
    specification = importlib.util.spec_from_file_location(f"benchmark_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, specification.name, module)
    specification.loader.exec_module(module)
    assert module.__doc__
