#!/usr/bin/env python3
"""Times the programmer beside PyTorch doing the same work with the same weights.

    python3 benches/pytorch/compare.py [--json] [--rounds N] [--threads N] [--quiet]

Needs the packages torch, numpy and safetensors, and cargo. It builds the Rust side in release mode, which writes the work
and the weights to a directory; then both sides take turns, on two threads (or as many as are
asked for), and the medians are compared. Processor times are given too: with --threads 1 their ratio holds on a busy
machine as well.

The work: 25 questions of 5 to 35 tokens. *train*: 50 programs of 6 to 20 tokens, one whole step (forward, backward,
clipping, Adam) with dropout 0.2 and an entropy term; *score*: log-probabilities of 500 programs, ours as the actors of
a training find them: prefix by prefix, each thread with its share of the questions. *loss_difference* compares the
losses of the train batch without dropout.

The PyTorch side is tuned as far as we know how. Both of PyTorch's own LSTMs are tried at the start, and the faster is kept for each kind of
work: packed sequences, and the fused LSTM for dense sequences (several times faster in training), for which sequences are padded, questions in groups of
like length, with an extra input that holds the cell where a sequence has ended. `torch.compile` is tried for everything after the LSTMs. Attention and pointer run for all steps
of a stretch at once; index tensors are made beforehand and not timed (ours are made inside the time); Adam is fused; scoring is in
`torch.inference_mode`. Decoder inputs are known except results of earlier expressions, so a program is run expression by expression: at most four
stretches, all programs together.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIVISOR = 50.0
ENTROPY = 0.01
DROPOUT = 0.2


def build():
    """Builds the Rust side and returns its executable."""
    command = ["cargo", "bench", "-p", "mapo-training", "--bench", "network", "--no-run", "--message-format=json"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in out.splitlines():
        message = json.loads(line)
        if message.get("executable") and message.get("target", {}).get("name") == "network":
            return message["executable"]
    raise SystemExit("cargo named no executable")


def busy_seconds():
    """Processor time that the whole machine has spent, or None where that is not known."""
    try:
        fields = Path("/proc/stat").read_text().split("\n")[0].split()[1:]
        return (sum(map(int, fields[:3])) + sum(map(int, fields[5:7]))) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return None


def own_seconds(process):
    """Processor time of this process and of the Rust side."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(os.times()[:2]) + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Waits, if asked to, until the machine does nothing else, and tells whether it did meanwhile."""

    def __init__(self, process, quiet):
        self.process, self.quiet = process, quiet and busy_seconds() is not None

    def mark(self):
        return busy_seconds() - own_seconds(self.process), time.perf_counter()

    def others(self, mark):
        """Processors that others kept busy since the mark."""
        busy, now = self.mark()
        return max(0.0, busy - mark[0]) / (now - mark[1])

    def undisturbed(self, run):
        """The result of a run during which, if that is asked for, the machine did nothing else."""
        while self.quiet:
            mark = self.mark()
            time.sleep(0.5)
            if self.others(mark) < 0.1:
                mark = self.mark()
                result = run()
                if self.others(mark) < 0.1:
                    return result
        return run()


