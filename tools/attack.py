#!/usr/bin/env python3
"""Does what once did harm, and says what happens now, as a table.

    tools/attack.py [--mapo target/release/mapo] [FILE …]
    tools/attack.py --write FOLDER

The files given are run by `mapo run FILE "(count all_rows)"`, and so are files that are made here because they are large
or only their shape matters; then come what is no file: settings beyond reason, pipes where a file should be, a disk
that is full, many sessions of one client. Everything runs under `ulimit -v 6000000`. The exit code is 1 if something
ended by a signal, said nothing when it failed, took more than ten seconds of processor time or let an escape sequence through.
`--write` leaves the files that are made in a folder, for tools/hostile. Needs `pip install pyarrow` for two of them.
"""

import argparse
import contextlib
import gzip
import http.client
import json
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from decimal import Decimal
from pathlib import Path

MEMORY = 6_000_000 * 1024
PATIENCE = 10
COUNT = "(count all_rows)"


def new_keys(_):
    """Objects with ever new keys: in a table almost all cells would be empty."""
    return "".join(f'{{"k{row}": 1, "k{row + 100000}": 2}}\n' for row in range(12_000)).encode()


def marked_keys(folder):
    """The same behind a byte order mark."""
    return b"\xef\xbb\xbf" + new_keys(folder)


def wide(_):
    """10,000 columns and one row."""
    return (",".join(f"column {number}" for number in range(10_000)) + "\n" + ",".join(["1"] * 10_000) + "\n").encode()


def late_texts(_):
    """Long texts behind many short rows, where no sample sees them."""
    rows = "".join(f"{row},x\n" for row in range(100_000))
    return ("Number,Remark\n" + rows + "".join(f"{row},{'long ' * 40_000}{row}\n" for row in range(100))).encode()


