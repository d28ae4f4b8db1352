"""Asking: models and questions."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from mapo import _mapo
from mapo.answers import Answer
from mapo.checks import shown
from mapo.tables import Table, TableLike

_lock = threading.Lock()
_boxed: Model | None = None


class Model:
    """A model that answers. `Model()` is the one in the box; `Model.load` reads another, `save` writes it.

    >>> model = Model()
    >>> model.ask({"Name": ["Anne", "Bob"], "Age": [31, 42]}, "how old is Anne?").value
    31
    """

    def __init__(self) -> None:
        self._model = _mapo.Model.boxed()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """A model from a file, as `Trainer`, `Model.save`, `mapo train` or `mapo pack` wrote it."""
        model = cls.__new__(cls)
        model._model = _mapo.Model.load(path)
        return model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model's file, whole or not at all."""
        self._model.save(path)

    @property
    def card(self) -> dict[str, Any]:
        """What the model's file says about it: data, settings, accuracy, calibration."""
        card: dict[str, Any] = json.loads(self._model.card())
        return card

    def ask(self, table: TableLike, question: str) -> Answer:
        """Answers a question about a table. That there is no answer is no error: the answer says so."""
        return self.ask_all(table, [question])[0]

    def ask_all(self, table: TableLike, questions: Sequence[str]) -> list[Answer]:
        """Answers several questions about a table together, in less time."""
        if isinstance(questions, str):
            raise TypeError("ask_all takes a list of questions; for one there is ask")
        if not isinstance(questions, Iterable):
            raise TypeError(f"ask_all takes a list of questions, and this is {shown(questions)}")
        asked = list(questions)
        for question in asked:
            if not isinstance(question, str):
                raise TypeError(f"a question is a text, and this is {shown(question)}")
        # Half a character, as broken texts have, is none.
        asked = [question.encode(errors="replace").decode() for question in asked]
        known = Table(table)
        return [Answer(reply, known) for reply in self._model.ask(known._table, asked)]


def boxed() -> Model:
    """The model in the box, read once."""
    global _boxed
    with _lock:
        if _boxed is None:
            _boxed = Model()
        return _boxed


def _chosen(model: Model | None) -> Model:
    if model is None:
        return boxed()
    if not isinstance(model, Model):
        raise TypeError(f"model is a Model, as Model.load gives one, and this is {shown(model)}")
    return model


def ask(table: TableLike, question: str, *, model: Model | None = None) -> Answer:
    """Answers a question about a table: a data frame, a list of dictionaries, a dictionary of lists or the path of a file.

    Other threads run meanwhile. A data frame is looked through at each call; make a `Table` of it to ask more than once.

    >>> ask({"City": ["Tulsa", "Omaha"], "Founded": [1836, 1854]}, "which city was founded first?").value
    'Tulsa'
    """
    return _chosen(model).ask(table, question)


def ask_all(table: TableLike, questions: Sequence[str], *, model: Model | None = None) -> list[Answer]:
    """Answers several questions about a table together, in less time than one after the other."""
    return _chosen(model).ask_all(table, questions)
