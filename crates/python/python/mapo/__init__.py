"""Questions about tables, answered by programs.

>>> import mapo
>>> people = {"Name": ["Anne", "Bob"], "Hometown": ["Tulsa", "Omaha"]}
>>> answer = mapo.ask(people, "who is from Omaha?")
>>> answer.value
'Bob'
>>> answer.english
"rows where Hometown is 'omaha' → Name"

`ask` takes any data frame, a list of dictionaries, a dictionary of lists or the path of a file; `Table` and `Model` are for
those who ask more than once; `pipeline` is a drop-in for Hugging Face's; `Trainer` trains a model on questions of one's own;
`Env`, `explore` and `train` are for environments that have nothing to do with tables.
"""

from mapo._mapo import MapoError, __version__
from mapo.answers import Alternative, Answer
from mapo.asking import Model, ask, ask_all
from mapo.environments import Env, Exploration, ScoringEnv, explore, from_gymnasium
from mapo.pipelines import TableQuestionAnswering, pipeline
from mapo.policies import Policy, train
from mapo.questions import Question, compose
from mapo.tables import Table
from mapo.training import Score, StopTraining, Trainer, score

__all__ = [
    "Alternative",
    "Answer",
    "Env",
    "Exploration",
    "MapoError",
    "Model",
    "Policy",
    "Question",
    "Score",
    "ScoringEnv",
    "StopTraining",
    "Table",
    "TableQuestionAnswering",
    "Trainer",
    "__version__",
    "ask",
    "ask_all",
    "compose",
    "explore",
    "from_gymnasium",
    "pipeline",
    "score",
    "train",
]
