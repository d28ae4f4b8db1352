"""What Hugging Face's `pipeline("table-question-answering")` takes and gives, so that code is switched by one line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mapo._mapo import MapoError
from mapo.answers import Answer
from mapo.asking import Model, boxed
from mapo.checks import shown
from mapo.tables import Table, TableLike

TASK = "table-question-answering"

#: The functions that have a name among the aggregators of TAPAS.
AGGREGATORS = {"count": "COUNT", "sum": "SUM", "average": "AVERAGE"}


class TableQuestionAnswering:
    """Answers queries about tables, in the shape that Hugging Face's pipeline has.

    >>> qa = pipeline("table-question-answering")
    >>> table = {"Repository": ["Transformers", "Datasets"], "Stars": ["36542", "4512"]}
    >>> qa(table=table, query="how many stars does Datasets have?")["cells"]
    ['4512']

    A query gives `answer`, `coordinates`, `cells` and `aggregator`. As there, an answer that is counted, summed up or
    averaged from cells says so and lists them: `SUM > 36542, 4512`; what it comes to is in `text`. Beside these there is
    all that an `Answer` has, in `mapo`.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Takes `table=` and `query=` (one or a list), a dictionary with these keys, or a list of such dictionaries. Of a
        generator of them the answers come one after the other, as they are asked for."""
        table, query = kwargs.pop("table", None), kwargs.pop("query", None)
        # How texts are cut for a network is nothing that matters here.
        for ignored in ("sequential", "padding", "truncation", "batch_size"):
            kwargs.pop(ignored, None)
        if kwargs:
            raise TypeError(f"there is no argument {', '.join(map(repr, kwargs))}; there are table and query")
        match args:
            case ():
                asked: Any = {"table": table, "query": query}
            case ({"table": _, "query": _} as asked,) | ([{"table": _, "query": _}, *_] as asked,):
                pass
            case (Iterator() as asked,) if query is None:
                pass
            case (first,):
                asked = {"table": first, "query": query}
            case (first, second):
                asked = {"table": first, "query": second}
            case _:
                raise TypeError("a pipeline takes a table and a query")
        if isinstance(asked, Mapping):
            return self._ask(asked)
        if isinstance(asked, Iterator):
            # One after the other, as they come.
            return map(self._ask, asked)
        answers = [self._ask(one) for one in asked]
        return answers[0] if len(answers) == 1 else answers

    def _ask(self, asked: Any) -> Any:
        if not isinstance(asked, Mapping):
            raise TypeError(f"a pipeline is asked by dictionaries with a table and a query, and this is {shown(asked)}")
        data, query = asked.get("table"), asked.get("query")
        if data is None or query is None:
            raise MapoError("a pipeline needs a table and a query: qa(table=table, query='how many …?')")
        # Rows of totals stay, as the tables of others have all their rows.
        table = Table(_given(data), keep_totals=True)
        if isinstance(query, str):
            return _shaped(self.model.ask(table, query))
        if not isinstance(query, Iterable):
            raise TypeError(f"a query is a text or a list of texts, and this is {shown(query)}")
        answers = [_shaped(answer) for answer in self.model.ask_all(table, list(query))]
        return answers[0] if len(answers) == 1 else answers


def _given(data: Any) -> TableLike:
    """A table; of pandas before it spoke Arrow the columns."""
    if hasattr(data, "__arrow_c_stream__") or not hasattr(data, "to_dict"):
        table: TableLike = data
        return table
    columns: TableLike = data.to_dict(orient="list")
    return columns


def _shaped(answer: Answer) -> dict[str, Any]:
    last = answer.program.rpartition("(")[2].split(" ")[0]
    aggregator = AGGREGATORS.get(last, "NONE")
    coordinates = answer.cells
    if last == "count" and not coordinates:
        # Rows are counted, each by its first cell.
        rows = [step["rows"] for step in answer.reply["steps"] if step["rows"] is not None]
        coordinates = [(row, 0) for row in (rows[-1] if rows else [])]
    cells = [answer.table.row(row)[column] for row, column in coordinates]
    if aggregator == "NONE":
        said = answer.text
    else:
        said = f"{aggregator} > {', '.join(cells)}"
    return {
        "answer": said,
        "coordinates": coordinates,
        "cells": cells,
        "aggregator": aggregator,
        "text": answer.text,
        "mapo": answer,
    }


def pipeline(task: str = TASK, model: str | os.PathLike[str] | Model | None = None, **_: Any) -> TableQuestionAnswering:
    """The pipeline for a task, of which there is one: `table-question-answering`. `model` is a `Model`, the path of one, or
    nothing for the model in the box; what else Hugging Face's takes (`device`, `tokenizer`, …) is not looked at."""
    if task != TASK:
        raise MapoError(f"there is no pipeline for '{task}'; there is '{TASK}'")
    if isinstance(model, Model):
        return TableQuestionAnswering(model)
    return TableQuestionAnswering(boxed() if model is None else Model.load(model))


__all__: Sequence[str] = ["AGGREGATORS", "TASK", "TableQuestionAnswering", "pipeline"]
