"""Starts `mapo fleet act` on a Ray cluster: python ray_actors.py nats://host wtq 16"""
import subprocess
import sys

import ray

server, run, number = sys.argv[1:]
ray.init(address="auto")
act = ray.remote(num_cpus=1, max_retries=-1)(subprocess.check_call)
command = ["mapo", "fleet", "act", "--server", server, "--run", run, "--threads", "1"]
ray.get([act.remote(command) for _ in range(int(number))])
