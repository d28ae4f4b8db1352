"""Training: fit, score, stop and go on."""

from __future__ import annotations

import _thread
import datetime
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mapo

CARS = {
    "model": ["Corvo", "Lumen", "Tundra", "Delph", "Quill", "Ferra", "Onda", "Brisk"],
    "country": ["Italy", "Spain", "Italy", "Spain", "France", "Italy", "Japan", "Japan"],
    "price": [300, 250, 410, 90, 120, 510, 180, 205],
    "seats": [2, 4, 5, 4, 5, 2, 4, 7],
}


def questions() -> list[mapo.Question]:
    return mapo.compose(CARS, 40, seed=2)


def learnt_from() -> list[dict[str, Any]]:
    """Questions with their answers alone."""
    return [{"table": CARS, "question": one.question, "answer": one.answer} for one in questions()]


def trainer(run: Path, **wanted: Any) -> mapo.Trainer:
    given: dict[str, Any] = {"steps": 20, "settings": {"evaluate": 10, "batch": 8, "explore_first.programs": 200}, "threads": 1} | wanted
    return mapo.Trainer(run=run, **given)


def test_questions_are_made_from_tables() -> None:
    made = questions()
    assert len(made) > 20
    assert [one.question for one in made] == [one.question for one in questions()]
    assert all(question.answers and question.program and question.kind for question in made)
    two = mapo.compose([mapo.Table(CARS, name="cars"), mapo.Table(CARS, name="other")], 10)
    assert len({id(question.table) for question in two}) == 2


@pytest.mark.parametrize("asked", [questions, learnt_from], ids=["programs", "answers"])
def test_a_model_is_fitted_and_scored(asked: Callable[[], list[Any]], tmp_path: Path) -> None:
    made = asked()
    heard: list[dict[str, Any]] = []
    fitted = trainer(tmp_path / "run").fit(made[:28], made[28:], callbacks=[heard.append])
    assert fitted.steps_ == 20 and fitted.dev_accuracy_ is not None
    assert [event["step"] for event in fitted.history_] == [10, 20]
    assert {event["event"] for event in heard} >= {"step", "measured"}
    # Programs that are known need not be looked for.
    explored = sum(event["examples"] for event in heard if event["event"] == "exploring")
    assert (explored > 0) == (asked is learnt_from)
    # The model goes on in the language that it knows.
    assert fitted.model_.card["language"] == mapo.Model().card["language"] == "people"
    scored = fitted.score(made[28:])
    assert scored.accuracy == float(scored) == fitted.dev_accuracy_
    assert len(scored.predictions) == len(made) - 28
    assert mapo.ask(CARS, "which model has the highest price?", model=fitted.model_).value == "Ferra"
    with pytest.raises(mapo.MapoError, match="already"):
        trainer(tmp_path / "run").fit(made)


def test_ctrl_c_stops_and_resume_goes_on(tmp_path: Path) -> None:
    made = learnt_from()
    whole = trainer(tmp_path / "whole", steps=30).fit(made)

    def interrupt(event: dict[str, Any]) -> None:
        if event["event"] == "measured" and event["step"] == 10:
            _thread.interrupt_main()

    stopped = trainer(tmp_path / "stopped", steps=30)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(made, callbacks=[interrupt])
    again = trainer(tmp_path / "stopped").fit(resume=True)
    assert again.steps_ == 30
    assert again.dev_accuracy_ == whole.dev_accuracy_
    assert again.model_._model.card() == whole.model_._model.card()


def test_callbacks_may_end_it(tmp_path: Path) -> None:
    def enough(event: dict[str, Any]) -> None:
        if event["event"] == "measured":
            raise mapo.StopTraining

    fitted = trainer(tmp_path / "run", steps=1000).fit(learnt_from(), callbacks=[enough])
    assert fitted.history_[-1]["step"] < 1000 and fitted.model_
    assert fitted.steps_ >= 10 and fitted.dev_accuracy_ == fitted.history_[0]["dev_accuracy"]

    def broken(event: dict[str, Any]) -> None:
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        trainer(tmp_path / "other").fit(learnt_from(), callbacks=[broken])


def test_totals_are_left_out_where_questions_are_learnt(tmp_path: Path) -> None:
    sold = {"Product": ["Tea", "Rice", "Salt", "Milk", "Total"], "Kind": ["drink", "food", "food", "drink", ""], "Sold": [10, 20, 30, 15, 75]}
    file = tmp_path / "sold.csv"
    file.write_text("\n".join([",".join(sold), *(",".join(map(str, row)) for row in zip(*sold.values()))]) + "\n")
    tables: list[Any] = [sold, file]
    for number, table in enumerate(tables):
        made = mapo.compose(table, 20)
        assert made
        trainer(tmp_path / f"run{number}", steps=1, settings={"evaluate": 1, "batch": 2}).fit(made)


