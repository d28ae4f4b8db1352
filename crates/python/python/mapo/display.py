"""An answer as a card of HTML, for notebooks: what the page of `mapo serve` shows."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mapo.tables import Table

#: Rows and columns of the table that are shown, and characters of a cell.
MOST_ROWS = 10
MOST_COLUMNS = 12
LONGEST = 60

_CARD = "border:1px solid #8886;border-radius:8px;padding:12px 16px;max-width:56em;font-family:system-ui,sans-serif"
_QUIET = "color:#777;font-size:.85em;margin:.3em 0"
_ANSWER = "background:#1f9d5533;font-weight:600"
_USED = "background:#e0a80033"


def card(reply: dict[str, Any], table: Table) -> str:
    """The card of a reply."""
    parts = [f'<p style="{_QUIET}">{escape(reply["question"])}</p>']
    parts += [f'<p style="{_QUIET}">There is no “{escape(name)}” in this table.</p>' for name in reply["unknown"]]
    if not reply["program"]:
        parts.append(f"<p>I cannot answer that: {escape(reply['note'] or 'I found no way to do it')}.</p>")
        if reply["suggestions"]:
            asked = "".join(f"<li>{escape(question)}</li>" for question in reply["suggestions"])
            parts.append(f'<p style="{_QUIET}">You can ask, for instance:</p><ul>{asked}</ul>')
        return f'<div style="{_CARD}">{"".join(parts)}</div>'
    if not reply["sure"]:
        parts.append(f'<p style="{_QUIET}">I am not sure. My best guess:</p>')
    more = reply["answer_total"] - len(reply["shown"])
    shown = escape(", ".join(reply["shown"])) + (f", … ({reply['answer_total']} in all)" if more > 0 else "")
    parts.append(f'<p style="font-size:1.5em;font-weight:600;margin:.2em 0">{shown}</p>')
    parts.append(_meter(reply))
    parts.append(f"<p>{escape(reply['english'])}</p>")
    parts.append(_rows(reply, table))
    parts += [f'<p style="{_QUIET}">Note: {escape(note)}.</p>' for note in reply["column_notes"]]
    if reply["left_out"]:
        parts.append(f'<p style="{_QUIET}">Note: {escape(reply["left_out"])}.</p>')
    parts.append(_folded("Program", reply["program"].replace(") (", ")\n(")))
    if reply["sql"]:
        parts.append(_folded("SQL", reply["sql"]))
    others = "".join(
        f"<li>{escape(', '.join(other['shown']))} ({percent_of(other['probability'])}): {escape(other['english'])}</li>"
        for other in reply["alternatives"]
    )
    if others:
        parts.append(f"<details><summary>Other answers</summary><ul>{others}</ul></details>")
    return f'<div style="{_CARD}">{"".join(parts)}</div>'


def _meter(reply: dict[str, Any]) -> str:
    percent = 100 * max(0.0, min(1.0, reply["probability"]))
    colour = "#1f9d55" if reply["sure"] else "#e0a800"
    said = "sure" if reply["calibrated"] else "by its own estimate"
    return (
        '<div style="display:flex;align-items:center;gap:.6em">'
        '<span style="flex:none;width:10em;height:.5em;border-radius:.25em;background:#8884">'
        f'<span style="display:block;width:{percent:.1f}%;height:100%;border-radius:.25em;background:{colour}"></span>'
        f'</span><span style="{_QUIET}">{percent_of(reply["probability"])} {said}</span></div>'
    )


def percent_of(probability: float) -> str:
    """A probability, as the command says it: nothing is certain."""
    percent = 100 * probability
    return "over 99 %" if percent > 99 else "under 1 %" if percent < 1 else f"{percent:.0f} %"


def _folded(name: str, text: str) -> str:
    return f'<details><summary>{name}</summary><pre style="white-space:pre-wrap">{escape(text)}</pre></details>'


def _rows(reply: dict[str, Any], table: Table) -> str:
    """The rows that matter, with the cells of the answer and those that it rests on marked."""
    answer = {(cell["row"], cell["column"]) for cell in reply["cells"]}
    used = {(cell["row"], cell["column"]) for step in reply["steps"] for cell in step["cells"]}
    rows = sorted({row for row, _ in answer or used})
    if not rows:
        # A count of rows rests on no cell.
        given = [step["rows"] for step in reply["steps"] if step["rows"] is not None]
        rows = given[-1] if given else []
    if not rows:
        return ""
    marked = {column for _, column in answer | used}
    order = sorted(range(len(table.headers)), key=lambda column: column not in marked)
    columns = sorted(order[:MOST_COLUMNS])
    head = "".join(f"<th>{escape(_short(table.headers[column]))}</th>" for column in columns)
    body = []
    for row in rows[:MOST_ROWS]:
        texts = table.row(row)
        cells = "".join(
            f'<td style="{_ANSWER if (row, column) in answer else _USED if (row, column) in used else ""}">'
            f"{escape(_short(texts[column]))}</td>"
            for column in columns
        )
        body.append(f'<tr><th style="{_QUIET}">{row + 1}</th>{cells}</tr>')
    notes = []
    if len(rows) > MOST_ROWS:
        notes.append("more rows than shown")
    if len(columns) < len(table.headers):
        notes.append(f"{len(columns)} of {len(table.headers)} columns")
    note = f'<p style="{_QUIET}">{"; ".join(notes)}</p>' if notes else ""
    return f'<table cellpadding="4" style="border-collapse:collapse"><tr><th></th>{head}</tr>{"".join(body)}</table>{note}'


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
