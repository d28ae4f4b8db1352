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
        (None, r"look\(\[\]\) gives None; it gives \(actions, None\), or \(\[\], reward\)"),
        (([1],), r"gives \(\[1\],\)"),
        (([-1], None), r"the actions \[-1\], which are no whole numbers from 0 to 65535"),
        (([70000], None), "no whole numbers from 0 to 65535"),
        ((5, None), "the actions 5, which"),
        ((["a"], None), r"the actions \['a'\]"),
        (([], "much"), "the reward 'much', which is no number"),
    ],
)
def test_what_makes_no_sense_is_refused(look: Any, said: str) -> None:
    class Wrong(mapo.Env):
        context = ["task"]

        def look(self, prefix: Prefix) -> Look:
            return look  # type: ignore[no-any-return]

    with pytest.raises(ValueError, match=said):
        mapo.explore(Wrong())
    with pytest.raises(ValueError, match=said):
        mapo.train([Wrong()], actions=2, steps=5, settings={"width": 8})


def test_actions_may_be_whatever_can_be_gone_through() -> None:
    numpy = pytest.importorskip("numpy")
    for two in (range(2), (0, 1), numpy.arange(2), {0, 1}):

        class Two(mapo.Env):
            def look(self, prefix: Prefix) -> Look:
                return (two, None) if len(prefix) < 3 else ([], numpy.float32(sum(prefix) == 3))  # type: ignore[return-value]

        assert mapo.explore(Two()).best == ((1, 1, 1), 1.0)


def test_what_is_no_environment_is_said() -> None:
    wrong: Any = Coins
    with pytest.raises(TypeError, match=r"Coins is a class of environments; give one of them: Coins\(\)"):
        mapo.explore(wrong)
    wrong = len
    with pytest.raises(TypeError, match="an environment is a mapo.Env or a mapo.ScoringEnv, and this is builtin"):
        mapo.explore(wrong)
    with pytest.raises(ValueError, match="programs is at least 0, and this is -1"):
        mapo.explore(Coins(), -1)
    wrong = "many"
    with pytest.raises(TypeError, match="programs is a whole number, and this is str: 'many'"):
        mapo.explore(Coins(), wrong)
    with pytest.raises(mapo.MapoError, match="discrete actions"):
        mapo.from_gymnasium(7)


def test_wrong_scores_are_refused() -> None:
    numpy = pytest.importorskip("numpy")
    class Few(ScoredCoins):
        def score(self, programs: Sequence[Prefix]) -> Sequence[float]:
            return [1.0]

    with pytest.raises(ValueError, match="1 rewards for 1000 programs"):
        mapo.explore(Few())

    given: Any

    class Wrong(ScoredCoins):
        def score(self, programs: Sequence[Prefix]) -> Any:
            return given

    for given in (None, 1.0, ["much"] * 1000):
        with pytest.raises(ValueError, match="it gives a list with a number for each program"):
            mapo.explore(Wrong())
    for given in (numpy.zeros(1000, "float32"), (0.0 for _ in range(1000))):
        assert len(mapo.explore(Wrong())) == 0
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
