"""Tables, from whatever holds one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from datetime import datetime, timedelta, timezone, tzinfo
from types import NoneType
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable
from zoneinfo import ZoneInfo

from mapo import _mapo
from mapo._mapo import MapoError
from mapo.checks import shown


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
        if not isinstance(name, (str, NoneType)):
            raise TypeError(f"name is a text, and this is {shown(name)}")
        if not isinstance(read, (Mapping, NoneType)):
            raise TypeError(f"read is a dictionary: {{'sheet': 'May'}}; this is {shown(read)}")
        if isinstance(data, Table):
            self._table: _mapo.Table = data._table
            return
        if isinstance(data, (str, os.PathLike)):
            said = {str(what): str(how) for what, how in (read or {}).items()}
            self._table = _mapo.Table.open(data, said, keep_totals)
            return
        if read:
            raise MapoError("`read` says how a file is written, and this is none; leave it out")
        name = name or "the table"
        framed = _framed(data)
        if isinstance(framed, ArrowStream):
            try:
                self._table = _mapo.Table.from_arrow(framed, name, keep_totals, _offsets)
                return
            except MapoError:
                raise
            except Exception as error:
                # Pandas needs pyarrow to speak Arrow, and pyarrow has no type for a column of numbers and texts. The values
                # are there all the same.
                if not _is_pandas(framed):
                    raise MapoError(f"{name}: it does not give columns: {error}") from error
            headers, columns = _values(framed)
        else:
            headers, columns = _columns(framed, name)
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
        if not 0 <= row < len(self):
            raise IndexError(f"there is no row {row}; the table has {len(self)}")
        return self._table.row(row)

    def to_csv(self) -> str:
        """The table as comma-separated text, headers first."""
        return self._table.to_csv()

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows of {', '.join(self.headers)}>"


def _is_pandas(data: object) -> bool:
    """Whether it is a data frame of pandas."""
    return hasattr(data, "iloc") and hasattr(data, "columns")


def _framed(data: object) -> object:
    """A data frame all of whose columns have names and types that Arrow knows; what is no data frame as it is."""
    frame = cast(Any, data)
    if isinstance(data, ArrowStream) and hasattr(data, "to_frame") and not hasattr(data, "columns"):
        # A series is one column.
        frame = frame.to_frame() if frame.name else frame.to_frame("value")
    if _is_pandas(frame):
        return _framed_pandas(frame)
    return _framed_polars(frame) if hasattr(frame, "get_columns") else frame


def _framed_polars(given: Any) -> Any:
    """Polars has types that Arrow has not, columns of nothing that Arrow does not take, and gives the addresses of objects
    as if they were bytes."""
    as_text = [column.cast(str) for column in given.get_columns() if str(column.dtype) in ("Null", "Int128", "UInt128")]
    frame = given.with_columns(as_text) if as_text else given
    if any(name in str(kind) for kind in frame.dtypes for name in ("Null", "Int128", "Object")):
        return dict(zip(frame.columns, (column.to_list() for column in frame.get_columns())))
    return frame


def _framed_pandas(given: Any) -> Any:
    frame = given
    if any(_is_column(frame.index, level) for level in range(frame.index.nlevels)):
        kept = [name for name in frame.index.names if name is not None and name in frame.columns]
        frame = frame.reset_index(kept, drop=True) if kept else frame
        if len(kept) < given.index.nlevels:
            frame = frame.reset_index(names=_names(frame))
    if frame.columns.nlevels > 1:
        names = [" ".join(str(part) for part in name if str(part)) for name in frame.columns]
        frame = frame.set_axis(names, axis=1)
    if not frame.columns.is_unique:
        return frame
    # What Arrow would take for the number behind it, or not at all, as a text.
    unknown = ("period", "interval", "complex")
    as_text = [name for name, kind in frame.dtypes.items() if _of_values(kind).startswith(unknown)]
    sparse = [name for name, kind in frame.dtypes.items() if str(kind).startswith("Sparse")]
    moments = [name for name, kind in frame.dtypes.items() if str(kind) == "category" and _of_values(kind)[:11] == "datetime64["]
    if as_text or sparse or moments:
        frame = frame.copy(deep=False)
        for name in as_text:
            frame[name] = frame[name].map(str, na_action="ignore")
        for name in moments:
            # Their zone is looked for in the column.
            frame[name] = frame[name].astype(frame[name].cat.categories.dtype)
        for name in sparse:
            frame[name] = frame[name].sparse.to_dense()
    return frame


def _names(frame: Any) -> list[object]:
    """Names for the levels of an index, those without one as pandas calls them."""
    names: list[object] = []
    for number, name in enumerate(frame.index.names):
        free = "index" if frame.index.nlevels == 1 else f"level_{number}"
        while free in frame.columns:
            free += "_"
        names.append(free if name is None else name)
    return names


def _of_values(kind: Any) -> str:
    """The type of a column's values; where these are kept once each, as those of `pandas.cut`, that of what is kept."""
    return str(getattr(getattr(kind, "categories", None), "dtype", kind))


