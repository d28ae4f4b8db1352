"""Policies that are trained on environments of one's own."""

from __future__ import annotations

import _thread
import ctypes
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import mapo


class Coins(mapo.Env):
    """Four coins to be laid as the task says."""

    def __init__(self, number: int) -> None:
        self.wanted = tuple(number >> place & 1 for place in range(4))
        self.context = ["heads" if coin else "tails" for coin in self.wanted]

    def look(self, prefix: tuple[int, ...]) -> tuple[Sequence[int], float | None]:
        if len(prefix) < 4:
            return [0, 1], None
        return [], float(prefix == self.wanted)


def coins() -> list[Coins]:
    return [Coins(number) for number in range(10)]


@pytest.mark.parametrize("objective", ["mapo", "iml", "mml"])
def test_a_policy_learns_what_is_wanted(objective: str, tmp_path: Path) -> None:
    events: list[str] = []
    policy = mapo.train(
        coins(),
        actions=2,
        objective=objective,
        steps=300,
        settings={"width": 16},
        callbacks=[lambda event: events.append(event["event"])],
    )
    assert policy.report["tasks"] == policy.report["solved"] == 10
    assert policy.evaluate(coins(), width=1).solved >= 0.9
    assert events[0] == "exploring" and events[-1] == "step"
    policy.save(tmp_path / "policy")
    again = mapo.Policy.load(tmp_path / "policy")
    assert again.programs(coins()) == policy.programs(coins())
    best = policy.programs(coins())[3][0]
    assert 0 < best.probability <= 1 and len(best.program) == 4


class ScoredCoins(mapo.ScoringEnv):
    """The same, of which only whole programs are scored."""

    choices = [2] * 4

    def __init__(self, number: int) -> None:
        self.wanted = tuple(number >> place & 1 for place in range(4))
        self.context = ["heads" if coin else "tails" for coin in self.wanted]

    def score(self, programs: Sequence[tuple[int, ...]]) -> Sequence[float]:
        return [float(program == self.wanted) for program in programs]


@pytest.mark.parametrize("objective", ["hard_em", "reinforce", "augmented"])
def test_every_objective_trains(objective: str) -> None:
    policy = mapo.train(coins(), actions=2, objective=objective, steps=20, settings={"width": 8})
    assert policy.report["tasks"] == 10 and len(policy.programs(coins())) == 10


def test_what_is_scored_in_lists_is_learnt_too() -> None:
    scored = [ScoredCoins(number) for number in range(10)]
    one, other = (mapo.train(envs, actions=2, steps=20, settings={"width": 8}) for envs in (coins(), scored))
    assert one.programs(coins()) == other.programs(scored)


def thread_states() -> int:
    """How many threads Python knows."""
    python = ctypes.pythonapi
    python.PyInterpreterState_Get.restype = ctypes.c_void_p
    for function in (python.PyInterpreterState_ThreadHead, python.PyThreadState_Next):
        function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    state, states = python.PyInterpreterState_ThreadHead(python.PyInterpreterState_Get()), 0
    while state:
        state, states = python.PyThreadState_Next(state), states + 1
    return states


def settled(most: int) -> int:
    """How many threads Python knows once there are no more than so many: some end on their own, after those who waited for their work."""
    deadline = time.monotonic() + 30
    while thread_states() > most and time.monotonic() < deadline:
        time.sleep(0.01)
    return thread_states()


def test_threads_are_kept_while_they_live_and_no_longer() -> None:
    # Those of an earlier test may still be ending.
    before = settled(threading.active_count())
    during: set[int] = set()

    def count(event: dict[str, Any]) -> None:
        during.add(thread_states() - before)

    policy = mapo.train(coins(), actions=2, steps=100, settings={"width": 8, "threads": 2}, callbacks=[count])
    policy.programs(coins())
    assert max(during) > 0
    assert settled(before) == before


def test_python_may_end_while_threads_do() -> None:
    program = """
import mapo
class Coin(mapo.Env):
    def __init__(self, wanted):
        self.context, self.wanted = [str(wanted)], wanted
    def look(self, prefix):
        return ([0, 1], None) if len(prefix) < 2 else ([], float(2 * prefix[0] + prefix[1] == self.wanted))
mapo.train([Coin(place) for place in range(4)], actions=2, steps=3, settings={"width": 8, "threads": 2})
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_exceptions_and_ctrl_c_come_out(tmp_path: Path) -> None:
    class Broken(Coins):
        def look(self, prefix: tuple[int, ...]) -> tuple[Sequence[int], float | None]:
            if len(prefix) == 3:
                raise ZeroDivisionError("in the environment")
            return super().look(prefix)

    with pytest.raises(ZeroDivisionError, match="in the environment"):
        mapo.train([*coins(), Broken(1)], actions=2, steps=50, settings={"width": 8})

    def interrupt(event: dict[str, Any]) -> None:
        if event["event"] == "step":
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        mapo.train(coins(), actions=2, steps=10**6, settings={"width": 8}, callbacks=[interrupt])


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(mapo.MapoError, match="no environment"):
        mapo.train([], actions=2)
    with pytest.raises(mapo.MapoError, match="actions"):
        mapo.train(coins(), actions=1, steps=5)
    with pytest.raises(mapo.MapoError, match="colour"):
        mapo.train(coins(), actions=2, settings={"colour": "red"})
    with pytest.raises(mapo.MapoError, match="settings"):
        mapo.train(coins(), actions=2, objective="nothing")
    wrong: Any = coins()[0]
    with pytest.raises(TypeError, match="envs is a list"):
        mapo.train(wrong, actions=2)
    wrong = [Coins]
    with pytest.raises(TypeError, match="Coins is a class of environments"):
        mapo.train(wrong, actions=2)
    wrong = [1]
    with pytest.raises(TypeError, match="settings is a dictionary"):
        mapo.train(coins(), actions=2, settings=wrong)
    wrong = 5
    with pytest.raises(TypeError, match="objective is a name or a dictionary"):
        mapo.train(coins(), actions=2, objective=wrong)
    wrong = "two"
    with pytest.raises(TypeError, match="actions is a whole number"):
        mapo.train(coins(), actions=wrong)
    with pytest.raises(mapo.MapoError, match="the settings cannot be used"):
        mapo.train(coins(), actions=2, settings={"width": object()})
    for name, value, said in (("context", "heads", "the context of an environment is a list"), ("mentions", [3], "pairs of a word")):
        one = coins()[0]
        setattr(one, name, value)
        with pytest.raises(TypeError, match=said):
            mapo.train([one], actions=2)
