#!/usr/bin/env python3
"""Writes what the published tokenizer and encoder make of a few sentences of our own, for crates/programmer/tests/published.rs.

    python3 tools/golden_encoder.py FOLDER > crates/programmer/tests/encoder/golden.json

FOLDER holds all-MiniLM-L6-v2: `model.safetensors`, `config.json` and `tokenizer.json`. Needs the packages torch, transformers and
tokenizers.
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoModel

SENTENCES = [
    "Which customers are still waiting for their repair?",
    "how many bicycles cost more than $1,299.50 in 2019",
    "Où est le café naïf de la Straße №5?",
    "the 東京 office's 12–14 May dates, e.g. \u201copen\u201d",
    "supercalifragilisticexpialidocious re-registration of \u0130stanbul\u2019s caf\u00e9s",
    "x\u200by\u00a0z\ttab\u3000wide \ufb01ne \u00bd 100\u00b0C",
    "\u0391\u03b8\u03ae\u03bd\u03b1 \u041c\u043e\u0441\u043a\u0432\u0430 \u0627\u0644\u0642\u0627\u0647\u0631\u0629 \U0001f6b2 bike",
    "w" * 101 + " short",
    "",
]
# Of every row of the outputs the first numbers, and the mean of the absolute values of all.
KEPT = 16


def main():
    folder = Path(sys.argv[1])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    model = AutoModel.from_pretrained(folder).eval()
    golden = []
    for number, sentence in enumerate(SENTENCES):
        ids = tokenizer.encode(sentence).ids
        entry = {"text": sentence, "ids": ids}
        if number in (0, 3, 8):
            with torch.inference_mode():
                out = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
            entry["outputs"] = [[round(x, 6) for x in row[:KEPT].tolist()] for row in out]
            entry["means"] = [round(x, 6) for x in out.abs().mean(dim=1).tolist()]
        golden.append(entry)
    print("[\n" + ",\n".join(json.dumps(entry, ensure_ascii=True) for entry in golden) + "\n]")


if __name__ == "__main__":
    main()
