"""What of the things said before is over, said again or untouched once another thing is said, case by case."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocks.readers.observe import observe_text
from capabilities.claims import claim_of, compare
from capabilities.vocabulary import Category
from tests.soak import examples

from .judged import claim, replaced, says_the_same

OVER = ("replaces", "ends")


def over(fresh: str, known: list[tuple[str, str]], category: Category = "identity", subject: str = "user") -> list[str]:
    """Return which of the known texts, each with whom it is about, ``fresh`` makes untrue."""
    said = claim(fresh, subject, category)
    return [text for who, text in known if compare(claim(text, who, category), said) in OVER]


SLOTS: list[tuple[str, str, str]] = [
    ("employer", "Works at Google", "Joined Stripe"),
    ("employer, model's wording", "User works at Google", "The user is employed at Stripe"),
    ("home", "Lives in Oslo", "Moved from Oslo to Bergen"),
    ("name", "Name is Jake", "Name is Jacob"),
    ("age", "Is 34 years old", "Turned 35"),
    ("birth date", "Birthday is March 14", "Was born on March 15"),
    ("birthplace", "Was born in Maryland", "Born in Virginia"),
    ("relationship status", "Is married", "Got divorced"),
    ("partner", "Wife is Moni", "Partner is Sam"),
    ("job title", "Is a teacher", "Is a carpenter"),
    ("favorite", "Favorite color is teal", "Favourite colour is red"),
    ("phone", "Their phone number is 555-0142", "Phone number is 555-0199"),
    ("email", "Email is a@example.org", "Their email address is b@example.org"),
    ("boss", "Their boss is Karen", "Reports to Tim"),
    ("diet", "Is vegetarian", "Is vegan"),
    ("language setting", "Preferred language is German", "Prefers answers in French"),
    ("timezone", "Timezone is Europe/Warsaw", "Their time zone is Asia/Tokyo"),
    ("school", "Attends Delft University", "Transferred to Ghent University"),
    ("major", "Majors in biology", "Major is chemistry"),
    ("car", "Drives an old Volvo", "Drives a Tesla"),
    ("height", "Height is 170 cm", "Is 172 cm tall"),
    ("weight", "Weighs 80 kg", "Weighs 78 kg"),
    ("team", "Works on the payments team", "Moved to the search team"),
    ("project", "Works on project Kestrel", "Was reassigned to project Heron"),
    ("salary", "Earns $90,000", "Salary is $95,000"),
    ("pronouns", "Pronouns are she/her", "Pronouns are they/them"),
    ("children", "Has two kids", "Has 3 children"),
    ("doctor", "Their dentist is Dr. Ray", "Dentist is Dr. Moss"),
    ("address", "Their address is 5 Elm Street", "Address is 9 Oak Road"),
    ("nickname", "Goes by Jake", "Goes by JD"),
    ("editor", "Their editor is vim", "Editor is Helix"),
    ("budget", "Their budget is 500 euros", "Budget is 700 euros"),
    ("due date", "The report is due Friday", "The report is due Monday"),
]

CATEGORIES: dict[str, Category] = {"employer": "profession", "job title": "profession", "home": "identity"}


@pytest.mark.parametrize(("slot", "old", "fresh"), SLOTS, ids=[slot for slot, _, _ in SLOTS])
def test_a_slot_with_one_value_is_updated_once(slot: str, old: str, fresh: str) -> None:
    category = CATEGORIES.get(slot.partition(",")[0], "attribute")
    assert over(fresh, [("user", "Likes long walks"), ("user", old)], category) == [old]


@pytest.mark.parametrize(
    ("old", "fresh", "old_category", "category"),
    [
        ("Likes coffee", "Does not like coffee any more", "preference", "preference"),
        ("Likes coffee", "Hates coffee", "preference", "preference"),
        ("Does not like coffee", "Likes coffee", "preference", "preference"),
        ("Likes coffee", "Stopped drinking coffee", "preference", "attribute"),
        ("Works at Google", "No longer works at Google", "profession", "profession"),
        ("Works at Google", "Left Google in May", "profession", "profession"),
        ("Works at Google", "Got laid off last week", "profession", "profession"),
        ("Has worked 5 years at Google", "Has worked 6 years at Google", "profession", "profession"),
        ("Is going on a trip to Berlin in May", "Cancelled the Berlin trip", "event", "event"),
        ("Meeting with Ana is on Monday", "Meeting with Ana is moved to Tuesday", "event", "event"),
        ("Planning a trip to Berlin on April 10", "Cancelled the Berlin trip", "event", "event"),
        ("Is planning a trip to Berlin on April 10", "Cancelled the Berlin trip", "task", "event"),
        ("Is flying to Berlin on April 10", "Cancelled the Berlin trip", "event", "event"),
        ("Has a dog named Biscuit", "Dog's name is Biscotti", "relationship", "relationship"),
        ("Dog is Biscuit", "Dog's name is Biscotti", "relationship", "relationship"),
        ("Sister is Hanna", "Sister's name is Anna", "relationship", "relationship"),
    ],
)
def test_denials_ends_and_cancellations_replace(
    old: str, fresh: str, old_category: Category, category: Category
) -> None:
    assert replaced(old, fresh, old_category, category)


@pytest.mark.parametrize(
    ("old", "fresh", "category"),
    [
        ("A uses B", "B uses C", "attribute"),
        ("Likes coffee", "Does not like tea", "preference"),
        ("Likes hiking", "Likes running", "preference"),
        ("Favorite color is teal", "Favorite food is ramen", "preference"),
        ("Lives in Lyon", "Lives with their parents", "identity"),
        ("Works at Google", "Used to work at Nokia", "profession"),
        ("Works at Google", "Works at Google as an engineer", "profession"),
        ("Works as a nurse", "Works at Mercy Hospital", "profession"),
        ("Has a dog named Rex", "Has a cat named Tom", "relationship"),
        ("Has two kids", "Has two dogs", "relationship"),
        ("Sister is Anna", "Brother is Tom", "relationship"),
        ("Likes tea", "Likes tea", "preference"),
        ("Works at Google", "Joined Duolingo", "attribute"),
        ("Lives in Oslo", "Moved to Linux", "attribute"),
        ("Is a teacher", "Is a runner", "attribute"),
        ("Is a fan of Radiohead", "Is a fan of Muse", "preference"),
        ("The dog is on a diet", "The dog is at the vet", "attribute"),
        ("Visited Oslo in 2019", "Visited Oslo in 2020", "event"),
        ("Is flying to Lisbon on May 3", "Cancelled the Berlin trip", "event"),
        ("Has a dog named Biscuit", "Has a dog named Biscotti", "relationship"),
        ("Has a cat named Biscuit", "Dog's name is Biscotti", "relationship"),
        ("Works at Google", "Switched to Linux", "preference"),
        ("Joined Stripe in March", "Works at Stripe since April", "profession"),
        ("Lives in Porto", "Moved to Porto last week", "identity"),
    ],
)
def test_unrelated_entries_stay(old: str, fresh: str, category: Category) -> None:
    assert not replaced(old, fresh, category, category)


@pytest.mark.parametrize(
    ("old", "fresh"),
    [
        ("Invoice number 17 was paid", "Invoice number 18 was paid"),
        ("Invoice no. 17 was paid", "Invoice no. 18 was paid"),
        ("Paid invoice #17", "Paid invoice #18"),
        ("Paid invoice 17", "Paid invoice 18"),
        ("Closed TICKET-17", "Closed TICKET-18"),
        ("jake fact 1: owns a boat number 1", "jake fact 2: owns a boat number 2"),
        ("Has read chapter three", "Has read chapter four"),
        ("Room 12 has a projector", "Room 14 has a projector"),
        ("Version 2.1 has a memory leak", "Version 2.2 has a memory leak"),
        ("Order nr 5 has arrived", "Order nr 6 has arrived"),
        ("Rechnung Nr. 17 ist bezahlt", "Rechnung Nr. 18 ist bezahlt"),
    ],
)
def test_a_number_that_says_which_one_is_meant_makes_another_thing(old: str, fresh: str) -> None:
    assert not replaced(old, fresh, "attribute", "attribute")


@pytest.mark.parametrize(
    ("old", "fresh"),
    [
        ("I am 30", "I am 31"),
        ("has 2 kids", "has 3 kids"),
        ("Has 2 cats", "Has 3 cats"),
        ("Invoice number 17 is 300 euros", "Invoice number 17 is 350 euros"),
        ("Chapter 3 has 20 pages", "Chapter 3 has 25 pages"),
        ("Has phone number 5550142", "Has phone number 5550199"),
        ("Owns 3 boats", "Owns 4 boats"),
    ],
)
def test_a_number_that_is_a_value_replaces(old: str, fresh: str) -> None:
    assert replaced(old, fresh, "attribute", "attribute")


def test_of_two_dogs_the_one_whose_name_was_misheard_is_corrected() -> None:
    dogs = [("user", f"Has a dog named {name}") for name in ("Biscuit", "Rex")]
    assert over("Dog's name is Biscotti", dogs, "relationship") == ["Has a dog named Biscuit"]
    assert over("Dog's name is Wolfgang", dogs, "relationship") == []


def test_only_the_same_subject_is_touched() -> None:
    known = [("anna", "Works at Google")]
    assert over("Joined Stripe", known, "profession") == []
    assert over("Joined Stripe", known, "profession", "anna") == ["Works at Google"]


def test_every_entry_of_a_slot_is_replaced() -> None:
    known = [("user", "Works at Nokia"), ("user", "Works at Google")]
    assert over("Joined Stripe", known, "profession") == ["Works at Nokia", "Works at Google"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I work at Google.", "I joined Stripe last month."),
        ("I live in Oslo.", "I just moved to Bergen."),
        ("I like coffee.", "I don't like coffee any more."),
        ("I'm going on a trip to Berlin in May.", "We cancelled the Berlin trip."),
        ("My favourite band is Radiohead.", "Actually, my favorite band is Low."),
        ("I'm 34 years old.", "I turned 35 yesterday."),
        ("I drive a Volvo.", "I drive a Tesla now."),
        ("We have a dog named Biscuit.", "Actually, my dog's name is Biscotti, not Biscuit."),
        ("We are planning a trip to Berlin on April 10.", "Unfortunately we cancelled the Berlin trip."),
        ("Jennifer works at Acme.", "Jennifer no longer works at Acme."),
    ],
)
def test_what_a_user_says_later_replaces_what_they_said_before(before: str, after: str) -> None:
    (old,), (fresh,) = observe_text(before), observe_text(after)
    assert compare(claim_of(old), claim_of(fresh)) in OVER


CHANGES = [
    ("5 years at Google", "6 years at Google"),
    ("Likes coffee", "Does not like coffee"),
    ("Meeting on Monday", "Meeting on Tuesday"),
    ("Trip in March", "Trip in April"),
    ("Works at Google", "Works at Stripe"),
    ("Anna works at Stripe", "Jonas works at Stripe"),
    ("Has 3 cats and 2 dogs", "Has 2 cats and 3 dogs"),
    ("Has two cats", "Has three cats"),
    ("有两个孩子", "有三个孩子"),
    ("喜欢咖啡", "不喜欢咖啡"),
    ("コーヒーが好き", "コーヒーが好きではない"),
    ("Mag Kaffee", "Mag keinen Kaffee"),
    ("Aime le café", "N'aime pas le café"),
    ("Vive en Madrid", "Vive en Sevilla"),
    ("Живёт в Москве", "Не живёт в Москве"),
    ("لديه ٣ قطط", "لديه ٤ قطط"),
    ("Rent is 1,000 euros", "Rent is 1,100 euros"),
    ("Born 2001-05-05", "Born 2001-05-06"),
    ("Likes tea", "No longer likes tea"),
]
REPEATS = [
    ("Works at Stripe", "works at stripe"),
    ("Works at Stripe", "User works at Stripe"),
    ("Works at Stripe", "Works at Stripe in Dublin"),
    ("Likes dogs", "Really likes dogs"),
    ("Has ٣ cats", "Has 3 cats"),
    ("Has three cats", "Has 3 cats"),
    ("Born on May 5", "Born on 5 May"),
    ("Born 2025-05-05", "Born May 5, 2025"),
    ("Lives in NYC", "Lives in New York City"),
    ("Rent is 1,000 euros", "Rent is 1000 euros"),
    ("Meeting on Mon", "Meeting on Monday"),
]


@pytest.mark.parametrize(("a", "b"), CHANGES)
def test_a_changed_value_is_seen_both_ways(a: str, b: str) -> None:
    assert not says_the_same(a, b)
    assert not says_the_same(b, a)


@pytest.mark.parametrize(("a", "b"), REPEATS)
def test_other_words_for_the_same_value_are_no_change(a: str, b: str) -> None:
    assert says_the_same(a, b)
    assert says_the_same(b, a)


@settings(max_examples=examples(200))
@given(st.text(max_size=80).filter(str.strip), st.text(max_size=80).filter(str.strip))
def test_change_is_symmetric_and_never_of_itself(a: str, b: str) -> None:
    assert says_the_same(a, a)
    assert says_the_same(a, b) == says_the_same(b, a)


_WORDS = st.sampled_from(
    [
        "works",
        "lives",
        "in",
        "at",
        "Google",
        "Stripe",
        "Oslo",
        "likes",
        "hates",
        "tea",
        "not",
        "no",
        "longer",
        "is",
        "34",
        "35",
        "years",
        "old",
        "has",
        "two",
        "dogs",
        "cancelled",
        "the",
        "trip",
    ]
)
_SENTENCES = st.lists(_WORDS, min_size=1, max_size=7).map(" ".join)
_CATEGORIES = st.sampled_from(["identity", "event", "preference", "profession"])


@settings(max_examples=examples(200))
@given(_SENTENCES, st.lists(st.tuples(_SENTENCES, _CATEGORIES, st.sampled_from(["anna", "max"]))), _CATEGORIES)
def test_nobody_elses_entry_is_ever_replaced(text: str, known: list[tuple[str, str, str]], category: Category) -> None:
    assert over(text, [(who, content) for content, _, who in known], category) == []


SAME_CLAIMS = [
    ("Joined Stripe last week", "Works at Stripe"),
    ("Joined Stripe in March", "Has a job at Stripe since April 2026"),
    ("Joined Stripe", "User works at Stripe"),
    ("Moved to Porto", "Lives in Porto"),
    ("Moved to Amsterdam last weekend", "Lives in Amsterdam"),
    ("Moved from Oslo to Bergen", "Is based in Bergen"),
    ("Name is Jake", "Goes by Jake"),
    ("Turned 35 yesterday", "Is 35 years old"),
    ("Was born on March 14", "Birthday is March 14"),
    ("Boss is Karen", "Reports to Karen"),
    ("Favorite color is teal", "Favourite colour is teal"),
    ("Works at Google", "Works at Google as an engineer"),
]
OTHER_CLAIMS = [
    ("Works at Google", "Works at Stripe"),
    ("Works at Stripe", "No longer works at Stripe"),
    ("Works at Stripe", "Lives in Stripe"),
    ("Works at Google as an engineer", "Works at Google as a manager"),
    ("Jennifer works at Acme", "Tom works at Acme"),
    ("Used to work at Stripe", "Works at Stripe"),
    ("Name is Jake Smith", "Goes by Jake"),
    ("The report is due Friday", "The report is due Monday"),
    ("Birthday is March 14", "Birthday is March 15"),
    ("Turned 34 yesterday", "Is 35 years old"),
    ("Favorite color is teal", "Favorite food is teal"),
    ("Moved to Porto", "Visited Porto"),
]


@pytest.mark.parametrize(("a", "b"), SAME_CLAIMS)
def test_one_value_in_one_slot_is_the_same_claim_whatever_the_words(a: str, b: str) -> None:
    assert says_the_same(a, b)
    assert says_the_same(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER_CLAIMS)
def test_another_value_slot_or_denial_is_another_claim(a: str, b: str) -> None:
    assert not says_the_same(a, b)
    assert not says_the_same(b, a)
