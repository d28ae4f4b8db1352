"""What is given is looked at before it goes on, so that an error names it and not a place inside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

#: Characters of a value in an error.
LONGEST = 60


def shown(value: object) -> str:
    """A value in an error: of what type it is and, where that is short, what it is."""
    kind = type(value).__name__
    text = repr(value)
    return kind if value is None or len(text) > LONGEST or "\n" in text or text.startswith("<") else f"{kind}: {text}"


def whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number, that is not too small and not too large."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, and this is {shown(value)}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is at least {least}, and this is {number}" if number < least else f"{name} is at most {most}")
    return number


def listed(name: str, values: Any, example: str) -> Sequence[Any]:
    """Several things, in a list."""
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} is a list: {example}; this is {shown(values)}")
    return list(values)


def callbacks(values: Any) -> Sequence[Any]:
    """Functions that are called with news."""
    known = listed("callbacks", values, "[print]")
    for one in known:
        if not callable(one):
            raise TypeError(f"a callback is a function of one dictionary, and this is {shown(one)}")
    return known
