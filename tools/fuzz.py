#!/usr/bin/env python3
"""Fuzzes every reader: bytes that a coverage-guided fuzzer makes are given to the trials of crates/trials.

    tools/fuzz.py --seconds 60              all trials, a minute each
    tools/fuzz.py --runs 1000000 csv jsonl  a million executions of each of two
    tools/fuzz.py --seconds 20 --total 100000000 --ledger fuzz/ledger.tsv --jobs 2 --apart
                                            rounds of all trials until the ledger has that many executions
    tools/fuzz.py --check FILE csv          what one file does

It builds fuzz/ with the pinned toolchain (libFuzzer's counters need no other), with --apart a fuzzer for each trial, which
takes some minutes to link and several times less for each small file. It begins with the seeds of
crates/trials/seeds and with what earlier runs found (--corpus), and prints a table: executions, crashes, the slowest and
the largest memory. With --ledger the figures are added to those of earlier pieces, after each, so that whoever stops it
loses little, and the same command goes on. In rounds the quickest quarter of the trials has three more turns than the
others. Files that crash, take more than two seconds or more than a gigabyte are left in --found; a file that is understood
belongs into crates/trials/seeds, where `cargo test` tries it ever after. Exit code 1 if there are any or the fuzzer cannot
be built, 3 without a C++ compiler. Needs a C++ compiler and Python 3.
"""

import argparse
import concurrent.futures
import csv
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = ROOT / "crates/trials/seeds"
TARGET = "x86_64-unknown-linux-gnu"
FLAGS = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
]
# Beyond these a file does harm: seconds of processor time and memory.
SECONDS, MEGABYTES = 2, 1024
# The fuzzer itself looks at the clock, which goes on while others work: whatever it stops is tried once more.
PATIENCE = 10


def build(folder, trial=None):
    """The fuzzer, or that of one trial, built apart from everything else."""
    environment = dict(os.environ, RUSTFLAGS=" ".join(FLAGS), CARGO_TARGET_DIR=str(folder))
    environment.pop("MAPO_TRIAL", None)
    if trial:
        environment["MAPO_TRIAL"] = trial
    if not shutil.which("c++"):
        print("the fuzzer cannot be built: there is no C++ compiler", file=sys.stderr)
        sys.exit(3)
    command = ["cargo", "build", "--release", "--locked", "--target", TARGET, "--manifest-path", str(ROOT / "fuzz/Cargo.toml")]
    if subprocess.run(command, env=environment, cwd=ROOT).returncode:
        print("the fuzzer cannot be built", file=sys.stderr)
        sys.exit(1)
    return pathlib.Path(folder) / TARGET / "release" / "mapo-fuzz"


def build_apart(folder, chosen):
    """A fuzzer for each trial, by its name."""
    place = pathlib.Path(folder) / "apart"
    place.mkdir(parents=True, exist_ok=True)
    return {trial: pathlib.Path(shutil.copy2(build(folder, trial), place / trial)) for trial in chosen}


def trials():
    text = (ROOT / "crates/trials/src/lib.rs").read_text()
    return re.findall(r'name: "([a-z-]+)"', text)


def number(log, name):
    found = re.findall(rf"stat::{name}:\s+(\d+)", log)
    return int(found[-1]) if found else 0


def processor_time(command, trial):
    """Tries a file once; the seconds of processor time that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=dict(os.environ, MAPO_TRIAL=trial), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Ledger:
    """Executions, harm, the slowest and the largest memory of each trial, over all pieces."""

    COLUMNS = ["trial", "executions", "harm", "slowest_seconds", "memory_mb", "processor_seconds"]

    def __init__(self, file):
        self.file, self.rows, self.lock = file, {}, threading.Lock()
        if file and file.exists():
            with open(file, newline="") as lines:
                for row in csv.DictReader(lines, delimiter="\t"):
                    self.rows[row["trial"]] = [int(row[column] or 0) for column in self.COLUMNS[1:]]

    def add(self, trial, row):
        with self.lock:
            known = self.rows.setdefault(trial, [0] * 5)
            added = [known[place] + row[place] for place in (0, 1, 4)]
            self.rows[trial] = [*added[:2], max(known[2], row[2]), max(known[3], row[3]), added[2]]
            if self.file:
                lines = ["\t".join(self.COLUMNS)] + ["\t".join(map(str, [name, *self.rows[name]])) for name in sorted(self.rows)]
                draft = self.file.with_suffix(".new")
                draft.write_text("\n".join(lines) + "\n")
                draft.replace(self.file)

    def total(self):
        with self.lock:
            return [sum(row[0] for row in self.rows.values()), sum(row[1] for row in self.rows.values())]


def output(command, environment):
    """The exit code of a command, what it says, and the seconds of processor time that it takes."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=subprocess.STDOUT)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        log = said.read().decode(errors="replace")
    return process.returncode, log, usage.ru_utime + usage.ru_stime