def dates(_):
    """4.4 MB of different dates."""
    return b"D\n" + b"".join(b"%04d-%02d-%02d\n" % (day // 336 + 500, day // 28 % 12 + 1, day % 28 + 1) for day in range(400_000))


def strings(_):
    """900,000 different strings."""
    return b"Name\n" + b"".join(b"name %d of them\n" % (row * 7919 % 900_001) for row in range(900_000))


def prose(_):
    """21 MB of words."""
    words = [f"w{number * 7919 % 99991:x}" for number in range(20_000)]
    line = lambda row: " ".join(words[(row * 31 + place * 17) % len(words)] for place in range(14))
    return ("Remark\n" + "".join(line(row) + "\n" for row in range(260_000))).encode()


def office(_):
    """Half a million rows as offices keep them."""
    row = lambda n: f"{n},client {n * 7919 % 99991},{['open', 'closed', 'waiting'][n % 3]},{n % 28 + 1:02}/{n // 28 % 12 + 1:02}/{1990 + n % 35},{n * 104729 % 1000003 / 100:.2f}\n"
    return ("Number,Client,Kind,Opened,Amount\n" + "".join(map(row, range(500_000)))).encode()


def returns(_):
    """Only carriage returns end the lines, and one has a cell too many."""
    return b"a,b\r1,2\r3,4,5\r6,7\r"


def cut_gzip(_):
    """Packed by gzip, with a byte changed."""
    packed = bytearray(gzip.compress(b"Name,Points\n" + b"Anne,3\n" * 5000))
    packed[len(packed) // 2] ^= 0x55
    return bytes(packed)


def open_quote(_):
    """A quote that is never closed."""
    return b'a,b\n1,"2\n3,4\n5,6\n'


def escapes(_):
    """Escape sequences in a header and in cells."""
    return "Na\x1b[35;7mme,Town\nAn\x1b]0;evil\x07ne,\x1b[2JOslo\nBob,Ri\x9b31mga\n".encode()


def large_numbers(_):
    """Whole numbers above 2^53, of which neighbours must stay apart."""
    return b"Name,Id\na,9007199254740993\nb,9007199254740992\nc,9007199254740995\n"


def cancelling(_):
    """Numbers whose sum rounds to 0 if they are added one after the other."""
    return b"N\n1\n2\n1e308\n3\n-1e308\n"


def decimals(folder):
    """A decimal of 256 bits, in Parquet."""
    import pyarrow
    import pyarrow.parquet

    values = [Decimal("12345678901234567890123456789012345678901234567890.12"), Decimal("-7.50")]
    table = pyarrow.table({"amount": pyarrow.array(values, pyarrow.decimal256(60, 2))})
    pyarrow.parquet.write_table(table, folder / "made.parquet")
    return (folder / "made.parquet").read_bytes()


def packed_text(folder):
    """A small file of Parquet with gigabytes of text in it."""
    import pyarrow
    import pyarrow.parquet

    text = pyarrow.array(["x" * 500_000] * 6000, pyarrow.string())
    pyarrow.parquet.write_table(pyarrow.table({"t": text}), folder / "made.parquet", compression="zstd", use_dictionary=False)
    return (folder / "made.parquet").read_bytes()


MADE = {
    "new-keys.jsonl": new_keys, "marked-new-keys.jsonl": marked_keys, "wide.csv": wide, "late-texts.csv": late_texts, "dates.csv": dates,
    "strings.csv": strings, "prose.csv": prose, "office.csv": office, "returns.csv": returns, "cut.csv.gz": cut_gzip, "open-quote.csv": open_quote,
    "escapes.csv": escapes, "large-numbers.csv": large_numbers, "cancelling.csv": cancelling, "decimal256.parquet": decimals,
    "packed-text.parquet": packed_text,
}
DATES = "(hop all_rows r.d-date) " + " ".join(f"(filter<= all_rows v0 r.d-date)" for _ in range(14)) + " (count v14)"
# Files that need another program than a count to do harm, and what the answer must be.
PROGRAMS = {
    "dates.csv": (DATES, "1"),
    "strings.csv": ("(hop all_rows r.name-str) (filter_in all_rows v0 r.name-str) (count v1)", "900000"),
    "cancelling.csv": ("(sum all_rows r.n-num)", "6"),
    "large-numbers.csv": ("(filter_in all_rows ['9007199254740993'] r.id-str) (hop v0 r.name-str)", "a"),
    "decimal256.parquet": ("(hop all_rows r.amount-str)", "12345678901234567890123456789012345678901234567890.12, -7.50"),
}


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Attack:
    def __init__(self, mapo, folder):
        self.mapo, self.folder, self.harm = mapo, folder, 0

    def row(self, name, seconds, megabytes, outcome, is_harm):
        self.harm += is_harm
        print(f"{'HARM ' if is_harm else ''}{name} | {seconds:.1f} s | {megabytes} | {outcome}", flush=True)

    def run(self, name, *command, expected=None, preexec=limited, environment=None):
        """Runs a command: it must end by itself, soon, with an answer or one sentence."""
        def prepared():
            preexec()
            # Others may be at work here too: a hang is one of the processor, and only what sleeps is ended by the clock.
            resource.setrlimit(resource.RLIMIT_CPU, (120, 120))

        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([self.mapo, *map(str, command)], stdout=out, stderr=errors, preexec_fn=prepared, env=environment, cwd=self.folder)
            timer = threading.Timer(1200, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = code = os.waitstatus_to_exitcode(status)
            out.seek(0), errors.seek(0)
            said, told = out.read().decode(errors="replace"), errors.read().decode(errors="replace")
        # Of processors: others may be at work here too.
        seconds = usage.ru_utime + usage.ru_stime
        sentence = [line for line in told.splitlines() if line.startswith(("mapo: ", "error: "))]
        answer = re.search(r"^answer: (.*)$", said, re.M)
        # A question without an answer is told where answers are.
        sentence += [line for line in said.splitlines() if code == 1][:1]
        outcome = f"exit {code}: " + (sentence[-1] if code and sentence else answer.group(0) if answer else (said.strip().splitlines() or [""])[-1])[:170]
        escaped = any(mark in told for mark in "\x1b\x9b")
        wrong = expected is not None and (answer is None or answer.group(1) != expected)
        silent = code != 0 and not sentence
        is_harm = code < 0 or silent or "panicked" in told or seconds > PATIENCE or escaped or wrong
        more = " (an escape sequence)" * escaped + f" (expected {expected})" * wrong
        self.row(name, seconds, f"{usage.ru_maxrss // 1024} MB", outcome.replace(str(self.folder) + "/", "") + more, is_harm)

    def in_terminal(self, *command):
        """What a command shows on a terminal: no escape sequence of a table may be among it."""
        said = bytearray()
        began = time.monotonic()
        terminal, line = pty.openpty()
        process = subprocess.Popen([self.mapo, *command], stdin=line, stdout=line, stderr=line, cwd=self.folder)
        os.close(line)
        with contextlib.suppress(OSError):
            while piece := os.read(terminal, 1 << 16):
                said.extend(piece)
        os.close(terminal)
        code = process.wait()
        text = said.decode(errors="replace")
        # What tables hold here; colours of our own are none of it.
        escaped = [evil for evil in ("\x1b[35;7m", "\x1b]0;", "\x1b[2J", "\x9b") if evil in text]
        self.row(f"escape sequences on a terminal: {command[0]}", time.monotonic() - began, "", f"exit {code}, let through: {escaped or 'none'}", bool(escaped) or code not in (0, 1, 2))

    @contextlib.contextmanager
    def server(self, *options):
        process = subprocess.Popen([self.mapo, "serve", "--address", "127.0.0.1:0", *map(str, options)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=limited, cwd=self.folder)
        line = process.stdout.readline()
        found = re.search(r"http://([^/]*)/", line)
        try:
            yield found and found.group(1), process
        finally:
            process.terminate()
            process.wait()

    @staticmethod
    def call(address, method, path, body=None, headers={}, source="127.0.0.1"):
        host, port = address.split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=120, source_address=(source, 0))
        began = time.monotonic()
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, content, answer.headers, time.monotonic() - began

    def memory(self, process):
        text = Path(f"/proc/{process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024

    def counted(self, name):
        """How much of the memory that an uploaded table takes the server counts, before and after it is asked."""
        content = (self.folder / name).read_bytes()
        with self.server() as (address, process):
            before = self.memory(process)
            status, body, headers, seconds = self.call(address, "POST", f"/api/tables?name={name}", content)
            if status != 201:
                return self.row(f"memory of {name}", seconds, "", f"{status} {body[:120]}", status >= 500)
            cookie = headers["Set-Cookie"].split(";")[0]
            path = f"/api/tables/{json.loads(body)['id']}/ask"
            self.call(address, "POST", path, json.dumps({"question": "how many rows have the highest number and the longest remark?"}),
                      {"Content-Type": "application/json", "Cookie": cookie})
            real = self.memory(process) - before
            counted = json.loads(self.call(address, "GET", "/api/health")[1])["sessions"]["bytes"]
        outcome = f"counted {counted / 1e6:.1f} MB, taken {real / 1e6:.1f} MB after a question ({real / counted:.2f} times)"
        self.row(f"memory of {name}", seconds, f"{real >> 20} MB", outcome, real > 2 * counted + (32 << 20))

    def sessions(self):
        """64 tiny uploads of one client, each in a session of its own: another still uploads."""
        with self.server() as (address, _):
            began = time.monotonic()
            for _ in range(64):
                self.call(address, "POST", "/api/tables?name=t.csv", "a\n1\n")
            seconds = time.monotonic() - began
            status, *_ = self.call(address, "POST", "/api/tables?name=t.csv", "a\n1\n", source="127.0.0.2")
        self.row("64 tiny uploads of one client", seconds, "", f"another client's upload: {status}", status != 201)

    def slow_uploads(self):
        """Uploads that never end, of one client: another does not notice."""
        with self.server() as (address, _):
            host, port = address.split(":")
            slow = []
            for _ in range(8):
                connection = http.client.HTTPConnection(host, int(port))
                connection.putrequest("POST", "/api/tables?name=t.csv")
                connection.putheader("Content-Length", "1000000")
                connection.endheaders(b"a,b\n")
                slow.append(connection)
            time.sleep(1)
            waits = []
            for _ in range(20):
                status, *_, seconds = self.call(address, "POST", "/api/tables?name=t.csv", "a\n1\n", source="127.0.0.2")
                waits.append((seconds, status))
        statuses = {status for _, status in waits}
        self.row("8 uploads that never end", max(waits)[0], "", f"20 of another client: {statuses}, the slowest {max(waits)[0] * 1000:.0f} ms",
                 statuses != {201} or max(waits)[0] > 1)

    def long_questions(self):
        """Questions and programs that take long, until their time is over; then the server must be free again."""
        asks = [("dates.csv", "run", {"program": DATES}), ("strings.csv", "run", {"program": PROGRAMS["strings.csv"][0]})]
        words = (self.folder / "prose.csv").read_text().split()[1:300]
        asks.append(("prose.csv", "ask", {"question": " ".join(words)}))
        asks.append(("office.csv", "ask", {"question": "which client with kind waiting has the highest amount after 2003?"}))
        for name, what, body in asks:
            statuses, answered, freed = [], [], []
            # Each time in a server that has not been asked yet, and is stopped at another place.
            for allowed in [0.01 * 1.35**place for place in range(20)]:
                with self.server("--question-time", f"{allowed:.4f}", self.folder / name) as (address, _):
                    tables = json.loads(self.call(address, "GET", "/api/tables")[1])["tables"]
                    table = next(table["id"] for table in tables if table["source"] != "example")
                    began = time.monotonic()
                    status, *_ = self.call(address, "POST", f"/api/tables/{table}/{what}", json.dumps(body), {"Content-Type": "application/json"})
                    statuses.append(status)
                    if status == 504:
                        answered.append(time.monotonic() - began - allowed)
                        while json.loads(self.call(address, "GET", "/api/health")[1])["questions"]["running"]:
                            pass
                        freed.append(time.monotonic() - began - allowed)
            if not freed:
                self.row(f"{name} in the server", 0, "", f"{what}: never stopped, {statuses}", True)
                continue
            middle = lambda times: sorted(times)[len(times) // 2] * 1000
            outcome = (f"{what}, allowed 10 ms to 3 s, {len(freed)} of 20 stopped: told {middle(answered):.0f} ms after its time (p50; latest {max(answered) * 1000:.0f}), "
                       f"no longer at work after {middle(freed):.0f} ms (latest {max(freed) * 1000:.0f})")
            self.row(f"{name} in the server", 0, "", outcome, max(freed) > 0.1 or not set(statuses) <= {200, 504})

    def pipes(self):
        """A run whose metrics are a pipe that nobody writes."""
        run = self.folder / "runs/stuck"
        run.mkdir(parents=True, exist_ok=True)
        os.mkfifo(run / "metrics.jsonl")
        with self.server("--runs", self.folder / "runs") as (address, _):
            status, body, _, seconds = self.call(address, "GET", "/api/runs")
            others, *_ = self.call(address, "GET", "/api/health")
        self.row("a pipe as metrics.jsonl", seconds, "", f"/api/runs {status}, /api/health {others}", status >= 500 or others != 200 or seconds > 1)

    def beyond_reason(self):
        """Settings that nobody means."""
        most = 2**64 - 1
        for options in ([f"--max-connections={most}"], [f"--max-questions={most}", f"--max-uploads={most}"], ["--idle-time=999999999", "--question-time=999999999"]):
            with self.server(*options) as (address, process):
                status = address and self.call(address, "GET", "/api/health")[0]
                said = "" if address else process.stderr.read()[:150]
            self.row(f"serve {' '.join(options)}", 0, "", f"/api/health {status} {said}".strip(), status != 200 and not said.startswith(("mapo: ", "error: ")))
        self.run("explore --threads 1000000", "explore", "--data", "toy", "--limit", "3", "--programs", "20", "--threads", "1000000", "--out", "s.jsonl")
        self.run(f"train --threads {most}", "train", "--data", "toy", "--threads", most, "--set", "steps=1", "--run", "r")

    def may_not_grow(self):
        """A file that may not grow: a signal whose default is to end the process."""
        def small():
            limited()
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.run("explore, files of 4 kB", "explore", "--data", "toy", "--limit", "50", "--programs", "500", "--out", "full.jsonl", preexec=small)

    def all(self, files):
        print("what | processor time | memory | what happens\n---|---|---|---")
        for file in files:
            self.run(file.name, "run", file.resolve(), COUNT)
        for name in MADE:
            program, expected = PROGRAMS.get(name, (COUNT, None))
            self.run(f"{name} ({MADE[name].__doc__.rstrip('.')})", "run", self.folder / name, program, expected=expected)
        (self.folder / "questions.jsonl").write_text(json.dumps({"table": "escapes.csv", "question": "wh\x1b[35;7mo?", "answer": ["An\x1b]0;evil\x07ne"]}) + "\n")
        for command in (["ask", "escapes.csv", "how many rows are there?"], ["ask", "escapes.csv", "who is from Oslo?"], ["run", "escapes.csv", "(hop all_rows r.town-str)"],
                        ["sql", "escapes.csv"], ["ask", "escapes.csv", "who is \x1b[35;7m?", "--json"], ["run", "escapes.csv", "(hop all_rows r.no\x1b[35;7m-str)"], ["train", "--data", "jsonl:no\x1b[35;7mfile", "--run", "r"], ["data", "jsonl:questions.jsonl", "--example", "1"], ["run", "no\x1b[35;7m.csv", COUNT]):
            self.in_terminal(*command)
        (self.folder / "nothing-here").mkdir()
        self.run("train --resume without a run", "train", "--resume", "nothing-here")
        self.may_not_grow()
        self.beyond_reason()
        self.pipes()
        self.sessions()
        self.slow_uploads()
        for name in ("wide.csv", "late-texts.csv", "strings.csv"):
            self.counted(name)
        self.long_questions()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mapo", default="target/release/mapo")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the files that are made here, and end")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    scratch = tempfile.TemporaryDirectory()
    folder = arguments.write or Path(scratch.name)
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.write:
        for name, make in MADE.items():
            try:
                (folder / name).write_bytes(make(Path(scratch.name)))
            except ImportError as error:
                sys.exit(f"{name} cannot be made: {error}; pip install pyarrow")
        return
    # Elsewhere, since the memory of this process is counted to that of those it starts.
    if subprocess.run([sys.executable, __file__, "--write", folder]).returncode:
        sys.exit(1)
    attack = Attack(str(Path(arguments.mapo).resolve()), folder)
    attack.all(arguments.files)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if attack.harm else 0)


if __name__ == "__main__":
    main()
