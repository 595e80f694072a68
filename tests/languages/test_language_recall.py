import pytest

from fabric.embedding import default_embedder

from .labelled_facts import LANGUAGES, hits, pairs, places


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_set_holds_forty_different_facts_and_questions(language: str) -> None:
    held = pairs(language)
    assert len({pair.fact for pair in held}) == len({pair.question for pair in held}) == len(held) == 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_finds_its_fact_without_embeddings(language: str) -> None:
    found = places(language)
    missed = [pair for pair, place in zip(pairs(language), found, strict=True) if place is None or place > 2]
    assert hits(found, 3) >= 0.9, missed


@pytest.mark.skipif(default_embedder() is None, reason="the static model has no wheel for this platform")
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_embedder_made_for_english_does_not_get_in_the_way(language: str) -> None:
    found = places(language, "default")
    assert hits(found, 3) >= 0.9
    assert hits(found, 1) >= hits(places(language), 1) - 0.05
