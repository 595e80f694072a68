"""Whom a text speaks of, by what they are to whom, in the languages of the word list."""

import pytest

from capabilities.relations.kin_reading import kin_in
from capabilities.relations.names import names_asked
from capabilities.relations.words import FORMS, GRAMMAR, means
from fabric.text.language import STOP_WORDS


@pytest.mark.parametrize(
    ("text", "of", "kin"),
    [
        ("Where does my brother's wife live?", "", "brother wife"),
        ("where does the wife of my brother live", "", "brother wife"),
        ("what is my brother\u2019s wife\u2019s job", "", "brother wife"),
        ("where does my brother's wife's mother live?", "", "brother wife mother"),
        ("where is my mother-in-law from?", "", "mother_in_law"),
        ("Where does Mom live?", "", "mother"),
        ("where does Anna's brother live?", "anna", "brother"),
        ("where does the brother of Anna live?", "anna", "brother"),
        ("where does his brother live?", "?", "brother"),
        ("wo wohnt meine Schwester?", "", "sister"),
        ("wo wohnt die Frau meines Bruders?", "", "brother wife"),
        ("wo wohnt die Frau von meinem Bruder?", "", "brother wife"),
        ("wo wohnt Annas Bruder?", "anna", "brother"),
        ("wo wohnt sein Bruder?", "?", "brother"),
        ("¿dónde vive mi hermana?", "", "sister"),
        ("¿dónde vive mi hermano?", "", "brother"),
        ("¿dónde vive la mujer de mi hermano?", "", "brother wife"),
        ("¿dónde vive la esposa de Tomás?", "tomás", "wife"),
        ("où habite ma sœur ?", "", "sister"),
        ("où habite la femme de mon frère ?", "", "brother wife"),
        ("où habite ma belle-mère ?", "", "mother_in_law"),
        ("dove vive mia sorella?", "", "sister"),
        ("dove vive la moglie di mio fratello?", "", "brother wife"),
        ("onde mora minha irmã?", "", "sister"),
        ("onde mora a mulher do meu irmão?", "", "brother wife"),
        ("waar woont mijn zus?", "", "sister"),
        ("waar woont de vrouw van mijn broer?", "", "brother wife"),
        ("var bor min syster?", "", "sister"),
        ("var bor min brors fru?", "", "brother wife"),
        ("hvor bor søsteren min?", "", "sister"),
        ("missä siskoni asuu?", "", "sister"),
        ("hol lakik a nővérem?", "", "sister"),
        ("unde locuiește sora mea?", "", "sister"),
        ("kız kardeşim nerede yaşıyor?", "", "sister"),
        ("gdzie mieszka moja siostra?", "", "sister"),
        ("gdzie mieszka żona mojego brata?", "", "brother wife"),
        ("di mana ibu saya tinggal?", "", "mother"),
        ("где живёт моя сестра?", "", "sister"),
        ("где живёт жена моего брата?", "", "brother wife"),
        ("πού μένει η αδερφή μου;", "", "sister"),
        ("أين تعيش أختي؟", "", "sister"),
        ("मेरी बहन कहाँ रहती है?", "", "sister"),
        ("我姐姐住在哪里?", "", "sister"),
        ("我哥哥的妻子住在哪里?", "", "brother wife"),
        ("母親はどこに住んでいますか", "", "mother"),
    ],
)
def test_a_question_says_who_is_meant_and_whose_they_are(text: str, of: str, kin: str):
    assert [(one.of, one.kin) for one in kin_in(text)] == [(of, tuple(kin.split()))]


@pytest.mark.parametrize(
    "text",
    [
        "How far is it to work?",
        "It was kind of you",
        "when is my dentist appointment?",
        "¿de dónde son?",
        "il est où, son vélo ?",
    ],
)
def test_a_word_that_looks_like_kin_is_nobody(text: str):
    assert kin_in(text) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My sister Anna lives in Rome", "Anna"),
        ("my sister's name is Anna", "Anna"),
        ("Anna is my older sister.", "Anna"),
        ("Meine Schwester heißt Anna.", "Anna"),
        ("Mi hermana se llama Anna", "Anna"),
        ("Ma sœur s'appelle Anna", "Anna"),
        ("Mia sorella si chiama Anna", "Anna"),
        ("Minha irmã se chama Anna", "Anna"),
        ("My sister will move in May", ""),
        ("Meine Schwester ist Lehrerin", ""),
    ],
)
def test_a_statement_says_what_they_are_called(text: str, name: str):
    first = kin_in(text)[0]
    assert (first.kin, first.name) == (("sister",), name)


def test_two_of_the_same_kin_are_told_apart_by_what_is_said_of_them():
    older, younger = kin_in("My big sister is Anna, and my little sister is Lena.")
    assert (older.name, older.qualities) == ("Anna", {"older"})
    assert (younger.name, younger.qualities) == ("Lena", {"younger"})


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("where does Anna live?", "english", ["anna"]),
        ("where does anna live?", "english", ["anna"]),
        ("Where does Will live?", "english", ["will"]),
        ("Where will May live?", "english", ["may"]),
        ("What may I eat in May?", "english", []),
        ("what will the weather be in April?", "english", []),
        ("WHERE DOES MY BROTHER LIVE", "english", []),
        ("wo wohnt Anna?", "german", ["anna"]),
        ("Wie ist das Wetter in Bonn?", "german", []),
        ("¿dónde vive Ana?", "spanish", ["ana"]),
        ("где живёт Анна?", "russian", ["анна"]),
    ],
)
def test_a_question_names_whom_it_is_about(text: str, language: str, names: list[str]):
    assert names_asked(text, language) == names


def test_every_language_with_stop_words_has_words_for_kin():
    assert set(FORMS) == set(GRAMMAR) == set(STOP_WORDS)
    everybody = set(FORMS["english"].values())
    assert {kin for forms in FORMS.values() for kin in forms.values()} <= everybody


@pytest.mark.parametrize(
    ("asked", "said", "may_be"),
    [
        ("parent", "mother", True),
        ("mother", "parent", True),
        ("wife", "spouse", True),
        ("wife", "married", True),
        ("brother", "sister", False),
        ("wife", "husband", False),
        ("brother", "family", False),
        ("family", "brother", True),
        ("family", "boss", False),
    ],
)
def test_what_is_said_of_a_general_word_may_be_said_of_a_special_one(asked: str, said: str, may_be: bool):
    assert means(asked, said) is may_be