def run(binary, trial, options):
    """One trial; libFuzzer stops at the first file that does harm, so it is begun again until time or runs are used up."""
    corpus = options.corpus / trial
    found = options.found / trial
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    executions = slowest = largest = spent_there = 0
    seeds = SEEDS / trial
    # Seeds are not cut.
    length = max([options.length] + [file.stat().st_size for file in (seeds.iterdir() if seeds.is_dir() else [])])
    seconds, runs = options.seconds, options.runs
    while True:
        command = [
            str(binary), f"-timeout={PATIENCE}", f"-report_slow_units={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={length}", "-print_final_stats=1",
            "-verbosity=1", f"-artifact_prefix={found}/", f"-seed={options.seed}",
            f"-max_total_time={seconds}" if seconds else f"-runs={runs}", str(corpus),
        ]
        command += [str(seeds)] if seeds.is_dir() else []
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as place:
            environment = dict(os.environ, MAPO_TRIAL=trial, TMPDIR=place)
            code, log, seconds_there = output(command, environment)
        spent_there += seconds_there
        here = number(log, "number_of_executed_units")
        executions += here
        slowest = max(slowest, number(log, "slowest_unit_time_sec"))
        largest = max(largest, number(log, "peak_rss_mb"))
        if code == 0:
            break
        print(log[-4000:], file=sys.stderr)
        spent = re.findall(r"DONE .* in (\d+) second", log)
        seconds = 0 if spent else seconds // 2
        runs -= here
        if (seconds <= 0 if options.seconds else runs <= 0):
            break
    new = set(found.iterdir()) - before
    for file in [file for file in new if file.name.startswith(("timeout-", "slow-"))]:
        if processor_time([str(binary), str(file)], trial) < SECONDS:
            file.unlink()
            new.remove(file)
    return executions, len(new), slowest, largest, round(spent_there)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("trials", nargs="*", metavar="TRIAL", help="which of " + ", ".join(trials()))
    arguments.add_argument("--seconds", type=int, default=0, help="for each trial")
    arguments.add_argument("--runs", type=int, default=0, help="for each trial")
    arguments.add_argument("--seed", type=int, default=0, help="the same files every time, with --runs and no corpus; 0 is another each time")
    arguments.add_argument("--jobs", type=int, default=1, help="trials at the same time")
    arguments.add_argument("--ledger", type=pathlib.Path, metavar="FILE", help="add the figures to those of this file")
    arguments.add_argument("--total", type=int, default=0, metavar="N", help="go on in rounds until the ledger has so many executions")
    arguments.add_argument("--length", type=int, default=2048, help="the most bytes of a file")
    arguments.add_argument("--binary", type=pathlib.Path, metavar="FILE", help="a fuzzer that is built already, or the folder of those that --apart built")
    arguments.add_argument("--apart", action="store_true", help="build a fuzzer for each trial, which is quicker at small files")
    arguments.add_argument("--check", type=pathlib.Path, metavar="FILE", help="try one file and end")
    arguments.add_argument("--target", type=pathlib.Path, default=ROOT / "target/fuzz", help="where the fuzzer is built")
    arguments.add_argument("--corpus", type=pathlib.Path, default=ROOT / "target/fuzz-corpus")
    arguments.add_argument("--found", type=pathlib.Path, default=ROOT / "target/fuzz-found")
    options = arguments.parse_args()
    unknown = set(options.trials) - set(trials())
    if unknown:
        arguments.error(f"there is no trial {', '.join(sorted(unknown))}")
    if not (options.seconds or options.runs or options.check):
        arguments.error("give --seconds or --runs")
    if options.total and not options.ledger:
        arguments.error("--total counts by a --ledger")
    chosen = options.trials or trials()
    if options.binary and options.binary.is_dir():
        binaries = {trial: options.binary / trial for trial in chosen}
    elif options.apart and not options.binary:
        binaries = build_apart(options.target, chosen)
    else:
        binaries = dict.fromkeys(chosen, options.binary or build(options.target))
    if options.check:
        for trial in chosen:
            command = [str(binaries[trial]), f"-timeout={PATIENCE}", f"-rss_limit_mb={MEGABYTES}", str(options.check)]
            if subprocess.run(command, env=dict(os.environ, MAPO_TRIAL=trial)).returncode:
                sys.exit(1)
        return
    ledger = Ledger(options.ledger)
    print(f"{'trial':<18}{'executions':>14}{'harm':>6}{'slowest':>9}{'memory':>9}", flush=True)
    rows, pace = [], {}

    def piece(trial):
        if options.total and ledger.total()[0] >= options.total:
            return
        began = time.monotonic()
        row = run(binaries[trial], trial, options)
        pace[trial] = row[0] / (time.monotonic() - began)
        rows.append(row)
        ledger.add(trial, row)
        print(f"{trial:<18}{row[0]:>14,}{row[1]:>6}{row[2]:>7} s{row[3]:>6} MB", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as jobs:
        while True:
            list(jobs.map(piece, chosen))
            quickest = sorted(chosen, key=lambda trial: -pace.get(trial, 0))[: len(chosen) // 4]
            if options.total:
                list(jobs.map(piece, quickest * 3))
            if not options.total or ledger.total()[0] >= options.total:
                break
    harm = sum(row[1] for row in rows)
    largest = [max((row[place] for row in rows), default=0) for place in (2, 3)]
    print(f"{'all':<18}{sum(row[0] for row in rows):>14,}{harm:>6}{largest[0]:>7} s{largest[1]:>6} MB")
    if options.ledger:
        print(f"{'with all before':<18}{ledger.total()[0]:>14,}{ledger.total()[1]:>6}")
    sys.exit(1 if harm else 0)


if __name__ == "__main__":
    main()
