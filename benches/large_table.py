#!/usr/bin/env python3
"""Loads a generated table of many rows with `mapo run` and with well-known tools, in turns, and compares; then asks.

    python3 benches/large_table.py [--rows 1800000] [--columns 59] [--format csv] [--questions] [--json]

The program is a count after a filter, so that nearly all of the time is loading. Each tool runs in a process of its
own; time is wall-clock from start to exit and memory is the largest resident size. The tools other than mapo are
Python packages (duckdb, polars, pandas); those that are not installed are left out. `--format parquet` or `jsonl` writes
the same table in another format with duckdb first. `--questions` also asks the model in models/ some questions about
the table and tells how long loading, preparing and each answer took.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILT = os.path.join(ROOT, "target/release")
COUNT = "(filter_in all_rows ['brooklyn'] r.borough-str) (count v0)"
QUESTIONS = [
    "how many complaints were made in brooklyn?",
    "which agency has the most complaints?",
    "what is the highest fine in queens?",
    "how many complaints were about illegal parking after 2015?",
    "which street name had the last rodent complaint?",
    "what is the total number of complaints with status closed?",
]
READERS = {
    "duckdb": {"csv": "read_csv", "jsonl": "read_json", "parquet": "read_parquet"},
    "polars": {"csv": "read_csv", "jsonl": "read_ndjson", "parquet": "read_parquet"},
    "pandas": {"csv": "read_csv", "jsonl": "read_json", "parquet": "read_parquet"},
}


def tools(path, form):
    """The command of each tool."""
    duckdb, polars, pandas = (READERS[tool][form] for tool in ["duckdb", "polars", "pandas"])
    guess = ", infer_schema_length=10000" if form == "csv" else ""
    lines = ", lines=True" if form == "jsonl" else ""
    python = lambda code: [sys.executable, "-c", code]
    return {
        "mapo": [os.path.join(BUILT, "mapo"), "run", path, COUNT],
        "duckdb": python(
            f"import duckdb; c = duckdb.connect(); c.sql('set enable_progress_bar = false');"
            f"c.sql(\"create table t as from {duckdb}('{path}')\");"
            f"print(c.sql(\"select count(*) from t where Borough like '%BROOKLYN%'\").fetchall()[0][0])"
        ),
        "polars": python(
            f"import polars as p; t = p.{polars}('{path}'{guess});"
            f"print(t.filter(p.col('Borough').str.contains('BROOKLYN', literal=True)).height)"
        ),
        "pandas": python(
            f"import pandas as p; t = p.{pandas}('{path}'{lines});"
            f"print(int(t['Borough'].str.contains('BROOKLYN', regex=False).sum()))"
        ),
    }


def measure(command):
    """Wall-clock seconds, processor seconds, largest resident megabytes and the output of one run."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(errors.strip().splitlines()[-1] if errors.strip() else f"exit {process.returncode}")
    processor = usage.ru_utime + usage.ru_stime
    return time.monotonic() - began, processor, usage.ru_maxrss / 1024, output.strip()


def compare(path, form, repeats):
    """The medians of each tool over some turns."""
    commands = tools(path, form)
    runs = {tool: [] for tool in commands}
    for _ in range(repeats):
        for tool in list(runs):
            try:
                runs[tool].append(measure(commands[tool]))
            except RuntimeError as error:
                print(f"{tool}: left out ({error})", file=sys.stderr)
                del runs[tool]
    file_mb = os.path.getsize(path) / 1e6
    measured = {}
    for tool, turns in runs.items():
        seconds, processor, megabytes = (statistics.median(turn[place] for turn in turns) for place in range(3))
        measured[tool] = {
            "seconds": round(seconds, 2),
            "processor_seconds": round(processor, 2),
            "memory_mb": round(megabytes),
            "memory_per_file": round(megabytes / file_mb, 2),
            "count": turns[0][3].split()[-1],
        }
    for figures in measured.values():
        figures["times_mapo"] = round(figures["seconds"] / measured["mapo"]["seconds"], 2)
    return measured


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=1_800_000)
    arguments.add_argument("--columns", type=int, default=59)
    arguments.add_argument("--format", choices=["csv", "jsonl", "parquet"], default="csv")
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--questions", action="store_true")
    arguments.add_argument("--json", action="store_true")
    arguments = arguments.parse_args()
    build = ["cargo", "build", "--release", "--quiet"]
    for what in [["-p", "mapo"], ["-p", "mapo-tables", "--example", "large_table"]]:
        subprocess.run(build + what, cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.csv")
        size = ["--rows", str(arguments.rows), "--columns", str(arguments.columns)]
        subprocess.run([os.path.join(BUILT, "examples/large_table"), path, *size], check=True)
        if arguments.format != "csv":
            import duckdb

            other = os.path.join(folder, f"table.{arguments.format}")
            how = "format json" if arguments.format == "jsonl" else "format parquet"
            duckdb.sql(f"copy (from read_csv('{path}', all_varchar=true)) to '{other}' ({how})")
            path = other
        result = {
            "rows": arguments.rows,
            "columns": arguments.columns,
            "file_mb": round(os.path.getsize(path) / 1e6),
            "tools": compare(path, arguments.format, arguments.repeats),
        }
        if arguments.questions:
            example = ["-p", "mapo-training", "--example", "large_questions"]
            subprocess.run(build + example, cwd=ROOT, check=True)
            command = [os.path.join(BUILT, "examples/large_questions")]
            command += [os.path.join(ROOT, "models/box.safetensors"), path, *QUESTIONS]
            asked = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            result["asked"] = [json.loads(line) for line in asked.splitlines()]
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{arguments.rows:,} rows x {arguments.columns} columns, {result['file_mb']} MB")
    for tool, figures in result["tools"].items():
        print(
            f"{tool:8} {figures['seconds']:7.2f} s  {figures['processor_seconds']:7.2f} s of processors"
            f"  {figures['memory_mb']:6} MB  {figures['times_mapo']:5.2f} times mapo  count {figures['count']}"
        )
    for line in result.get("asked", []):
        if "question" in line:
            parts = ", ".join(f"{part} {line[part] * 1000:.0f}" for part in ["read", "encode", "search", "answers"])
            print(f"{line['seconds'] * 1000:7.0f} ms  {line['question']} ({parts})")
        else:
            print("  ".join(f"{name} {value}" for name, value in line.items()))


if __name__ == "__main__":
    main()
