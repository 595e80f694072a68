"""What is said in passing, in short or in one breath is read, and what only looks like it is not."""

import pytest

from blocks.readers.observe import observe_text
from capabilities.claims.read import claim_of


def claimed(text: str) -> list[tuple[str, str, str, str]]:
    """Return subject, attribute, value and polarity of each claim in ``text``."""
    claims = [claim_of(seen) for seen in observe_text(text)]
    return [(claim.subject, claim.attribute, claim.value, claim.polarity) for claim in claims]


def contents(text: str) -> list[str]:
    return [seen.content for seen in observe_text(text)]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("We got a cat last weekend, her name is Bibi.", "Bibi", "cat"),
        ("I adopted a dog, a beagle called Otto.", "Otto", "dog"),
        ("I rescued a kitten yesterday, he's called Smokey.", "Smokey", "kitten"),
        ("We have a rabbit, we named him Hoppel.", "Hoppel", "rabbit"),
        ("I bought a parrot, whose name is Kiwi.", "Kiwi", "parrot"),
        ("I have a dog and his name is Max.", "Max", "dog"),
        ("We got a hamster. Its name is Nut.", "Nut", "hamster"),
        ("I adopted a pony. We call her Stella.", "Stella", "pony"),
    ],
)
def test_a_pet_is_named_behind_a_comma_or_right_after(text: str, name: str, kind: str) -> None:
    claims = [claim_of(seen) for seen in observe_text(text)]
    assert [(claim.value, claim.of) for claim in claims if claim.attribute == "relation"] == [(name, kind)]


def test_a_pet_of_somebody_else_is_theirs() -> None:
    assert ("erik", "relation", "Lulu", "holds") in claimed("My flatmate Erik has a dog too, a poodle named Lulu.")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I work at a bakery.", "a bakery"),
        ("I work for a small law firm in Leeds.", "a small law firm"),
        ("I got a job at a coffee shop.", "a coffee shop"),
        ("I work in a hospital.", "a hospital"),
        ("I started at a nursing home last week.", "a nursing home"),
        ("I work at the public library.", "the public library"),
        ("I teach maths at a secondary school.", "a secondary school"),
    ],
)
def test_a_workplace_may_be_named_by_its_kind(text: str, value: str) -> None:
    assert claimed(text) == [("user", "employer", value, "holds")]


@pytest.mark.parametrize(
    "text",
    [
        "I work at a standing desk.",
        "I work at night.",
        "I work in the kitchen.",
        "I work for a living.",
        "I work with a bakery app.",
        "I study late at night.",
        "I study for the bar exam.",
        "I study hard.",
    ],
)
def test_where_and_when_one_works_or_studies_is_no_employer_and_no_subject(text: str) -> None:
    assert not {attribute for _, attribute, _, _ in claimed(text)} & {"employer", "major", "school"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I study architecture in Porto.", "architecture"),
        ("I'm studying computer science at MIT.", "computer science"),
        ("I study law.", "law"),
        ("I'm studying mechanical engineering.", "mechanical engineering"),
        ("I study medicine in Coimbra.", "medicine"),
    ],
)
def test_what_one_studies_is_a_major(text: str, value: str) -> None:
    assert claimed(text) == [("user", "major", value, "holds")]


