#!/usr/bin/env python3
"""What the Python package costs: calls a second beside the command and the HTTP API, a table of a million rows from each kind
of data frame, and environments that are written in Python. Figures are in docs/python.md.

    pip install target/wheels/mapo-*.whl pandas polars pyarrow duckdb
    python benches/python.py [calls] [rows] [texts] [environments]

The command is the package's own script, or the program that MAPO_BINARY names.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import mapo

QUESTIONS = [
    "which film by Kubrick is the longest?",
    "how many films did Ridley Scott direct?",
    "what is the average of minutes?",
    "who directed Alien?",
]
FILMS = """Title,Director,Year,Minutes
The Shining,Stanley Kubrick,1980,146
Barry Lyndon,Stanley Kubrick,1975,185
Alien,Ridley Scott,1979,117
Blade Runner,Ridley Scott,1982,117
Gladiator,Ridley Scott,2000,155
"""
ROWS = 1_000_000


def rate(name: str, count: int, seconds: float) -> None:
    print(f"{name:<44} {count / seconds:10.1f} a second")


def calls() -> None:
    """Questions a second, one after the other on the same table."""
    script = pathlib.Path(os.environ.get("MAPO_BINARY") or pathlib.Path(sys.executable).with_name("mapo"))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "films.csv"
        file.write_text(FILMS)
        table = mapo.Table(file)
        asked = QUESTIONS * 50
        mapo.ask(table, asked[0])
        began = time.perf_counter()
        for question in asked:
            mapo.ask(table, question)
        rate("mapo.ask(table, …)", len(asked), time.perf_counter() - began)
        began = time.perf_counter()
        for place in range(0, len(asked), 20):
            mapo.ask_all(table, asked[place : place + 20])
        rate("mapo.ask_all(table, 20 questions)", len(asked), time.perf_counter() - began)
        began = time.perf_counter()
        for question in asked:
            mapo.ask(file, question)
        rate("mapo.ask(path, …)", len(asked), time.perf_counter() - began)
        began = time.perf_counter()
        subprocess.run(
            [script, "ask", file, "--json"], input="\n".join(asked), text=True, check=True, stdout=subprocess.DEVNULL
        )
        rate("mapo ask FILE < questions", len(asked), time.perf_counter() - began)
        began = time.perf_counter()
        for question in asked[:10]:
            subprocess.run([script, "ask", file, question, "--json"], check=True, stdout=subprocess.DEVNULL)
        rate("mapo ask FILE QUESTION, a process each", 10, time.perf_counter() - began)
        with serving(script, file) as address:
            tables = json.load(urllib.request.urlopen(f"{address}/api/tables"))
            tables = tables["tables"] if isinstance(tables, dict) else tables
            place = next(table["id"] for table in tables if "films" in table["name"])

            def post(question: str) -> None:
                body = json.dumps({"question": question}).encode()
                headers = {"Content-Type": "application/json"}
                request = urllib.request.Request(f"{address}/api/tables/{place}/ask", body, headers)
                urllib.request.urlopen(request).read()

            post(asked[0])
            began = time.perf_counter()
            for question in asked:
                post(question)
            rate("POST /api/tables/ID/ask", len(asked), time.perf_counter() - began)


@contextlib.contextmanager
def serving(script: pathlib.Path, file: pathlib.Path):
    """A server with the table, until nobody needs it."""
    server = subprocess.Popen(
        [script, "serve", file, "--address", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        for line in server.stdout:
            if found := re.search(r"http://[\d.]+:\d+", line):
                yield found[0]
                return
    finally:
        server.terminate()
        server.wait()


def made(kind: str):
    """A million rows: two columns of different texts, one of few, two of numbers."""
    import pyarrow

    numbers = range(ROWS)
    table = pyarrow.table(
        {
            "name": pyarrow.array((f"customer number {number:07}" for number in numbers), pyarrow.large_string()),
            "note": pyarrow.array((f"order {number * 7919 % ROWS} of the year" for number in numbers), pyarrow.large_string()),
            "city": pyarrow.array([["Tulsa", "Omaha", "Boise"][number % 3] for number in numbers]),
            "amount": pyarrow.array([number % 9973 for number in numbers]),
            "share": pyarrow.array([number / 64 for number in numbers]),
        }
    )
    match kind:
        case "pyarrow":
            return table
        case "pandas":
            return table.to_pandas()
        case "polars":
            import polars

            return polars.from_arrow(table)
        case "duckdb":
            import duckdb

            return duckdb.connect().from_arrow(table)


def memory() -> float:
    """Megabytes of this process that are its own."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def rows() -> None:
    """A table of a million rows from each kind of data frame, in a process each."""
    for kind in ("pyarrow", "pandas", "polars", "duckdb"):
        subprocess.run([sys.executable, __file__, f"rows-of-{kind}"], check=True)


