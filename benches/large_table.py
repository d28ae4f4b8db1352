#!/usr/bin/env python3
"""Loads a generated CSV of many rows with `mapo run` and with well-known tools, in turns, and compares.

    python3 benches/large_table.py [--rows 2000000] [--columns 20] [--json]

The program is a count after a filter, so that nearly all of the time is loading. Each tool runs in a process of its
own; time is wall-clock from start to exit and memory is the largest resident size. The tools other than mapo are
Python packages (duckdb, polars, pandas); those that are not installed are left out.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORDS = "amber birch cedar delta ember fjord grove harbour island juniper kestrel lagoon meadow north ocean".split()


def generate(path, rows, columns):
    """Names, categories, whole numbers, amounts with commas, decimals and dates, like an export from an office."""
    draw = random.Random(1)
    kinds = [("name", 3), ("category", 4), ("whole", 5), ("amount", 3), ("decimal", 3), ("date", 2)]
    kinds = [kind for kind, count in kinds for _ in range(count)]
    kinds = [kinds[index % len(kinds)] for index in range(columns)]

    def cell(kind, row):
        if kind == "name":
            return f"{draw.choice(WORDS)} {draw.choice(WORDS)} {row}"
        if kind == "category":
            return draw.choice(WORDS)
        if kind == "whole":
            return str(draw.randrange(100_000))
        if kind == "amount":
            return f'"{draw.randrange(1_000, 10_000_000):,}"'
        if kind == "decimal":
            return f"{draw.random() * 1000:.2f}"
        return f"{draw.randrange(1950, 2030)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"

    with open(path, "w") as file:
        file.write(",".join(f"{kind} {index}" for index, kind in enumerate(kinds)) + "\n")
        for row in range(rows):
            file.write(",".join(cell(kind, row) for kind in kinds) + "\n")


TOOLS = {
    "mapo": [
        os.path.join(ROOT, "target/release/mapo"),
        "run",
        "{csv}",
        "(filter_in all_rows ['harbour'] r.category_3-str) (count v0)",
    ],
    "duckdb": [
        sys.executable,
        "-c",
        "import duckdb; c = duckdb.connect(); c.sql(\"create table t as from read_csv('{csv}')\");"
        "print(c.sql(\"select count(*) from t where \\\"category 3\\\" like '%harbour%'\").fetchall()[0][0])",
    ],
    "polars": [
        sys.executable,
        "-c",
        "import polars as p; t = p.read_csv('{csv}');"
        "print(t.filter(p.col('category 3').str.contains('harbour', literal=True)).height)",
    ],
    "pandas": [
        sys.executable,
        "-c",
        "import pandas as p; t = p.read_csv('{csv}');"
        "print(int(t['category 3'].str.contains('harbour', regex=False).sum()))",
    ],
}


def measure(command):
    """Wall-clock seconds, largest resident megabytes and the output of one run."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(errors.strip().splitlines()[-1] if errors.strip() else f"exit {process.returncode}")
    return time.monotonic() - began, usage.ru_maxrss / 1024, output.strip()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=2_000_000)
    arguments.add_argument("--columns", type=int, default=20)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--json", action="store_true")
    arguments = arguments.parse_args()
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as folder:
        csv = os.path.join(folder, "table.csv")
        generate(csv, arguments.rows, arguments.columns)
        file_mb = os.path.getsize(csv) / 1e6
        runs = {tool: [] for tool in TOOLS}
        for _ in range(arguments.repeats):
            for tool in list(runs):
                command = [part.replace("{csv}", csv) for part in TOOLS[tool]]
                try:
                    runs[tool].append(measure(command))
                except RuntimeError as error:
                    print(f"{tool}: left out ({error})", file=sys.stderr)
                    del runs[tool]
    result = {"rows": arguments.rows, "columns": arguments.columns, "file_mb": round(file_mb), "tools": {}}
    for tool, measured in runs.items():
        seconds = statistics.median(seconds for seconds, _, _ in measured)
        megabytes = statistics.median(megabytes for _, megabytes, _ in measured)
        result["tools"][tool] = {
            "seconds": round(seconds, 2),
            "memory_mb": round(megabytes),
            "memory_per_file": round(megabytes / file_mb, 2),
            "count": measured[0][2].split()[-1],
        }
    mapo = result["tools"]["mapo"]["seconds"]
    for tool in result["tools"].values():
        tool["times_mapo"] = round(tool["seconds"] / mapo, 2)
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{arguments.rows:,} rows x {arguments.columns} columns, {file_mb:.0f} MB")
    for tool, figures in result["tools"].items():
        print(f"{tool:8} {figures['seconds']:7.2f} s  {figures['memory_mb']:6} MB  count {figures['count']}")


if __name__ == "__main__":
    main()
