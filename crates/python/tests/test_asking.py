"""Asking: answers and their reasons, and the same as the command."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, QUESTIONS

import mapo

Films = dict[str, list[object]]


def test_an_answer_has_its_reasons(films: Films) -> None:
    answer = mapo.ask(films, "which film by Kubrick is the longest?")
    assert answer
    assert answer.value == answer.text == str(answer) == "Barry Lyndon"
    assert answer.cells == [(1, 0)]
    assert "Minutes" in answer.english and answer.program.startswith("(") and "SELECT" in answer.sql
    assert 0 < answer.probability <= 1 and isinstance(answer.sure, bool)
    assert all(other.probability <= answer.probability and other.text for other in answer.alternatives)
    assert answer.reply["question"] == answer.question
    assert "Barry Lyndon" in repr(answer)


def test_values_are_what_they_are(films: Films) -> None:
    count = mapo.ask(films, "how many films did Ridley Scott direct?").value
    assert count == 3 and type(count) is int
    average = mapo.ask(films, "what is the average of minutes?").value
    assert average == 144
    several = mapo.ask(films, "which films are longer than 150 minutes?").value
    assert several == ["Barry Lyndon", "Gladiator"]
    people = {"Name": ["Anne", "Bob"], "Born": [datetime.date(1990, 5, 17), datetime.date(1984, 2, 29)]}
    born = mapo.ask(people, "when was Bob born?").value
    assert born == datetime.date(1984, 2, 29)
    assert mapo.ask({"Part": ["bolt", "nut"], "Code": ["007", "12"]}, "what is the code of the bolt?").value == "007"


def test_no_answer_is_no_error(films: Films) -> None:
    answer = mapo.ask(films, "zzz qqq?")
    assert not answer
    assert answer.value is None and answer.text == "" and answer.note and answer.suggestions
    assert answer.suggestions[0] in answer._repr_html_()
    with pytest.raises(mapo.MapoError, match="question"):
        mapo.ask(films, "   ")


@pytest.mark.parametrize("question", [None, 5, b"who?", ["who?"]])
def test_a_question_is_a_text(films: Films, question: Any) -> None:
    with pytest.raises(TypeError, match=f"^a question is a text, and this is {type(question).__name__}"):
        mapo.ask(films, question)
    with pytest.raises(TypeError, match="a question is a text"):
        mapo.ask_all(films, ["who directed Alien?", question])


def test_what_is_given_in_the_wrong_place_is_said(films: Films) -> None:
    wrong: Any = 7
    with pytest.raises(mapo.MapoError, match="question"):
        mapo.ask(films, "")
    with pytest.raises(TypeError, match="ask_all takes a list of questions"):
        mapo.ask_all(films, wrong)
    with pytest.raises(TypeError, match="model is a Model"):
        mapo.ask(films, "who directed Alien?", model=wrong)
    assert mapo.ask_all(films, []) == []
    assert [one.value for one in mapo.ask_all(films, (text for text in ["who directed Alien?"]))] == ["Ridley Scott"]  # type: ignore[arg-type]


def test_a_notebook_shows_the_cells(films: Films) -> None:
    html = mapo.ask(films, "who directed Alien?")._repr_html_()
    assert html.count("<tr>") == 2 and "Ridley Scott" in html
    assert "font-weight:600\">Ridley Scott</td>" in html
    films["Title"][2] = "<script>alert(1)</script>"
    assert "<script>" not in mapo.ask(films, "which film is the shortest?")._repr_html_()


#: What the command and the package say alike. All of it is compared as it is, probabilities to their last digit.
SAME = ["question", "answer", "shown", "program", "english", "sql", "probability", "sure", "cells", "alternatives"]


def told(command: list[str], table: Path, questions: list[str]) -> list[dict[str, Any]]:
    """What the command replies."""
    command = [*command, "ask", str(table), "--json"]
    said = subprocess.run(command, input="\n".join(questions), capture_output=True, text=True, check=True)
    replies = [json.loads(line) for line in said.stdout.splitlines()]
    assert len(replies) == len(questions)
    return [{key: reply[key] for key in SAME} for reply in replies]


def replied(answers: list[mapo.Answer]) -> list[dict[str, Any]]:
    """What the package replies."""
    return [{key: answer.reply[key] for key in SAME} for answer in answers]


def test_the_script_says_the_same(films: Films, films_csv: Path) -> None:
    replies = told([sys.executable, "-m", "mapo"], films_csv, QUESTIONS)
    # SQL names the table.
    frame = mapo.Table(films, name=str(films_csv))
    assert replied(mapo.ask_all(films_csv, QUESTIONS)) == replies
    assert replied([mapo.ask(films_csv, question) for question in QUESTIONS]) == replies
    assert replied([mapo.ask(frame, question) for question in QUESTIONS]) == replies
    assert sum(1 for reply in replies if reply["program"]) >= 6


def test_the_program_says_the_same(binary: Path, films_csv: Path) -> None:
    asked: dict[Path, list[str]] = {films_csv: QUESTIONS}
    shop = PROJECT / "examples" / "own-data"
    for line in (shop / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        asked.setdefault(shop / question["table"], []).append(question["question"])
    assert sum(map(len, asked.values())) > 100
    for table, questions in asked.items():
        replies = told([str(binary)], table, questions)
        assert replied(mapo.ask_all(table, questions)) == replies
        assert replied([mapo.ask(table, question) for question in questions]) == replies


def test_the_command_has_its_exit_codes(films_csv: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "mapo", *arguments], capture_output=True, text=True)

    answered = run("ask", str(films_csv), "who directed Alien?")
    assert answered.returncode == 0 and "Ridley Scott" in answered.stdout
    assert run("ask", str(films_csv), "zzz qqq?").returncode == 1
    missing = run("ask", "nowhere.csv", "who?")
    assert missing.returncode == 2 and missing.stderr.startswith("mapo: nowhere.csv")
    assert run("--version").stdout.strip() == f"mapo {mapo.__version__}"


def test_other_threads_run_meanwhile() -> None:
    rows = [{"Name": f"name {number}", "Score": number % 977} for number in range(60_000)]
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    table = mapo.Table(rows)
    thread.start()
    began = time.perf_counter()
    mapo.ask(table, "which name has the highest score?")
    took = time.perf_counter() - began
    done.set()
    thread.join()
    meanwhile = [moment for moment in ticks if began < moment < began + took]
    assert len(meanwhile) > min(5, took * 1000 / 20), (len(meanwhile), took)


def test_models_are_saved_and_loaded(films: Films, tmp_path: Path) -> None:
    model = mapo.Model()
    file = tmp_path / "model.safetensors"
    model.save(file)
    again = mapo.Model.load(file)
    one, other = (each.ask(films, "who directed Alien?") for each in (model, again))
    assert (one.value, one.probability) == (other.value, other.probability)
    assert again.card == model.card and model.card
    with pytest.raises(FileNotFoundError, match="nowhere"):
        mapo.Model.load(tmp_path / "nowhere")
    (tmp_path / "wrong").write_bytes(b"no model")
    with pytest.raises(mapo.MapoError, match="wrong"):
        mapo.Model.load(tmp_path / "wrong")
