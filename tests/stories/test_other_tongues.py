"""Other tongues: moves, names and kin are read where a sentence looks like English, or writes a foreign name."""

import pytest

from capabilities.memory.recall.ranked import RELEVANT
from pipelines import Memory
from tests.stories.test_whose import facts, told


@pytest.mark.parametrize(
    "moved", ["Me mudé a Barcelona.", "Me he mudado a Barcelona.", "Acabo de mudarme a Barcelona."]
)
def test_a_move_in_spanish_is_read_though_its_small_words_are_english_ones(moved: str):
    with Memory(user="jake") as memory:
        told(memory, "Vivo en Madrid.", moved)
        assert facts(memory) == [("user", moved.rstrip("."))]
        assert "Barcelona" in memory.recall("¿Dónde vivo?")[0].content


@pytest.mark.parametrize("said", ["Me and my wife are in a band.", "Me too, I like a walk in the park."])
def test_english_stays_english(said: str):
    with Memory(user="jake") as memory:
        told(memory, said)
        assert not any(content.startswith(("Me ", "In a")) for _, content in facts(memory))


@pytest.mark.parametrize(
    ("said", "question", "value"),
    [
        ("安娜住在上海。", "安娜住在哪里?", "上海"),
        ("安娜住在上海。", "她住在哪里?", "上海"),
        ("我姐姐安娜在飞利浦工作。", "我姐姐在哪里工作?", "飞利浦"),
        ("汤姆住在北京。", "汤姆住在哪里?", "北京"),
        ("Ma sœur Anna travaille chez Philips.", "Où travaille ma sœur ?", "Philips"),
        ("Mon chef Tom habite à Paris.", "Où habite mon chef ?", "Paris"),
    ],
)
def test_others_are_read_by_name(said: str, question: str, value: str):
    with Memory(user="jake") as memory:
        told(memory, said)
        first = memory.recall(question, tiers=["semantic"])[0]
        assert value in first.content
        assert first.subject in ("安娜", "汤姆", "anna", "tom")
        assert first.relevance > RELEVANT