def _is_column(index: Any, level: int) -> bool:
    """Whether a level of the index of a frame is a column to its owner: those of groups have names, and what is no number
    is more than the rows' own numbers."""
    return index.names[level] is not None or str(index.get_level_values(level).dtype.kind) not in "iuf"


def _values(frame: Any) -> tuple[list[str], list[Sequence[object]]]:
    """The columns of a frame of pandas, value by value; several may have the same name."""
    headers = [str(name) for name in frame.columns]
    return headers, [frame.iloc[:, number].tolist() for number in range(len(headers))]


def _offsets(zone: str, moments: Sequence[int]) -> list[int]:
    """How far the clocks of a zone are ahead of UTC, in seconds, at moments that are seconds since 1970."""
    if zone.upper() in ("UTC", "Z", "ETC/UTC"):
        return [0] * len(moments)
    try:
        # Arrow knows the names of places, and `+02:00`.
        clocks: tzinfo | None = datetime.strptime(zone, "%z").tzinfo if zone[:1] in "+-" else ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        raise MapoError(
            f"the time zone '{zone}' is not known here; install the package tzdata, or convert the moments to UTC"
        ) from None
    ahead = []
    for moment in moments:
        # Python's calendar ends before Arrow's.
        known = max(-62_000_000_000, min(moment, 253_000_000_000))
        offset = (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=known)).astimezone(clocks).utcoffset()
        ahead.append(int((offset or timedelta()).total_seconds()))
    return ahead


def _columns(data: object, name: str) -> tuple[list[str], list[Sequence[object]]]:
    """The columns of a dictionary of lists or a list of dictionaries."""
    if isinstance(data, Mapping):
        columns = cast("Mapping[object, Any]", data)
        for key, column in columns.items():
            if isinstance(column, (Mapping, Set)):
                kind = type(column).__name__
                raise MapoError(f"{name}: the column '{key}' is a {kind}, and a column is a list (of pandas: to_dict('list'))")
            if getattr(column, "ndim", 1) != 1:
                raise MapoError(f"{name}: the column '{key}' has {column.ndim} dimensions, and a column is a list")
            if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
                raise MapoError(f"{name}: a dictionary has a list for each column: {{'City': ['Tulsa', 'Omaha']}}")
        return [str(key) for key in columns], [_listed(column) for column in columns.values()]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        rows: Sequence[Any] = data
        keys: dict[object, None] = {}
        for row in rows:
            if not isinstance(row, Mapping):
                break
            keys.update(dict.fromkeys(row))
        else:
            return [str(key) for key in keys], [[row.get(key) for row in rows] for key in keys]
    kind = type(data).__name__
    if kind == "LazyFrame":
        raise TypeError("a LazyFrame has no rows yet; give what its collect() gives")
    if isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"{kind} are no table; write them into a file and give its path")
    if hasattr(data, "dtype"):
        raise TypeError(f"{kind} has no names of columns; give a data frame of it: pandas.DataFrame(array, columns=[…])")
    raise TypeError(
        f"{kind} is no table; give a data frame (anything with __arrow_c_stream__), a list of "
        "dictionaries, a dictionary of lists or the path of a file"
    )


def _listed(column: Any) -> list[object]:
    """The values of a column; of numpy those that Python has too."""
    if getattr(getattr(column, "dtype", None), "kind", "") in ("M", "m") and not hasattr(column, "iloc"):
        column = column.astype(f"{'datetime' if column.dtype.kind == 'M' else 'timedelta'}64[us]").tolist()
    return list(column)
