"""Training a model on questions of one's own, in the manner of scikit-learn."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import Any

from mapo import _mapo, checks
from mapo._mapo import MapoError
from mapo.asking import Model
from mapo.checks import listed, shown, whole
from mapo.progress import Progress
from mapo.questions import QuestionLike, write

#: What a callback is told: `event` is `exploring`, `explored`, `step` or `measured`, with what belongs to it.
Callback = Callable[[dict[str, Any]], object]


class StopTraining(Exception):
    """Raised by a callback, it ends training in good order: what was learnt is kept, and `fit` returns."""


@dataclass(frozen=True)
class Score:
    """How good a model is on some questions."""

    #: The share of right answers.
    accuracy: float
    #: For each question what was answered: program, answer, probability, right or wrong.
    predictions: list[dict[str, Any]] = field(repr=False)

    def __float__(self) -> float:
        return self.accuracy


@dataclass(frozen=True)
class _Wanted:
    data: str
    split: str | None
    dev_split: str | None
    preset: str | None
    settings: list[str]
    steps: int | None
    init: str | None
    seed: int
    threads: int | None


class Trainer:
    """Trains a model on questions with answers.

    `run` is the folder in which the run is kept: its settings, what was measured, the best model and what it needs to go on.
    `init` is the model to begin with: the one in the box, the path of another, or None for a new network. `preset` names
    settings that go together (`tune` for some dozens of questions and a trained model, which is the default with one, `toy`,
    `wtq`, …), `steps` how many steps of learning there are, `objective` what is climbed (`mapo`, `iml`, `mml`, `hard_em`,
    `reinforce`, `augmented`), `settings` changes anything else: `{"learning.rate": 0.002}`.

    After `fit`, `model_` is the best model on the dev questions, `history_` what was measured, `dev_accuracy_` its accuracy.
    """

    def __init__(
        self,
        *,
        run: str | os.PathLike[str],
        preset: str | None = None,
        steps: int | None = None,
        objective: str | None = None,
        settings: Mapping[str, object] | None = None,
        init: str | os.PathLike[str] | None = "box",
        seed: int = 1,
        threads: int | None = None,
    ) -> None:
        self.run = _path("run", run)
        self.preset = _name("preset", preset)
        self.steps = None if steps is None else whole("steps", steps, 1)
        self.objective = _name("objective", objective)
        if not isinstance(settings, (Mapping, NoneType)):
            raise TypeError(f"settings is a dictionary: {{'learning.rate': 0.002}}; this is {shown(settings)}")
        self.settings = dict(settings or {})
        self.init = None if init is None else os.fspath(_path("init", init))
        self.seed = whole("seed", seed)
        self.threads = None if threads is None else whole("threads", threads, 1)
        self.history_: list[dict[str, Any]] = []
        self.dev_accuracy_: float | None = None
        self.steps_: int = 0
        self._model: Model | None = None

    def fit(
        self,
        train: str | Iterable[QuestionLike] | None = None,
        dev: str | Iterable[QuestionLike] | None = None,
        *,
        callbacks: Sequence[Callback] = (),
        resume: bool = False,
        progress: bool | None = None,
    ) -> Trainer:
        """Trains on questions, and keeps the model that is best on those of `dev`; where there are none, some of `train` are
        kept apart. Each is a `Question` or a dictionary with a table, a question and an answer; `train` may also name a
        dataset (`toy`, `jsonl:questions.jsonl`, `wtq:…`), and `dev` one of its splits.

        Ctrl-C stops and saves; `fit(resume=True)` goes on. `progress` shows a bar in notebooks and terminals; a callback is
        called with a dictionary for whatever happens.
        """
        heeded = checks.callbacks(callbacks)
        wanted = None if resume else self._wanted(train, dev)
        if resume and (train is not None or dev is not None):
            raise MapoError("a run that goes on knows its questions; leave them out with resume=True")
        bar = Progress() if progress or (progress is None and _is_watched()) else None
        heard: list[Callback] = [self._hear, *([bar.hear] if bar else []), *heeded]

        def hear(news: str) -> None:
            event: dict[str, Any] = json.loads(news)
            for callback in heard:
                callback(event)

        if not resume:
            self.history_ = []
        self._model = None
        try:
            came_to = json.loads(_mapo.fit(self.run, wanted, hear))
            self.dev_accuracy_ = came_to["dev_accuracy"]
            self.steps_ = came_to["step"]
        except StopTraining:
            # What the run had come to when it was ended, as far as it was told.
            best = [event["dev_accuracy"] for event in self.history_ if event["is_best"]]
            self.dev_accuracy_ = best[-1] if best else None
        finally:
            if bar:
                bar.close()
        return self

    @property
    def model_(self) -> Model:
        """The best model of the run."""
        if self._model is None:
            file = self.run / "best.safetensors"
            if not file.exists():
                raise MapoError(f"{self.run}: there is no model yet; call fit first")
            self._model = Model.load(file)
        return self._model

    def score(self, test: str | Iterable[QuestionLike], *, split: str | None = None, limit: int | None = None) -> Score:
        """How many of some questions the model answers right; `test` may also name a dataset, of which `split` is taken."""
        return score(self.model_, test, split=split, limit=limit)

    def _hear(self, event: dict[str, Any]) -> None:
        if event["event"] in ("step", "measured"):
            self.steps_ = event["step"]
        if event["event"] == "measured":
            self.history_.append(event)

    def _wanted(self, train: str | Iterable[QuestionLike] | None, dev: str | Iterable[QuestionLike] | None) -> _Wanted:
        if train is None:
            raise MapoError("give questions to train on, or resume=True to go on with a run")
        if (self.run / "config.toml").exists():
            raise MapoError(f"{self.run}: there is a run here already; go on with fit(resume=True), or choose another folder")
        split = dev_split = None
        if isinstance(train, str):
            if dev is not None and not isinstance(dev, str):
                raise MapoError("where train names a dataset, dev names one of its splits")
            data, dev_split = train, dev
        else:
            if isinstance(dev, str):
                raise MapoError("where train is a list of questions, dev is one too")
            given = _questions("train", train)
            splits = _apart(given) if dev is None else {"train": given, "dev": _questions("dev", dev)}
            data = f"jsonl:{write(self.run / 'data', splits).resolve()}"
            split, dev_split = "train", "dev" if "dev" in splits else None
        changes = dict(self.settings)
        if self.objective is not None:
            changes["objective"] = {"name": self.objective}
        return _Wanted(
            data=data,
            split=split,
            dev_split=dev_split,
            preset=self.preset,
            settings=[f"{name}={_setting(str(name), value)}" for name, value in changes.items()],
            steps=self.steps,
            init=self.init,
            seed=self.seed,
            threads=self.threads,
        )


def score(
    model: Model, test: str | Iterable[QuestionLike], *, split: str | None = None, limit: int | None = None
) -> Score:
    """How many of some questions a model answers right."""
    if not isinstance(model, Model):
        raise TypeError(f"model is a Model, and this is {shown(model)}")
    limit = None if limit is None else whole("limit", limit)
    if isinstance(test, str):
        return _scored(model, test, split, limit)
    given = _questions("test", test)
    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder), {"test": given})
        return _scored(model, f"jsonl:{file}", "test", limit)


def _scored(model: Model, data: str, split: str | None, limit: int | None) -> Score:
    predictions = [json.loads(line) for line in _mapo.score(model._model, data, split, limit)]
    right = sum(1 for prediction in predictions if prediction["right"])
    return Score(right / max(1, len(predictions)), predictions)


def _questions(name: str, given: Any) -> list[QuestionLike]:
    if isinstance(given, os.PathLike):
        raise TypeError(f"{name} is a list of questions or names a dataset, as 'jsonl:{os.fspath(given)}'; this is a path")
    return list(listed(name, given, "[{'table': …, 'question': …, 'answer': …}, …]"))


def _path(name: str, given: Any) -> Path:
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{name} is a path, and this is {shown(given)}")
    return Path(given)


def _name(name: str, given: Any) -> str | None:
    if not isinstance(given, (str, NoneType)):
        raise TypeError(f"{name} is a name, and this is {shown(given)}")
    return given


def _setting(name: str, value: object) -> str:
    try:
        return _toml(value)
    except (TypeError, ValueError):
        raise MapoError(f"the setting {name} cannot be {shown(value)}; give a number, a text, a truth or a dictionary of these") from None


def _apart(questions: list[QuestionLike]) -> dict[str, list[QuestionLike]]:
    """Every fifth question apart, to choose a model by; of a few, none."""
    if len(questions) < 5:
        return {"train": questions}
    return {
        "train": [question for number, question in enumerate(questions) if number % 5 != 4],
        "dev": questions[4::5],
    }


def _toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if value is None:
        raise TypeError("TOML has no word for nothing")
    return json.dumps(value)


def _is_watched() -> bool:
    """Whether somebody looks: in a notebook, or in a terminal."""
    return "ipykernel" in sys.modules or sys.stderr.isatty()
