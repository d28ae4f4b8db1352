#!/usr/bin/env python3
"""Measures what a model learns from twenty corrections: right answers to other questions, before and after.

    python3 tools/learning.py --mapo target/release/mapo [--data examples/own-data/questions.jsonl] [--corrections 20] [--choices 5]

For each choice some questions of the dataset, drawn by its number, become the corrections; `mapo learn` learns from them, knowing
nothing of the others; then the others, which are kept apart from all of it, are asked: before by the model in the box, after by the
model that `mapo ask` uses from then on (the old one, if the new one was not better). Prints a line for each choice, and the mean and
spread (standard deviation) over them. The choices are the same every time.

What there is to learn: of the questions kept apart that were wrong before, how many are *alike* to a correction that was wrong too: about
the same table, and answered by the same functions in `programs.jsonl` beside the dataset, which nothing else reads.
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import tempfile


def told(mapo, *arguments, cwd):
    ran = subprocess.run([mapo, *map(str, arguments), "--json"], capture_output=True, text=True, cwd=cwd)
    if ran.returncode != 0:
        raise SystemExit(f"mapo {' '.join(map(str, arguments))}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def asked(mapo, model, questions, folder):
    """Which are right, and how sure the model was of its answers on the average."""
    file = folder / "details.jsonl"
    told(mapo, "eval", "--model", model, "--data", f"jsonl:{questions}", "--split", "all", "--details", file, cwd=folder)
    details = [json.loads(line) for line in file.read_text().splitlines()]
    return {line["id"]: line["right"] for line in details}, statistics.mean(line.get("calibrated", 0) for line in details)


def alike(data, lines, corrections, apart):
    """How many of those kept apart that are wrong are alike to a correction that is wrong."""
    written = data.parent / "programs.jsonl"
    if not written.exists():
        return 0
    functions = {line["id"]: tuple(re.findall(r"\((\S+)", line["program"])) for line in map(json.loads, written.read_text().splitlines())}
    form = {line["id"]: (line["table"], functions.get(line["id"])) for line in lines}
    wrong = lambda answers: [form[name] for name, right in answers.items() if not right]
    return sum(one in wrong(corrections) for one in wrong(apart))


def choice(arguments, number):
    lines = [json.loads(line) for line in arguments.data.read_text().splitlines()]
    for line in lines:
        line.pop("split", None)
    random.Random(f"choice {number}").shuffle(lines)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for table in {line["table"] for line in lines}:
            shutil.copy(arguments.data.parent / table, folder / table)
        files = {"mapo-corrections.jsonl": lines[: arguments.corrections], "apart.jsonl": lines[arguments.corrections :]}
        for name, some in files.items():
            (folder / name).write_text("".join(json.dumps(line) + "\n" for line in some))
        report = told(arguments.mapo, "learn", folder, *arguments.more.split(), cwd=folder)
        were_right, was_sure = asked(arguments.mapo, "box", "apart.jsonl", folder)
        are_right, is_sure = (were_right, was_sure)
        if report["model"]:
            are_right, is_sure = asked(arguments.mapo, report["model"], "apart.jsonl", folder)
        corrections, _ = asked(arguments.mapo, "box", "mapo-corrections.jsonl", folder)
    count = len(files["apart.jsonl"])
    before, after = sum(were_right.values()), sum(are_right.values())
    to_learn = alike(arguments.data, lines, corrections, were_right)
    learnt = report["corrections"]
    print(
        f"choice {number}: {before} of {count} right before, {after} after; {to_learn} of the wrong ones alike to a correction; corrections {learnt['before']} of {learnt['questions']} before,"
        f" {learnt['after']} after; {'kept' if report['better'] else 'not kept'} ({report['why']}); sure {100 * was_sure:.0f} % before, {100 * is_sure:.0f} % after,"
        f" right {100 * after / count:.0f} %; {report['seconds']:.0f} s",
        flush=True,
    )
    return 100 * before / count, 100 * after / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--mapo", type=lambda path: str(pathlib.Path(path).resolve()), default=str(root / "target/release/mapo"))
    parser.add_argument("--data", type=pathlib.Path, default=root / "examples/own-data/questions.jsonl")
    parser.add_argument("--corrections", type=int, default=20)
    parser.add_argument("--choices", type=int, default=5)
    parser.add_argument("--more", default="", help="more flags for mapo learn")
    arguments = parser.parse_args()
    before, after = zip(*(choice(arguments, number) for number in range(1, arguments.choices + 1)))
    spread = lambda shares: statistics.stdev(shares) if len(shares) > 1 else 0.0
    gains = [new - old for old, new in zip(before, after)]
    for name, shares in [("before", before), ("after", after), ("gain", gains)]:
        print(f"{name:7} {statistics.mean(shares):5.1f} % ± {spread(shares):.1f}")


if __name__ == "__main__":
    main()