@pytest.mark.parametrize(
    "text", ["I graduated last week.", "I've graduated!", "I dropped out of college.", "I finally graduated."]
)
def test_who_graduates_is_at_school_no_longer(text: str) -> None:
    assert claimed(text) == [("user", "school", "", "ended")]


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("I'm a vegetarian.", "holds"),
        ("I've been vegetarian since last year.", "holds"),
        ("I've been a vegan for ten years.", "holds"),
        ("I'm no vegetarian any more.", "ended"),
        ("Not vegetarian any more.", "ended"),
        ("I'm not vegan any longer.", "ended"),
        ("I stopped being vegan.", "ended"),
        ("I used to be vegetarian.", "ended"),
    ],
)
def test_a_diet_is_no_role_and_may_end(text: str, polarity: str) -> None:
    ((_, attribute, value, said),) = claimed(text)
    assert (attribute, said) == ("diet", polarity)
    assert value in ("vegetarian", "vegan")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm allergic to shellfish, please keep that in mind.", "Is allergic to shellfish"),
        ("I'm allergic to nuts, don't forget that.", "Is allergic to nuts"),
        ("I hate mushrooms, just so you know.", "Hates mushrooms"),
        ("I don't eat pork, in case it matters.", "Does not eat pork"),
        ("I live in Rome, by the way.", "Lives in Rome"),
        ("I work at Siemens, please remember that.", "Works at Siemens"),
        ("Big news: I moved to Bristol.", "Moved to Bristol"),
        ("Update: I work at Google now.", "Works at Google"),
        ("Guess what, I moved to Bristol!", "Moved to Bristol"),
        ("Good news! I joined Stripe.", "Joined Stripe"),
        ("Heads up, I'm vegan.", "Is vegan"),
        ("Quick update from me: I moved to Oslo.", "Moved to Oslo"),
        ("Change of plans: I live in Kiel now.", "Lives in Kiel"),
    ],
)
def test_an_aside_to_the_listener_and_an_announcement_are_no_content(text: str, content: str) -> None:
    assert contents(text) == [content]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Hello, I am Priya, 31 years old, and I live in Leeds.",
            ["Name is Priya", "Is 31 years old", "Lives in Leeds"],
        ),
        ("I'm Bob, 40, from Leeds.", ["Name is Bob", "Is 40 years old", "Is from Leeds"]),
        ("I'm Anna Berg, a nurse from Oslo.", ["Name is Anna Berg", "Is a nurse from Oslo"]),
        ("I'm Tom (28) and I work at Bosch.", ["Name is Tom", "Is 28 years old", "Works at Bosch"]),
        ("I live in Leipzig and work at Porsche.", ["Lives in Leipzig", "Works at Porsche"]),
        ("I'm Jonas and live in Ghent.", ["Name is Jonas", "Lives in Ghent"]),
        ("I sold the Panda and bought a Volvo.", ["Sold the Panda", "Bought a Volvo"]),
        ("I left Skoda and work at Siemens now.", ["Left Skoda", "Works at Siemens"]),
        ("I quit Google and joined Meta.", ["Quit Google", "Joined Meta"]),
        ("I graduated last week and started at Zeiss.", ["Graduated last week", "Started at Zeiss"]),
        ("I would love to live in Rome and work at Google.", ["Would love to live in Rome and work at Google"]),
        ("I saw a film and got tired.", ["Saw a film and got tired"]),
    ],
)
def test_several_things_in_one_breath_are_several(text: str, found: list[str]) -> None:
    assert contents(text) == found


def test_a_firm_with_an_and_in_its_name_is_one() -> None:
    assert claimed("I started at Foster and Partners in London.") == [
        ("user", "employer", "Foster and Partners", "holds")
    ]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Mum moved back to Naples.", ("mother of user", "home", "Naples", "holds")),
        ("Dad lives in Kiel now.", ("father of user", "home", "Kiel", "holds")),
        ("Mom's moved to Rome.", ("mother of user", "home", "Rome", "holds")),
        ("Dad retired.", ("father of user", "role", "", "ended")),
        ("Grandma lives in Bonn.", ("grandmother of user", "home", "Bonn", "holds")),
        ("My sister has moved to Oslo.", ("sister of user", "home", "Oslo", "holds")),
    ],
)
def test_kin_needs_no_my(text: str, claim: tuple[str, str, str, str]) -> None:
    assert claimed(text) == [claim]


@pytest.mark.parametrize("text", ["Dad jokes are bad.", "Mum's the word.", "Mother of two here!", "Mom said hi."])
def test_not_every_mum_is_the_speakers(text: str) -> None:
    assert observe_text(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Ken left Sony, he joined Nintendo.",
        "Ken left Sony and joined Nintendo.",
        "Ken quit Sony. He's at Nintendo now.",
        "Ken no longer works at Sony, he is with Nintendo now.",
    ],
)
def test_who_leaves_and_joins_has_one_employer_less_and_one_more(text: str) -> None:
    assert claimed(text) == [("ken", "employer", "Sony", "ended"), ("ken", "employer", "Nintendo", "holds")]


@pytest.mark.parametrize(
    ("text", "of", "value"),
    [
        ("Scratch that, the dentist moved my appointment to Thursday.", "dentist appointment", "Thursday"),
        ("They moved my dentist appointment to Friday.", "dentist appointment", "Friday"),
        ("I rescheduled my interview to Monday.", "interview", "Monday"),
        ("My flight got pushed to Sunday.", "flight", "Sunday"),
        ("The clinic postponed my appointment until Tuesday.", "clinic appointment", "Tuesday"),
    ],
)
def test_what_is_moved_has_its_new_day(text: str, of: str, value: str) -> None:
    (seen,) = observe_text(text)
    claim = claim_of(seen)
    assert (claim.attribute, claim.of, claim.value) == ("due", of, value)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Ines and I broke up.", ("user", "relationship_status", "broke up", "holds")),
        ("My wife and I have separated.", ("user", "relationship_status", "separated from their wife", "holds")),
        ("Tom and I got engaged!", ("user", "partner", "Tom", "holds")),
        (
            "She is not my girlfriend any more.",
            ("user", "relationship_status", "separated from their girlfriend", "holds"),
        ),
        ("Tom is no longer my husband.", ("user", "partner", "tom", "ended")),
        ("Tom isn't my flatmate any more.", ("user", "relation", "tom", "ended")),
    ],
)
def test_who_is_with_whom_begins_and_ends(text: str, claim: tuple[str, str, str, str]) -> None:
    assert claimed(text) == [claim]


