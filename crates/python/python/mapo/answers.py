"""Answers: what they are, how sure, and why."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from mapo.display import card, percent_of
from mapo.tables import Table

Value: TypeAlias = "str | int | float | datetime.date"


@dataclass(frozen=True)
class Alternative:
    """A runner-up."""

    #: Its answer, in a line.
    text: str
    #: The items of its answer, as text.
    items: list[str]
    #: How probable it is that this is the right answer.
    probability: float
    #: The most probable program with this answer.
    program: str
    #: The program in plain English.
    english: str
    #: The program as SQL; empty if it has none.
    sql: str


class Answer:
    """The answer to a question, with the reasons. In a notebook it shows itself: the answer, how sure it is, the program in
    English, and the table with the cells behind it.

    >>> import mapo
    >>> cities = {"City": ["Tulsa", "Omaha"], "Founded": [1836, 1854]}
    >>> answer = mapo.ask(cities, "which city was founded first?")
    >>> answer.value, answer.cells
    ('Tulsa', [(0, 0)])
    >>> answer.sure
    True
    """

    def __init__(self, reply: str, table: Table) -> None:
        self._reply: dict[str, Any] = json.loads(reply)
        self._table = table

    @property
    def question(self) -> str:
        """The question."""
        return str(self._reply["question"])

    @property
    def value(self) -> Value | list[Value] | None:
        """What it is: a number, a date or a text; a list where there are several; None if there is no answer."""
        values = self.values
        return values[0] if len(values) == 1 else (values or None)

    @property
    def values(self) -> list[Value]:
        """The items of the answer, of a long one the first hundred."""
        return [_value(item) for item in self._reply["values"]]

    @property
    def text(self) -> str:
        """The answer as people write it, in a line; empty if there is none."""
        return _line(self._reply)

    @property
    def program(self) -> str:
        """The program behind the answer; empty if none was found."""
        return str(self._reply["program"])

    @property
    def english(self) -> str:
        """The program in plain English."""
        return str(self._reply["english"])

    @property
    def sql(self) -> str:
        """The program as SQL, for the table that `mapo sql` makes; empty if it has none."""
        return str(self._reply["sql"])

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The cells behind the answer, each by its row and its column from 0; of very many the first."""
        return [(cell["row"], cell["column"]) for cell in self._reply["cells"]]

    @property
    def probability(self) -> float:
        """How probable it is that the answer is right."""
        return float(self._reply["probability"])

    @property
    def sure(self) -> bool:
        """Whether that is enough to rely on; if not, the answer is a guess."""
        return bool(self._reply["sure"])

    @property
    def alternatives(self) -> list[Alternative]:
        """Other answers that were found, the most probable first."""
        return [
            Alternative(
                _line(other), other["answer"], other["probability"], other["program"], other["english"], other["sql"]
            )
            for other in self._reply["alternatives"]
        ]

    @property
    def note(self) -> str | None:
        """What else there is to say, as why there is no answer."""
        note: str | None = self._reply["note"]
        return note

    @property
    def suggestions(self) -> list[str]:
        """Where there is no answer: questions that may be asked instead."""
        return list(self._reply["suggestions"])

    @property
    def reply(self) -> dict[str, Any]:
        """Everything that there is to say, as `mapo ask --json` says it."""
        return {key: value for key, value in self._reply.items() if key != "values"}

    @property
    def table(self) -> Table:
        """The table that was asked about."""
        return self._table

    def __bool__(self) -> bool:
        """Whether there is an answer."""
        return bool(self.program)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        if not self:
            return f"<no Answer: {self.note}>"
        return f"<Answer {self.text!r}, {percent_of(self.probability)}{'' if self.sure else ', a guess'}: {self.english}>"

    def _repr_html_(self) -> str:
        return card(self._reply, self._table)


def _line(reply: dict[str, Any]) -> str:
    shown = ", ".join(reply["shown"])
    total = reply["answer_total"]
    return shown if total <= len(reply["shown"]) else f"{shown}, … ({total} in all)"


def _read(text: str) -> Value:
    """The text of a cell: a number or a day where it is written as nothing but that, as those of data frames are."""
    if re.fullmatch(r"-?(0|[1-9]\d{0,14})", text):
        return int(text)
    if re.fullmatch(r"-?(0|[1-9]\d*)\.\d+", text):
        return float(text)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        try:
            return datetime.date.fromisoformat(text)
        except ValueError:
            pass
    return text


def _value(item: Any) -> Value:
    """An item of an answer as what it is in Python."""
    if isinstance(item, dict):
        year, month, day = (item[part] for part in ("year", "month", "day"))
        try:
            return datetime.date(year, month, day)
        except (TypeError, ValueError):
            # Not all of it is known, or no calendar of Python's has it.
            parts = ("xxxx" if year is None else f"{year:04}", month, day)
            return "-".join("xx" if part is None else str(part).zfill(2) for part in parts)
    if isinstance(item, float) and item.is_integer() and abs(item) < 2**53:
        return int(item)
    if isinstance(item, str):
        return _read(item)
    if isinstance(item, (int, float)):
        return item
    raise TypeError(f"no value: {item!r}")
