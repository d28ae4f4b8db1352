#!/usr/bin/env python3
"""Compares our word pieces with those of a published tokenizer, line by line.

    python3 tools/check_word_pieces.py FOLDER FILE...

FOLDER holds `vocab.txt` and `tokenizer.json`; of a FILE in TSV format the second column is read (WikiTableQuestions' questions), of others
whole lines. Every character of Unicode is tried too, alone and within a word. Needs the package tokenizers, and cargo.
"""

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

from tokenizers import Tokenizer

ROOT = Path(__file__).resolve().parents[1]


def lines_of(path):
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines()):
        if path.endswith(".tsv"):
            if number > 0:
                yield line.split("\t")[1]
        else:
            yield line


def main():
    folder, files = Path(sys.argv[1]), sys.argv[2:]
    theirs = Tokenizer.from_file(str(folder / "tokenizer.json"))
    theirs.no_truncation()
    theirs.no_padding()
    groups = {file: list(lines_of(file)) for file in files}
    surrogates = range(0xD800, 0xE000)
    characters = [chr(c) for c in range(1, 0x110000) if c not in surrogates and chr(c) not in "\n\r"]
    groups["characters"] = [line for c in characters for line in (c, f"re{c}paired")]
    command = ["cargo", "run", "--release", "--quiet", "-p", "mapo-programmer", "--example", "pieces", "--", str(folder / "vocab.txt")]
    everything = [line for lines in groups.values() for line in lines]
    out = subprocess.run(command, cwd=ROOT, input="\n".join(everything) + "\n", check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    ours = iter(out.split("\n"))
    for name, lines in groups.items():
        different = []
        for line in lines:
            mine = json.loads(next(ours))
            if mine != theirs.encode(line).ids:
                different.append(line)
        print(f"{name}: {len(lines)} lines, {len(different)} different")
        if name != "characters":
            for line in different[:5]:
                print(f"  {line}")
        kinds = {}
        for line in different:
            if name == "characters":
                c = line[0] if len(line) == 1 else line[2]
                kinds.setdefault(unicodedata.category(c), []).append(hex(ord(c)))
        for kind, found in sorted(kinds.items()):
            print(f"  {kind}: {len(found)}, such as {', '.join(found[:4])}")


if __name__ == "__main__":
    main()
