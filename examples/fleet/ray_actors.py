"""Starts `mapo fleet act` on a Ray cluster: python ray_actors.py nats://host wtq 16"""
import subprocess
import sys

import ray

server, run, number = sys.argv[1:]
command = ["mapo", "fleet", "act", "--server", server, "--run", run, "--threads", "1"]


@ray.remote(num_cpus=1, max_retries=-1)
def act():
    # Who is killed begins again; who is refused has said why.
    while (code := subprocess.call(command)) < 0:
        pass
    return code


ray.init(address="auto")
sys.exit(max(ray.get([act.remote() for _ in range(int(number))])))
