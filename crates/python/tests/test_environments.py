"""Environments of one's own."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Sequence
from typing import Any

import pytest

import mapo

Prefix = tuple[int, ...]
Look = tuple[Sequence[int], float | None]


class Coins(mapo.Env):
    """Ten coins; seven heads win, and nobody lays two tails at first."""

    def __init__(self) -> None:
        self.looked: list[Prefix] = []

    def look(self, prefix: Prefix) -> Look:
        self.looked.append(prefix)
        if prefix == (0, 0):
            return [], None
        if len(prefix) < 10:
            return [0, 1], None
        return [], 0.1 if sum(prefix) == 7 else 0.0


class ScoredCoins(mapo.ScoringEnv):
    """The same, scored in lists, without the dead end."""

    choices = [2] * 10

    def __init__(self) -> None:
        self.scored: list[Prefix] = []

    def score(self, programs: Sequence[Prefix]) -> Sequence[float]:
        self.scored.extend(programs)
        return [0.1 if sum(program) == 7 else 0.0 for program in programs]


def test_all_is_tried_and_nothing_twice() -> None:
    env = Coins()
    found = mapo.explore(env, 5000)
    assert (found.tried, found.dead_ends, found.complete) == (768, 1, True)
    # 120 ways to lay seven heads, of which 8 begin with two tails.
    assert len(found) == len(set(found)) == 112
    assert all(sum(program) == 7 and reward == 0.1 for program, reward in found)
    assert found.best is not None and found.best[1] == 0.1
    scored = ScoredCoins()
    assert len(mapo.explore(scored, 5000)) == 120
    assert len(scored.scored) == len(set(scored.scored)) == 1024


def test_a_budget_ends_it_and_a_seed_decides() -> None:
    one, other = (mapo.explore(Coins(), 100, seed=3) for _ in range(2))
    assert one == other and one.tried == 100 and not one.complete
    assert mapo.explore(Coins(), 100, seed=4) != one
    assert mapo.explore(Coins(), 100, seed=3, example=1) != one


@pytest.mark.parametrize("after", [0, 1, 300])
def test_exceptions_come_out_as_they_are(after: int) -> None:
    class Broken(Coins):
        def look(self, prefix: Prefix) -> Look:
            if len(self.looked) == after:
                raise ZeroDivisionError(f"at {prefix}")
            return super().look(prefix)

    env = Broken()
    with pytest.raises(ZeroDivisionError, match="at "):
        mapo.explore(env, 5000)
    assert len(env.looked) == after, "nothing is looked at after it"

    class BrokenScore(ScoredCoins):
        def score(self, programs: Sequence[Prefix]) -> Sequence[float]:
            raise KeyError("score")

    with pytest.raises(KeyError, match="score"):
        mapo.explore(BrokenScore())


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (([1, 1], None), "an action twice"),
        (([1], 1.0), "a reward and actions"),
        (([], float("nan")), "not finite"),
    ],
)
def test_what_makes_no_sense_is_refused(look: Look, said: str) -> None:
    class Wrong(mapo.Env):
        def look(self, prefix: Prefix) -> Look:
            return look

    with pytest.raises(ValueError, match=said):
        mapo.explore(Wrong())


def test_wrong_scores_are_refused() -> None:
    class Few(ScoredCoins):
        def score(self, programs: Sequence[Prefix]) -> Sequence[float]:
            return [1.0]

    with pytest.raises(ValueError, match="1 rewards for 1000 programs"):
        mapo.explore(Few())
    env = ScoredCoins()
    env.choices = []
    with pytest.raises(mapo.MapoError, match="choices"):
        mapo.explore(env)


def test_ctrl_c_ends_a_walk() -> None:
    class Endless(mapo.ScoringEnv):
        choices = [50] * 50

        def score(self, programs: Sequence[Prefix]) -> Sequence[float]:
            return [0.0] * len(programs)

    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mapo.explore(Endless(), 10**9)


def test_gymnasium_is_explored_where_it_is_deterministic() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    lake: Any = gymnasium.make("FrozenLake-v1", is_slippery=False)
    found = mapo.explore(mapo.from_gymnasium(lake, steps=8), 60_000)
    assert found.best is not None and found.best[1] == 1.0
    program = found.best[0]
    lake.reset(seed=0)
    earned = 0.0
    for action in program:
        _, reward, terminated, _, _ = lake.step(action)
        earned += float(reward)
    assert terminated and earned == 1.0
    slippery = gymnasium.make("FrozenLake-v1", is_slippery=True)
    unseeded: Any = gymnasium.Wrapper(slippery)
    unseeded.reset = lambda seed=None, options=None: slippery.reset()
    with pytest.raises(mapo.MapoError, match="not deterministic"):
        mapo.from_gymnasium(unseeded, steps=30)
    numpy = pytest.importorskip("numpy")
    resets: list[int] = []

    def picture(seed: Any = None, options: Any = None) -> Any:
        resets.append(0)
        seen = numpy.zeros(10_000)
        seen[5000] = len(resets)
        return seen, lake.reset(seed=seed)[1]

    # One number in the middle of many, which an array that is printed leaves out.
    flickering: Any = gymnasium.Wrapper(lake)
    flickering.reset = picture
    with pytest.raises(mapo.MapoError, match="not deterministic"):
        mapo.from_gymnasium(flickering, steps=8)
    with pytest.raises(mapo.MapoError, match="discrete actions"):
        mapo.from_gymnasium(gymnasium.make("Pendulum-v1"))
