"""What the documentation says is so."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import mapo

FOLDER = Path(__file__).parent.parent


def modules() -> list[str]:
    return ["mapo", *(f"mapo.{module.name}" for module in pkgutil.iter_modules(mapo.__path__))]


@pytest.mark.parametrize("name", [name for name in modules() if name not in ("mapo._mapo", "mapo.__main__")])
def test_examples_of_a_module(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def examples(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_examples_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    found = examples(FOLDER / "README.md")
    assert found
    for example in found:
        exec(compile(example, "README.md", "exec"), {})
    assert "Barry Lyndon" in capsys.readouterr().out


def test_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = FOLDER.parent.parent / "docs" / "python.md"
    found = examples(page)
    assert len(found) >= 4
    monkeypatch.chdir(tmp_path)
    for example in found:
        exec(compile(example, page.name, "exec"), {})


def test_everything_is_documented() -> None:
    for name in mapo.__all__:
        thing = getattr(mapo, name)
        assert name == "__version__" or thing.__doc__, name
