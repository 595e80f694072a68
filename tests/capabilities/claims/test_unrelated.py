"""Facts that have nothing to do with each other never retire one another, and true corrections still do."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capabilities.claims import compare
from capabilities.vocabulary import Category
from tests.soak import examples

from .judged import claim, says_the_same

KIN = (
    "mother",
    "father",
    "sister",
    "brother",
    "son",
    "daughter",
    "wife",
    "husband",
    "grandma",
    "uncle",
    "boss",
    "friend",
)
NAMES = ("Anna", "Łukasz", "Mary Berg")
CATEGORIES: tuple[Category, ...] = ("identity", "profession", "relationship", "attribute", "preference")
TOLD = (
    "works at Google",
    "works for Stripe",
    "joined Acme",
    "is employed by Google",
    "lives in Oslo",
    "moved to Bergen",
    "is based in Rome",
    "is 34 years old",
    "turned 35",
    "was born on March 15",
    "was born in Maryland",
    "is married",
    "is single",
    "is divorced from Kim",
    "got married to Sam",
    "is a teacher",
    "works as a nurse",
    "is vegan",
    "is vegetarian",
    "is Catholic",
    "attends Delft University",
    "studies at Ghent University",
    "majors in biology",
    "drives a Volvo",
    "drives a Tesla",
    "is 172 cm tall",
    "weighs 80 kg",
    "earns $90,000",
    "has two kids",
    "has no siblings",
    "goes by Jake",
    "works on the payments team",
    "reports to Tim",
    "likes coffee",
    "does not like coffee",
    "no longer works at Google",
    "left Google",
    "is unemployed",
    "sold the boat",
    "owns a boat",
    "has 2 cats",
    "has 3 cats",
)
OWNED = (
    "name is Jake",
    "birthday is March 14",
    "favorite color is teal",
    "phone number is 555-0142",
    "email is a@example.org",
    "boss is Karen",
    "address is 5 Elm Street",
    "dentist is Dr. Ray",
    "car is a Volvo",
    "salary is $95,000",
    "blood type is A",
)


def replaced(old: str, fresh: str, category: Category = "attribute", subject: str = "user") -> bool:
    return compare(claim(old, subject, category), claim(fresh, subject, category)) in ("replaces", "ends")


def taken_for_one(old: str, fresh: str) -> bool:
    """Return whether the one would retire the other, or be counted as the other said again."""
    return compare(claim(old), claim(fresh)) != "unrelated"


def said_of(who: str, told: str) -> str:
    return f"{who[0].upper()}{who[1:]}{'' if told in TOLD else chr(39) + 's'} {told}"


@pytest.mark.parametrize("who", KIN + NAMES)
@pytest.mark.parametrize("told", TOLD + OWNED)
def test_what_is_said_of_somebody_else_never_touches_what_is_said_of_the_user(told: str, who: str) -> None:
    theirs, own = said_of(who, told), f"{told[0].upper()}{told[1:]}"
    assert not taken_for_one(own, theirs)
    assert not taken_for_one(theirs, own)


@pytest.mark.parametrize("told", TOLD + OWNED)
def test_what_is_said_of_one_never_touches_what_is_said_of_another(told: str) -> None:
    for one, other in permutations(("mother", "father", "sister", "brother", "Anna", "Bob"), 2):
        assert not taken_for_one(said_of(one, told), said_of(other, told))


@settings(max_examples=examples(300))
@given(
    st.sampled_from(TOLD + OWNED),
    st.sampled_from(TOLD + OWNED),
    st.sampled_from(KIN + NAMES),
    st.sampled_from(("", *KIN, *NAMES)),
    st.sampled_from(CATEGORIES),
)
def test_no_two_people_share_a_place(told: str, else_told: str, who: str, other: str, category: Category) -> None:
    fresh = said_of(who, told)
    held = said_of(other, else_told) if other else f"{else_told[0].upper()}{else_told[1:]}"
    if who != other:
        assert not replaced(held, fresh, category)
        assert not replaced(fresh, held, category)


ONE_SUBJECT = {
    "Works at Stripe": (
        "Works with Tom",
        "Works with children",
        "Works as a team",
        "Works at night",
        "Works at a standing desk",
        "Works for fun on an open source project",
        "Works at Christmas",
        "Works at Starbucks on weekends",
        "Is a regular customer at Starbucks",
        "Is a sucker for Italian food",
        "Is a speaker at PyCon",
        "Employer is generous",
        "Company is Swedish",
        "Lost a bet at work",
        "Quit smoking",
        "Left Google",
        "Retired from the Army",
        "No longer works with Tom",
        "Dislikes Stripe",
    ),
    "Uses Stripe": ("Left Stripe", "No longer works at Stripe", "Quit Stripe"),
    "Lives in Oslo": (
        "Lives near a lake",
        "Lives near Rome",
        "Lives with Anna",
        "Lives alone",
        "Lives in a flat with a view",
        "Lives in fear of dogs",
        "Lives as a monk",
        "Lives in Spain in the winter",
        "Moved to a standing desk",
        "Moved to the Berlin office",
        "Home is where the heart is",
        "Location is secret",
        "He lives in Rome",
    ),
    "Drives a Volvo": (
        "Drives a bus for a living",
        "Drives Anna to work",
        "Drives for Uber",
        "Drives to Rome every summer",
        "Car is broken",
    ),
    "Wife is Moni": ("Wife is Swedish", "Wife is on vacation", "Divorced from Kim"),
    "Boss is Karen": ("Boss is nice", "Boss is Irish", "Boss is on vacation", "Boss lives in Rome"),
    "Is married": ("Is engaged in volunteering", "Is single-minded"),
    "Goes by Jake": ("Goes by train to work",),
    "Name is Jake": ("Name is on the list", "Is called into meetings", "Dog is called Rex"),
    "Phone number is 555-0142": ("Phone is broken",),
    "Was born in Oslo": ("Was born in a barn", "Wife was born in Rome"),
    "Is 31 years old": ("Is 3 years older than Tom", "Turned 180 degrees", "Is 180 cm tall"),
    "Favorite restaurant is Luigi's": ("Favorite restaurant is closed",),
    "Editor is vim": ("Editor is slow",),
    "Prefers answers in French": ("Prefers answers in bullet points",),
    "Attends Delft University": ("Attends PyCon", "Goes to Cambridge every summer"),
    "Goal is to run a marathon": ("Goal is to learn Spanish",),
    "Weighs 80 kg": ("Weighs his options",),
    "Makes 50 dollars an hour": ("Makes 3 cakes a week",),
    "Went to Rome in 2019": ("Went to Rome in 2021",),
    "Bought 2 tickets for May 3": ("Bought 3 tickets for May 10",),
    "Paid 300 euros for the bike": ("Paid 350 euros for the bike",),
    "Has a meeting at 3": ("Has a meeting at 5",),
    "Has a 5-year-old son": ("Has a 7-year-old son",),
    "Sister lives in Rome": ("Sister lives in Paris",),
    "Son is 7 years old": ("Son is 10 years old", "Son turned 10"),
    "Works on the payments team": ("Is on the soccer team", "Works on the search team"),
    "Likes coffee": ("Does not like coffee with sugar in the evening", "Mother does not like coffee"),
    "Plays tennis": ("Does not like tennis",),
    "Does not like black coffee": ("Likes coffee",),
    "Likes plan B": ("Does not like plan A",),
    "Has a dog named Biscuit": ("Anna has a dog named Biscotti", "Anna's dog's name is Biscotti"),
    "Son is 7": ("Son is 10",),
    "Is an engineer at Google": ("Joined the Rotary Club", "Joined Duolingo"),
    "Works with Tom": ("No longer works for Tom",),
    "Lives in Germany": ("Lives in Berlin", "Lives in Bavaria", "Lives in Oslo during the week"),
    "Lives in Texas": ("Lives in Austin", "Lives in the USA"),
    "Was born in Norway": ("Was born in Oslo",),
    "Is married to Anna": ("Divorced in 2010", "Broke up with Eva in college"),
    "Is moving to Rome in May": ("Used to live in Rome",),
    "Wants to live in Rome": ("Used to live in Rome",),
    "Has two dogs": ("Lost their dog",),
    "Likes tea": ("Does not like tea in the evening", "Does not drink tea on Mondays"),
    "Is flying to Berlin on May 10": ("Moved to Berlin on May 3",),
}


@pytest.mark.parametrize(("old", "fresh"), [(old, text) for old, several in ONE_SUBJECT.items() for text in several])
def test_what_only_sounds_alike_stays(old: str, fresh: str) -> None:
    for category in (*CATEGORIES, "event"):
        assert not replaced(old, fresh, category)
        assert not replaced(fresh, old, category) or category == "profession"


@pytest.mark.parametrize(
    ("old", "fresh"),
    [
        ("B uses C", "A uses C"),
        ("A uses C", "B uses C"),
        ("Has a blood type of A", "Has a blood type of B"),
        ("Is in group A", "Is in group B"),
        ("Vitamin A is low", "Vitamin B is low"),
        ("Plan A is cheap", "Plan D is cheap"),
    ],
)
def test_a_letter_is_no_article(old: str, fresh: str) -> None:
    assert not says_the_same(old, fresh)
    assert not says_the_same(fresh, old)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Moved to Oslo", "Moved from Oslo"),
        ("Works with Tom", "Works for Tom"),
        ("Lives near Anna", "Lives with Anna"),
        ("Is German", "Preferred language is German"),
        ("Email is a@example.org", "Work email is b@example.org"),
        ("Car is red", "Is red"),
        ("Snores", "Husband snores"),
        ("Votes green", "Uncle votes green"),
        ("Lives in Rome", "Friend from school lives in Rome"),
        ("Likes tea", "A friend of theirs likes tea"),
        ("Likes tea", "Everyone likes tea"),
        ("Likes tea", "Knows that Tom likes tea"),
    ],
)
def test_nearly_the_same_words_say_something_else(a: str, b: str) -> None:
    assert not says_the_same(a, b)
    assert not says_the_same(b, a)


def test_an_article_is_no_letter() -> None:
    assert says_the_same("Has A Dog", "Has a dog")


CORRECTIONS: list[tuple[str, str, Category]] = [
    ("Mother lives in Rome", "Mother moved to Milan", "relationship"),
    ("Mother lives in Rome", "Mother moved to Milan", "attribute"),
    ("Mother lives in Rome", "Mom lives in Milan", "relationship"),
    ("My mother lives in Rome", "My mother now lives in Milan", "relationship"),
    ("Their father works at Google", "Their dad works at Stripe", "relationship"),
    ("Sister lives in Rome", "Sister moved to Milan", "relationship"),
    ("Sister lives in Rome", "Sister now lives in Milan", "relationship"),
    ("Anna lives in Rome", "Anna lives in Paris", "attribute"),
    ("Anna works at Google", "Anna no longer works at Google", "profession"),
    ("Anna's boss is Tom", "Anna's boss is Karen", "attribute"),
    ("Mother is 70 years old", "Mother turned 71", "attribute"),
    ("Son is 7 years old", "Son turned 8", "attribute"),
    ("Mother is married", "Mother got divorced", "relationship"),
    ("Has a blood type of A", "Has a blood type of B", "attribute"),
    ("Blood type is A", "Blood type is AB", "attribute"),
    ("Lives in Oslo", "Lives in Århus", "identity"),
    ("Lives in Germany", "Lives in France", "identity"),
    ("Lives in Oslo", "Moved to Germany", "identity"),
    ("Lives in The Hague", "Lives in Rome", "identity"),
    ("Boss is Tom", "New boss is Karen", "profession"),
    ("Lives in downtown Oslo", "Lives in central Bergen", "identity"),
    ("Married to Anna", "Divorced from Anna", "relationship"),
    ("Is married to Anna", "Is divorced", "relationship"),
    ("Is dating Anna", "Broke up with Anna", "relationship"),
    ("Girlfriend is Anna", "Broke up with Anna", "relationship"),
    ("Wife is Anna", "Got divorced", "relationship"),
    ("Is dating Anna", "Is single", "relationship"),
    ("Is single", "Is married to Anna", "relationship"),
    ("Is employed by Google", "Is unemployed", "profession"),
    ("Is employed by Google", "Retired", "attribute"),
    ("Works at Google", "Quits Google", "profession"),
    ("Works at Google", "Quit their job at Google", "profession"),
    ("Works at Google", "Quit", "profession"),
    ("Works at Google", "Is retired", "attribute"),
    ("Is a teacher", "Retired last year", "profession"),
    ("Is unemployed", "Works at Google", "profession"),
    ("Can't eat gluten", "Can eat gluten", "attribute"),
    ("Takes 20 mg of aspirin", "Takes 40 mg of aspirin", "attribute"),
    ("5 years at Google", "6 years at Google", "profession"),
    ("Owns a boat", "Sold the boat last week", "attribute"),
    ("Smokes", "Quit smoking", "attribute"),
]


@pytest.mark.parametrize(("old", "fresh", "category"), CORRECTIONS)
def test_a_true_correction_replaces(old: str, fresh: str, category: Category) -> None:
    assert replaced(old, fresh, category)


@pytest.mark.parametrize(
    ("old", "fresh"),
    [
        ("Works at Google", "Anna works at Stripe"),
        ("Anna Berg works at Google", "She works at Stripe"),
        ("Anna's boss is Tom", "Her boss is Karen"),
        ("Lives in Rome", "Anna lives in Paris"),
    ],
)
def test_a_subjects_own_name_in_front_is_the_subject(old: str, fresh: str) -> None:
    assert replaced(old, fresh, "profession", "anna")
    assert not replaced(old, fresh, "profession")


def test_who_divorces_is_no_longer_married() -> None:
    assert replaced("Is married", "Got divorced", "relationship")


def test_who_parts_from_one_stays_with_another() -> None:
    assert not replaced("Married to Anna", "Divorced from Berta", "relationship")
    assert replaced("Divorced from Berta", "Married to Anna", "relationship")


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_sentence_with_another_preposition_fills_the_place(category: Category) -> None:
    for held, (verb, other) in product(
        ("Works at Stripe", "Lives in Oslo"),
        product(("Works", "Lives"), ("with Tom", "near Rome", "as a Buddhist", "by the sea", "under stress")),
    ):
        assert not replaced(held, f"{verb} {other}", category)
