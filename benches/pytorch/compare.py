#!/usr/bin/env python3
"""Times the programmer beside PyTorch doing the same work with the same weights.

    python3 benches/pytorch/compare.py [--json] [--rounds N]

Needs the packages torch, numpy and safetensors, and cargo. It builds the Rust side in release mode, which writes the work
and the weights to a directory; then both sides take turns, on two threads, and the medians are compared.

The work: 25 questions of 5 to 35 tokens. *train*: 50 programs of 6 to 20 tokens, one whole step (forward, backward,
clipping, Adam) with dropout 0.2 and an entropy term; *score*: log-probabilities of 500 programs. *loss_difference*
compares the losses of the train batch without dropout.

The PyTorch side is tuned as far as we know how: packed sequences, `nn.LSTM` for whole stretches of tokens, attention and pointer
for all steps of a stretch at once, index tensors made beforehand and not timed (ours are made inside the time), fused Adam,
`torch.inference_mode` for scoring, and `torch.compile` for the attention, pointer and loss where it is faster (it is tried at
the start). Decoder inputs are known except results of earlier expressions, so a program is run expression by expression: at most three
stretches, all programs together.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
THREADS = 2
DIVISOR = 50.0
ENTROPY = 0.01
DROPOUT = 0.2


def build():
    """Builds the Rust side and returns its executable."""
    command = ["cargo", "bench", "-p", "mapo-programmer", "--bench", "network", "--no-run", "--message-format=json"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        message = json.loads(line)
        if message.get("executable") and message.get("target", {}).get("name") == "network":
            return message["executable"]
    raise SystemExit("cargo named no executable")


class Ours:
    """The Rust side, obeying commands over a pipe."""

    def __init__(self, executable, directory):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([executable, "serve", directory], stdin=pipe, stdout=pipe, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise SystemExit("the Rust side did not start")

    def run(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["seconds"], answer["value"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def slices(flat, ends):
    start = 0
    for end in ends:
        yield flat[start:end]
        start = end


class Theirs:
    """The PyTorch side."""

    def __init__(self, directory):
        import torch
        from safetensors.torch import load_file

        self.torch = torch
        torch.set_num_threads(THREADS)
        torch.set_flush_denormal(True)
        work = json.loads((directory / "work.json").read_text())
        tensors = load_file(directory / "model.safetensors")
        self.fixed = tensors.pop("words.fixed").float()
        self.hidden = tensors["slots.start"].shape[1]
        self.p = {}
        self.lstms = {}
        self.load(tensors)
        self.examples = work["examples"]
        self.prepare_examples()
        self.train_plan = self.plan(work["train"])
        self.score_plan = self.plan(work["score"])
        parameters = list(self.p.values()) + [q for m in self.lstms.values() for q in m.parameters()]
        # The second bias of nn.LSTM stays zero and untrained: our LSTM has one.
        self.parameters = [q for q in parameters if q.requires_grad]
        self.optimiser = torch.optim.Adam(self.parameters, lr=1e-3, fused=True)
        self.head = self.plain_head
        self.compiled = False

    # Weights.
    def load(self, tensors):
        torch = self.torch
        stacks = {}
        for name, value in tensors.items():
            part = name.rsplit(".", 1)
            if part[-1] in ("input", "recurrent") or (part[0] + ".input") in tensors:
                stacks.setdefault(part[0], {})[part[-1]] = value
            else:
                self.p[name.replace(".", "_")] = value.clone().squeeze(0).requires_grad_()
        for name in ("words.rows", "slots.builtin"):
            self.p[name.replace(".", "_")] = tensors[name].clone().requires_grad_()
        for name, w in stacks.items():
            lstm = torch.nn.LSTM(w["input"].shape[1], self.hidden)
            with torch.no_grad():
                lstm.weight_ih_l0.copy_(w["input"])
                lstm.weight_hh_l0.copy_(w["recurrent"])
                lstm.bias_ih_l0.copy_(w["bias"].squeeze(0))
                lstm.bias_hh_l0.zero_()
            lstm.bias_hh_l0.requires_grad_(False)
            self.lstms[name] = lstm

    # Index tensors, made once.
    def packing(self, lengths):
        """Rows of packed time steps for sequences with these lengths: (order, batch sizes, (sequence, step) of each row)."""
        torch = self.torch
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
        sizes, rows = [], []
        for t in range(max(lengths)):
            alive = [i for i in order if lengths[i] > t]
            sizes.append(len(alive))
            rows += [(i, t) for i in alive]
        return order, torch.tensor(sizes), rows

    def prepare_examples(self):
        torch = self.torch
        lengths = [len(e["tokens"]) for e in self.examples]
        starts = [sum(lengths[:i]) for i in range(len(lengths))]
        self.lengths = lengths
        tokens = [t for e in self.examples for t in e["tokens"]]
        self.tokens = torch.tensor(tokens)
        features = [f for e in self.examples for f in e["token_features"]]
        self.token_features = torch.tensor(features).reshape(len(tokens), -1)
        order, self.sizes, rows = self.packing(lengths)
        self.to_packed = [
            torch.tensor([starts[i] + t for i, t in rows]),
            torch.tensor([starts[i] + lengths[i] - 1 - t for i, t in rows]),
        ]
        self.to_natural = [torch.argsort(index) for index in self.to_packed]
        self.unsort = torch.argsort(torch.tensor(order))
        longest = max(lengths)
        # Encoder outputs padded for attention: one row of zeros beyond the last token.
        table = torch.full((len(lengths), longest), len(tokens))
        for i, n in enumerate(lengths):
            table[i, :n] = torch.arange(starts[i], starts[i] + n)
        self.token_table = table
        self.token_mask = torch.where(table == len(tokens), -1e9, 0.0)
        # Columns: means as a small sparse-like product.
        words, columns, factors, column_features = [], [], [], []
        self.column_start, count = [], 0
        for e in self.examples:
            c = e["columns"]
            self.column_start.append(count)
            for name, kind in zip(slices(c["words"], c["ends"]), c["kinds"]):
                for w in name:
                    words.append(w), columns.append(count), factors.append(0.5 / len(name))
                words.append(kind), columns.append(count), factors.append(0.5)
                count += 1
            column_features += c["features"]
        self.columns = count
        self.column_words = torch.tensor(words)
        self.column_of = torch.tensor(columns)
        self.column_factor = torch.tensor(factors).unsqueeze(1)
        self.column_features = torch.tensor(column_features).reshape(count, -1)
        self.constant_start, first, last, total = [], [], [], 0
        for i, e in enumerate(self.examples):
            self.constant_start.append(total)
            for span in e["constants"]:
                first.append(starts[i] + span["first"]), last.append(starts[i] + span["last"])
                total += 1
        self.constant_first, self.constant_last = torch.tensor(first), torch.tensor(last)
        self.constants = total

    def plan(self, programs):
        """Cuts programs into stretches that end where an expression ends, and resolves slots to rows of the slot matrix."""
        torch = self.torch
        builtins = self.p["slots_builtin"].shape[0]
        base = builtins + 1 + self.columns + self.constants
        cut = []
        for p in programs:
            s = p["steps"]
            ends, start = [], 0
            for t, defines in enumerate(s["defines"]):
                if defines:
                    ends.append((start, t + 1))
                    start = t + 1
            ends.append((start, len(s["chosen"])))
            cut.append(ends)
        variable_row = [[] for _ in programs]
        stretches, variables = [], 0
        for r in range(max(map(len, cut))):
            members = [i for i in range(len(programs)) if len(cut[i]) > r]
            lengths = [cut[i][r][1] - cut[i][r][0] for i in members]
            order, sizes, rows = self.packing(lengths)
            inputs, examples, slots, chosen, weights, defined, program = [], [], [], [], [], [], []
            for row, (m, t) in enumerate(rows):
                i = members[m]
                p, s = programs[i], programs[i]["steps"]
                step = cut[i][r][0] + t
                e = p["example"]
                columns = len(self.examples[e]["columns"]["kinds"])
                constants = len(self.examples[e]["constants"])

                def resolve(slot):
                    if slot < builtins:
                        return slot
                    if slot < builtins + columns:
                        return builtins + 1 + self.column_start[e] + slot - builtins
                    if slot < builtins + columns + constants:
                        return builtins + 1 + self.columns + self.constant_start[e] + slot - builtins - columns
                    return variable_row[i][slot - builtins - columns - constants]

                inputs.append(builtins if step == 0 else resolve(s["chosen"][step - 1]))
                examples.append(e)
                ends = s["ends"]
                valid = s["valid"][ends[step - 1] if step else 0 : ends[step]]
                slots.append([resolve(v) for v in valid])
                chosen.append(valid.index(s["chosen"][step]))
                weights.append(p["weight"])
                program.append(i)
                if s["defines"][step]:
                    defined.append((row, i))
            for row, i in defined:
                variable_row[i].append(base + variables)
                variables += 1
            widest = max(map(len, slots))
            table = torch.zeros(len(slots), widest, dtype=torch.long)
            mask = torch.full((len(slots), widest), -1e9)
            for row, valid in enumerate(slots):
                table[row, : len(valid)] = torch.tensor(valid)
                mask[row, : len(valid)] = 0.0
            # State to continue from: the example's for the first stretch, else that of the stretch before.
            stretches.append(
                dict(
                    sizes=sizes,
                    inputs=torch.tensor(inputs),
                    examples=torch.tensor(examples),
                    slots=table,
                    mask=mask,
                    chosen=torch.tensor(chosen),
                    weights=torch.tensor(weights),
                    program=torch.tensor(program),
                    defined=torch.tensor([row for row, _ in defined]),
                    state=torch.tensor(
                        [programs[members[m]]["example"] if r == 0 else before[members[m]] for m in order]
                    ),
                )
            )
            before = {members[m]: place for place, m in enumerate(order)}
        return dict(stretches=stretches, programs=len(programs))

    # The network.
    def linear(self, name, x, bias=True):
        return self.torch.nn.functional.linear(x, self.p[name + "_weight"], self.p[name + "_bias"] if bias else None)

    def run_lstm(self, name, x, sizes, state=None):
        packed = self.torch.nn.utils.rnn.PackedSequence(x, sizes)
        out, (h, c) = self.lstms[name](packed, state)
        return out.data, h, c

    def encode(self, dropout):
        torch, f = self.torch, self.torch.nn.functional
        table = torch.cat([self.p["words_rows"], self.fixed])
        x = torch.cat([self.linear("words_projection", f.embedding(self.tokens, table)), self.token_features], 1)
        outputs, final = [], None
        for d, direction in enumerate(("forward", "backward")):
            first, h0, c0 = self.run_lstm(f"encoder.{direction}.0", x[self.to_packed[d]], self.sizes)
            first = f.dropout(first, dropout) if dropout else first
            second, h1, c1 = self.run_lstm(f"encoder.{direction}.1", first, self.sizes)
            second = first + (f.dropout(second, dropout) if dropout else second)
            outputs.append(second[self.to_natural[d]])
            if d == 0:
                final = [s.squeeze(0)[self.unsort] for s in (h0, c0, h1, c1)]
        weight = torch.cat([self.p["encoder_output_forward_weight"], self.p["encoder_output_backward_weight"]], 1)
        encoded = f.linear(torch.cat(outputs, 1), weight, self.p["encoder_output_forward_bias"])
        vectors = torch.zeros(self.columns, table.shape[1]).index_add(
            0, self.column_of, f.embedding(self.column_words, table) * self.column_factor
        )
        columns = self.linear("columns_projection", vectors)
        constants = 0.5 * (encoded[self.constant_first] + encoded[self.constant_last])
        start = self.p["slots_start"].unsqueeze(0)
        slots = torch.cat([self.p["slots_builtin"], start, columns, constants])
        bias = torch.cat(
            [
                torch.zeros(len(self.p["slots_builtin"]) + 1),
                self.column_features @ self.p["columns_feature"].reshape(-1),
                torch.zeros(self.constants),
            ]
        )
        padded = f.pad(encoded, (0, 0, 0, 1))[self.token_table]
        keys = self.linear("attention_key", padded)
        contents = self.linear("attention_content", padded)
        return slots, bias, keys, contents, final

    def plain_head(self, state, keys, contents, examples, token_mask, slots, bias, table, mask, chosen):
        """Outputs, log-probabilities of the choices, and entropies, for all steps of a stretch."""
        torch, f = self.torch, self.torch.nn.functional
        query = self.linear("attention_query", state, bias=False)
        scores = torch.tanh(query.unsqueeze(1) + keys[examples]) @ self.p["attention_score"]
        probability = torch.softmax(scores + token_mask[examples], 1)
        context = torch.bmm(probability.unsqueeze(1), contents[examples]).squeeze(1)
        output = self.linear("output_state", state) + self.linear("output_context", context, bias=False)
        logits = torch.bmm(slots[table], output.unsqueeze(2)).squeeze(2) + bias[table] + mask
        log_probability = f.log_softmax(logits, 1)
        entropy = -(log_probability.exp() * log_probability).sum(1)
        return output, log_probability.gather(1, chosen.unsqueeze(1)).squeeze(1), entropy

    def decode(self, plan, encoded, dropout):
        torch, f = self.torch, self.torch.nn.functional
        slots, bias, keys, contents, state = encoded
        chosen, entropies = [], []
        for s in plan["stretches"]:
            h0, c0, h1, c1 = (x[s["state"]].unsqueeze(0) for x in state)
            first, h0, c0 = self.run_lstm("decoder.0", slots[s["inputs"]], s["sizes"], (h0, c0))
            first = f.dropout(first, dropout) if dropout else first
            second, h1, c1 = self.run_lstm("decoder.1", first, s["sizes"], (h1, c1))
            second = first + (f.dropout(second, dropout) if dropout else second)
            state = [x.squeeze(0) for x in (h0, c0, h1, c1)]
            output, log_probability, entropy = self.head(
                second, keys, contents, s["examples"], self.token_mask, slots, bias, s["slots"], s["mask"], s["chosen"]
            )
            chosen.append(log_probability)
            entropies.append(entropy)
            if len(s["defined"]):
                slots = torch.cat([slots, output[s["defined"]]])
                bias = torch.cat([bias, torch.zeros(len(s["defined"]))])
        return chosen, entropies

    def loss(self, dropout=0.0):
        chosen, entropies = self.decode(self.train_plan, self.encode(dropout), dropout)
        total = 0.0
        for s, log_probability, entropy in zip(self.train_plan["stretches"], chosen, entropies):
            total = total - (s["weights"] * log_probability).sum() + ENTROPY * entropy.sum()
        return total / DIVISOR

    def train(self):
        loss = self.loss(DROPOUT)
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.parameters, 5.0, foreach=True)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return loss.item()

    def score(self):
        torch = self.torch
        with torch.inference_mode():
            chosen, _ = self.decode(self.score_plan, self.encode(0.0), 0.0)
            sums = torch.zeros(self.score_plan["programs"])
            for s, log_probability in zip(self.score_plan["stretches"], chosen):
                sums.index_add_(0, s["program"], log_probability)
            return sums.mean().item()

    def timed(self, run, repeat=1):
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            value = run()
            times.append(time.perf_counter() - start)
        return statistics.median(times), value

    def tune(self):
        """Tries torch.compile for the part after the LSTMs and keeps it if training and scoring are faster together."""
        torch = self.torch
        for _ in range(3):
            self.train(), self.score()
        plain = self.timed(self.train, 7)[0] + self.timed(self.score, 7)[0]
        try:
            self.head = torch.compile(self.plain_head, dynamic=True)
            for _ in range(3):
                self.train(), self.score()
            compiled = self.timed(self.train, 7)[0] + self.timed(self.score, 7)[0]
            self.compiled = compiled < plain
            print(f"torch.compile: {1e3 * compiled:.1f} ms instead of {1e3 * plain:.1f}", file=sys.stderr)
        except Exception as error:  # no compiler on this machine: plain PyTorch is compared
            print(f"torch.compile does not work here: {error}", file=sys.stderr)
        if not self.compiled:
            self.head = self.plain_head


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--rounds", type=int, default=31, help="how often each side runs")
    arguments = parser.parse_args()
    executable = build()
    with tempfile.TemporaryDirectory() as directory:
        ours = Ours(executable, directory)
        theirs = Theirs(Path(directory))
        _, our_loss = ours.run("loss")
        their_loss = theirs.loss().item()
        _, our_score = ours.run("score")
        their_score = theirs.score()
        theirs.tune()
        for _ in range(3):
            ours.run("train"), ours.run("score"), ours.run("tree")
        times = {key: [] for key in ("train", "score", "tree", "torch_train", "torch_score")}
        for _ in range(arguments.rounds):
            times["train"].append(ours.run("train")[0])
            times["torch_train"].append(theirs.timed(theirs.train)[0])
            times["score"].append(ours.run("score")[0])
            times["torch_score"].append(theirs.timed(theirs.score)[0])
            times["tree"].append(ours.run("tree")[0])
        ours.close()
    median = {key: statistics.median(values) for key, values in times.items()}
    result = {
        "train_ratio": median["torch_train"] / median["train"],
        "score_ratio": median["torch_score"] / median["score"],
        "score_tree_ratio": median["torch_score"] / median["tree"],
        "loss_difference": abs(our_loss - their_loss),
        "score_difference": abs(our_score - their_score),
        "milliseconds": {key: round(1e3 * value, 2) for key, value in median.items()},
        "torch": theirs.torch.__version__,
        "torch_compile": theirs.compiled,
        "threads": THREADS,
        "rounds": arguments.rounds,
    }
    if arguments.json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            print(f"{key}: {value}")


if __name__ == "__main__":
    main()
