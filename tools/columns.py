#!/usr/bin/env python3
"""Columns of numbers and dates as people write them: how many are read as they are meant, by mapo, DuckDB and pandas.

    tools/columns.py MAPO [--tables DIR] [--columns 300] [--seed 1] [--forms known] [--model FILE] [--details FILE]

Every column is made here, so that its truth is known: from values of the tables in DIR (CSV files, read at run time; half of
the columns) or from random ones, each written in one of the forms below, some with cells for what is missing. mapo reads each as
it reads any table; DuckDB and pandas get every setting below, and a column counts as read if one of them reads all of its
cells as they are meant, which is more than somebody who does not know the truth could do. A column that mapo misreads is asked about
besides: an answer that is *sure* there is a fault. Needs `pip install duckdb pandas pytz`.
"""

import argparse
import collections
import csv
import datetime
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import warnings

import duckdb
import pandas

MISSING = ["", "n/a", "-", "NaN"]
MONTHS = "January February March April May June July August September October November December".split()


def grouped(number, mark, places=0, decimal="."):
    text = f"{abs(number):,.{places}f}"
    return ("-" if number < 0 else "") + text.replace(",", "\0").replace(".", decimal).replace("\0", mark)


def indian(number):
    digits = str(abs(number))
    head, tail = digits[:-3], digits[-3:]
    pairs = []
    while head:
        pairs.insert(0, head[-2:])
        head = head[:-2]
    return ("-" if number < 0 else "") + ",".join(pairs + [tail])


def scaled(number):
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            short = round(number / size, 1)
            return f"{short:g}{letter}", short * size
    return f"{number:g}", number


