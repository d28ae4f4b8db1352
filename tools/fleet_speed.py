#!/usr/bin/env python3
"""How much faster a fleet is with more actors, and a comparison with more workers.

    tools/fleet_speed.py --mapo target/release/mapo actors
    tools/fleet_speed.py --mapo target/release/mapo workers
    tools/fleet_speed.py --mapo target/release/mapo learners

Every process has a fixed share of a core (a cgroup with a quota) and, for actors, a network namespace of its own with a veth
to a bridge, so that one machine with two cores shows what many with a core each would. Needs root, nats-server and Linux.

`actors` trains the toy data, after --warm steps with 1, 2, 4, 8 and 16 actors, each with --share of a core, and prints batches a
second beside what the first row says of all: as many times as much, until the learner, which has --learner of a core, is full.
`learners` fills a queue while the learner sleeps, stops the actors, and prints how fast the queue is learnt from: by a learner
with all cores on one thread and on as many as there are, then by one with --share of a core beside 0, 1, 2 and 3 assistants
with as much each. `--more "--data wtq:DIR ..."` takes other data than the toy's.
`workers` makes the same comparison with one worker and with two, each with --share of a core, and compares the results.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from fleet_processes import Networks, Process, Shares, free_port

TOY = "--data toy --threads 1 --seed 1"


def ask(mapo, url, run):
    done = subprocess.run([mapo, "fleet", "status", "--json", "--server", url, "--run", run], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def wait(what, is_so, seconds=600):
    began = time.time()
    while not (found := is_so()):
        if time.time() - began > seconds:
            sys.exit(f"waited {seconds} s for {what}")
        time.sleep(0.2)
    return found


def server_apart(arguments, folder, started):
    """Networks for all who take part, a server in the first that is not started yet, and its address."""
    networks = Networks(True)
    started.append(networks)
    port = free_port()
    command = [*networks.inside(0), arguments.nats, "-js", "-a", networks.address(), "-p", str(port), "-sd", str(folder / "nats")]
    return networks, Process("server", command, folder / "server.log"), f"nats://{networks.address()}:{port}"


def actors(arguments, folder, shares, started):
    networks, server, url = server_apart(arguments, folder, started)
    mapo, at = arguments.mapo, ["--server", url]
    learn = [*networks.inside(1), mapo, "fleet", "learn", *at, "--run", str(folder / "speed"), *TOY.split(), "--steps", "1000000", "--set", "evaluate=1000000", *arguments.more]
    learner = Process("learner", learn, folder / "learner.log")
    server.start()
    started.append(server)
    # On machines of their own neither would wait for an actor to have done.
    shares.put("server", server, goes_first=True)
    time.sleep(1)
    learner.start()
    started.append(learner)
    shares.put("learner", learner, goes_first=True)
    ask_here = lambda: ask(mapo, url, "speed")
    wait("the learner", ask_here)

    def actor(place, threads):
        act = [*networks.inside(2 + place), mapo, "fleet", "act", *at, "--run", "speed", "--threads", str(threads)]
        actor = Process("actor", act, folder / f"actor-{place}.log")
        actor.start()
        started.append(actor)
        shares.put(f"actor-{place}", actor)
        return actor

    # In its first steps a batch costs less with each: programs are found.
    first = actor(0, os.cpu_count())
    wait(f"step {arguments.warm}", lambda: ask_here()["reached"]["step"] >= arguments.warm)
    first.leave()
    # A core whose neighbour rests is faster; none rests in any row.
    for core in range(os.cpu_count()):
        spinner = Process("spinner", ["taskset", "-c", str(core), "chrt", "-i", "0", sys.executable, "-c", "while True: pass"], folder / "spinner.log")
        spinner.start()
        started.append(spinner)
    all_of_them, first, full = [], None, None
    print("actors  batches/s  against one  core-ms a batch: acting  (network)  learning  server  share used: actor  learner  expected", flush=True)
    for number in arguments.numbers:
        for place in range(len(all_of_them)):
            shares.limit(f"actor-{place}", None)
        shares.limit("learner", None)
        while len(all_of_them) > number:
            all_of_them.pop().leave()
        while len(all_of_them) < number:
            all_of_them.append(actor(len(all_of_them), 1))
        at_work = lambda: (status := ask_here()) and sum(actor["shards"] > 0 for actor in status["actors"]) == number and status["shards_held"] == status["shards"]
        wait("all actors", at_work)
        # Who has the fewest shards begins with the others.
        time.sleep(arguments.settle)
        for place in range(number):
            shares.limit(f"actor-{place}", arguments.share)
        shares.limit("learner", arguments.learner)
        # What was made without limits is learnt from first.
        time.sleep(arguments.settle)
        step = lambda: ask_here()["reached"]["step"]
        used = lambda: (sum(actor.seconds() for actor in all_of_them), sum(actor.network_seconds() for actor in all_of_them), learner.seconds(), server.seconds())
        (from_step, before, began) = (step(), used(), time.time())
        time.sleep(arguments.seconds)
        steps, after, seconds = step() - from_step, used(), time.time() - began
        acting, network, learning, serving = (1000 * (late - early) / max(steps, 1) for late, early in zip(after, before))
        speed = steps / seconds
        first = first or speed / number
        # What the first row says of all others.
        full = full or (arguments.learner or 1) / (learning / 1000)
        expected = min(number * first, full)
        busy = (acting * speed / 1000 / number, learning * speed / 1000)
        print(f"{number:6}  {speed:9.2f}  {speed / first:11.2f}  {acting:23.1f}  {network:9.1f}  {learning:8.1f}  {serving:6.1f}  {busy[0]:18.3f}  {busy[1]:7.2f}  {expected:8.2f}", flush=True)


def learners(arguments, folder, shares, started):
    networks, server, url = server_apart(arguments, folder, started)
    mapo, at = arguments.mapo, ["--server", url]
    server.start()
    started.append(server)
    time.sleep(1)
    data = [] if "--data" in arguments.more else ["--data", "toy"]
    # Nobody is to be taken for dead, and no batch for too old, while the learner sleeps.
    patient = ["--lease", "600", "--max-age", "1000000", "--room", str(arguments.batches)]

    def learn(name, threads, share, helpers):
        command = [mapo, "fleet", "learn", *at, "--run", str(folder / name), "--seed", "1", *data, *patient, "--steps", "1000000", "--set", "evaluate=1000000", "--threads", str(threads), *arguments.more]
        learner = Process("learner", [*networks.inside(1), *command], folder / f"{name}.log")
        learner.start()
        started.append(learner)
        wait("the learner", lambda: (status := ask(mapo, url, name)) and status["policy"])
        learner.child.send_signal(signal.SIGSTOP)
        actor = Process("actor", [*networks.inside(2), mapo, "fleet", "act", *at, "--run", name, "--threads", str(os.cpu_count())], folder / f"{name}-actor.log")
        actor.start()
        started.append(actor)
        queued = lambda: ask(mapo, url, name)["queued"]
        wait("a full queue", lambda: queued() >= arguments.batches)
        actor.kill()
        assistants = [Process("assistant", [*networks.inside(3 + place), mapo, "fleet", "assist", *at, "--run", name, "--threads", "1"], folder / f"{name}-assistant-{place}.log") for place in range(helpers)]
        for place, assistant in enumerate(assistants):
            assistant.start()
            started.append(assistant)
        wait("all assistants", lambda: len(ask(mapo, url, name)["assistants"]) == helpers)
        for place, assistant in enumerate(assistants):
            shares.put(f"assistant-{place}", assistant)
            shares.limit(f"assistant-{place}", share)
        shares.put("learner", learner)
        shares.limit("learner", share)
        learner.child.send_signal(signal.SIGCONT)
        # They find each other, and what was begun before the sleep is done.
        from_queue = wait("the beginning", lambda: (left := queued()) < 0.9 * arguments.batches and left)
        used = lambda: (learner.seconds(), sum(assistant.seconds() for assistant in assistants), server.seconds())
        began, before = time.time(), used()
        wait("most of the queue", lambda: queued() < 0.2 * arguments.batches)
        batches, seconds, after = from_queue - queued(), time.time() - began, used()
        assistance = ask(mapo, url, name)["learner"]["assistance"]
        for process in [learner, *assistants]:
            process.kill()
        learning, assisting, serving = (1000 * (late - early) / batches for late, early in zip(after, before))
        return batches / seconds, learning, assisting, serving, assistance

    print("threads  assistants  share  batches/s  against the first  cpu-ms a batch: learner  assistants  server  late")
    for rows in [[(1, None, 0), (os.cpu_count(), None, 0)], [(1, arguments.share, helpers) for helpers in range(4)]]:
        first = None
        for threads, share, helpers in rows:
            speed, learning, assisting, serving, assistance = learn(f"learn-{threads}-{helpers}-{share or 'all'}".replace(".", "-"), threads, share, helpers)
            first = first or speed
            print(f"{threads:7}  {helpers:10}  {share or 'all':>5}  {speed:9.2f}  {speed / first:17.2f}  {learning:23.1f}  {assisting:10.1f}  {serving:6.1f}  {assistance['late']:4}", flush=True)


def workers(arguments, folder, shares, started):
    port = free_port()
    url, mapo = f"nats://127.0.0.1:{port}", arguments.mapo
    server = Process("server", [arguments.nats, "-js", "-a", "127.0.0.1", "-p", str(port), "-sd", str(folder / "nats")], folder / "server.log")
    server.start()
    started.append(server)
    shares.put("server", server, goes_first=True)
    time.sleep(1)
    compare = [mapo, "compare", *TOY.split()[:4], "--objectives", "mapo,mml", "--seeds", "2", "--steps", str(arguments.steps), "--set", "explore_first.programs=200", *arguments.more, "--json"]
    took, results = {}, {}
    for number in [1, 2]:
        out = folder / f"compared-{number}"
        asking = Process("compare", [*compare, "--fleet", url, "--out", str(out)], folder / f"compared-{number}.json")
        asking.start()
        started.append(asking)
        wait("the comparison", lambda: ask(mapo, url, out.name))
        hands = [Process("worker", [mapo, "fleet", "work", "--server", url, "--threads", "1"], folder / f"worker-{number}-{place}.log") for place in range(number)]
        began = time.time()
        for place, hand in enumerate(hands):
            hand.start()
            started.append(hand)
            shares.put(f"worker-{place}", hand)
            shares.limit(f"worker-{place}", arguments.share)
        if asking.child.wait(timeout=3000):
            sys.exit(f"the comparison failed; see {folder}")
        took[number] = time.time() - began
        cpu = sum(hand.seconds() for hand in hands)
        for hand in hands:
            hand.kill()
        results[number] = json.loads((out / "results.json").read_text())
        for variant in results[number]["variants"]:
            variant["seconds"] = None
            for run in variant["runs"]:
                run["seconds"] = None
        print(f"{number} workers   {took[number]:.1f} s, {cpu:.1f} s of a core", flush=True)
    print(f"faster      {took[1] / took[2]:.2f} times")
    models = lambda number: {path.relative_to(folder / f"compared-{number}"): path.read_bytes() for path in (folder / f"compared-{number}").rglob("best.safetensors")}
    same = results[1] == results[2] and models(1) == models(2)
    print(f"results     {'the same, and every model byte for byte' if same else 'DIFFERENT'}")
    if not same:
        sys.exit(1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=["actors", "learners", "workers"])
    arguments.add_argument("--mapo", default="target/release/mapo")
    arguments.add_argument("--nats", default=os.environ.get("MAPO_NATS", "nats-server"))
    arguments.add_argument("--share", type=float, default=None, help="of a core, for each actor (0.04), learner (0.45) or worker (0.4)")
    arguments.add_argument("--learner", type=float, default=None, help="of a core, for the learner; a whole one when not given")
    arguments.add_argument("--numbers", type=lambda text: [int(number) for number in text.split(",")], default=[1, 2, 4, 8, 16])
    arguments.add_argument("--seconds", type=float, default=30, help="how long each number of actors is measured")
    arguments.add_argument("--settle", type=float, default=6)
    arguments.add_argument("--warm", type=int, default=300, help="steps before actors are measured")
    arguments.add_argument("--period", type=float, default=None, help="seconds in which each has its share: 0.25 for actors, so that caches count as on a core of one's own; 0.01 for learners, who wait for each other; 0.05 for workers")
    arguments.add_argument("--steps", type=int, default=300, help="of each run of the comparison")
    arguments.add_argument("--batches", type=int, default=300, help="in the queue that learners begin with")
    arguments.add_argument("--more", type=str.split, default=[], help="further arguments for the learner or the comparison")
    arguments = arguments.parse_args()
    arguments.mapo = str(pathlib.Path(arguments.mapo).resolve())
    arguments.share = arguments.share or {"actors": 0.04, "learners": 0.45, "workers": 0.4}[arguments.what]
    arguments.period = arguments.period or {"actors": 0.25, "learners": 0.01, "workers": 0.05}[arguments.what]
    # Whoever ends this ends what it has started too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    folder, started = pathlib.Path(tempfile.mkdtemp(prefix="mapo-speed-")), []
    shares = Shares("mapo-speed", int(1e6 * arguments.period))
    try:
        {"actors": actors, "learners": learners, "workers": workers}[arguments.what](arguments, folder, shares, started)
    finally:
        for one in reversed(started):
            if isinstance(one, Networks):
                one.remove()
            elif one.ended() is None:
                one.kill()
        time.sleep(0.5)
        shares.remove()
        if sys.exc_info()[0]:
            print(f"logs are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


main()
