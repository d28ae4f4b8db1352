"""How far training is: a bar in a notebook, or in a terminal."""

from __future__ import annotations

import sys
from html import escape
from importlib import import_module
from typing import Any


class Progress:
    """Shows what a run tells: in a notebook a bar and a chart of the accuracy, in a terminal a line."""

    def __init__(self) -> None:
        self._measured: list[tuple[int, float]] = []
        self._said = ""
        self._share = 0.0
        self._shown: Any = None
        self._is_notebook = "ipykernel" in sys.modules

    def hear(self, event: dict[str, Any]) -> None:
        """Takes news of a run."""
        match event["event"]:
            case "exploring":
                self._share = event["done"] / max(1, event["examples"])
                self._said = f"looking for programs: {event['done']} of {event['examples']} questions"
            case "step":
                self._share = event["step"] / max(1, event["steps"])
                self._said = f"step {event['step']} of {event['steps']}"
            case "measured" if event["dev_accuracy"] is not None:
                self._measured.append((event["step"], event["dev_accuracy"]))
        self._show()

    def close(self) -> None:
        """Ends the line of a terminal."""
        if not self._is_notebook and self._said:
            print(file=sys.stderr)

    def _show(self) -> None:
        said = self._said
        if self._measured:
            best = max(accuracy for _, accuracy in self._measured)
            said += f", {100 * self._measured[-1][1]:.1f} % right on dev, at best {100 * best:.1f} %"
        if not self._is_notebook:
            filled = round(30 * self._share)
            print(f"\r{'█' * filled}{'░' * (30 - filled)} {said}", end="", file=sys.stderr, flush=True)
            return
        # There only in a notebook, and without types.
        shown: Any = import_module("IPython.display")
        html = shown.HTML(self._html(said))
        if self._shown is None:
            self._shown = shown.display(html, display_id=True)
        else:
            self._shown.update(html)

    def _html(self, said: str) -> str:
        bar = (
            '<div style="width:24em;height:.6em;border-radius:.3em;background:#8884">'
            f'<div style="width:{100 * self._share:.1f}%;height:100%;border-radius:.3em;background:#1f9d55"></div></div>'
        )
        return f'<div style="font-family:system-ui,sans-serif">{bar}<p style="margin:.3em 0">{escape(said)}</p></div>{self._chart()}'

    def _chart(self) -> str:
        """The accuracy so far."""
        if len(self._measured) < 2:
            return ""
        last = max(1, self._measured[-1][0])
        points = " ".join(f"{300 * step / last:.1f},{90 - 80 * accuracy:.1f}" for step, accuracy in self._measured)
        return (
            '<svg width="320" height="100" role="img" aria-label="accuracy on dev">'
            '<line x1="0" y1="90" x2="300" y2="90" stroke="#8888"/><line x1="0" y1="10" x2="300" y2="10" stroke="#8884"/>'
            f'<polyline points="{points}" fill="none" stroke="#1f9d55" stroke-width="2"/></svg>'
        )
