#!/usr/bin/env python3
"""Measures how soon a server stops working on questions that are past their time.

    python3 tools/past_time.py --mapo target/release/mapo [--rows 1000000] [--time 0.3] [--turns 6]

It serves an invented table that is large enough that no question is answered in that time, asks five questions in turn, and prints
for those that were refused (504) how long after the end of their time that was, and how much processor time the server still took
afterwards. Processor time is told rather than when it ended, so that other programs on the machine hardly change it.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

QUESTIONS = [
    "how many people from town 77 have more than 500 points in a note about 13?",
    "which town has the most people?",
    "who has the highest points in town 4999 after 2024-05-03?",
    "what is the difference in points between person 3 and person 777?",
    "how many different towns are there with points below 20?",
]


def invent(file, rows):
    with open(file, "w") as out:
        print("Name,Town,Points,Day,Note", file=out)
        for n in range(rows):
            print(f"person {n},town {n * 7919 % 5000},{n * 7 % 1013},2024-{n % 12 + 1:02}-{n % 28 + 1:02},note about {n * 31 % 977} and town {n % 5000}", file=out)


def processor(pid):
    """Processor time of a process, in milliseconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def ask(address, question):
    body = json.dumps({"question": question}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body, {"Content-Type": "application/json"}), timeout=600) as reply:
            reply.read()
            return reply.status
    except urllib.error.HTTPError as error:
        error.read()
        return error.code


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mapo", default="target/release/mapo")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--time", type=float, default=0.3, help="what a question may take, in seconds")
    parser.add_argument("--turns", type=int, default=6)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "people.csv"
        invent(table, given.rows)
        command = [given.mapo, "serve", str(table), "--address", "127.0.0.1:0", "--question-time", str(given.time)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split("serves at ")[1].split("/ ")[0] + "/api/tables/table-1/ask"
            late, after, answered = [], [], 0
            for question in QUESTIONS * given.turns:
                began = time.monotonic()
                status = ask(address, question)
                took, used = time.monotonic() - began, processor(server.pid)
                time.sleep(1.5)
                if status == 504:
                    late.append((took - given.time) * 1000)
                    after.append(processor(server.pid) - used)
                else:
                    answered += 1
        finally:
            server.terminate()
            server.wait()
    print(f"{len(late)} questions past their time of {given.time} s, {answered} answered within it")
    for name, figures in [("refused after it", late), ("processor time after that", after)]:
        if figures:
            print(f"{name:26} median {statistics.median(figures):.0f} ms, largest {max(figures):.0f} ms")


if __name__ == "__main__":
    main()