@pytest.mark.parametrize("text", ["He is not my boss any more.", "She is not my girlfriend."])
def test_who_is_not_somebodys_is_not_had(text: str) -> None:
    assert observe_text(text) == []


def test_a_car_that_was_sold_and_one_that_was_bought_last() -> None:
    sold, bought = observe_text("I sold the Panda and bought a Volvo.")
    assert (sold.category, bought.category) == ("attribute", "attribute")
    assert [seen.category for seen in observe_text("I lived in Rome.")] != ["identity"]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("The name's Bob.", "name", "Bob"),
        ("I changed my name to Robin.", "name", "Robin"),
        ("I took his name, I'm Anna Weber now.", "name", "Anna Weber"),
        ("Please call me Lexi from now on.", "nickname", "Lexi"),
        ("I'd rather be called Alex.", "nickname", "Alex"),
        ("I go by Max these days.", "nickname", "Max"),
        ("Nenn mich Max.", "nickname", "Max"),
        ("Alle nennen mich Lexi.", "nickname", "Lexi"),
        ("Hallo, ich bin Jonas.", "name", "Jonas"),
    ],
)
def test_a_name_is_told_in_many_ways(text: str, attribute: str, value: str) -> None:
    assert claimed(text) == [("user", attribute, value, "holds")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I've moved house, I'm in York now.", [("user", "home", "York", "holds")]),
        ("I settled down in Porto.", [("user", "home", "Porto", "holds")]),
        ("I changed jobs, I'm at Spotify now.", [("user", "employer", "Spotify", "holds")]),
        ("I retrained as a nurse.", [("user", "role", "nurse", "holds")]),
        ("I'm not a waiter any more.", [("user", "role", "waiter", "ended")]),
        (
            "Leo isn't at Airbus any more, he's at Boeing.",
            [("leo", "employer", "Airbus", "ended"), ("leo", "employer", "Boeing", "holds")],
        ),
        ("Leo got a job at Airbus.", [("leo", "employer", "Airbus", "holds")]),
        (
            "I have a brother, Leo, who lives in Paris.",
            [("user", "relation", "Leo", "holds"), ("leo", "home", "Paris", "holds")],
        ),
        ("I have a new boyfriend, Tim.", [("user", "partner", "Tim", "holds")]),
        ("Tim and I are no longer together.", [("user", "relationship_status", "broke up", "holds")]),
        ("Tim is my ex now.", [("user", "partner", "tim", "ended")]),
        ("I married Tim.", [("user", "partner", "Tim", "holds")]),
    ],
)
def test_a_turn_of_life_is_told_in_many_ways(text: str, found: list[tuple[str, str, str, str]]) -> None:
    assert claimed(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The dentist appointment is now Thursday.", [("user", "due", "Thursday", "holds")]),
        ("They pushed my interview at Google to Monday.", [("user", "due", "Monday", "holds")]),
        ("The party is called off.", [("user", "plans", "party", "ended")]),
        ("I'm 30 now.", [("user", "age", "30", "holds")]),
        ("Karen is no longer my boss.", [("user", "boss", "karen", "ended")]),
        ("I got rid of my car.", [("user", "car", "", "ended")]),
        ("I sold my bike.", [("user", "owns", "bike", "ended")]),
        ("Zoe is not vegan any more.", [("zoe", "diet", "vegan", "ended")]),
        ("Der Termin wurde auf Donnerstag verschoben.", [("user", "due", "Donnerstag", "holds")]),
        ("Der Zahnarzttermin ist jetzt am Donnerstag.", [("user", "due", "Donnerstag", "holds")]),
        ("Wir haben eine Katze, sie heißt Mimi.", [("user", "relation", "Mimi", "holds")]),
        ("Lea und ich haben uns getrennt.", [("user", "relationship_status", "getrennt", "holds")]),
        ("Ich habe einen neuen Job bei Siemens.", [("user", "employer", "Siemens", "holds")]),
        (
            "Ich wohne nicht mehr in Köln, sondern in Bonn.",
            [("user", "home", "Köln", "ended"), ("user", "home", "Bonn", "holds")],
        ),
        (
            "Ich spiele nicht mehr Klavier, jetzt spiele ich Cello.",
            [("user", "plays", "Klavier", "ended"), ("user", "plays", "Cello", "holds")],
        ),
    ],
)
def test_what_is_over_or_moved_is_told_in_many_ways(text: str, found: list[tuple[str, str, str, str]]) -> None:
    assert claimed(text) == found
