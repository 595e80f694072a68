"""Statements in other languages are read in their own words; questions, conditions, hearsay and quotations are not."""

import pytest

from blocks.readers.observe import observe_text
from capabilities.claims.attributes import LANGUAGES, patterns_for

STATED = [
    ("german", "Ich wohne in Berlin.", "home", "Berlin"),
    ("german", "Hallo, ich heiße Jonas!", "name", "Jonas"),
    ("german", "Ich mag keinen Kaffee.", "likes", "Kaffee"),
    ("spanish", "Vivo en Madrid.", "home", "Madrid"),
    ("spanish", "Me llamo Ana.", "name", "Ana"),
    ("french", "J'habite à Lyon.", "home", "Lyon"),
    ("french", "Je travaille chez Renault.", "employer", "Renault"),
    ("italian", "Abito a Torino.", "home", "Torino"),
    ("italian", "Lavoro per Ferrari.", "employer", "Ferrari"),
    ("portuguese", "Moro em Lisboa.", "home", "Lisboa"),
    ("portuguese", "Eu trabalho na Embraer.", "employer", "Embraer"),
    ("dutch", "Ik woon in Utrecht.", "home", "Utrecht"),
    ("dutch", "Ik werk bij Philips.", "employer", "Philips"),
    ("russian", "Я живу в Казани.", "home", "Казани"),
    ("russian", "Меня зовут Ольга.", "name", "Ольга"),
    ("chinese", "我住在北京。", "home", "北京"),
    ("chinese", "我叫李明。", "name", "李明"),
    ("japanese", "私は東京に住んでいます。", "home", "東京"),
    ("japanese", "私の名前は健太です。", "name", "健太"),
    ("arabic", "أعيش في القاهرة.", "home", "القاهرة"),
    ("arabic", "اسمي سارة.", "name", "سارة"),
]
TRAPS = [
    "Wohne ich in Berlin?",
    "Wohne ich in Berlin",
    "Wenn ich in Berlin wohne, brauche ich kein Auto.",
    "Mein Freund sagt, ich wohne in Berlin.",
    "Ich glaube, ich bin allergisch gegen Nüsse.",
    "Ich bin allergisch gegen Nüsse, aber der Test war negativ.",
    "Mein Lieblingssatz ist „Ich wohne in Berlin“.",
    "Übersetze ins Englische:\n\nIch wohne in Berlin.",
    "Er wohnt in Berlin.",
    "> Ich wohne in Berlin",
    "¿Vivo en Madrid?",
    "Si vivo en Madrid, no tengo coche.",
    "Mi jefe dice que vivo en Madrid.",
    "Vivo en Madrid, pero es mentira.",
    "Traduce al inglés: «Vivo en Madrid»",
    "Traduce al inglés:\nVivo en Madrid.",
    "Est-ce que j'habite à Lyon ?",
    "J'habite à Lyon si je trouve du travail.",
    "Mon frère dit que j'habite à Lyon.",
    "Peut-être que j'habite à Lyon.",
    "Traduis : « J'habite à Lyon »",
    "Abito a Torino?",
    "Se abito a Torino, vado in bici.",
    "Abito a Torino se trovo lavoro.",
    "Mio fratello dice che abito a Torino.",
    "Moro em Lisboa?",
    "Se moro em Lisboa, ando de metro.",
    "Minha mãe disse que moro em Lisboa.",
    "Woon ik in Utrecht?",
    "Als ik in Utrecht woon, fiets ik.",
    "Mijn zus zegt dat ik in Utrecht woon.",
    "Я живу в Казани?",
    "Если я живу в Казани, мне нужна шуба.",
    "Мой брат говорит, что я живу в Казани.",
    "Переведи на английский:\nЯ живу в Казани.",
    "我住在北京吗？",
    "如果我住在北京，我就坐地铁。",
    "我妈妈说我住在北京。",
    "“我住在北京”是一个句子。",
    "我叫什么？",
    "私は東京に住んでいますか。",
    "もし私が東京に住んでいたら、電車に乗ります。",
    "私は東京に住んでいると言われました。",
    "「私は東京に住んでいます」は例文です。",
    "هل أعيش في القاهرة؟",
    "إذا كنت أعيش في القاهرة سأركب المترو.",
    "يقول أخي إنني أعيش في القاهرة.",
    "لو أعيش في القاهرة",
]


@pytest.mark.parametrize(("language", "text", "attribute", "value"), STATED)
def test_a_plain_statement_is_kept_as_said_with_its_claim(language: str, text: str, attribute: str, value: str) -> None:
    if language not in LANGUAGES or not patterns_for("*", language):
        pytest.skip(f"{language} is not read yet")
    (seen,) = observe_text(text)
    assert seen.content.casefold() in text.casefold()
    assert seen.content[-1] not in ".!。"
    assert (seen.subject, seen.attribute) == ("user", attribute)
    assert value in seen.value


@pytest.mark.parametrize("text", TRAPS)
def test_what_is_no_plain_statement_gives_nothing(text: str) -> None:
    assert observe_text(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Ich habe eine Frage.",
        "Ich liebe es!",
        "Ich mag deine Antwort.",
        "Ich nutze dieses Skript.",
        "Ich esse gerade Pizza.",
        "Mein Problem ist Folgendes.",
        "Tengo una pregunta.",
        "J'ai une question.",
        "Ho un problema.",
        "Tenho uma dúvida.",
        "Ik heb een vraag.",
        "У меня есть вопрос.",
        "我有一个问题。",
        "私は質問があります。",
        "لدي سؤال.",
    ],
)
def test_what_tells_nothing_lasting_gives_nothing(text: str) -> None:
    assert observe_text(text) == []


def test_a_day_with_its_month_is_one_sentence() -> None:
    (seen,) = observe_text("Mein Termin ist am 3. Mai.")
    assert (seen.content, seen.attribute, seen.value) == ("Mein Termin ist am 3. Mai", "due", "3. Mai")
    assert [seen.content for seen in observe_text("I'm 34. I live in Rome.")] == ["Is 34 years old", "Lives in Rome"]


def test_two_statements_of_a_sentence_are_two_observations() -> None:
    found = observe_text("Ich wohne in München und ich arbeite bei Siemens.")
    assert [(seen.attribute, seen.value) for seen in found] == [("home", "München"), ("employer", "Siemens")]


def test_kin_in_another_language_stand_in_of() -> None:
    (seen,) = observe_text("Meine Mutter wohnt in Rom.")
    assert (seen.subject, seen.content, seen.category) == ("user", "Meine Mutter wohnt in Rom", "relationship")
    assert (seen.attribute, seen.value, seen.of) == ("home", "Rom", "mother")


@pytest.mark.parametrize("text", ["Me and my friends went home.", "Mi casa es su casa, as they say!", "Ho ho ho."])
def test_english_and_set_phrases_are_no_statements(text: str) -> None:
    assert [seen for seen in observe_text(text) if seen.attribute] == []
