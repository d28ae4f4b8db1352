#!/usr/bin/env python3
"""Makes a folder of files as people have them, and compares what `mapo` reads in each with what was written, cell by cell.

    python3 tools/doors.py make FOLDER --tables DIR --wtq WikiTableQuestions
    python3 tools/doors.py check FOLDER --mapo target/release/mapo
    python3 tools/doors.py fixtures crates/tables/tests/files --tables examples/own-data

`make` takes real tables (comma-separated files in DIR, and tables of WikiTableQuestions) and writes them with real tools:
LibreOffice, openpyxl, xlwt, SQLite, DuckDB, pyarrow, pandas, gzip, zstd, zip. What a reader should find is kept in
FOLDER/expected.json; it comes from the tables, never from `mapo`. `check` runs `mapo data FILE --dump` on each and
compares the names of the columns and every cell: numbers as numbers, dates as dates, all else as text. Where pandas or
DuckDB can be told how to read the file, their cells are compared with those of `mapo` too. A file that nobody can read
must be refused in one sentence, with a code that is not 0. Ends with 1 if anything differs.

Needs pandas, openpyxl, xlrd, xlwt, odfpy, lxml, pyarrow, duckdb, and the commands soffice, zstd and zip.
"""

import argparse
import csv
import datetime
import gzip
import html
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile


class Table:
    """Names of columns, and rows of text, numbers, dates and None."""

    def __init__(self, header, rows):
        self.header, self.rows = list(header), [list(row) for row in rows]

    def with_rows(self, rows):
        return Table(self.header, rows)

    def texts(self):
        """The cells as text, numbers with a point."""
        return [[plain(cell) for cell in row] for row in self.rows]


def plain(cell):
    if cell is None:
        return ""
    if isinstance(cell, float):
        return repr(cell) if cell != int(cell) else str(int(cell))
    return cell.isoformat() if isinstance(cell, datetime.date) else str(cell)


def typed(column):
    """A column of texts as numbers or dates where all of them are; None where there is nothing."""
    filled = [cell for cell in column if cell != ""]
    for kind in (int, float, lambda text: datetime.date.fromisoformat(text) if len(text) == 10 else int("no")):
        try:
            for cell in filled:
                kind(cell)
        except ValueError:
            continue
        if any(cell.startswith("0") and cell[1:2].isdigit() for cell in filled):
            break
        return [None if cell == "" else kind(cell) for cell in column]
    return [None if cell == "" else cell for cell in column]


def source(folder, name, columns, rows):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8-sig") as file:
        header, *lines = list(csv.reader(file))
    places = [header.index(column) for column in columns]
    texts = [[line[place].strip() for place in places] for line in lines[:rows]]
    return Table(columns, zip(*(typed(list(column)) for column in zip(*texts))))


def wikipedia(folder, wanted):
    """The first tables of WikiTableQuestions that are plain: names that differ, no line ends, no quotes, some rows."""
    found = []
    numbers = lambda path: (path.parent.name, int(path.stem))
    for path in sorted((folder / "csv").glob("20[0-4]-csv/*.csv"), key=numbers):
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file, escapechar="\\", doublequote=False))
        cells = [cell for row in [header, *rows] for cell in row]
        is_plain = all(cell == cell.strip() and not re.search(r'["\n\xa0;\t|]', cell) for cell in cells)
        words = all(re.match(r"[A-Za-z]", cell) for cell in header)
        if is_plain and words and len(set(header)) == len(header) >= 3 and 8 <= len(rows) <= 60:
            if all(len(row) == len(header) and row[0] for row in rows):
                found.append(Table(header, [[cell or None for cell in row] for row in rows]))
        if len(found) == wanted:
            return found
    sys.exit(f"{folder}: too few plain tables")


# ---------------------------------------------------------------------------------------------------------- writing

def write_csv(path, table, separator=",", encoding="utf-8", number=plain, date=plain, above="", below="", header=True, end="\n", quote=csv.QUOTE_MINIMAL):
    def text(cell):
        if isinstance(cell, (int, float)):
            return number(cell)
        return date(cell) if isinstance(cell, datetime.date) else plain(cell)
    with open(path, "w", newline="", encoding=encoding) as file:
        file.write(above)
        writer = csv.writer(file, delimiter=separator, lineterminator=end, quoting=quote)
        if header:
            writer.writerow(table.header)
        writer.writerows([text(cell) for cell in row] for row in table.rows)
        file.write(below)


def german(number):
    """1.260,5 as Excel writes it in Germany with thousands."""
    return f"{number:,}".replace(",", "_").replace(".", ",").replace("_", ".")


def french(number):
    """1 260,5, with the narrow blank that French programs write."""
    return f"{number:,}".replace(",", "\u202f").replace(".", ",")


