"""Policies for environments of one's own: a network that reads a task and writes a program, trained with MAPO or another
objective."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mapo import _mapo, checks
from mapo._mapo import MapoError
from mapo.checks import listed, shown, whole
from mapo.environments import Env, Program, ScoringEnv, checked


@dataclass(frozen=True)
class Written:
    """A program that a policy wrote."""

    #: Its actions.
    program: Program
    #: What it earns.
    reward: float
    #: How probable it is.
    probability: float


@dataclass(frozen=True)
class Evaluation:
    """What a policy comes to on environments."""

    #: The share whose most probable program earned something.
    solved: float
    #: What the most probable programs earned, on average.
    reward: float
    #: The share of which some program of the beam earned something.
    in_beam: float


class Policy:
    """A policy that was trained on environments: it reads the `context` of one and writes programs for it."""

    def __init__(self, policy: _mapo.Policy) -> None:
        self._policy = policy

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Reads what `save` wrote."""
        return cls(_mapo.Policy.load(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it into a file, whole or not at all."""
        self._policy.save(path)

    @property
    def report(self) -> dict[str, Any]:
        """What its training came to: how many tasks there were, and how many were solved."""
        report: dict[str, Any] = json.loads(self._policy.report())
        return report

    def programs(self, envs: Sequence[Env | ScoringEnv], *, width: int = 5) -> list[list[Written]]:
        """For each environment its most probable programs, the best first, found by a beam of this width; 1 is greedy."""
        found = self._policy.programs(_given(envs), whole("width", width, 1))
        return [[Written(tuple(program), reward, math.exp(log)) for program, reward, log in one] for one in found]

    def evaluate(self, envs: Sequence[Env | ScoringEnv], *, width: int = 5) -> Evaluation:
        """What it comes to on environments, those of its training or others."""
        found = self.programs(envs, width=width)
        best = [programs[0].reward if programs else 0.0 for programs in found]
        of = max(1, len(found))
        earns = [any(written.reward > 0 for written in programs) for programs in found]
        return Evaluation(sum(reward > 0 for reward in best) / of, sum(best) / of, sum(earns) / of)


def train(
    envs: Sequence[Env | ScoringEnv],
    *,
    actions: int,
    objective: str | Mapping[str, object] = "mapo",
    steps: int = 1000,
    settings: Mapping[str, object] | None = None,
    callbacks: Sequence[Callable[[dict[str, Any]], object]] = (),
    seed: int = 1,
) -> Policy:
    """Explores environments and trains a policy on them. Each has a `context`: its task as words, the same word for the same
    thing in all of them. `actions` is how many actions there are that mean the same in every environment, numbered from 0;
    those behind them stand for the parts of the context that `mentions` names. `objective` is `mapo` or one of those that it is
    compared with (`iml`, `mml`, `hard_em`, `reinforce`, `augmented`), or a dictionary with its name and settings; `settings`
    changes what else there is: `width`, `layers`, `batch`, `rate`, `explore_first`, …

    What an environment raises ends it and comes out as it is; so does Ctrl-C.

    >>> class Coins(Env):
    ...     def __init__(self, wanted):
    ...         self.wanted, self.context = wanted, ["heads" if coin else "tails" for coin in wanted]
    ...     def look(self, prefix):
    ...         return ([0, 1], None) if len(prefix) < 4 else ([], float(prefix == self.wanted))
    >>> coins = [Coins((number >> 3 & 1, number >> 2 & 1, number >> 1 & 1, number & 1)) for number in range(8)]
    >>> policy = train(coins, actions=2, steps=300, settings={"width": 16})
    >>> policy.evaluate(coins, width=1).solved > 0.8
    True
    """
    known = listed("envs", envs, "[env, …]")
    if not known:
        raise MapoError("there is no environment to train on; give at least one")
    if not isinstance(objective, (str, Mapping)):
        raise TypeError(f"objective is a name or a dictionary, and this is {shown(objective)}")
    if settings is not None and not isinstance(settings, Mapping):
        raise TypeError(f"settings is a dictionary: {{'width': 16}}; this is {shown(settings)}")
    chosen = {"name": objective} if isinstance(objective, str) else dict(objective)
    numbers = {"actions": whole("actions", actions), "steps": whole("steps", steps), "seed": whole("seed", seed)}
    wanted = {**numbers, "objective": chosen, **(settings or {})}
    heard = checks.callbacks(callbacks)

    def hear(news: str) -> None:
        event: dict[str, Any] = json.loads(news)
        for callback in heard:
            callback(event)

    try:
        written = json.dumps(wanted)
    except (TypeError, ValueError) as error:
        raise MapoError(f"the settings cannot be used: {error}") from None
    return Policy(_mapo.Policy.train(_given(known), written, hear))


def _given(envs: Sequence[Env | ScoringEnv]) -> list[tuple[Callable[..., Any], list[str], list[tuple[int, int]]]]:
    return [(checked(env).look, _context(env), _mentions(env)) for env in listed("envs", envs, "[env, …]")]


def _context(env: Env | ScoringEnv) -> list[str]:
    return [str(word) for word in listed("the context of an environment", env.context, "['heads', 'tails']")]


def _mentions(env: Env | ScoringEnv) -> list[tuple[int, int]]:
    try:
        return [(whole("a mention's first word", first), whole("a mention's end", end)) for first, end in env.mentions]
    except TypeError:
        raise TypeError(
            "the mentions of an environment are pairs of a word and the one behind its last: [(0, 1)]; "
            f"these are {shown(env.mentions)}"
        ) from None