def test_without_programs_it_explores_first(tmp_path: Path) -> None:
    plain = [{"table": CARS, "question": question.question, "answer": question.answer} for question in questions()[:6]]
    events: list[str] = []
    settings = {"evaluate": 5, "batch": 4, "explore_first.programs": 200}
    fitted = trainer(tmp_path / "run", steps=5, settings=settings, objective="iml")
    fitted.fit(plain[:4], plain[4:], callbacks=[lambda event: events.append(event["event"])])
    assert events[0] == "exploring" and "explored" in events
    assert 'name = "iml"' in (tmp_path / "run" / "config.toml").read_text()


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"preset": "tuna"}, "did you mean 'tune'"),
        ({"settings": {"learning.rat": 1}}, "learning.rat|rat"),
        ({"init": "nowhere.safetensors"}, "nowhere"),
    ]
    for wanted, said in wrong:
        with pytest.raises(mapo.MapoError, match=said):
            trainer(tmp_path / "run", **wanted).fit(questions())
    with pytest.raises(mapo.MapoError, match="has no question and no answer"):
        trainer(tmp_path / "run").fit([{"table": CARS}])
    with pytest.raises(mapo.MapoError, match="resume=True"):
        trainer(tmp_path / "run").fit()
    with pytest.raises(mapo.MapoError, match="no run here"):
        trainer(tmp_path / "none").fit(resume=True)
    with pytest.raises(mapo.MapoError, match="no model yet"):
        trainer(tmp_path / "none").score(questions())