def office(path, ending, out, filter_in=None):
    """Converts a file with LibreOffice."""
    with tempfile.TemporaryDirectory() as profile:
        command = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to", ending, "--outdir", str(out)]
        command += [f"--infilter={filter_in}"] if filter_in else []
        subprocess.run([*command, str(path)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def sheet(table, book=None, name="Table", at=(1, 1), above=(), below=(), formats=None):
    """Writes a table into a sheet of a workbook (openpyxl) and gives the workbook."""
    import openpyxl
    if book is None:
        book = openpyxl.Workbook()
        book.remove(book.active)
    page = book.create_sheet(name)
    top, left = at
    for place, line in enumerate(above):
        page.cell(row=top + place, column=left, value=line)
    top += len(above)
    for column, text in enumerate(table.header):
        page.cell(row=top, column=left + column, value=text)
    for number, row in enumerate(table.rows, 1):
        for column, cell in enumerate(row):
            written = page.cell(row=top + number, column=left + column, value=cell)
            if formats and column in formats and cell is not None:
                written.number_format = formats[column]
    for place, line in enumerate(below):
        page.cell(row=top + len(table.rows) + 2 + place, column=left, value=line)
    return book


class Folder:
    def __init__(self, path):
        self.path, self.doors = path, []
        path.mkdir(parents=True, exist_ok=True)

    def add(self, file, what, table=None, args=(), pandas=None, refused=None, environment=None):
        """Notes what a reader should find in a file; `pandas` is a call by which pandas or DuckDB finds it."""
        expected = None
        if table is not None:
            cell = lambda cell: {"date": cell.isoformat()[:10]} if isinstance(cell, datetime.date) else cell
            expected = {"header": table.header, "rows": [[cell(cell_) for cell_ in row] for row in table.rows]}
        self.doors.append({"file": file, "what": what, "args": list(args), "expected": expected, "pandas": pandas,
                           "refused": refused, "environment": environment or {}})

    def save(self):
        (self.path / "expected.json").write_text(json.dumps(self.doors, ensure_ascii=False, indent=1))


def make(folder, tables, wtq):
    import duckdb
    import openpyxl
    import pandas
    import xlwt
    out = Folder(folder)
    at = lambda name: folder / name
    cars = source(tables, "gtcars", ["mfr", "model", "year", "bdy_style", "hp", "mpg_h", "drivetrain", "msrp"], 47)
    weather = source(tables, "weather", ["city", "date", "high_temp", "avg_hg", "precip", "events"], 200)
    homes = source(tables, "homes", ["address", "price", "bed", "bath", "area", "type", "year_built", "lot"], 98)
    orders = source(tables, "orders", ["product_category", "country", "city", "price", "quantity", "status", "revenue"], 300)
    coffee = source(tables, "coffee", ["country_of_origin", "region", "grading_date", "aroma", "total_cup_points", "variety"], 120)
    wiki = wikipedia(wtq, 14)
    filled = lambda table: table.with_rows([row for row in table.rows if None not in row])
    cars, weather, coffee = filled(cars), filled(weather), filled(coffee)
    small = cars.with_rows(cars.rows[:9])

    # -- workbooks
    csv_in = "CSV:44,34,76,1,,0,false,true,false,false,false,-1"
    for name, table, ending in [("cars", cars, "xlsx"), ("weather", weather, "xls"), ("homes", homes, "ods"), ("wiki-0", wiki[0], "xlsx"),
                                ("wiki-1", wiki[1], "xls"), ("wiki-2", wiki[2], "ods")]:
        write_csv(at(f"{name}-office.csv"), table)
        plainly = csv_in if not name.startswith("wiki") else "CSV:44,34,76,1,,0,true,false,false"
        office(at(f"{name}-office.csv"), ending, folder, plainly)
        at(f"{name}-office.csv").unlink()
        engine = {"xlsx": "openpyxl", "xls": "xlrd", "ods": "odf"}[ending]
        out.add(f"{name}-office.{ending}", f"{ending} by LibreOffice", table, pandas=["excel", {"engine": engine}])
    sheet(weather).save(at("dates.xlsx"))
    out.add("dates.xlsx", "dates as dates", weather, pandas=["excel", {}])
    office(at("dates.xlsx"), "ods", folder)
    out.add("dates.ods", "the same by LibreOffice", weather, pandas=["excel", {"engine": "odf"}])
    office(at("dates.xlsx"), "xls", folder)
    out.add("dates.xls", "the same by LibreOffice", weather, pandas=["excel", {}])
    book = sheet(small, at=(1, 1), above=["Cars for the showroom", "as of May, all prices in dollars", None])
    book["Table"].merge_cells("A1:H1")
    book.save(at("title.xlsx"))
    out.add("title.xlsx", "a merged title and a note above the header", small, pandas=["excel", {"header": 3}])
    office(at("title.xlsx"), "ods", folder)
    out.add("title.ods", "the same by LibreOffice", small, pandas=["excel", {"header": 3, "engine": "odf"}])
    office(at("title.xlsx"), "csv", folder)
    out.add("title.csv", "the same, saved as CSV by LibreOffice", small, pandas=["csv", {"skiprows": 3}])
    book = sheet(Table(["Note"], [["only an example"]]), name="Read me")
    sheet(small, book, "Short")
    sheet(orders, book, "Orders")
    book.save(at("sheets.xlsx"))
    out.add("sheets.xlsx", "several sheets: the largest", orders, pandas=["excel", {"sheet_name": "Orders"}])
    shutil.copy(at("sheets.xlsx"), at("sheets-named.xlsx"))
    out.add("sheets-named.xlsx", "several sheets: one by name", small, ["--sheet", "short"], pandas=["excel", {"sheet_name": "Short"}])
    shutil.copy(at("sheets.xlsx"), at("sheets-wrong.xlsx"))
    out.add("sheets-wrong.xlsx", "a sheet that is not there", args=["--sheet", "Long"], refused="'Read me', 'Short' and 'Orders'")
    office(at("sheets.xlsx"), "xls", folder)
    out.add("sheets.xls", "several sheets, by LibreOffice", orders, pandas=["excel", {"sheet_name": "Orders"}])
    sheet(cars, at=(5, 3)).save(at("corner.xlsx"))
    out.add("corner.xlsx", "a table that begins at C5", cars, pandas=["excel", {"skiprows": 4, "usecols": "C:J"}])
    sheet(cars, below=["Source: the makers' own sheets", "Checked in May"]).save(at("below.xlsx"))
    out.add("below.xlsx", "notes below the table", cars, pandas=["excel", {"nrows": len(cars.rows)}])
    totals = Table(["region", "units", "sales"], [["North", 3, 120.5], ["South", 4, 80.25], ["East", 8, 33.0]])
    added = totals.with_rows([*totals.rows, ["Total", 15, 233.75]])
    sheet(added).save(at("totals.xlsx"))
    out.add("totals.xlsx", "a row of totals", totals, pandas=["excel", {"skipfooter": 1}])
    tall = Table(["region", "town", "shops"], [["North", "Aber", 3], ["North", "Bly", 4], ["North", "Corr", 8], ["South", "Dun", 1], ["South", "Esk", 7]])
    book = sheet(tall)
    book["Table"].merge_cells("A2:A4")
    book["Table"].merge_cells("A5:A6")
    book.save(at("tall.xlsx"))
    out.add("tall.xlsx", "cells merged over rows (pandas leaves them empty)", tall)
    pandas.DataFrame(cars.rows, columns=cars.header).to_excel(at("index.xlsx"))
    indexed = lambda table: Table(["column 1", *table.header], [[place, *row] for place, row in enumerate(table.rows)])
    out.add("index.xlsx", "pandas' index column, without a name", indexed(cars), pandas=["excel", {}])
    shares = Table(["item", "share", "when", "long"], [["tea", 0.125, datetime.date(2024, 5, 1), 0.5], ["rye", 0.4, datetime.date(2024, 12, 24), 1.5], ["oat", 1.25, datetime.date(2023, 1, 31), 0.25]])
    sheet(shares, formats={1: "0.0%", 2: "dd.mm.yyyy", 3: "[hh]:mm:ss"}).save(at("formats.xlsx"))
    seen = Table(shares.header, [["tea", 12.5, shares.rows[0][2], "12:00:00"], ["rye", 40, shares.rows[1][2], "36:00:00"], ["oat", 125, shares.rows[2][2], "6:00:00"]])
    out.add("formats.xlsx", "shares, dates and hours by their formats", seen)
    book = sheet(Table(["item", "price", "count", "value"], [["tea", 2.5, 3, "=B2*C2"], ["rye", 4, 5, "=B3*C3"], ["oat", 1.25, 8, "=B4*C4"]]))
    book.save(at("formulas-raw.xlsx"))
    with tempfile.TemporaryDirectory() as inner:
        office(at("formulas-raw.xlsx"), "xlsx:Calc MS Excel 2007 XML", inner)
        shutil.move(pathlib.Path(inner) / "formulas-raw.xlsx", at("formulas.xlsx"))
    at("formulas-raw.xlsx").unlink()
    out.add("formulas.xlsx", "formulas, computed by LibreOffice", Table(["item", "price", "count", "value"], [["tea", 2.5, 3, 7.5], ["rye", 4, 5, 20], ["oat", 1.25, 8, 10]]), pandas=["excel", {}])
    old = xlwt.Workbook()
    page = old.add_sheet("Blatt 1")
    style = xlwt.easyxf(num_format_str="DD.MM.YYYY")
    for column, text in enumerate(weather.header):
        page.write(0, column, text)
    for number, row in enumerate(weather.rows, 1):
        for column, cell in enumerate(row):
            page.write(number, column, cell, style) if isinstance(cell, datetime.date) else page.write(number, column, cell)
    old.save(at("old.xls"))
    out.add("old.xls", "xls by xlwt, with dates", weather, pandas=["excel", {}])
    at("broken.xlsx").write_bytes(at("sheets.xlsx").read_bytes()[:3000])
    out.add("broken.xlsx", "a workbook that is cut off", refused="")

    # -- databases
    def database(name, *named):
        connection = sqlite3.connect(at(name))
        for called, table in named:
            columns = ", ".join(f'"{column}"' for column in table.header)
            connection.execute(f'CREATE TABLE "{called}" ({columns})')
            rows = [[plain(cell) if isinstance(cell, datetime.date) else cell for cell in row] for row in table.rows]
            connection.executemany(f'INSERT INTO "{called}" VALUES ({", ".join("?" * len(table.header))})', rows)
        connection.commit()
        return connection
    database("cars.sqlite", ("cars", cars)).close()
    out.add("cars.sqlite", "SQLite, one table", cars, pandas=["sqlite", "cars"])
    connection = database("shop.db", ("small cars", small), ("orders", orders), ("weather", weather))
    connection.execute('CREATE VIEW "strong cars" AS SELECT * FROM "small cars" WHERE hp > 600')
    connection.commit()
    connection.close()
    out.add("shop.db", "SQLite, several tables: the largest", orders, pandas=["sqlite", "orders"])
    shutil.copy(at("shop.db"), at("shop-named.db"))
    out.add("shop-named.db", "SQLite, a table by name", weather, ["--table", "weather"], pandas=["sqlite", "weather"])
    shutil.copy(at("shop.db"), at("shop-view.db"))
    out.add("shop-view.db", "SQLite, a view by name", small.with_rows([row for row in small.rows if row[4] > 600]), ["--table", "strong cars"], pandas=["sqlite", "strong cars"])
    # So old that every version of the program reads it.
    with duckdb.connect() as duck:
        duck.execute(f"ATTACH '{at('cars.duckdb')}' AS cars (STORAGE_VERSION 'v1.0.0')")
        duck.execute("USE cars")
        for name, table in [("small", small), ("weather", weather)]:
            frame = pandas.DataFrame(table.rows, columns=table.header)
            duck.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")
    out.add("cars.duckdb", "DuckDB, several tables: the largest", weather, pandas=["duckdb", "weather"])
    shutil.copy(at("cars.duckdb"), at("named.duckdb"))
    out.add("named.duckdb", "DuckDB, a table by name", small, ["--table", "small"], pandas=["duckdb", "small"])
    shutil.copy(at("cars.duckdb"), at("alone.duckdb"))
    out.add("alone.duckdb", "DuckDB, without its program", refused="write_parquet", environment={"PATH": "/nonexistent"})
    frame = pandas.DataFrame(weather.rows, columns=weather.header)
    frame.to_parquet(at("weather.parquet"))
    out.add("weather.parquet", "Parquet by pyarrow, with dates", weather, pandas=["parquet", {}])
    duckdb.sql("SELECT * FROM frame").write_parquet(str(at("weather-duck.parquet")), compression="zstd")
    out.add("weather-duck.parquet", "Parquet by DuckDB", weather, pandas=["parquet", {}])

    # -- JSON
    records = lambda table: [dict(zip(table.header, row)) for row in json.loads(json.dumps(table.rows, default=plain))]
    at("inside.json").write_text(json.dumps({"source": "a service", "count": len(cars.rows), "data": records(cars)}))
    out.add("inside.json", "an array inside an object", cars, pandas=["json-key", "data"])
    at("deep.json").write_text(json.dumps({"status": {"ok": True}, "result": {"warnings": [{"text": "none"}], "items": records(weather)}}, indent=2))
    out.add("deep.json", "arrays further inside, in many lines: the largest", weather, pandas=["json-key", "result.items"])
    shutil.copy(at("deep.json"), at("deep-named.json"))
    out.add("deep-named.json", "the same: one by name", Table(["text"], [["none"]]), ["--table", "result.warnings"])
    at("array.json").write_text(json.dumps(records(orders)))
    out.add("array.json", "an array", orders, pandas=["json", {}])
    at("lines.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records(coffee)))
    out.add("lines.jsonl", "JSON lines", coffee, pandas=["json", {"lines": True}])
    at("columns.json").write_text(json.dumps({name: list(column) for name, column in zip(small.header, zip(*small.rows))}))
    out.add("columns.json", "an array for each column", small, pandas=["json", {}])

    # -- pages
    frame = pandas.DataFrame(wiki[3].rows, columns=wiki[3].header)
    frame.to_html(at("pandas.html"), index=False, na_rep="")
    out.add("pandas.html", "a page by pandas", wiki[3], pandas=["html", 0])
    cells = lambda tag, row: "".join(f"<{tag}>{html.escape(plain(cell))}</{tag}>" for cell in row)
    body = lambda table: "".join(f"<tr>{cells('td', row)}</tr>\n" for row in table.rows)
    at("page.html").write_text(
        "<!DOCTYPE html><html><head><title>Cars</title><script>var a = '<table><tr><td>no</td></tr></table>';</script></head><body>"
        f"<table id=menu><tr><td>Home</td><td>About</td></tr></table><p>Some text.</p>"
        f"<table><caption>Cars of the year</caption><tr>{cells('th', cars.header)}</tr>{body(cars)}</table></body></html>")
    out.add("page.html", "a page with a menu, a script and a table", cars, pandas=["html", 1])
    groups = Table(["Town", "2019 Q1", "2019 Q2", "2020 Q1", "2020 Q2"], [["Ulm", 3, 4, 5, 6], ["Bonn", 7, 8, 9, 12], ["Kiel", 1, 0, 2, 5]])
    at("groups.html").write_text(
        "<table><thead><tr><th rowspan=2>Town</th><th colspan=2>2019</th><th colspan=2>2020</th></tr>"
        f"<tr>{cells('th', ['Q1', 'Q2', 'Q1', 'Q2'])}</tr></thead><tbody>{body(groups)}</tbody></table>")
    out.add("groups.html", "names in two rows", groups, pandas=["html", 0])
    at("export.xls").write_bytes(
        "<html><meta charset=windows-1252><table border=1><tr><td>Straße</td><td>Größe</td></tr><tr><td>Königsallee</td><td>12</td></tr>"
        "<tr><td>Am Bäckerhof</td><td>7</td></tr></table></html>".encode("windows-1252"))
    out.add("export.xls", "a page that calls itself .xls, in Windows-1252", Table(["Straße", "Größe"], [["Königsallee", 12], ["Am Bäckerhof", 7]]), pandas=["html-plain", 0])

    # -- packed
    write_csv(at("weather.csv"), weather)
    with gzip.open(at("weather.csv.gz"), "wb") as file:
        file.write(at("weather.csv").read_bytes())
    out.add("weather.csv.gz", "gzip", weather, pandas=["csv", {}])
    subprocess.run(["zstd", "-q", "-f", str(at("weather.csv"))], check=True)
    out.add("weather.csv.zst", "zstd", weather, pandas=["duckdb-csv", {}])
    with zipfile.ZipFile(at("weather.zip"), "w", zipfile.ZIP_DEFLATED) as file:
        file.write(at("weather.csv"), "weather.csv")
    out.add("weather.zip", "zip of one file", weather, pandas=["csv", {"compression": "zip"}])
    at("weather.csv").unlink()
    write_csv(at("small.csv"), small)
    with zipfile.ZipFile(at("several.zip"), "w", zipfile.ZIP_DEFLATED) as file:
        file.write(at("small.csv"), "data/small.csv")
        file.write(at("sheets.xlsx"), "data/sheets.xlsx")
        file.writestr("README.txt", "nothing to see " * 2000)
    at("small.csv").unlink()
    out.add("several.zip", "zip of several: the largest, a workbook", orders)
    shutil.copy(at("several.zip"), at("several-named.zip"))
    out.add("several-named.zip", "zip of several: one by name", small, ["--table", "small.csv"])
    with gzip.open(at("bomb.csv.gz"), "wb", 9) as file:
        file.write(b"a,b\n")
        for _ in range(40):
            file.write(b"0" * (1 << 20))
    out.add("bomb.csv.gz", "40 MB of nothing in 40 kB", refused="")

    # -- encodings and ways to write numbers
    day = lambda date: date.strftime("%d.%m.%Y")
    fine = Table(["Stadt", "Datum", "Höchsttemperatur", "Luftdruck", "Ereignisse"], [[row[0], row[1], row[2], row[3] * 100 + 0.5, row[5]] for row in weather.rows[:80]])
    write_csv(at("german.csv"), fine, ";", "windows-1252", german, day, end="\r\n")
    german_csv = {"dtype": {"Datum": "str"}, "sep": ";", "decimal": ",", "thousands": ".", "encoding": "windows-1252"}
    out.add("german.csv", "Excel in Germany: semicolons, decimal commas, Windows-1252", fine, pandas=["csv", {**german_csv, "dates": ["Datum", "%d.%m.%Y"]}])
    prices = Table(["Produit", "Prix", "Quantité"], [["Crème brûlée", 1260.0, 3], ["Café", 180.5, 12], ["Thé", 95.25, 1500], ["Gâteau", 12500.75, 7]])
    write_csv(at("french.csv"), prices, ";", "utf-8-sig", french, end="\r\n")
    out.add("french.csv", "French: narrow blanks between thousands, UTF-8 with a mark", prices, pandas=["csv", {"sep": ";", "decimal": ",", "thousands": "\u202f", "encoding": "utf-8-sig"}])
    euros = Table(["Artikel", "Preis"], [["Stuhl", 1260.0], ["Lampe", 180.0], ["Tisch", 2499.9], ["Regal", 95.5]])
    write_csv(at("euros.csv"), euros, ";", "utf-8", lambda number: f"{number:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".") + " €")
    out.add("euros.csv", "1.260,00 €", euros)
    write_csv(at("unicode.txt"), wiki[4], "\t", "utf-16", end="\r\n")
    out.add("unicode.txt", "Excel's Unicode text: UTF-16 with tabs", wiki[4], pandas=["text", {"sep": "\t", "encoding": "utf-16"}])
    write_csv(at("utf16.csv"), wiki[5], ",", "utf-16-le")
    out.add("utf16.csv", "UTF-16 without a mark", wiki[5], pandas=["text", {"encoding": "utf-16-le"}])
    late = Table(["number", "name"], [[number, "Zoë" if number == 18_000 else "Anne"] for number in range(20_000)])
    write_csv(at("late.csv"), late, ",", "windows-1252")
    out.add("late.csv", "Windows-1252, the first accent in line 18,002", late, pandas=["csv", {"encoding": "windows-1252"}])
    cyrillic = Table(["Город", "Жители"], [["Москва", 12], ["Омск", 5], ["Тула", 7]])
    write_csv(at("cyrillic.csv"), cyrillic, ";", "windows-1251")
    out.add("cyrillic.csv", "Windows-1251, by --encoding", cyrillic, ["--encoding", "windows-1251"], pandas=["csv", {"sep": ";", "encoding": "windows-1251"}])
    write_csv(at("damaged.csv"), Table(["name", "town"], [["Zoë", "Köln"], ["Anne", "Ulm"]]))
    at("damaged.csv").write_bytes(at("damaged.csv").read_bytes() + b"J\xf6rg,Bonn\n")
    out.add("damaged.csv", "UTF-8 and Latin-1 in one file", refused="line 4")

    # -- layouts
    write_csv(at("notes-above.csv"), orders, above="Orders of the shop\nExported on 2024-05-01\n\n")
    out.add("notes-above.csv", "a title and a note above the header", orders, pandas=["csv", {"skiprows": 3}])
    write_csv(at("notes-below.csv"), orders, below="\nSource: the shop's own books\n")
    out.add("notes-below.csv", "a note below", orders, pandas=["csv", {"nrows": len(orders.rows)}])
    write_csv(at("headless.csv"), weather, header=False)
    numbered = lambda table: Table([f"column {number}" for number in range(1, len(table.header) + 1)], table.rows)
    out.add("headless.csv", "no header", numbered(weather), pandas=["csv", {"header": None}])
    write_csv(at("told.csv"), wiki[6], above="a,b\n\n")
    out.add("told.csv", "a header that is said to be in line 3", wiki[6], ["--header", "3"], pandas=["text", {"skiprows": 2}])
    write_csv(at("totals.csv"), added)
    out.add("totals.csv", "a row of totals", totals, pandas=["csv", {"skipfooter": 1, "engine": "python"}])
    pandas.DataFrame(homes.rows, columns=homes.header).to_csv(at("index.csv"))
    out.add("index.csv", "pandas' index column", indexed(homes), pandas=["csv", {}])
    write_csv(at("bars.txt"), wiki[7], "|")
    out.add("bars.txt", "bars between cells", wiki[7], pandas=["text", {"sep": "|"}])
    write_csv(at("hats.txt"), wiki[8], "^")
    out.add("hats.txt", "another separator, by --separator", wiki[8], ["--separator", "^"], pandas=["text", {"sep": "^"}])
    units = Table(["trip", "time", "cost", "share", "length"], [["to Ulm", "4h 35m", "$1,250", "12%", "5 km"], ["to Bonn", "50m", "$80", "3.5%", "500 m"], ["to Kiel", "2h", "$12", "0.5%", "12 km"]])
    write_csv(at("units.csv"), units, quote=csv.QUOTE_ALL)
    out.add("units.csv", "durations, money, shares, units", Table(units.header, [["to Ulm", 275, 1250, 12, 5000], ["to Bonn", 50, 80, 3.5, 500], ["to Kiel", 120, 12, 0.5, 12000]]))
    write_csv(at("point.csv"), Table(["item", "weight"], [["a", "1.250"], ["b", "3.625"], ["c", "4.125"]]))
    out.add("point.csv", "thousands that look like fractions, by --decimal", Table(["item", "weight"], [["a", 1250], ["b", 3625], ["c", 4125]]), ["--decimal", ","], pandas=["csv", {"thousands": "."}])
    # -- what is no table
    at("empty.csv").write_bytes(b"")
    out.add("empty.csv", "an empty file", refused="empty")
    at("paper.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    out.add("paper.pdf", "a PDF document", refused="PDF")
    with zipfile.ZipFile(at("letter.docx"), "w") as file:
        file.writestr("[Content_Types].xml", "<Types/>")
        file.writestr("word/document.xml", "<w:document/>")
    out.add("letter.docx", "a letter", refused="no workbook")
    at("nested").mkdir(exist_ok=True)
    write_csv(at("nested") / "inner.csv", small)
    out.add("nested", "a folder where a file is wanted", refused="inner.csv")
    out.add("https://example.org/table.csv", "an address", refused="curl")
    out.save()
    print(f"{len(out.doors)} doors in {folder}")


def fixtures(folder, tables):
    """The few small files that the tests of `crates/tables` read, all of them the table of the GUIDE."""
    import pandas
    folder.mkdir(parents=True, exist_ok=True)
    with open(tables / "repairs.csv", newline="", encoding="utf-8") as file:
        header, *lines = list(csv.reader(file))
    repairs = Table(header, zip(*(typed(list(column)) for column in zip(*lines[:12]))))
    write_csv(folder / "repairs.csv", repairs)
    for ending in ("xls", "ods"):
        office(folder / "repairs.csv", ending, folder, "CSV:44,34,76,1,,0,false,true,false,false,false,-1")
    book = sheet(Table(["Note"], [["made for tests"]]), name="Read me")
    sheet(repairs, book, "Repairs", above=["Repairs of the spring", None], below=["Checked by hand"])
    book["Repairs"].merge_cells("A1:D1")
    book.save(folder / "repairs.xlsx")
    connection = sqlite3.connect(folder / "repairs.sqlite")
    connection.execute("PRAGMA page_size = 512")
    pandas.DataFrame([["only one"]], columns=["note"]).to_sql("notes", connection, index=False, if_exists="replace")
    frame = pandas.DataFrame(repairs.texts(), columns=header)
    frame.to_sql("repairs", connection, index=False, if_exists="replace")
    connection.execute("VACUUM")
    connection.close()
    frame.to_html(folder / "repairs.html", index=False)
    with zipfile.ZipFile(folder / "repairs.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.write(folder / "repairs.csv", "spring/repairs.csv")
        file.writestr("spring/README.txt", "nothing else")
    subprocess.run(["zstd", "-q", "-f", str(folder / "repairs.csv")], check=True)


# ---------------------------------------------------------------------------------------------------------- comparing

def is_nothing(value):
    return value is None or isinstance(value, float) and math.isnan(value) or value == ""


def same(cell, number, date, wanted):
    """Whether a cell is what is wanted of it."""
    if is_nothing(wanted) or str(wanted) == "NaT":
        return cell.strip() == ""
    if isinstance(wanted, dict):
        return date == wanted["date"] or cell[:10] == wanted["date"]
    if isinstance(wanted, bool):
        return cell.lower() == str(wanted).lower()
    if isinstance(wanted, (int, float)):
        if number is None:
            try:
                number = float(cell)
            except ValueError:
                return False
        return math.isclose(number, wanted, rel_tol=1e-9, abs_tol=1e-12)
    return " ".join(cell.split()) == " ".join(str(wanted).split())


def differences(dump, header, rows):
    """How many cells differ, of how many, and the first place; the names of columns are cells too."""
    if header is not None and [" ".join(name.split()) for name in dump[0]["columns"]] != [" ".join(str(name).split()) for name in header]:
        return 1, 1, f"columns {dump[0]['columns']}, not {header}"
    if len(dump) - 1 != len(rows):
        return 1, 1, f"{len(dump) - 1} rows, not {len(rows)}"
    wrong, count, first = 0, 0, ""
    for place, (read, row) in enumerate(zip(dump[1:], rows), 1):
        if len(read["cells"]) != len(row):
            return 1, 1, f"row {place} has {len(read['cells'])} cells, not {len(row)}"
        for column, wanted in enumerate(row):
            count += 1
            if not same(read["cells"][column], read["numbers"][column], read["dates"][column], wanted):
                wrong += 1
                first = first or f"row {place}, column {column + 1}: {read['cells'][column]!r} ({read['numbers'][column]}, {read['dates'][column]}), not {wanted!r}"
    return wrong, count, first


def by_pandas(path, how):
    """The rows that pandas or DuckDB finds, told how."""
    import pandas
    kind, told = how
    dates = told.pop("dates", None) if isinstance(told, dict) else None
    options = {"keep_default_na": False, "na_values": [""]}
    if kind == "excel":
        frame = pandas.read_excel(path, **options, **told)
    elif kind == "csv":
        frame = pandas.read_csv(path, **options, **told)
    elif kind == "text":
        frame = pandas.read_csv(path, dtype=str, **options, **told)
    elif kind == "json":
        frame = pandas.read_json(path, convert_dates=False, dtype=False, **told)
    elif kind == "json-key":
        value = json.loads(path.read_text())
        for key in told.split("."):
            value = value[key]
        frame = pandas.DataFrame(value)
    elif kind == "html-plain":  # names that are no <th>
        frame = pandas.read_html(path, header=0, encoding="windows-1252", **options)[told]
    elif kind == "html":
        frame = pandas.read_html(path, **options)[told]
        if frame.columns.nlevels > 1:
            frame.columns = [" ".join(dict.fromkeys(names)) for names in frame.columns]
    elif kind == "parquet":
        frame = pandas.read_parquet(path)
    elif kind == "sqlite":
        frame = pandas.read_sql(f'SELECT * FROM "{told}"', sqlite3.connect(path))
    else:
        import duckdb
        if kind == "duckdb":
            with duckdb.connect(str(path), read_only=True) as duck:
                frame = duck.execute(f"SELECT * FROM {told}").df()
        else:
            frame = duckdb.sql(f"SELECT * FROM read_csv('{path}')").df()
    if dates:
        frame[dates[0]] = pandas.to_datetime(frame[dates[0]], format=dates[1])

    def cell(value):
        if isinstance(value, (datetime.date, pandas.Timestamp)):
            return None if value is pandas.NaT else {"date": value.isoformat()[:10]}
        return value.item() if hasattr(value, "item") else value
    return [[cell(value) for value in row] for row in frame.itertuples(index=False)]


def check(folder, mapo, verbose):
    doors = json.loads((folder / "expected.json").read_text())
    failed, read, refused, cells, compared, by_others = 0, 0, 0, 0, 0, 0
    for door in doors:
        path = door["file"] if "://" in door["file"] else str(folder / door["file"])
        environment = {**os.environ, **door["environment"]}
        ran = subprocess.run([mapo, "data", path, "--dump" if door["expected"] else "--json", *door["args"]],
                             capture_output=True, text=True, env=environment)
        said = " ".join(ran.stderr.split())
        if os.path.isdir(path):  # a folder is listed by `data`, and refused by what wants one table
            ran = subprocess.run([mapo, "run", path, "(count all_rows)"], capture_output=True, text=True)
            said = " ".join(ran.stderr.split())
        if door["expected"] is None:
            good = ran.returncode not in (0, 101) and ran.returncode > 0 and door["refused"] in said and said
            refused += bool(good)
            outcome = f"refused: {said}" if good else f"NOT REFUSED ({ran.returncode}): {said or ran.stdout[:200]}"
        elif ran.returncode != 0:
            good, outcome = False, f"NOT READ: {said}"
        else:
            dump = [json.loads(line) for line in ran.stdout.splitlines()]
            wrong, count, first = differences(dump, door["expected"]["header"], door["expected"]["rows"])
            good, outcome = wrong == 0, f"{count} cells as written" if wrong == 0 else f"{wrong} of {count} DIFFER: {first}"
            read += good
            cells += count
            if door["pandas"] and good:
                try:
                    rows = by_pandas(pathlib.Path(path), door["pandas"])
                    wrong, count, first = differences(dump, None, rows)
                    by_others += 1
                    compared += count
                    good = wrong == 0
                    outcome += ", pandas or DuckDB the same" if good else f"; pandas or DuckDB DIFFERS in {wrong}: {first}"
                except Exception as error:  # whatever keeps pandas from it is worth a line
                    good, outcome = False, outcome + f"; pandas or DuckDB: {error}"
        failed += not good
        if verbose or not good:
            print(f"{'ok   ' if good else 'WRONG'} {door['file']}: {door['what']}: {outcome}")
    print(f"{len(doors)} doors: {read} read as written ({cells} cells), {refused} refused in a sentence, {failed} wrong; "
          f"{compared} cells of {by_others} files compared with pandas or DuckDB")
    sys.exit(failed > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "check", "fixtures"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tables", type=pathlib.Path, help="comma-separated files to begin with")
    parser.add_argument("--wtq", type=pathlib.Path, help="the folder of WikiTableQuestions")
    parser.add_argument("--mapo", default="mapo", help="the command")
    parser.add_argument("--verbose", action="store_true", help="a line for each file")
    given = parser.parse_args()
    if given.what == "make":
        if not given.tables or not given.wtq:
            parser.error("make needs --tables and --wtq")
        make(given.folder, given.tables, given.wtq)
    elif given.what == "fixtures":
        fixtures(given.folder, given.tables)
    else:
        check(given.folder, given.mapo, given.verbose)


main()
