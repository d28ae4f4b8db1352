"""Tables, from whatever holds one."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

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


def texts(data: Any) -> list[list[str]]:
    table = mapo.Table(data)
    return [table.headers, *(table.row(row) for row in range(len(table)))]


def test_columns_of_pandas_are_what_their_owner_sees() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "month": pandas.Series([pandas.Period("2024-01", "M"), None], dtype="period[M]"),
            "between": pandas.interval_range(0, 2),
            "cut": pandas.cut([1, 9], [0, 5, 10]),
            "few": pandas.arrays.SparseArray([0, 7]),
            "turned": [1j, 2j],
            "kind": pandas.Categorical(["b", None]),
            "maybe": pandas.array([1, None], dtype="Int64"),
            "is": pandas.array([True, None], dtype="boolean"),
            "at": pandas.to_datetime(["2024-01-01", "2024-07-01 12:30"], format="mixed").tz_localize("Europe/Berlin"),
        }
    )
    assert texts(frame) == [
        list(frame.columns),
        ["2024-01", "(0, 1]", "(0, 5]", "0", "1j", "b", "1", "true", "2024-01-01"],
        ["", "(1, 2]", "(5, 10]", "7", "2j", "", "", "", "2024-07-01 12:30:00"],
    ]
    lasting = pandas.DataFrame({"lasts": pandas.to_timedelta([90, 0.5], unit="s")})
    assert [float(row[0]) for row in texts(lasting)[1:]] == [90, 0.5]
    zones = pandas.to_datetime(["2024-01-01", None]).tz_localize("Asia/Kolkata")
    assert texts(pandas.DataFrame({"at": pandas.Categorical(zones)})) == [["at"], ["2024-01-01"], [""]]
    both = pandas.DataFrame({"index": [1], "level_0": [2]}, index=["tea"])
    assert texts(both) == [["index_", "index", "level_0"], ["tea", "1", "2"]]
    # The frame is its owner's still.
    assert str(frame["month"].dtype) == "period[M]"
    # The same where its values are taken one by one, since a column is mixed.
    frame["mixed"] = [1, "x"]
    assert [row[:-1] for row in texts(frame)] == texts(frame.drop(columns="mixed"))


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "+05:30", "America/New_York", "UTC"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_are_those_of_the_clocks_in_their_zone(zone: str, unit: str) -> None:
    pandas = pytest.importorskip("pandas")
    moments = ["2024-03-10 01:59:59", "2024-03-10 03:00:00", None, "1960-11-03 00:30:00"]
    frame = pandas.DataFrame({"at": pandas.to_datetime(moments).as_unit(unit).tz_localize(zone)})
    assert [row[0] for row in texts(frame)] == ["at", *(moment or "" for moment in moments)]
    arrow = pytest.importorskip("pyarrow").table(frame)
    assert texts(arrow) == texts(frame)
    if zone[0] != "+":
        # Polars knows the zones of places.
        assert texts(pytest.importorskip("polars").DataFrame(frame)) == texts(frame)


def test_a_zone_that_nobody_knows_is_named() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.array([0], pyarrow.timestamp("s", "Mars/Olympus"))
    with pytest.raises(mapo.MapoError, match="the time zone 'Mars/Olympus' is not known here"):
        mapo.Table(pyarrow.table({"at": column}))


def test_series_are_tables_of_one_column() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert texts(pandas.Series([3, 4], name="Age")) == texts(polars.Series("Age", [3, 4])) == [["Age"], ["3"], ["4"]]
    assert texts(pandas.Series(["x"])) == texts(polars.Series(["x"])) == [["value"], ["x"]]
    counts = pandas.Series(["Tulsa", "Omaha", "Tulsa"], name="City").value_counts()
    assert texts(counts) == [["City", "count"], ["Tulsa", "2"], ["Omaha", "1"]]
    assert mapo.ask(counts, "which city has the highest count?").value == "Tulsa"


def test_an_index_that_says_something_is_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    prices = pandas.DataFrame({"Price": [4, 3]}, index=["tea", "rice"])
    assert texts(prices) == [["index", "Price"], ["tea", "4"], ["rice", "3"]]
    days = pandas.DataFrame({"Price": [4]}, index=pandas.to_datetime(["2024-02-29"]))
    assert texts(days)[1] == ["2024-02-29", "4"]
    groups = pandas.DataFrame({"a": ["x", "x", "y"], "b": [1, 2, 1], "c": [5, 6, 7]}).set_index(["a", "b"])
    assert texts(groups) == [["a", "b", "c"], ["x", "1", "5"], ["x", "2", "6"], ["y", "1", "7"]]
    # One that is a column as well is there once.
    assert texts(prices.assign(Part=prices.index).set_index("Part", drop=False))[0] == ["Price", "Part"]
    assert texts(pandas.DataFrame({"Price": [4, 3]}, index=[7, 9])) == [["Price"], ["4"], ["3"]]


def test_columns_may_be_called_anything() -> None:
    pandas = pytest.importorskip("pandas")
    assert texts(pandas.DataFrame([[1, 2]])) == [["0", "1"], ["1", "2"]]
    assert texts(pandas.DataFrame([[1, "x"]], columns=["a", "a"])) == [["a", "a"], ["1", "x"]]
    assert texts(pandas.DataFrame([[1, 2]], columns=[datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)])) == [["2024-01-01", "2024-01-02"], ["1", "2"]]
    levels = pandas.MultiIndex.from_tuples([("price", "min"), ("price", "max"), ("name", "")])
    assert texts(pandas.DataFrame([[1, 2, "x"]], columns=levels))[0] == ["price min", "price max", "name"]
    pyarrow = pytest.importorskip("pyarrow")
    assert texts(pyarrow.table([[1], [2]], names=["a", "a"])) == [["a", "a"], ["1", "2"]]


@pytest.mark.parametrize("form", [pandas_frame, polars_frame, arrow_table, rows, dict])
def test_values_in_values_are_json(form: Any) -> None:
    table = {"tags": [["é", "b"], []], "at": [{"x": 1, "y": None}, {"x": 2, "y": "z"}], "raw": ["ab".encode(), b"\xff"]}
    assert texts(form(table)) == [
        ["tags", "at", "raw"],
        ['["é","b"]', '{"x":1,"y":null}', "ab"],
        ["[]", '{"x":2,"y":"z"}', "0xff"],
    ]


def test_what_only_polars_has() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "huge": polars.Series([2**100, None], dtype=polars.Int128),
            "thing": polars.Series([Decimal("1.5"), None], dtype=polars.Object),
            "kind": polars.Series(["a", "b"], dtype=polars.Enum(["a", "b"])),
            "time": [datetime.time(12, 30), None],
            "nothing": [None, None],
        }
    )
    assert texts(frame)[1:] == [[str(2**100), "1.5", "a", "12:30:00", ""], ["", "", "b", "", ""]]
    assert texts(frame.drop("thing"))[1] == [str(2**100), "a", "12:30:00", ""]
    assert texts(polars.DataFrame({"list": [[], []]}))[1:] == [["[]"], ["[]"]]
    with pytest.raises(TypeError, match=r"collect\(\)"):
        mapo.Table(frame.lazy())


def test_columns_of_a_dictionary_may_be_arrays_and_series() -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    table = {
        "whole": numpy.array([1, 2]),
        "real": numpy.array([1.5, numpy.nan], dtype="float32"),
        "is": numpy.array([True, False]),
        "day": numpy.array(["2024-02-29", "NaT"], dtype="datetime64[ns]"),
        "lasts": numpy.array([90, 30], dtype="timedelta64[s]"),
        "series": pandas.Series(["x", None], index=[7, 8]),
        "at": pandas.Series(pandas.to_datetime(["2024-01-01"] * 2).tz_localize("Asia/Kolkata")),
    }
    assert texts(table)[1:] == [
        ["1", "1.5", "true", "2024-02-29", "90", "x", "2024-01-01"],
        ["2", "", "false", "", "30", "", "2024-01-01"],
    ]


def test_odd_values_have_texts_too() -> None:
    itself: list[object] = [1]
    itself.append(itself)
    odd = ["\ud800x", Decimal("1E+3"), Decimal("NaN"), itself, {(1, 2): 3}]
    assert [row[0] for row in texts({"odd": odd})] == ["odd", "\ufffd" * 3 + "x", "1000", "", "[1, [...]]", "{(1, 2): 3}"]
    assert not mapo.ask({"a": ["x"]}, "\ud800\ud800?")


def test_rows_that_are_not_there_and_wrong_arguments_are_named(films: Films) -> None:
    table, wrong = mapo.Table(films), cast(Any, 5)
    for row in (-1, 5):
        with pytest.raises(IndexError, match=f"there is no row {row}; the table has 5"):
            table.row(row)
    with pytest.raises(TypeError, match="name is a text, and this is int: 5"):
        mapo.Table(films, name=wrong)
    with pytest.raises(TypeError, match="read is a dictionary"):
        mapo.Table("films.csv", read=wrong)


def nothing(pandas: Any) -> list[tuple[Any, type[Exception], str]]:
    """What is no table, and what is said of it."""
    numpy, pyarrow, polars = (pytest.importorskip(name) for name in ("numpy", "pyarrow", "polars"))
    return [
        (numpy.zeros((2, 2)), TypeError, "ndarray has no names of columns; give a data frame of it"),
        (b"a,b", TypeError, "bytes are no table; write them into a file"),
        (None, TypeError, "NoneType is no table"),
        (pandas.DataFrame(), mapo.MapoError, "no column"),
        (pandas.DataFrame(index=[1, 2]), mapo.MapoError, "no column"),
        (pandas.DataFrame({"a": []}), mapo.MapoError, "no row"),
        (polars.DataFrame(), mapo.MapoError, "no column"),
        (pyarrow.table({}), mapo.MapoError, "no column"),
        (pyarrow.chunked_array([[1, 2]]), mapo.MapoError, "does not give columns"),
        ({}, mapo.MapoError, "no column"),
        ({"a": numpy.zeros((2, 2))}, mapo.MapoError, "the column 'a' has 2 dimensions"),
        (pyarrow.table({"p": pyarrow.array(pandas.period_range("2024-01", periods=2, freq="M"))}), mapo.MapoError, "only pandas has"),
        ([], mapo.MapoError, "no column"),
        ([{}], mapo.MapoError, "no column"),
        ({"a": {0: 1}}, mapo.MapoError, r"the column 'a' is a dict, and a column is a list \(of pandas: to_dict\('list'\)\)"),
        ({"a": {1, 2}}, mapo.MapoError, "the column 'a' is a set"),
        ({"a": (number for number in (1, 2))}, mapo.MapoError, "a list for each column"),
        ("", OSError, "No such file"),
        ("a,b\n1,2\n", OSError, "No such file"),
    ]


@pytest.mark.parametrize("place", range(19))
def test_what_is_no_table_is_said_in_a_sentence(place: int) -> None:
    given = nothing(pytest.importorskip("pandas"))
    assert len(given) == 19
    data, error, said = given[place]
    with pytest.raises(error, match=said) as raised:
        mapo.ask(data, "how many?")
    assert "\n" not in str(raised.value) or isinstance(data, str)
