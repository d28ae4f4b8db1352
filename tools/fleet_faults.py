#!/usr/bin/env python3
"""Kills a fleet while it trains, over and over, and says whether anything was lost.

    tools/fleet_faults.py --mapo target/release/mapo --nats nats-server --faults 100

Trains the toy data with a NATS server, a learner, some actors and with --assistants some of these, each a process of its own (with --netns each in a
network namespace of its own, which needs root). At random moments one of them is killed with SIGKILL and started again,
or stopped with SIGSTOP for longer than its lease and then woken; the next fault comes when the training has gone on since.
In the end

- every program that the server acknowledged must be in the memories of the run's directory,
- epoch and step, as the server tells them, must never have gone back,
- the run must have come to its last step, and its accuracy is printed beside that of one thread. With --faults 0 it is that
  of an undisturbed fleet; --training-seed says of which.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fleet_processes import Networks, Process, free_port

QUICK = "--set network.hidden=16 --set network.attention=16 --set explore_first.programs=200 --set evaluate=20 --set refresh=5"


def programs(run):
    found = set()
    for line in open(run / "memory.jsonl"):
        line = json.loads(line)
        found.update((line["example"], json.dumps(program)) for program in line["programs"])
    return found


def accuracy(run):
    lines = [json.loads(line) for line in open(run / "metrics.jsonl")]
    return max(line.get("dev_accuracy") or 0 for line in lines), lines[-1]["step"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--mapo", default="target/release/mapo")
    arguments.add_argument("--nats", default=os.environ.get("MAPO_NATS", "nats-server"))
    arguments.add_argument("--actors", type=int, default=3)
    arguments.add_argument("--faults", type=int, default=100)
    arguments.add_argument("--steps", type=int, default=600)
    arguments.add_argument("--pause", type=float, default=1.5, help="seconds between two faults, about")
    arguments.add_argument("--lease", type=float, default=2.0)
    arguments.add_argument("--seed", type=int, default=1, help="of the faults")
    arguments.add_argument("--training-seed", type=int, default=1)
    arguments.add_argument("--assistants", type=int, default=0)
    arguments.add_argument("--netns", action="store_true")
    arguments.add_argument("--keep", action="store_true", help="keep the folder")
    arguments = arguments.parse_args()
    # Whoever ends this ends what it has started too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    random.seed(arguments.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mapo-faults-"))
    networks = Networks(arguments.netns)
    port = free_port()
    url = f"nats://{networks.address()}:{port}"
    mapo, run = str(pathlib.Path(arguments.mapo).resolve()), folder / "disturbed"
    toy = ["--data", "toy", "--limit", "192", "--steps", str(arguments.steps), "--threads", "1", "--seed", str(arguments.training_seed), "--set", "batch=12", *QUICK.split()]
    server = Process("server", [*networks.inside(0), arguments.nats, "-js", "-a", networks.address(), "-p", str(port), "-sd", str(folder / "nats")], folder / "server.log")
    at = ["--server", url, "--patience", "120"]
    begin = [*networks.inside(1), mapo, "fleet", "learn", *at, "--lease", str(arguments.lease), "--run", str(run), *toy]
    resume = [*networks.inside(1), mapo, "fleet", "learn", *at, "--resume", str(run)]
    learner = Process("learner", begin, folder / "learner.log")
    roles = [("actor", "act")] * arguments.actors + [("assistant", "assist")] * arguments.assistants
    actors = [
        Process(f"{name} {number}", [*networks.inside(2 + number), mapo, "fleet", role, *at, "--run", run.name, "--threads", "1"], folder / f"{name}-{number}.log")
        for number, (name, role) in enumerate(roles)
    ]

    def ask(*command):
        done = subprocess.run([mapo, "fleet", *command, "--server", url, "--run", run.name], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    done, wrong, reached, began = {}, [], (0, 0), time.time()
    try:
        server.start()
        time.sleep(1)
        learner.start()
        while not ask("status", "--json"):
            time.sleep(0.2)
        learner.command = resume
        for actor in actors:
            actor.start()
        left, before, since = arguments.faults, None, time.time()
        while learner.ended() != 0:
            for process in [learner, *actors]:
                if process.ended() not in (None, 0):
                    done[f"{process.name.split()[0]} ended with {process.ended()}"] = done.get(f"{process.name.split()[0]} ended with {process.ended()}", 0) + 1
                    process.start()
            status = ask("status", "--json")
            if status and (now := json.loads(status)["reached"]):
                now = (now["epoch"], now["step"])
                if now < reached:
                    wrong.append(f"went back from {reached} to {now}")
                reached = max(reached, now)
            has_gone_on = reached != before
            if not has_gone_on and time.time() - since > 300:
                sys.exit(f"nothing has been learnt for five minutes; at {reached}")
            time.sleep(random.uniform(0.2, 2 * arguments.pause) if has_gone_on else 0.2)
            if left == 0 or not has_gone_on or learner.ended() == 0:
                continue
            victim = random.choice([*actors, learner, server])
            if victim.ended() is not None:
                continue
            left, before, since = left - 1, reached, time.time()
            if victim is not server and random.random() < 0.2:
                what = f"{victim.name.split()[0]} stopped past its lease"
                victim.child.send_signal(signal.SIGSTOP)
                time.sleep(1.7 * arguments.lease)
                victim.child.send_signal(signal.SIGCONT)
            else:
                what = f"{victim.name.split()[0]} killed"
                victim.kill()
                time.sleep(random.uniform(0, 0.5))
                victim.start()
            done[what] = done.get(what, 0) + 1
            print(f"{time.time() - began:6.1f} s  {what}; at {reached}", file=sys.stderr)
        for actor in actors:
            actor.child.wait(timeout=60)
        acknowledged = {(line["example"], json.dumps(line["program"])) for line in map(json.loads, ask("found").splitlines())}
        kept = programs(run)
        if missing := acknowledged - kept:
            wrong.append(f"{len(missing)} of {len(acknowledged)} acknowledged programs are missing")
        best, step = accuracy(run)
        if step != arguments.steps:
            wrong.append(f"ended at step {step}")
        seconds = time.time() - began
        beside = ""
        if arguments.faults:
            calm = folder / "calm"
            subprocess.run([mapo, "train", "--run", str(calm), *toy], check=True, capture_output=True)
            beside = f"; one thread {100 * accuracy(calm)[0]:.1f} %"
        print(f"faults        {json.dumps(done)}")
        print(f"acknowledged  {len(acknowledged)} programs, of which {len(acknowledged & kept)} are kept")
        print(f"steps         {step} in {seconds:.0f} s and {reached[0]} epochs")
        print(f"accuracy      {100 * best:.1f} % on dev{beside}")
        status = json.loads(ask("status", "--json"))
        print(f"dropped       {json.dumps(status['dropped'])}")
        if arguments.assistants:
            print(f"assisted      {json.dumps(status['learner']['assistance'])} since the last learner began")
    finally:
        for process in [learner, *actors, server]:
            if process.child and process.ended() is None:
                process.child.send_signal(signal.SIGCONT)
                process.kill()
        networks.remove()
        if arguments.keep or wrong or sys.exc_info()[0]:
            print(f"logs are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    sys.exit(1 if wrong else 0)


main()