# A form writes a value: (text, what is meant). Numbers are given with up to two decimals.
def plain(n, r): return f"{n:g}" if n == int(n) and abs(n) < 1e6 else f"{n:.2f}", n
def american(n, r): return grouped(n, ",", 2), n
def whole_american(n, r): return grouped(round(n), ","), round(n)
def european(n, r): return grouped(n, ".", 2, ","), n
def european_money(n, r): return grouped(n, ".", 2, ",") + " €", n
def european_mixed(n, r): return (grouped(round(n), "."), round(n)) if r.random() < 0.5 else (grouped(n, ".", 1, ","), round(n, 1))
def swiss(n, r): return grouped(n, "'", 2), n
def spaced(n, r): return grouped(round(n), "\u00a0"), round(n)
def spaced_comma(n, r): return grouped(n, " ", 2, ","), n
def brackets(n, r): return (f"({grouped(-n, ',', 2)})" if n < 0 else grouped(n, ",", 2)), n
def dollar_brackets(n, r): return (f"(${grouped(-n, ',', 2)})" if n < 0 else "$" + grouped(n, ",", 2)), n
def trailing_minus(n, r): return (grouped(-n, ",", 2) + "-" if n < 0 else grouped(n, ",", 2)), n
def dollars(n, r): return ("-" if n < 0 else "") + "$" + grouped(abs(n), ",", 2), n
def code(n, r): return "CHF " + grouped(n, "'", 2), n
def letters(n, r): return scaled(n)
def percent(n, r): return f"{n % 100:.1f}%", round(n % 100, 1)
def unit(n, r): return f"{grouped(round(n), ',')} km", round(n)
def units(n, r): return (f"{abs(round(n)) % 900 + 1} m", abs(round(n)) % 900 + 1) if r.random() < 0.5 else (f"{abs(n) % 90:.1f} km", round(float(f"{abs(n) % 90:.1f}") * 1000, 6))
def duration(n, r): return (lambda m: (f"{m // 60}h {m % 60}m" if m >= 60 else f"{m}m", m))(abs(round(n)) % 600 + 1)
def exponents(n, r): return f"{n:.3e}", float(f"{n:.3e}")
def power(n, r): return (lambda e: ("10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] for d in str(e)), float(10**e)))(abs(round(n)) % 12 + 1)
def lakhs(n, r): return indian(round(n)), round(n)
def identifiers(n, r): return (lambda i: (str(i), i))(9_007_199_254_740_992 + r.randrange(10**9) * 2 + 1)
def hexadecimal(n, r): return hex(abs(round(n))), abs(round(n))


def day_first(d, r): return d.strftime("%d/%m/%Y"), d
def month_first(d, r): return d.strftime("%m/%d/%Y"), d
def dotted(d, r): return d.strftime("%d.%m.%Y"), d
def dashed(d, r): return d.strftime("%d-%m-%Y"), d
def short(d, r): return d.strftime("%d/%m/%y"), d
def iso(d, r): return d.isoformat(), d
def iso_time(d, r): return f"{d.isoformat()}T{r.randrange(24):02}:{r.randrange(60):02}:00Z", d
def with_time(d, r): return f"{d.strftime('%d/%m/%Y')} {r.randrange(24):02}:{r.randrange(60):02}", d
def words(d, r): return f"{d.day} {MONTHS[d.month - 1]} {d.year}", d
def american_words(d, r): return f"{MONTHS[d.month - 1][:3]} {d.day}, {d.year}", d
def far_years(d, r): return (lambda y: (f"{y:04}-{d.month:02}-{min(d.day, 28):02}", datetime.date(y, d.month, min(d.day, 28))))(r.choice([r.randrange(800, 1000), r.randrange(2160, 2400)]))
def impossible(d, r): return ("2004-02-30", None) if r.random() < 0.2 else (d.isoformat(), d)


NUMBERS = [plain, american, whole_american, european, european_money, european_mixed, swiss, spaced, spaced_comma, brackets, dollar_brackets,
           trailing_minus, dollars, code, letters, percent, unit, units, duration, exponents, power, lakhs, identifiers, hexadecimal]
DATES = [day_first, month_first, dotted, dashed, short, iso, iso_time, with_time, words, american_words, far_years, impossible]


# Forms that were written down before anybody looked whether the reader knows them (--forms unseen).
FULL_WIDTH = str.maketrans("0123456789.-", "０１２３４５６７８９．－")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()


def ordinal(number):
    return f"{number}{'th' if number % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def in_words(n, r):
    for size, word in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if abs(n) >= size:
            return f"{round(n / size, 1):g} {word}", round(n / size, 1) * size
    return f"{n:g}", n


def money_letters(n, r):
    text, meant = scaled(abs(n))
    return "£" + text, meant


def euro_before(n, r): return "€ " + grouped(n, ".", 2, ","), n
def swedish(n, r): return grouped(n, " ", 2, ",") + " kr", n
def about(n, r): return r.choice(["~", "≈ ", "c. "]) + grouped(abs(round(n)), ","), abs(round(n))
def signs(n, r): return ("\u2212" if n < 0 else "+") + f"{abs(n):.1f}", round(n, 1)
def halves(n, r): return (lambda q: (f"{q // 4}{['', ' ¼', ' ½', ' ¾'][q % 4]}", q / 4))(abs(round(n)) % 400 + 4)
def quarters(n, r): return (lambda q: (f"{q // 4}{['', ' 1/4', ' 1/2', ' 3/4'][q % 4]}", q / 4))(abs(round(n)) % 400 + 4)
def footnotes(n, r): return grouped(abs(round(n)), ",") + r.choice(["", "*", "[2]", "†"]), abs(round(n))
def code_behind(n, r): return grouped(n, ",", 2) + " USD", n
def ordinals(n, r): return ordinal(abs(round(n)) % 200 + 1), abs(round(n)) % 200 + 1
def degrees(n, r): return f"{n % 60 - 20:.1f} °C", round(n % 60 - 20, 1)
def percent_comma(n, r): return f"{n % 100:.1f} %".replace(".", ","), round(n % 100, 1)
def underscores(n, r): return grouped(round(n), "_"), round(n)
def full_width(n, r): return f"{n:.1f}".translate(FULL_WIDTH), round(n, 1)
def arabic(n, r): return str(abs(round(n))).translate(ARABIC), abs(round(n))
def dots_only(n, r): return grouped(round(n), "."), round(n)
def bytes_sizes(n, r): return (lambda v: (f"{v} MB", v) if r.random() < 0.5 else (f"{v / 100:g} GB", v * 10))(abs(round(n)) % 900 + 1)
def rupees(n, r): return f"Rs. {indian(abs(round(n)))}/-", abs(round(n))
def feet(n, r): return (lambda i: (f"{i // 12}'{i % 12}\"", i))(abs(round(n)) % 30 + 55)
def debit(n, r): return grouped(abs(n), ",", 2) + (" DR" if n < 0 else " CR"), n
def bare_dots(n, r): return (lambda v: (f"{v:.2f}".lstrip("0"), v))(round(abs(n) % 1, 2) or 0.25)
def times_over(n, r): return f"{abs(n) % 50:.1f}x", float(f"{abs(n) % 50:.1f}")
def ranked(n, r): return f"#{abs(round(n)) % 500 + 1}", abs(round(n)) % 500 + 1


def year_slashes(d, r): return d.strftime("%Y/%m/%d"), d
def compact(d, r): return d.strftime("%Y%m%d"), d
def dashed_words(d, r): return f"{d.day:02}-{MONTHS[d.month - 1][:3]}-{d.year}", d
def weekdays(d, r): return d.strftime("%a, ") + f"{d.day} {MONTHS[d.month - 1][:3]} {d.year}", d
def long_weekdays(d, r): return d.strftime("%A, ") + f"{MONTHS[d.month - 1]} {d.day}, {d.year}", d
def ordinal_days(d, r): return f"{ordinal(d.day)} {MONTHS[d.month - 1]} {d.year}", d
def ordinal_american(d, r): return f"{MONTHS[d.month - 1]} {ordinal(d.day)}, {d.year}", d
def stamps(d, r): return f"{d.isoformat()} {r.randrange(24):02}:{r.randrange(60):02}:{r.randrange(60):02}.{r.randrange(1000):03}+02:00", d
def american_time(d, r): return f"{d.month}/{d.day}/{d.year} {r.randrange(1, 13)}:{r.randrange(60):02} {r.choice(['AM', 'PM'])}", d
def french(d, r): return f"{d.day} {FRENCH[d.month - 1]} {d.year}", d
def german(d, r): return f"{d.day}. {GERMAN[d.month - 1]} {d.year}", d
def spanish(d, r): return f"{d.day} de {SPANISH[d.month - 1]} de {d.year}", d
def chinese(d, r): return f"{d.year}年{d.month}月{d.day}日", d
def unpadded_dots(d, r): return f"{d.day}.{d.month}.{d.year}", d
def unpadded_american(d, r): return f"{d.month}/{d.day}/{d.year}", d
def log_lines(d, r): return f"{d.day:02}/{MONTHS[d.month - 1][:3]}/{d.year}:{r.randrange(24):02}:{r.randrange(60):02}:{r.randrange(60):02} +0000", d
def weeks(d, r): return "{}-W{:02}-{}".format(*d.isocalendar()), d
def days_of_years(d, r): return d.strftime("%Y-%j"), d
def short_dots(d, r): return d.strftime("%d.%m.%y"), d
def no_comma(d, r): return f"{MONTHS[d.month - 1]} {d.day} {d.year}", d
def tick_years(d, r): return f"{d.day} {MONTHS[d.month - 1][:3]} '{d.year % 100:02}", d


UNSEEN_NUMBERS = [in_words, money_letters, euro_before, swedish, about, signs, halves, quarters, footnotes, code_behind, ordinals, degrees, percent_comma,
                  underscores, full_width, arabic, dots_only, bytes_sizes, rupees, feet, debit, bare_dots, times_over, ranked]
UNSEEN_DATES = [year_slashes, compact, dashed_words, weekdays, long_weekdays, ordinal_days, ordinal_american, stamps, american_time, french, german,
                spanish, chinese, unpadded_dots, unpadded_american, log_lines, weeks, days_of_years, short_dots, no_comma, tick_years]


def values_of(folder):
    """The columns of numbers and of dates in some tables, by the plainest reading there is."""
    numbers, dates = [], []
    for file in sorted(pathlib.Path(folder).glob("*.csv")) if folder else []:
        with open(file, newline="", encoding="utf-8", errors="replace") as lines:
            rows = list(csv.reader(lines))
        for column in zip(*[row for row in rows[1:] if len(row) == len(rows[0])]):
            for kind, read in ((numbers, float), (dates, datetime.date.fromisoformat)):
                found = []
                for cell in column:
                    try:
                        found.append(read(cell))
                    except ValueError:
                        pass
                if len(found) >= 8 and 2 * len(found) > len(column) and len(set(found)) > 3:
                    kind.append(found)
                    break
    return numbers, dates


def make(options):
    """Columns: form, where its values come from, texts, what is meant."""
    r = random.Random(options.seed)
    own_numbers, own_dates = values_of(options.tables)
    forms, dates = (NUMBERS + DATES, DATES) if options.forms == "known" else (UNSEEN_NUMBERS + UNSEEN_DATES, UNSEEN_DATES)
    for number in range(options.columns):
        from_tables = number % 2 == 0
        form = forms[(number // 2) % len(forms)]
        is_date = form in dates
        own = own_dates if is_date else own_numbers
        count = r.randrange(9, 40)
        if from_tables and own:
            source, values = "tables", r.choices(r.choice(own), k=count)
            if not is_date:
                values = [round(value, 2) for value in values]
        elif is_date:
            source, values = "random", [datetime.date(1950, 1, 1) + datetime.timedelta(r.randrange(27_000)) for _ in range(count)]
        else:
            size = 10 ** r.randrange(1, 8)
            source, values = "random", [round(r.uniform(-size if r.random() < 0.5 else 0, size), 2) for _ in range(count)]
        cells, meant = [], []
        for value in values:
            if r.random() < 0.08:
                text, truth = r.choice(MISSING), None
            else:
                text, truth = form(value, r)
            cells.append(text)
            meant.append(truth)
        yield form.__name__, source, is_date, cells, meant


def same(meant, got):
    if meant is None or got is None:
        return meant is None and (got is None or got != got)
    if isinstance(meant, datetime.date):
        if isinstance(got, datetime.datetime):
            got = got.date()
        return str(got)[:10] == meant.isoformat()
    if isinstance(got, (str, bool)) or got != got:
        return False
    if isinstance(meant, int) and abs(meant) > 2**53:
        return int(got) == meant
    return abs(float(got) - float(meant)) <= 1e-9 * max(1.0, abs(float(meant)))


def first_difference(cells, meant, got):
    for cell, truth, value in zip(cells, meant, got):
        if not same(truth, value):
            return f"'{cell}' read as {value if value is not None else 'nothing'}"
    return ""


def by_mapo(binary, file, is_date, cells):
    script = subprocess.run([binary, "sql", file, "--keep-totals"], capture_output=True, text=True)
    if script.returncode:
        # Commands that leave out totals nowhere have no such flag.
        script = subprocess.run([binary, "sql", file], capture_output=True, text=True, check=True)
    base = sqlite3.connect(":memory:")
    base.executescript(script.stdout)
    (table,) = base.execute("SELECT name FROM sqlite_master").fetchone()
    names = [row[1] for row in base.execute(f'PRAGMA table_info("{table}")')]
    wanted = "c (date)" if is_date else "c (number)"
    if wanted not in names:
        return cells  # text
    return [row[0] for row in base.execute(f'SELECT "{wanted}" FROM "{table}" ORDER BY "row"')]


DUCKDB = [
    {}, {"thousands": ","}, {"decimal_separator": ",", "thousands": "."}, {"decimal_separator": ","}, {"thousands": "'"}, {"thousands": " "}, {"thousands": "\u00a0"},
    {"dateformat": "%d/%m/%Y"}, {"dateformat": "%m/%d/%Y"}, {"dateformat": "%d.%m.%Y"}, {"dateformat": "%d-%m-%Y"}, {"dateformat": "%d/%m/%y"},
    {"dateformat": "%d %B %Y"}, {"dateformat": "%b %d, %Y"}, {"timestampformat": "%d/%m/%Y %H:%M"},
]


def by_duckdb(file):
    for setting in DUCKDB:
        options = ", ".join(f"{name}='{value.replace(chr(39), chr(39) * 2)}'" for name, value in setting.items())
        nulls = ", ".join("'" + word + "'" for word in MISSING)
        query = f"SELECT c FROM read_csv('{file}', delim=',', header=true, nullstr=[{nulls}], sample_size=-1{', ' + options if options else ''})"
        try:
            yield setting, [row[0] for row in duckdb.sql(query).fetchall()]
        except (duckdb.Error, UnicodeError):
            continue


PANDAS = [{}, {"thousands": ","}, {"decimal": ",", "thousands": "."}, {"decimal": ","}, {"thousands": "'"}, {"thousands": "\u00a0"}, {"decimal": ",", "thousands": " "}]


def by_pandas(file, is_date):
    for setting in PANDAS:
        try:
            column = pandas.read_csv(file, na_values=MISSING, **setting)["c"]
        except (ValueError, pandas.errors.ParserError):
            continue
        if not is_date:
            yield setting, [None if value != value else value for value in column.tolist()]
            continue
        for more in ({}, {"dayfirst": True}, {"format": "mixed"}, {"format": "mixed", "dayfirst": True}, {"format": "ISO8601"}):
            try:
                dates = pandas.to_datetime(column.astype("object"), errors="coerce", utc=True, **more)
            except (ValueError, TypeError):
                continue
            yield more, [None if value is pandas.NaT else value.to_pydatetime() for value in dates]


def best(tries, meant):
    """The first reading that is the truth, else the one with most cells right."""
    most, kept = -1, None
    for _, got in tries:
        right = sum(same(truth, value) for truth, value in zip(meant, got))
        if right == len(meant):
            return True, got
        if right > most:
            most, kept = right, got
    return False, kept


def is_sure(options, file, is_date):
    question = "which k has the latest c?" if is_date else "what is the largest c?"
    command = [options.mapo, "ask", file, question, "--json"] + (["--model", options.model] if options.model else [])
    reply = subprocess.run(command, capture_output=True, text=True)
    return bool(reply.stdout.strip()) and json.loads(reply.stdout.splitlines()[0]).get("sure", False)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("mapo", help="the binary")
    arguments.add_argument("--tables", help="a folder of CSV files to take values from")
    arguments.add_argument("--columns", type=int, default=300)
    arguments.add_argument("--forms", choices=["known", "unseen"], default="known", help="those of the reader's first list, or others")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--model", help="for the questions about columns that are misread")
    arguments.add_argument("--details", type=pathlib.Path, help="write a line of JSON for each column here")
    options = arguments.parse_args()
    warnings.simplefilter("ignore")  # pandas guesses aloud, and announces its future
    rows = collections.OrderedDict()
    misread, sure, details = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for number, (form, source, is_date, cells, meant) in enumerate(make(options)):
            file = f"{folder}/t{number}.csv"
            with open(file, "w", newline="", encoding="utf-8") as out:
                writer = csv.writer(out)
                writer.writerow(["k", "c"])
                writer.writerows((f"k{row}", cell) for row, cell in enumerate(cells))
            ours = by_mapo(options.mapo, file, is_date, cells)
            # Text is exact: nothing is computed with it.
            exact = form == "identifiers" and ours == cells
            read = {"mapo": (exact or all(map(same, meant, ours)), ours), "duckdb": best(by_duckdb(file), meant), "pandas": best(by_pandas(file, is_date), meant)}
            row = rows.setdefault(form, {"columns": 0, "mapo": 0, "duckdb": 0, "pandas": 0, "why": collections.OrderedDict()})
            row["columns"] += 1
            for who, (right, got) in read.items():
                row[who] += right
                if not right and got is not None:
                    row["why"].setdefault(who, first_difference(cells, meant, got))
                elif not right:
                    row["why"].setdefault(who, "no setting reads the file")
            if not read["mapo"][0]:
                misread += 1
                if is_sure(options, file, is_date):
                    sure.append((form, row["why"]["mapo"]))
            details.append({"form": form, "source": source, "cells": cells, **{who: right for who, (right, _) in read.items()}})
    if options.details:
        options.details.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in details), encoding="utf-8")
    print(f"DuckDB {duckdb.__version__}, pandas {pandas.__version__}; {len(details)} columns, "
          f"{sum(line['source'] == 'tables' for line in details)} of them with values of the tables\n")
    print("| form | columns | mapo | DuckDB | pandas |\n|---|---|---|---|---|")
    total = collections.Counter()
    for form, row in rows.items():
        print(f"| {form.replace('_', ' ')} | {row['columns']} | {row['mapo']} | {row['duckdb']} | {row['pandas']} |")
        total.update({who: row[who] for who in ("columns", "mapo", "duckdb", "pandas")})
    print(f"| **all** | {total['columns']} | {total['mapo']} | {total['duckdb']} | {total['pandas']} |\n")
    for form, row in rows.items():
        for who, why in row["why"].items():
            print(f"{form.replace('_', ' ')}: {who}: {why}")
    print(f"\nmisread by mapo: {misread}; of these answered as sure: {len(sure)}")
    for form, why in sure:
        print(f"  {form}: {why}")
    sys.exit(1 if sure else 0)


if __name__ == "__main__":
    main()
