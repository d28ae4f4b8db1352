"""Questions of one's own: written down, or made from tables."""

from __future__ import annotations

import datetime
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from mapo import _mapo
from mapo._mapo import MapoError
from mapo.checks import shown, whole
from mapo.tables import Table, TableLike


#: An item of an answer.
Item: TypeAlias = "str | float | datetime.date"


@dataclass(frozen=True)
class Question:
    """A question about a table with its answer and, where it is known, the program that is meant.

    >>> question = Question({"City": ["Tulsa", "Omaha"]}, "which city comes last?", "Omaha")
    >>> question.answers
    ['Omaha']
    """

    #: The table, or whatever `Table` takes.
    table: TableLike
    #: The question.
    question: str
    #: The answer: one item or a list of them.
    answer: Item | Iterable[Item]
    #: The program that is meant, or several that mean the same; none where that is to be learnt.
    program: str | Sequence[str] | None = None
    #: What kind of question it is, where it was made.
    kind: str | None = field(default=None, compare=False)

    @property
    def answers(self) -> list[Item]:
        """The items of the answer."""
        if isinstance(self.answer, Iterable) and not isinstance(self.answer, str):
            return list(self.answer)
        return [self.answer]


QuestionLike: TypeAlias = "Question | Mapping[str, Any]"


def compose(tables: TableLike | Sequence[TableLike], questions: int = 100, *, seed: int = 1) -> list[Question]:
    """Makes questions from tables, with answers and programs; fewer if the tables are not good for so many. The same
    seed makes the same questions.

    >>> cars = {"model": ["Corvo", "Lumen", "Tundra", "Delph"], "country": ["Italy", "Spain", "Italy", "Spain"],
    ...         "price": [300, 250, 410, 90]}
    >>> made = compose(cars, 10)
    >>> all(question.answers and question.program for question in made)
    True
    """
    questions, seed = whole("questions", questions), whole("seed", seed)
    several = isinstance(tables, (list, tuple)) and not any(isinstance(one, Mapping) for one in tables)
    # Dictionaries in a list are the rows of one table.
    known = [Table(one) for one in tables] if several else [Table(tables)]  # type: ignore[union-attr, arg-type]
    if not known:
        raise MapoError("there is no table to make questions from; give at least one")
    made: list[Question] = []
    each = -(-questions // max(1, len(known)))
    for number, table in enumerate(known):
        wanted = min(each, questions - len(made))
        for composed in json.loads(_mapo.compose(table._table, wanted, seed ^ number << 20)):
            made.append(
                Question(table, composed["question"], composed["answer"], composed["program"], composed["kind"])
            )
    return made


def write(folder: Path, splits: Mapping[str, Iterable[QuestionLike]]) -> Path:
    """Writes questions and their tables as a dataset that the command reads too: `jsonl:FOLDER/questions.jsonl`."""
    tables: dict[int, str] = {}
    kept: list[object] = []
    lines: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    for split, questions in splits.items():
        for number, given in enumerate(questions):
            question = _question(given, f"{split} question {number}")
            if id(question.table) not in tables:
                # Kept, so that no other table gets its place in memory.
                kept.append(question.table)
                tables[id(question.table)] = _write_table(folder, question.table, len(tables))
            line: dict[str, Any] = {
                "id": f"{split}-{number}",
                "split": split,
                "table": tables[id(question.table)],
                "question": question.question,
                "answer": [_item(item, f"{split} question {number}") for item in question.answers],
            }
            if not isinstance(question.table, (str, os.PathLike)):
                # What we write ourselves needs no guessing.
                line["read"] = {"separator": ",", "header": "1"}
            if question.program is not None:
                line["program"] = question.program if isinstance(question.program, str) else list(question.program)
            lines.append(json.dumps(line))
    if not lines:
        raise MapoError("there are no questions; give at least one")
    file = folder / "questions.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _question(given: Any, where: str) -> Question:
    if isinstance(given, Mapping):
        missing = [key for key in ("table", "question", "answer") if key not in given]
        if missing:
            raise MapoError(f"{where} has no {' and no '.join(missing)}; it has a table, a question and an answer")
        given = Question(given["table"], given["question"], given["answer"], given.get("program"))
    if not isinstance(given, Question):
        raise TypeError(f"{where} is a mapo.Question or a dictionary with a table, a question and an answer, and not {shown(given)}")
    if not isinstance(given.question, str):
        raise TypeError(f"{where}: a question is a text, and this is {shown(given.question)}")
    return given


def _item(item: Any, where: str) -> str | float:
    """An item of an answer as JSON has it."""
    if isinstance(item, str):
        return item
    if isinstance(item, datetime.date):
        # Of a moment the day, as of a cell.
        return str(item).removesuffix(" 00:00:00")
    try:
        number = float(item)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise MapoError(f"{where}: an item of an answer is a text, a number or a date, and this is {shown(item)}")
    return number


def _write_table(folder: Path, table: TableLike, number: int) -> str:
    """Where a table is, from the folder; one that is no file becomes one."""
    if isinstance(table, (str, os.PathLike)):
        return str(Path(table).resolve())
    (folder / "tables").mkdir(exist_ok=True)
    name = f"tables/{number}.csv"
    (folder / name).write_text(Table(table).to_csv(), encoding="utf-8", newline="")
    return name
