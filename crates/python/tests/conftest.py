"""What tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

#: The folder that everything is in.
PROJECT = Path(__file__).parent.parent.parent.parent

FILMS: dict[str, list[object]] = {
    "Title": ["The Shining", "Barry Lyndon", "Alien", "Blade Runner", "Gladiator"],
    "Director": ["Stanley Kubrick", "Stanley Kubrick", "Ridley Scott", "Ridley Scott", "Ridley Scott"],
    "Year": [1980, 1975, 1979, 1982, 2000],
    "Minutes": [146, 185, 117, 117, 155],
}

QUESTIONS = [
    "which film by Kubrick is the longest?",
    "how many films did Ridley Scott direct?",
    "what is the average length of all films in minutes?",
    "which film came out first?",
    "who directed Alien?",
    "what is the total of minutes?",
    "which films are longer than 150 minutes?",
    "who owns the moon?",
]


def pytest_configure() -> None:
    """A command in the background of a script ignores Ctrl-C, and so would all that it starts: the tests of Ctrl-C
    would wait for ever."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def films() -> dict[str, list[object]]:
    """A small table."""
    return {name: list(values) for name, values in FILMS.items()}


@pytest.fixture
def films_csv(tmp_path: Path) -> Path:
    """The same in a file."""
    file = tmp_path / "films.csv"
    rows = zip(*FILMS.values())
    lines = [",".join(FILMS)] + [",".join(map(str, row)) for row in rows]
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.fixture
def binary() -> Path:
    """The command as a program of its own, which was built without Python: that of MAPO_BINARY, or the last one of cargo."""
    if named := os.environ.get("MAPO_BINARY"):
        return Path(named).resolve(strict=True)
    built = [PROJECT / "target" / profile / "mapo" for profile in ("debug", "release")]
    built = sorted((file for file in built if file.exists()), key=lambda file: file.stat().st_mtime)
    if not built:
        pytest.skip("SKIPPED: no command to compare with; build it (cargo build -p mapo) or name it in MAPO_BINARY")
    return built[-1]