def rows_of(kind: str) -> None:
    mapo.Model()
    frame = made(kind)
    mapo.Table({"a": [1]})
    before, began = memory(), time.perf_counter()
    table = mapo.Table(frame)
    read = time.perf_counter() - began
    held, began = memory() - before, time.perf_counter()
    answer = mapo.ask(table, "what is the amount of customer number 0765432?")
    first, began = time.perf_counter() - began, time.perf_counter()
    mapo.ask(table, "how many orders are from Omaha?")
    print(
        f"{kind:<8} {len(table)} rows: {read:.2f} s to read, {held:.0f} MB more; first question {first:.2f} s, "
        f"then {time.perf_counter() - began:.2f} s; {answer.text} ({memory() - before:.0f} MB more in all)"
    )


def texts() -> None:
    """A column of long texts, all different, from each kind of data frame: whether it is copied, and how long another thread
    waits meanwhile."""
    for kind in ("pyarrow", "pandas", "pieces", "polars", "duckdb"):
        subprocess.run([sys.executable, __file__, f"texts-of-{kind}"], check=True)


def texts_of(kind: str) -> None:
    import pyarrow

    filling = "lorem ipsum dolor sit amet " * 7
    frame = pyarrow.table({"text": pyarrow.array((f"{number:07} {filling}" for number in range(ROWS)), pyarrow.large_string())})
    size = frame.nbytes / 1e6
    match kind:
        case "pandas":
            frame = frame.to_pandas()
        case "pieces":
            frame = pyarrow.concat_tables([frame.slice(0, ROWS // 2), frame.slice(ROWS // 2)])
        case "polars":
            import polars

            frame = polars.from_arrow(frame)
        case "duckdb":
            import duckdb

            frame = duckdb.connect().from_arrow(frame)
    mapo.Table({"a": [1]})
    awake, done = [], threading.Event()

    def wake() -> None:
        while not done.is_set():
            awake.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=wake)
    before = memory()
    other.start()
    began = time.perf_counter()
    table = mapo.Table(frame)
    read = time.perf_counter() - began
    done.set()
    other.join()
    longest = max(after - before for before, after in zip(awake, awake[1:]))
    print(
        f"{kind:<8} {len(table)} texts of {size:.0f} MB: {memory() - before:.0f} MB more, {read:.2f} s; "
        f"another thread waited {1000 * longest:.0f} ms at the longest"
    )


def environments() -> None:
    """Programs a second of a tree with four actions at each of ten steps."""

    class Looking(mapo.Env):
        def look(self, prefix):
            return ([0, 1, 2, 3], None) if len(prefix) < 10 else ([], 0.0)

    class Scoring(mapo.ScoringEnv):
        choices = [4] * 10

        def score(self, programs):
            return [0.0] * len(programs)

    for name, env, programs in (("one look a prefix", Looking(), 100_000), ("scored in lists", Scoring(), 500_000)):
        began = time.perf_counter()
        mapo.explore(env, programs)
        rate(f"programs, {name}", programs, time.perf_counter() - began)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    wanted = sys.argv[1:] or ["calls", "rows", "texts", "environments"]
    for each in wanted:
        if each.startswith("rows-of-"):
            rows_of(each.removeprefix("rows-of-"))
        elif each.startswith("texts-of-"):
            texts_of(each.removeprefix("texts-of-"))
        else:
            {"calls": calls, "rows": rows, "texts": texts, "environments": environments}[each]()
