"""Environments of one's own: whatever is deterministic, acts in discrete steps and is rewarded at the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mapo import _mapo
from mapo._mapo import MapoError
from mapo.checks import shown, whole

#: A program, or the beginning of one: its actions, numbers from 0 to 65535.
Program = tuple[int, ...]


class Env(ABC):
    """An environment that looks at one prefix at a time.

    >>> class Coins(Env):
    ...     '''Three coin tosses; two heads win.'''
    ...     def look(self, prefix):
    ...         if len(prefix) < 3:
    ...             return [0, 1], None
    ...         return [], float(sum(prefix) == 2)
    >>> found = explore(Coins())
    >>> sorted(program for program, reward in found)
    [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    >>> found.tried, found.complete
    (8, True)
    """

    #: The task as words, which is what a policy sees of it; nothing that only explores needs it.
    context: Sequence[str] = ()
    #: Parts of the context that actions stand for, each by its first word and the one behind its last.
    mentions: Sequence[tuple[int, int]] = ()

    @abstractmethod
    def look(self, prefix: Program) -> tuple[Sequence[int], float | None]:
        """What there is after these actions: the valid ones and None, or none and the reward of a whole program. Neither
        actions nor a reward, `([], None)`, is a dead end. The same prefix always looks the same."""


class ScoringEnv(ABC):
    """An environment in which every program is as long, with as many actions at each step, and whose programs are scored
    many at once. It is about three times as fast as one that looks at each prefix.

    >>> class Coins(ScoringEnv):
    ...     choices = [2, 2, 2]
    ...     def score(self, programs):
    ...         return [float(sum(program) == 2) for program in programs]
    >>> len(explore(Coins()))
    3
    """

    #: How many actions there are at each step: 0 to choices[i] - 1 at step i.
    choices: Sequence[int] = ()
    #: As those of `Env`; nothing that only explores needs them.
    context: Sequence[str] = ()
    mentions: Sequence[tuple[int, int]] = ()

    @abstractmethod
    def score(self, programs: Sequence[Program]) -> Sequence[float]:
        """The reward of each of some whole programs."""

    def look(self, prefix: Program) -> tuple[Sequence[int], float | None]:
        """The same by prefixes, which is how a policy walks: each program is scored alone."""
        if len(prefix) < len(self.choices):
            return range(self.choices[len(prefix)]), None
        (reward,) = self.score([prefix])
        return [], float(reward)


@dataclass(frozen=True)
class Exploration:
    """What was found: the programs that earned something, in the order in which they were found."""

    #: The programs with their rewards.
    programs: list[tuple[Program, float]]
    #: How many programs were tried, none twice.
    tried: int
    #: Prefixes that were no programs and could not be continued.
    dead_ends: int
    #: Whether every program there is has been tried.
    complete: bool

    @property
    def best(self) -> tuple[Program, float] | None:
        """The first of those that earned most; None if nothing was found."""
        return max(self.programs, key=lambda found: found[1], default=None)

    def __len__(self) -> int:
        return len(self.programs)

    def __iter__(self) -> Iterator[tuple[Program, float]]:
        return iter(self.programs)


def explore(env: Env | ScoringEnv, programs: int = 1000, *, seed: int = 0, example: int = 0) -> Exploration:
    """Tries programs of an environment, none of them twice, and keeps those that earn something. What the environment
    raises ends the walk and comes out as it is; so does Ctrl-C. What is found depends on the seed and on the number of the
    example, by which several environments are explored differently."""
    programs, seed, example = whole("programs", programs), whole("seed", seed), whole("example", example)
    env = checked(env)
    if isinstance(env, ScoringEnv):
        choices = [whole("each of choices", choice, 0, 65535) for choice in env.choices]
        if not choices or min(choices) < 1:
            raise MapoError("an environment that scores programs says how many actions each step has: choices = [2, 2, 2]")
        found = _mapo.explore_scoring(env.score, choices, programs, seed, example)
    else:
        found = _mapo.explore_looking(env.look, programs, seed, example)
    kept, tried, dead_ends, complete = found
    return Exploration([(tuple(program), reward) for program, reward in kept], tried, dead_ends, complete)


def checked(env: Any) -> Any:
    """An environment; what is none is refused."""
    if isinstance(env, type):
        raise TypeError(f"{env.__name__} is a class of environments; give one of them: {env.__name__}()")
    if not callable(getattr(env, "look", None)):
        raise TypeError(f"an environment is a mapo.Env or a mapo.ScoringEnv, and this is {shown(env)}")
    return env


def _exactly(seen: Any) -> str:
    """All of an observation: an array that is written out leaves most of its numbers out."""
    if isinstance(seen, Mapping):
        return repr({key: _exactly(part) for key, part in seen.items()})
    if isinstance(seen, (tuple, list)):
        return repr([_exactly(part) for part in seen])
    return repr(seen.tobytes()) if hasattr(seen, "tobytes") else repr(seen)


class _Gymnasium(Env):
    """A deterministic environment of Gymnasium: a program is what is done in an episode, its reward what all steps earn."""

    def __init__(self, env: Any, steps: int, seed: int) -> None:
        self._env, self._steps, self._seed = env, steps, seed
        self._first, self._count = int(getattr(env.action_space, "start", 0)), int(env.action_space.n)
        self._restart()

    def _restart(self) -> None:
        self._seen, self._info = self._env.reset(seed=self._seed)
        self._here: Program = ()
        self._earned, self._is_over = 0.0, False

    def _step(self, action: int) -> Any:
        seen, reward, terminated, truncated, self._info = self._env.step(self._first + action)
        self._here += (action,)
        self._earned += float(reward)
        self._is_over = bool(terminated or truncated)
        return seen

    def look(self, prefix: Program) -> tuple[Sequence[int], float | None]:
        # An episode cannot go back: where the prefix does not go on from here, it is played again.
        if prefix[: len(self._here)] != self._here:
            self._restart()
        for action in prefix[len(self._here) :]:
            self._step(action)
        if self._is_over or len(prefix) >= self._steps:
            return [], self._earned
        mask = self._info.get("action_mask")
        return [action for action in range(self._count) if mask is None or mask[action]], None

    def check(self, episodes: int) -> None:
        """Plays some episodes twice, and refuses an environment that is not the same both times."""
        for episode in range(episodes):
            played: list[list[str]] = []
            for _ in range(2):
                self._restart()
                state, said = episode + 1, [_exactly(self._seen)]
                for _ in range(self._steps):
                    actions, reward = self.look(self._here)
                    if reward is not None or not actions:
                        break
                    # Chosen by numbers of our own, so that Python's stay where they are.
                    state = (1103515245 * state + 12345) % 2**31
                    seen = self._step(actions[state // 65536 % len(actions)])
                    said.append(f"{_exactly(seen)} {self._earned!r} {self._is_over} {actions!r}")
                played.append(said)
            if played[0] != played[1]:
                place = next(
                    (place for place, two in enumerate(zip(*played)) if two[0] != two[1]), min(map(len, played))
                )
                raise MapoError(
                    f"the environment is not deterministic: the same actions lead elsewhere at step {place}; "
                    "only what always goes the same way can be explored"
                )
        self._restart()


def from_gymnasium(env: Any, *, steps: int = 50, seed: int = 0, check: int = 5) -> Env:
    """An environment of Gymnasium with discrete actions, as one that can be explored. A program is the actions of an
    episode, of at most so many steps; its reward is what all of them earn together. `info["action_mask"]` says which
    actions are valid, where there is one. Some episodes are played twice, and an environment that does not go the same way
    both times is refused."""
    space = getattr(env, "action_space", None)
    if not hasattr(space, "n"):
        raise MapoError("only environments with discrete actions can be explored; this one's are of another kind")
    wrapped = _Gymnasium(env, steps, seed)
    wrapped.check(check)
    return wrapped
