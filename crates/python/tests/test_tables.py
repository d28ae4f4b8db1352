"""Tables, from whatever holds one."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import mapo

Films = dict[str, list[object]]
QUESTION = "which film by Kubrick is the longest?"


def pandas_frame(films: Films) -> Any:
    return pytest.importorskip("pandas").DataFrame(films)


def polars_frame(films: Films) -> Any:
    return pytest.importorskip("polars").DataFrame(films)


def arrow_table(films: Films) -> Any:
    return pytest.importorskip("pyarrow").table(films)


def chunked_arrow(films: Films) -> Any:
    table = arrow_table(films)
    return pytest.importorskip("pyarrow").concat_tables([table.slice(0, 2), table.slice(2, 0), table.slice(2)])


def duckdb_relation(films: Films) -> Any:
    frame = arrow_table(films)
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(frame)


def rows(films: Films) -> Any:
    return [dict(zip(films, row)) for row in zip(*films.values())]


@pytest.mark.parametrize("form", [pandas_frame, polars_frame, arrow_table, chunked_arrow, duckdb_relation, rows, dict])
def test_frames_are_the_same_table(films: Films, form: Any) -> None:
    table = mapo.Table(form(films))
    assert table.to_csv() == mapo.Table(films).to_csv()
    answer = mapo.ask(form(films), QUESTION)
    expected = mapo.ask(films, QUESTION)
    assert answer.value == "Barry Lyndon"
    assert (answer.program, answer.probability) == (expected.program, expected.probability)


@pytest.mark.parametrize("form", [pandas_frame, polars_frame, arrow_table, rows, dict])
def test_values_are_written_as_people_do(form: Any) -> None:
    table = form(
        {
            "text": ["Zoë", None],
            "whole": [7, 8],
            "real": [1.5, None],
            "day": [datetime.date(2004, 2, 29), datetime.date(1999, 12, 31)],
            "moment": [datetime.datetime(2004, 2, 29, 12, 30), datetime.datetime(2004, 3, 1)],
            "is": [True, False],
            "price": [Decimal("1.50"), Decimal("-0.05")],
        }
    )
    known = mapo.Table(table)
    assert known.row(0) == ["Zoë", "7", "1.5", "2004-02-29", "2004-02-29 12:30:00", "true", "1.50"]
    assert known.row(1) == ["", "8", "", "1999-12-31", "2004-03-01", "false", "-0.05"]


def test_an_index_without_a_name_is_no_column(films: Films) -> None:
    frame = pandas_frame(films)
    some = frame[frame["Year"] > 1979]
    table = mapo.Table(some)
    assert table.headers == list(films) and len(table) == 3
    named = mapo.Table(frame.set_index("Title"))
    assert set(named.headers) == set(films)
    categories = mapo.Table(frame.astype({"Director": "category"}))
    assert categories.to_csv() == mapo.Table(films).to_csv()


def test_pandas_needs_no_arrow_and_may_mix_types(films: Films, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = pandas_frame({"Part": ["bolt", "nut"], "Price": [1, "n/a"]})
    assert [mapo.Table(mixed).row(row) for row in (0, 1)] == [["bolt", "1"], ["nut", "n/a"]]
    frame = pandas_frame(films)

    def lacking(self: Any, requested_schema: Any = None) -> Any:
        raise ImportError("Missing optional dependency 'pyarrow'.")

    monkeypatch.setattr(type(frame), "__arrow_c_stream__", lacking)
    assert mapo.Table(frame).to_csv() == mapo.Table(films).to_csv()
    assert set(mapo.Table(frame.set_index("Title")).headers) == set(films)


def test_rows_may_lack_keys() -> None:
    table = mapo.Table([{"a": 1}, {"b": "x", "a": None}])
    assert table.headers == ["a", "b"]
    assert [table.row(0), table.row(1)] == [["1", ""], ["", "x"]]


def test_totals_are_left_out_unless_kept() -> None:
    sold = {"Product": ["Tea", "Rice", "Salt", "Total"], "Sold": [10, 20, 30, 60]}
    assert mapo.ask(sold, "what is the sum of sold?").value == 60
    table = mapo.Table(sold)
    assert len(table) == 3 and table.left_out
    assert len(mapo.Table(sold, keep_totals=True)) == 4


def test_files_are_read_as_the_command_reads_them(films_csv: Path) -> None:
    table = mapo.Table(films_csv)
    assert len(table) == 5 and table.headers[0] == "Title"
    assert mapo.Table(str(films_csv), read={"header": "none"}).headers[0] == "column 1"
    with pytest.raises(mapo.MapoError, match="nothing is called 'colour'"):
        mapo.Table(films_csv, read={"colour": "red"})


@pytest.mark.parametrize(
    ("data", "error", "said"),
    [
        (7, TypeError, "int is no table"),
        ([1, 2], TypeError, "list is no table"),
        ({"a": "text"}, mapo.MapoError, "a list for each column"),
        ({"a": [1], "b": [1, 2]}, mapo.MapoError, "the column 'a' has 1 values"),
        ("nowhere.csv", FileNotFoundError, "nowhere.csv"),
    ],
)
def test_what_is_no_table_is_refused(data: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        mapo.Table(data)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(mapo.MapoError, match="no row|has no rows|no rows"):
        mapo.ask({"a": []}, "which?")
    with pytest.raises(mapo.MapoError, match="no row"):
        mapo.Table(arrow_table({"a": []}))


def test_a_stream_that_fails_says_why() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    schema = pyarrow.schema([("a", pyarrow.int64())])

    def batches() -> Any:
        yield pyarrow.record_batch({"a": [1]}, schema=schema)
        raise OSError("the disk is gone")

    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(mapo.MapoError, match="the disk is gone"):
        mapo.Table(reader)
    with pytest.raises(mapo.MapoError, match="month_day_nano|Interval"):
        mapo.Table(pyarrow.table({"span": pyarrow.array([(1, 2, 3)], pyarrow.month_day_nano_interval())}))


def test_many_texts_are_all_there() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    names = [f"name {number}" for number in range(50_000)]
    names[40_000] = ""
    table = mapo.Table(pyarrow.table({"Name": names, "Score": list(range(50_000))}).slice(5))
    assert len(table) == 49_995
    for row in (0, 1, 32_767, 32_768, 39_995, 49_994):
        assert table.row(row) == [names[row + 5], str(row + 5)]
    assert mapo.ask(table, "what is the score of name 41234?").value == 41_234
