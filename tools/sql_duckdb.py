#!/usr/bin/env python3
"""Runs the queries that `mapo sql --check --details FILE` wrote in DuckDB and compares the answers.

    mapo sql --check --data toy --split test --details toy.jsonl
    python3 tools/sql_duckdb.py toy.jsonl
    python3 tools/sql_duckdb.py own.jsonl --on-file     # the queries for the files themselves, with read_csv

Needs the duckdb package (`pip install duckdb`). Ends with 1 if a program has another answer in DuckDB, and with 3,
loudly, if DuckDB is not installed.
"""

import argparse
import json
import sys
from collections import Counter


def agreement(kind, answer, rows):
    """`same`, `rounded` (the last digits of a sum or an average) or `different`, as crates/language judges it."""
    items = [item for row in rows for item in row]
    if items == [None]:  # an aggregate over nothing
        items = []
    if len(items) != len(answer):
        return "different"
    result = "same"
    for place, (expected, item) in enumerate(zip(answer, items)):
        if kind == "groups" and place % 2 == 0 and isinstance(item, (int, float)):  # a label that is a number
            if item != float(expected):
                return "different"
        elif kind in ("strings", "dates") or kind == "groups" and place % 2 == 0:
            if not isinstance(item, str) or item != expected.replace("\0", "\u2400"):
                return "different"
        elif isinstance(item, bool) or not isinstance(item, (int, float)):
            return "different"
        elif item != expected:
            if abs(item - expected) > 1e-9 * max(abs(item), abs(expected)):
                return "different"
            result = "rounded"
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="what `mapo sql --check --details` wrote")
    parser.add_argument("--tables", type=int, help="only the first N tables")
    parser.add_argument("--on-file", action="store_true", help="run the queries for the files themselves, where there are any")
    arguments = parser.parse_args()
    try:
        import duckdb
    except ImportError:
        print("SKIPPED: duckdb is not installed; pip install duckdb", file=sys.stderr)
        return 3
    counts, tables = Counter(), 0
    with open(arguments.file, encoding="utf-8") as lines:
        for line in lines:
            if arguments.tables is not None and tables == arguments.tables:
                break
            table, tables = json.loads(line), tables + 1
            # One thread: the tables are small, and starting threads for each would take longer than its queries.
            database = duckdb.connect(config={"threads": 1})
            if not arguments.on_file:
                database.execute(table["script"])
            for program in table["programs"]:
                query = program["on_file"] if arguments.on_file else program["sql"]
                if query is None:
                    counts["none"] += 1
                    continue
                try:
                    rows = database.execute(query).fetchall()
                    found = agreement(program["kind"], program["answer"], rows)
                except duckdb.Error as error:
                    rows, found = str(error), "different"
                counts[found] += 1
                if found == "different":
                    print(f"{program['id']}  {program['program']}\n  program  {program['answer']}\n  SQL      {rows}")
                    print(query)
            database.close()
    print(f"duckdb     {duckdb.__version__}")
    print(f"tables     {tables}")
    print(f"programs   {sum(counts.values())}")
    if arguments.on_file:
        print(f"no query   {counts['none']} (the file or its cells do not allow one)")
    for name in ("same", "rounded", "different"):
        print(f"{name:<10} {counts[name]}")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
