"""Training: fit, score, stop and go on."""

from __future__ import annotations

import _thread
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
