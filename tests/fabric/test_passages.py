"""Passages: together the whole text, about equally long, and none of them ends inside a sentence that is short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.text.passages import LONG, MOST, SIZE, WIDE, passages, sentences

LATIN = "Did it rain? It did, all day. "
LANGUAGES = {
    "English": LATIN,
    "Hindi": "क्या बारिश हुई? हाँ, सारा दिन हुई। ",
    "Arabic": "هل أمطرت؟ نعم، طوال اليوم. ",
    "Armenian": "Ամբողջ օրը անձրև եկավ։ ",
    "Japanese": "雨は降りましたか？「一日中でした。」",
    "Chinese": "下雨了吗？下了一整天。",
}
texts = st.text(st.sampled_from("ab .?!\n日。ไ"), max_size=3_000)


@given(texts)
def test_passages_and_sentences_are_the_whole_text_in_order(text: str) -> None:
    for spans in (sentences(text), passages(text)):
        if spans:
            assert "".join(text[begin:end] for begin, end in spans) == text
            assert all(begin < end for begin, end in spans)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_passage_is_a_run_of_sentences_in_every_language(language: str) -> None:
    said = LANGUAGES[language]
    text = said * (3 * SIZE // len(said))
    found = passages(text)
    assert len(found) >= 2
    ends = {end for _, end in sentences(text)}
    assert all(end in ends for _, end in found)
    assert len(sentences(said)) == said.count("?") + said.count("？") + said.count("؟") + 1


def test_a_text_is_cut_once_it_is_long_whatever_its_script() -> None:
    assert passages("x " * (LONG // 2)) == []
    assert len(passages("x " * (LONG // 2 + 1))) == 2
    assert passages("雨" * (LONG // WIDE)) == []
    assert len(passages("雨" * (LONG // WIDE + 1))) == 2
    assert passages("") == passages(" \n") == []


def test_passages_are_about_equally_long_and_not_more_than_there_may_be() -> None:
    lengths = [end - begin for begin, end in passages(LATIN * 100)]
    assert SIZE - len(LATIN) < min(lengths) <= max(lengths) < SIZE + len(LATIN)
    assert len(passages(LATIN * 10_000)) == MOST


def test_a_sentence_without_an_end_is_cut_between_words_and_an_endless_word_anywhere() -> None:
    text = "word " * 1_000
    assert all(text[end - 1] == " " for _, end in passages(text))
    assert max(end - begin for begin, end in passages("a" * 10_000)) <= 2 * SIZE
