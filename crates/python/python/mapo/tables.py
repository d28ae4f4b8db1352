"""Tables, from whatever holds one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from mapo import _mapo
from mapo._mapo import MapoError


@runtime_checkable
class ArrowStream(Protocol):
    """Whatever gives its columns by Arrow's C stream interface: data frames of pandas and polars, tables of pyarrow,
    relations of DuckDB, and many others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


TableLike: TypeAlias = "Table | ArrowStream | str | os.PathLike[str] | Mapping[str, object] | Sequence[Mapping[str, object]]"


class Table:
    """A table that questions can be asked about. Whoever asks more than one question makes it once.

    `data` is whatever has `__arrow_c_stream__` (a data frame), the path of a file (CSV, a workbook, JSON, Parquet, SQLite,
    … as the command reads them), a dictionary of lists or a list of dictionaries. `name` is what it is called in errors and
    prompts. A last row that adds up the others is left out, unless `keep_totals` says otherwise. For files, `read` says
    what would be decided otherwise: `{"sheet": "May", "header": "2"}`.

    >>> table = Table([{"City": "Tulsa", "Founded": 1836}, {"City": "Omaha", "Founded": 1854}], name="cities")
    >>> len(table), table.headers
    (2, ['City', 'Founded'])
    >>> table.row(1)
    ['Omaha', '1854']
    """

    def __init__(
        self,
        data: TableLike,
        *,
        name: str | None = None,
        keep_totals: bool = False,
        read: Mapping[str, str] | None = None,
    ) -> None:
        if isinstance(data, Table):
            self._table: _mapo.Table = data._table
            return
        if isinstance(data, (str, os.PathLike)):
            self._table = _mapo.Table.open(data, dict(read or {}), keep_totals)
            return
        if read:
            raise MapoError("`read` says how a file is written, and this is none; leave it out")
        name = name or "the table"
        if isinstance(data, ArrowStream):
            try:
                self._table = _mapo.Table.from_arrow(data, name, keep_totals)
                return
            except MapoError:
                raise
            except (ImportError, TypeError, ValueError):
                # Pandas needs pyarrow to speak Arrow, and pyarrow has no type for a column of numbers and texts. The values
                # are there all the same.
                if not hasattr(data, "to_dict") or not hasattr(data, "columns"):
                    raise
                data = cast(Any, data).reset_index() if _has_named_index(data) else data
                if len(set(map(str, cast(Any, data).columns))) < len(cast(Any, data).columns):
                    raise
                data = cast("Mapping[str, object]", cast(Any, data).to_dict(orient="list"))
        headers, columns = _columns(data, name)
        self._table = _mapo.Table.from_columns(headers, columns, name, keep_totals)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._table.name

    @property
    def headers(self) -> list[str]:
        """The names of its columns."""
        return self._table.headers

    @property
    def left_out(self) -> str | None:
        """What was left out, as a row of totals."""
        return self._table.left_out

    @property
    def notes(self) -> list[str]:
        """What was decided about it: how its numbers and dates are written, what its file has beside it."""
        return self._table.notes()

    def __len__(self) -> int:
        return len(self._table)

    def row(self, row: int) -> list[str]:
        """The texts of a row, from 0."""
        return self._table.row(row)

    def to_csv(self) -> str:
        """The table as comma-separated text, headers first."""
        return self._table.to_csv()

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows of {', '.join(self.headers)}>"


def _has_named_index(frame: Any) -> bool:
    """Whether a frame of pandas has an index that is a column to its owner, as those of groups are."""
    return any(name is not None for name in getattr(getattr(frame, "index", None), "names", []))


def _columns(data: object, name: str) -> tuple[list[str], list[Sequence[object]]]:
    """The columns of a dictionary of lists or a list of dictionaries."""
    if isinstance(data, Mapping):
        columns = cast("Mapping[object, Any]", data)
        if any(isinstance(column, (str, bytes)) or not hasattr(column, "__len__") for column in columns.values()):
            raise MapoError(f"{name}: a dictionary has a list for each column: {{'City': ['Tulsa', 'Omaha']}}")
        return [str(key) for key in columns], [list(column) for column in columns.values()]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        rows: Sequence[Any] = data
        keys: dict[object, None] = {}
        for row in rows:
            if not isinstance(row, Mapping):
                break
            keys.update(dict.fromkeys(row))
        else:
            return [str(key) for key in keys], [[row.get(key) for row in rows] for key in keys]
    raise TypeError(
        f"{type(data).__name__} is no table; give a data frame (anything with __arrow_c_stream__), a list of "
        "dictionaries, a dictionary of lists or the path of a file"
    )
