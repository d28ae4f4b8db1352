"""Processes of a fleet on one machine: each in a network and with a share of a core of its own. Used by the tools beside."""

import os
import pathlib
import signal
import socket
import subprocess


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Networks:
    """A namespace for each process, all on one bridge; without --netns, none at all."""

    def __init__(self, wanted):
        self.wanted, self.made = wanted, []
        if wanted:
            self.run("link", "add", "mapo-br", "type", "bridge")
            self.run("addr", "add", "10.211.0.254/24", "dev", "mapo-br")
            self.run("link", "set", "mapo-br", "up")

    @staticmethod
    def run(*command):
        subprocess.run(["ip", *command], check=True)

    def inside(self, number):
        """What a command begins with that runs in the namespace of this number."""
        if not self.wanted:
            return []
        name = f"mapo-{number}"
        if name not in self.made:
            self.run("netns", "add", name)
            self.made.append(name)
            self.run("link", "add", f"mapo-v{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            self.run("link", "set", f"mapo-v{number}", "master", "mapo-br", "up")
            self.run("-n", name, "addr", "add", f"10.211.0.{number + 1}/24", "dev", "eth0")
            self.run("-n", name, "link", "set", "eth0", "up")
            self.run("-n", name, "link", "set", "lo", "up")
        return ["ip", "netns", "exec", name]

    def address(self):
        return "10.211.0.1" if self.wanted else "127.0.0.1"

    def remove(self):
        for name in self.made:
            subprocess.run(["ip", "netns", "del", name])
        if self.wanted:
            subprocess.run(["ip", "link", "del", "mapo-br"])


class Process:
    """A command that can be started again."""

    def __init__(self, name, command, log):
        self.name, self.command, self.log, self.child = name, command, log, None

    def start(self):
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(self.command, stdout=log, stderr=log)

    def kill(self):
        self.child.kill()
        self.child.wait()

    def ended(self):
        return self.child.poll()

    def leave(self):
        """Ends it as a user would, with Ctrl-C."""
        self.child.send_signal(signal.SIGINT)
        self.child.wait()

    def seconds(self):
        """Processor time that it has used."""
        return spent(pathlib.Path(f"/proc/{self.child.pid}/stat"))

    def network_seconds(self):
        """Processor time of the threads that talk to the server, which are named so."""
        tasks = pathlib.Path(f"/proc/{self.child.pid}/task").iterdir()
        return sum(spent(task / "stat") for task in tasks if (task / "comm").read_text().startswith("fleet"))


def spent(stat):
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Shares:
    """Groups of processes (cgroups, version 1 or 2) that may use a share of a core each. Needs root."""

    def __init__(self, name, period=50_000):
        self.period = period
        old = pathlib.Path("/sys/fs/cgroup/cpu")
        self.is_old = old.exists()
        self.root = (old if self.is_old else pathlib.Path("/sys/fs/cgroup")) / name
        self.root.mkdir(exist_ok=True)
        # Whatever else this machine does, each has what it may use.
        if self.is_old:
            (self.root / "cpu.shares").write_text("100000")
        else:
            (self.root.parent / "cgroup.subtree_control").write_text("+cpu")
            (self.root / "cgroup.subtree_control").write_text("+cpu")
            (self.root / "cpu.weight").write_text("10000")

    def put(self, name, process, goes_first=False):
        """Puts a process that was started into a group, without a limit. Others wait for one that goes first."""
        group = self.root / name
        group.mkdir(exist_ok=True)
        if goes_first:
            (group / ("cpu.shares" if self.is_old else "cpu.weight")).write_text("50000" if self.is_old else "5000")
        (group / "cgroup.procs").write_text(str(process.child.pid))

    def limit(self, name, share):
        """Lets the group of a name use this share of a core; nothing lifts the limit."""
        group = self.root / name
        quota = int(share * self.period) if share else -1
        if self.is_old:
            (group / "cpu.cfs_period_us").write_text(str(self.period))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (group / "cpu.max").write_text(f"{quota if share else 'max'} {self.period}")

    def remove(self):
        for group in [*self.root.iterdir(), self.root]:
            if group.is_dir():
                group.rmdir()
