"""Names are found by how they are written; what only begins a sentence, months and kin are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.cognitive.content.entities import MOST, entities
from tests.capabilities.formulas.golden import cases


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jake works at Stripe and his manager Maria Lopez lives in São Paulo.", "Jake|Stripe|Maria Lopez|São Paulo"),
        ("Dr. Smith met Mr. Brown on Monday.", "Smith|Brown"),
        ("Anna and Bob went to the Museum of Modern Art.", "Anna|Bob|Museum of Modern Art"),
        ("Prefers TypeScript over JavaScript", "TypeScript|JavaScript"),
        ("We use Node.js, .NET, C# and AT&T, and GPT-4 for the Q3 report.", "Node.js|.NET|C#|AT&T|GPT-4|Q3"),
        ('He read "The Lord of the Rings" and „Der Prozess“ last May.', "The Lord of the Rings|Der Prozess"),
        ("May moved out of Rome in May.", "May|Rome"),
        ("Carol’s boat is called “Sea Star”.", "Carol|Sea Star"),
        ("New York is far. Great Britain left the EU.", "New York|Great Britain|EU"),
        ("Ask anna@example.com or @anna_b.", "@anna_b"),
        ("Paris, France is lovely. PARIS and paris are one.", "Paris|France"),
        ("Ich wohne in Berlin und arbeite bei Siemens mit Anna Müller.", "Berlin|Siemens|Anna Müller"),
        ("Anna wohnt in München.", "München"),
        ("Ich trinke gern Kaffee in der Küche, die Katze schläft.", ""),
        ("María vive en Buenos Aires con Ana.", "María|Buenos Aires|Ana"),
        ("Ana María vive en Roma. Visité Madrid ayer.", "Ana María|Roma|Madrid"),
        ("Мы живём в Москве", "Москве"),
        ("我住在北京，喜欢《红楼梦》", "红楼梦"),
        ("Mom called. Grandma is ill since January.", ""),
        ("Fine, Bob! Anna, Bob and I went. Learning German is hard.", "Bob|Anna|German"),
        ("It was Great! Oh Wow, that's Awesome. I said Thanks to Bob.", "Bob"),
        ('"Wow" he said. Oops Anna fell, Yay Bob won.', "Anna|Bob"),
        ("Wow and Great were said, Many Thanks!", ""),
        ("Danke Anna", "Anna"),
        ("Gracias Ana", "Ana"),
        ("Great Britain is cold, Nice is not: we met Doris Day in Nice.", "Great Britain|Doris Day|Nice"),
        ("Will you come? However, nothing happened. Let's go.", ""),
        ("Lunch was fine. Traffic is bad. Prices increased. Cooking is fun.", ""),
        ("THE SERVER IS DOWN", ""),
        ("How To Deploy Your App On Friday", ""),
        ("1. Open the lid\n2. Close it", ""),
        ("", ""),
    ],
)
def test_names_and_nothing_else_are_found(text: str, expected: str) -> None:
    assert "|".join(entities(text)) == expected


def test_a_name_is_told_once_and_no_more_than_fifty_are() -> None:
    assert entities("She knows Anna, ANNA and Anna.") == ("Anna",)
    many = ", ".join(f"Street{number}Name" for number in range(80))
    assert len(entities(f"We saw {many}.")) == MOST == 50


def test_most_names_of_the_reference_are_found() -> None:
    dates = frozenset("0123456789$")
    told = wrong = missed = 0
    for _, given_text, labels in cases("text_helpers", "extract_entities"):
        ours, theirs = entities(given_text["text"]), [one for one in labels if dates.isdisjoint(one) and " " in one]
        told, missed = told + len(theirs), missed + len(set(theirs) - set(ours))
        wrong += sum(one not in given_text["text"] for one in ours)
    assert (missed, wrong) == (0, 0)
    assert told


@given(st.text(max_size=200))
def test_names_of_any_text_stand_in_it_and_are_unique(text: str) -> None:
    found = entities(text)
    assert len({name.casefold() for name in found}) == len(found) <= MOST
    assert all(name.split()[0] in text for name in found)