@pytest.mark.parametrize(
    ("wanted", "error", "said"),
    [
        ({"steps": "10"}, TypeError, "steps is a whole number, and this is str: '10'"),
        ({"steps": -1}, ValueError, "steps is at least 1, and this is -1"),
        ({"steps": 0}, ValueError, "steps is at least 1"),
        ({"steps": 2**70}, ValueError, "steps is at most"),
        ({"seed": 1.5}, TypeError, "seed is a whole number"),
        ({"threads": 0}, ValueError, "threads is at least 1"),
        ({"preset": 3}, TypeError, "preset is a name"),
        ({"objective": 3}, TypeError, "objective is a name"),
        ({"settings": "batch=8"}, TypeError, "settings is a dictionary"),
        ({"init": 3}, TypeError, "init is a path"),
    ],
)
def test_a_trainer_says_what_is_wrong_at_once(tmp_path: Path, wanted: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        mapo.Trainer(run=tmp_path / "run", **wanted)
    nowhere: Any = None
    with pytest.raises(TypeError, match="run is a path, and this is NoneType"):
        mapo.Trainer(run=nowhere)


ONE: dict[str, Any] = {"table": CARS, "question": "which model has 7 seats?", "answer": "Brisk"}


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (5, TypeError, "train is a list: .*; this is int: 5"),
        (ONE, TypeError, "train is a list"),
        (Path("questions.jsonl"), TypeError, "names a dataset, as 'jsonl:questions.jsonl'"),
        ([], mapo.MapoError, "there are no questions; give at least one"),
        (["which?"], TypeError, "train question 0 is a mapo.Question or a dictionary .* and not str: 'which"),
        ([ONE | {"question": 7}], TypeError, "train question 0: a question is a text, and this is int: 7"),
        ([ONE | {"answer": None}], mapo.MapoError, "train question 0: an item of an answer is a text, a number or a date"),
        ([ONE | {"answer": float("nan")}], mapo.MapoError, "an item of an answer"),
        ([ONE | {"table": 7}], TypeError, "int is no table"),
        ("nonsense", mapo.MapoError, "nonsense"),
        ("jsonl:nowhere.jsonl", mapo.MapoError, "nowhere.jsonl"),
    ],
)
def test_what_is_no_question_is_said(tmp_path: Path, given: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        trainer(tmp_path / "run").fit(given)


def test_what_else_can_be_wrong_is_said(tmp_path: Path) -> None:
    wrong: Any = print
    with pytest.raises(TypeError, match=r"callbacks is a list: \[print\]"):
        trainer(tmp_path / "run").fit([ONE], callbacks=wrong)
    wrong = [7]
    with pytest.raises(TypeError, match="a callback is a function of one dictionary, and this is int: 7"):
        trainer(tmp_path / "run").fit([ONE], callbacks=wrong)
    for value in (object(), None, {"deep": None}):
        with pytest.raises(mapo.MapoError, match="the setting batch cannot be"):
            trainer(tmp_path / "run", settings={"batch": value}).fit([ONE])
    with pytest.raises(mapo.MapoError, match="no table to make questions from"):
        mapo.compose([])
    model: Any = "box"
    with pytest.raises(TypeError, match="model is a Model, and this is str: 'box'"):
        mapo.score(model, [ONE])
    with pytest.raises(ValueError, match="limit is at least 0"):
        mapo.score(mapo.Model(), [ONE], limit=-1)
    with pytest.raises(ValueError, match="questions is at least 0"):
        mapo.compose(CARS, -1)


def test_answers_are_what_they_are(tmp_path: Path) -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    people = {"Name": ["Anne", "Bob"], "Born": [datetime.date(1990, 5, 17), datetime.date(1984, 2, 29)], "Age": [33, 40]}
    asked: list[tuple[str, Any]] = [
        ("when was Bob born?", datetime.date(1984, 2, 29)),
        ("when was Anne born?", pandas.Timestamp("1990-05-17")),
        ("what is the age of Bob?", numpy.int64(40)),
        ("who is there?", numpy.array(["Anne", "Bob"])),
        ("who are they?", pandas.Series(["Anne", "Bob"])),
        ("who is 33?", ("Anne",)),
    ]
    scored = mapo.score(mapo.Model(), [mapo.Question(people, question, answer) for question, answer in asked])
    assert len(scored.predictions) == 6
    assert [prediction["right"] for prediction in scored.predictions[:3]] == [True] * 3


SCRIPT = """
import sys
import mapo
from test_training import learnt_from, trainer

def told(event):
    if event["event"] == "measured":
        print("measured", event["step"], flush=True)

try:
    if sys.argv[2] == "begin":
        trainer(sys.argv[1], steps=100_000).fit(learnt_from(), callbacks=[told])
    else:
        trainer(sys.argv[1]).fit(resume=True, callbacks=[told])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_a_real_ctrl_c_stops_a_process_and_another_goes_on(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    reached = [0]
    for how in ("begin", "resume"):
        command = [sys.executable, str(script), str(tmp_path / "run"), how]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None and process.stderr is not None
            first = process.stdout.readline().split()
            assert first[:1] == ["measured"], process.stderr.read()
            reached.append(int(first[1]))
            process.send_signal(signal.SIGINT)
            said = process.stdout.read().splitlines()
            assert said[-1] == "interrupted" and process.wait(60) == 0
            assert process.stderr.read() == ""
    assert reached[1] < reached[2]


def test_a_notebook_is_interrupted_and_its_next_cell_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    client: Any = pytest.importorskip("jupyter_client")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    manager, kernel = client.manager.start_new_kernel(kernel_name="python3", cwd=str(tmp_path), env=environment)

    def run(cell: str, until: str | None = None) -> dict[str, Any]:
        """Runs a cell; where it is to be interrupted, as soon as it shows something with these words."""
        # Else what comes soon after a cell that failed is left out, as where all cells are run.
        asked = kernel.execute(cell, stop_on_error=False)
        while until is not None:
            message = kernel.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != asked:
                continue
            content = message["content"]
            shown = str(content.get("data", content.get("text", "")))
            assert "traceback" not in content, content
            if until in shown:
                # As the button of a notebook does.
                manager.interrupt_kernel()
                break
        while True:
            # A kernel that was slow to begin has more to say than what this cell came to.
            reply: dict[str, Any] = kernel.get_shell_msg(timeout=120)
            if reply["parent_header"].get("msg_id") == asked:
                return dict(reply["content"])

    try:
        assert run("from test_training import learnt_from, trainer")["status"] == "ok"
        # The bar of a notebook says how far it is.
        stopped = run("fitted = trainer('run', steps=100_000)\nfitted.fit(learnt_from())", until="right on dev")
        assert (stopped["status"], stopped["ename"]) == ("error", "KeyboardInterrupt")
        assert run("assert fitted.history_ and fitted.model_.ask({'a': ['x', 'y']}, 'how many a?')")["status"] == "ok"
        gone_on = "reached = fitted.steps_\nfitted.fit(resume=True)"
        assert run(gone_on, until="right on dev")["ename"] == "KeyboardInterrupt"
        said = run("assert fitted.steps_ > reached, (fitted.steps_, reached)")
        assert said["status"] == "ok", said
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)
