"""The pipeline takes and gives what Hugging Face's does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import mapo

TABLE = {
    "Repository": ["Transformers", "Datasets", "Tokenizers"],
    "Stars": ["36542", "4512", "3934"],
    "Contributors": ["651", "77", "34"],
}


def test_a_query_is_answered_from_cells() -> None:
    qa = mapo.pipeline("table-question-answering")
    answer = qa(table=TABLE, query="how many stars does Datasets have?")
    assert answer["answer"] == "4512"
    assert answer["coordinates"] == [(1, 1)]
    assert answer["cells"] == ["4512"]
    assert answer["aggregator"] == "NONE"
    assert answer["mapo"].value == 4512


def test_aggregators_are_named() -> None:
    qa = mapo.pipeline()
    total = qa({"table": TABLE, "query": "what is the sum of stars?"})
    assert total["aggregator"] == "SUM"
    assert total["answer"] == "SUM > 36542, 4512, 3934"
    assert total["text"] == "44988"
    count = qa(TABLE, "how many repositories have more than 4000 stars?")
    assert count["aggregator"] == "COUNT" and count["text"] == "2"
    assert {row for row, _ in count["coordinates"]} == {0, 1}
    average = qa(TABLE, "what is the average of contributors?")
    assert average["aggregator"] == "AVERAGE" and average["answer"].startswith("AVERAGE > 651")


def test_several_come_in_lists() -> None:
    qa = mapo.pipeline(model=mapo.Model())
    queries = ["how many stars does Datasets have?", "how many stars does Tokenizers have?"]
    assert [one["answer"] for one in qa(table=TABLE, query=queries)] == ["4512", "3934"]
    asked = [{"table": TABLE, "query": query} for query in queries]
    assert [one["answer"] for one in qa(asked)] == ["4512", "3934"]
    frame = pytest.importorskip("pandas").DataFrame.from_dict(TABLE)
    assert qa(frame, queries[0])["answer"] == "4512"
    assert qa(table=frame, query=queries[0], padding=True)["answer"] == "4512"


def test_generators_are_gone_through_as_they_come() -> None:
    qa = mapo.pipeline()
    queries = ["how many stars does Datasets have?", "how many stars does Tokenizers have?"]
    asked: list[str] = []

    def asking() -> Iterator[dict[str, object]]:
        for query in queries:
            asked.append(query)
            yield {"table": TABLE, "query": query}

    answers = qa(asking())
    assert next(answers)["answer"] == "4512" and asked == queries[:1]
    assert [one["answer"] for one in answers] == ["3934"]
    assert [one["answer"] for one in qa(table=TABLE, query=(query for query in queries))] == ["4512", "3934"]
    assert [one["answer"] for one in qa(TABLE, queries)] == ["4512", "3934"]
    both = [{"table": TABLE, "query": queries}, {"table": TABLE, "query": queries[1]}]
    assert [one["answer"] for one in qa(both)[0]] == ["4512", "3934"] and qa(both)[1]["answer"] == "3934"
    assert qa(table=TABLE, query=[]) == []


def test_what_is_missing_is_said() -> None:
    with pytest.raises(TypeError, match="a query is a text or a list of texts, and this is int: 5"):
        mapo.pipeline()(TABLE, 5)
    with pytest.raises(TypeError, match="by dictionaries with a table and a query, and this is str: 'who"):
        mapo.pipeline()([{"table": TABLE, "query": "who?"}, "who?"])
    with pytest.raises(TypeError, match="by dictionaries"):
        next(mapo.pipeline()(text for text in ["who?"]))
    with pytest.raises(mapo.MapoError, match="table-question-answering"):
        mapo.pipeline("sentiment-analysis")
    with pytest.raises(mapo.MapoError, match="a table and a query"):
        mapo.pipeline()(table=TABLE)
    with pytest.raises(TypeError, match="colour"):
        mapo.pipeline()(table=TABLE, query="who?", colour="red")
