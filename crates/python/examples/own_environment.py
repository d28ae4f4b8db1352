"""An environment of one's own: which four numbers of a keypad open a lock that only says how many are right?"""

from __future__ import annotations

from collections.abc import Sequence

import mapo

SECRET = (3, 1, 4, 1)


class Lock(mapo.Env):
    """Four numbers, each used at most twice; what is earned is the share of places that are right."""

    def look(self, prefix: tuple[int, ...]) -> tuple[Sequence[int], float | None]:
        """What can be pressed next, or how much of the whole was right."""
        if len(prefix) < len(SECRET):
            return [number for number in range(10) if prefix.count(number) < 2], None
        right = sum(one == other for one, other in zip(prefix, SECRET))
        return [], right / len(SECRET)


def main() -> None:
    """Tries numbers until the lock is open."""
    found = mapo.explore(Lock(), 20_000)
    best = found.best
    assert best is not None
    print(f"{found.tried} tried, all there are: {found.complete}; {best[0]} earns {best[1]}")


if __name__ == "__main__":
    main()