class Ours:
    """The Rust side, obeying commands over a pipe."""

    def __init__(self, executable, directory, threads):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([executable, "serve", directory, str(threads)], stdin=pipe, stdout=pipe, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise SystemExit("the Rust side did not start")

    def run(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["seconds"], answer["processor"], answer["value"]

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

    def __init__(self, directory, threads):
        import torch
        from safetensors.torch import load_file

        self.torch = torch
        torch.set_num_threads(threads)
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
        self.parameters = list(self.p.values()) + [q for w in self.lstms.values() for q in w]
        self.optimiser = torch.optim.Adam(self.parameters, lr=1e-3, fused=True)
        self.head = self.plain_head
        self.choice = {}
        self.dense = {"train": True, "score": True}

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
        hold = torch.zeros(4 * self.hidden, 1)
        hold[: self.hidden] = -1e4  # the input gate closes
        hold[self.hidden : 2 * self.hidden] = 1e4  # the forget gate keeps all
        self.hold = hold
        self.zero_bias = torch.zeros(4 * self.hidden)
        for name, w in stacks.items():
            parts = (w["input"], w["recurrent"], w["bias"].squeeze(0))
            self.lstms[name] = [x.clone().requires_grad_() for x in parts]

    # Index tensors, made once.
    def packing(self, lengths):
        """Both layouts of sequences with these lengths: rows of packed time steps, and padded groups."""
        torch = self.torch
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
        sizes, rows = [], []
        for t in range(max(lengths)):
            alive = [i for i in order if lengths[i] > t]
            sizes.append(len(alive))
            rows += [(i, t) for i in alive]
        row_of = {place: row for row, place in enumerate(rows)}
        # Long sequences in groups, so that little is padded.
        count = 3 if max(lengths) > 12 else 1
        groups, padded_row, offset = [], {}, 0
        for g in range(count):
            members = order[g * len(order) // count : (g + 1) * len(order) // count]
            longest, width = max(lengths[m] for m in members), len(members)
            index = torch.zeros(longest, width, dtype=torch.long)
            pad = torch.ones(longest, width, 1)
            for j, m in enumerate(members):
                for t in range(lengths[m]):
                    index[t, j], pad[t, j, 0] = row_of[m, t], 0.0
                    padded_row[m, t] = offset + t * width + j
            last = torch.tensor([(lengths[m] - 1) * width + j for j, m in enumerate(members)])
            start = sum(len(g["order"]) for g in groups)
            groups.append(dict(index=index, pad=pad, last=last, order=members, span=(start, start + width)))
            offset += longest * width
        # From padded rows back to packed ones.
        back = torch.tensor([padded_row[place] for place in rows])
        return order, dict(sizes=torch.tensor(sizes), groups=groups, back=back), rows

    def prepare_examples(self):
        torch = self.torch
        lengths = [len(e["tokens"]) for e in self.examples]
        starts = [sum(lengths[:i]) for i in range(len(lengths))]
        self.lengths = lengths
        tokens = [t for e in self.examples for t in e["tokens"]]
        self.tokens = torch.tensor(tokens)
        features = [f for e in self.examples for f in e["token_features"]]
        self.token_features = torch.tensor(features).reshape(len(tokens), -1)
        order, self.layout, rows = self.packing(lengths)
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
            order, layout, rows = self.packing(lengths)
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
                    layout=layout,
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

    def run_lstm(self, name, x, layout, dense, state=None):
        """x and the result are packed rows; states are in the order of the packing."""
        torch = self.torch
        wx, wh, bias = self.lstms[name]
        training = torch.is_grad_enabled()
        if not dense:
            if state is None:
                zero = torch.zeros(1, int(layout["sizes"][0]), self.hidden)
                state = (zero, zero)
            weights = [wx, wh, bias, self.zero_bias]
            return torch._VF.lstm(x, layout["sizes"], state, weights, True, 1, 0.0, training, False)
        weights = [torch.cat([wx, self.hold], 1), wh, bias, self.zero_bias]
        outs, hs, cs = [], [], []
        for g in layout["groups"]:
            a, b = g["span"]
            if state is None:
                zero = torch.zeros(1, b - a, self.hidden)
                before = (zero, zero)
            else:
                before = tuple(s[:, a:b].contiguous() for s in state)
            inputs = torch.cat([x[g["index"]], g["pad"]], 2)
            out, _, c = torch._VF.lstm(inputs, before, weights, True, 1, 0.0, training, False, False)
            out = out.reshape(-1, self.hidden)
            outs.append(out), hs.append(out[g["last"]]), cs.append(c.squeeze(0))
        out = torch.cat(outs)[layout["back"]]
        return out, torch.cat(hs).unsqueeze(0), torch.cat(cs).unsqueeze(0)

    def encode(self, dropout, dense):
        torch, f = self.torch, self.torch.nn.functional
        table = torch.cat([self.p["words_rows"], self.fixed])
        x = torch.cat([self.linear("words_projection", f.embedding(self.tokens, table)), self.token_features], 1)
        outputs, final = [], None
        for d, direction in enumerate(("forward", "backward")):
            first, h0, c0 = self.run_lstm(f"encoder.{direction}.0", x[self.to_packed[d]], self.layout, dense)
            first = f.dropout(first, dropout) if dropout else first
            second, h1, c1 = self.run_lstm(f"encoder.{direction}.1", first, self.layout, dense)
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

    def decode(self, plan, encoded, dropout, dense):
        torch, f = self.torch, self.torch.nn.functional
        slots, bias, keys, contents, state = encoded
        chosen, entropies = [], []
        for s in plan["stretches"]:
            h0, c0, h1, c1 = (x[s["state"]].unsqueeze(0) for x in state)
            first, h0, c0 = self.run_lstm("decoder.0", slots[s["inputs"]], s["layout"], dense, (h0, c0))
            first = f.dropout(first, dropout) if dropout else first
            second, h1, c1 = self.run_lstm("decoder.1", first, s["layout"], dense, (h1, c1))
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
        chosen, entropies = self.decode(self.train_plan, self.encode(dropout, self.dense["train"]), dropout, self.dense["train"])
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
            chosen, _ = self.decode(self.score_plan, self.encode(0.0, self.dense["score"]), 0.0, self.dense["score"])
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

    def tune(self, watch):
        """Tries the two LSTMs and torch.compile, for training and scoring apart, and keeps the fastest."""
        heads = {"plain": self.plain_head, "compiled": self.torch.compile(self.plain_head, dynamic=True)}
        for work, run in (("train", self.train), ("score", self.score)):
            best = None
            for head in heads:
                for dense in (True, False):
                    self.dense[work], self.head = dense, heads[head]
                    try:
                        self.timed(run, 3)
                        # The least of a few: other work on the machine must not decide.
                        seconds = min(watch.undisturbed(lambda: self.timed(run, 3)[0]) for _ in range(3))
                    except Exception as error:  # no compiler on this machine
                        print(f"{head} does not work here: {error}", file=sys.stderr)
                        continue
                    print(f"{work}, {head}, {'dense' if dense else 'packed'}: {1e3 * seconds:.1f} ms", file=sys.stderr)
                    if best is None or seconds < best[0]:
                        best = (seconds, dense, head)
            _, self.dense[work], self.choice[work] = best
        self.heads = heads

    def run(self, work):
        self.head = self.heads[self.choice[work]]
        start = time.process_time()
        seconds, _ = self.timed(self.train if work == "train" else self.score)
        return seconds, time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--rounds", type=int, default=31, help="how often each side runs")
    parser.add_argument("--quiet", action="store_true", help="count only turns in which the machine did nothing else")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side")
    arguments = parser.parse_args()
    executable = build()
    with tempfile.TemporaryDirectory() as directory:
        ours = Ours(executable, directory, arguments.threads)
        theirs = Theirs(Path(directory), arguments.threads)
        _, _, our_loss = ours.run("loss")
        their_loss = theirs.loss().item()
        _, _, our_score = ours.run("score")
        their_score = theirs.score()
        theirs.dense = {"train": False, "score": False}
        packed_difference = abs(theirs.loss().item() - their_loss)
        if packed_difference > 1e-5:
            raise SystemExit(f"PyTorch's two LSTMs differ by {packed_difference}")
        watch = Watch(ours.process, arguments.quiet)
        theirs.tune(watch)
        for _ in range(3):
            ours.run("train"), ours.run("score")
        times = {key: [] for key in ("train", "score", "torch_train", "torch_score")}
        mark = watch.mark() if busy_seconds() is not None else None

        def turn():
            theirs.run("train")  # both sides find their caches as their own work leaves them
            return {
                "torch_train": theirs.run("train"),
                "train": (ours.run("train"), ours.run("train"))[1][:2],
                "torch_score": (theirs.run("score"), theirs.run("score"))[1],
                "score": (ours.run("score"), ours.run("score"))[1][:2],
            }

        for _ in range(arguments.rounds):
            for key, value in watch.undisturbed(turn).items():
                times[key].append(value)
        elsewhere = round(watch.others(mark), 3) if mark and not arguments.quiet else None
        ours.close()
    median = {key: statistics.median(wall for wall, _ in values) for key, values in times.items()}
    processor = {key: statistics.median(cpu for _, cpu in values) for key, values in times.items()}
    result = {
        "train_ratio": median["torch_train"] / median["train"],
        "score_ratio": median["torch_score"] / median["score"],
        "loss_difference": abs(our_loss - their_loss),
        "score_difference": abs(our_score - their_score),
        "milliseconds": {key: round(1e3 * value, 2) for key, value in median.items()},
        "least_milliseconds": {key: round(1e3 * min(values)[0], 2) for key, values in times.items()},
        "processor_milliseconds": {key: round(1e3 * value, 2) for key, value in processor.items()},
        "processor_ratios": {
            "train": round(processor["torch_train"] / max(processor["train"], 1e-9), 2),
            "score": round(processor["torch_score"] / max(processor["score"], 1e-9), 2),
        },
        # Processors that other processes kept busy meanwhile: the figures mean little unless this is near 0. Not given with --quiet,
        # which keeps only turns in which it was below 0.1.
        "busy_elsewhere": elsewhere,
        "quiet": watch.quiet,
        "torch": theirs.torch.__version__,
        "torch_choice": {w: [theirs.choice[w], "dense" if theirs.dense[w] else "packed"] for w in theirs.choice},
        "threads": arguments.threads,
        "rounds": arguments.rounds,
    }
    if arguments.json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            print(f"{key}: {value}")


if __name__ == "__main__":
    main()
