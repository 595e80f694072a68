"""What the readers of messages claim: changes, denials, roles and kin, none at odds with the reader of claims."""

import pytest

from blocks.readers.observe import observe_text
from capabilities.claims.read import claim_of, read
from tests.bench.rules import labelled


def claimed(text: str) -> list[tuple[str, str, str, str]]:
    """Return subject, attribute, value and polarity of each claim in ``text``."""
    claims = [claim_of(seen) for seen in observe_text(text)]
    return [(claim.subject, claim.attribute, claim.value, claim.polarity) for claim in claims]


@pytest.mark.parametrize(
    ("text", "attribute", "former", "value"),
    [
        ("I switched from Firefox to Brave.", "uses", "Firefox", "Brave"),
        ("I've switched from Brave to Safari last week.", "uses", "Brave", "Safari"),
        ("I just changed from Vodafone to Telekom.", "uses", "Vodafone", "Telekom"),
        ("I replaced my iPhone with a Pixel 8.", "uses", "iPhone", "Pixel 8"),
        ("I ditched Spotify for Tidal.", "uses", "Spotify", "Tidal"),
        ("I changed my bank from ING to N26.", "device", "ING", "N26"),
        ("I switched phones, from an S21 to an S21+.", "device", "S21", "S21+"),
        ("I changed jobs from Google to Meta.", "employer", "Google", "Meta"),
        ("I left Google to join Stripe.", "employer", "Google", "Stripe"),
        ("I now use Brave instead of Firefox.", "uses", "Firefox", "Brave"),
        ("I switched doctors from Dr. Ray to Dr. Smith.", "doctor", "Dr. Ray", "Dr. Smith"),
        ("I switched schools from Yale to MIT.", "school", "Yale", "MIT"),
        ("I changed my major from Biology to Physics.", "major", "Biology", "Physics"),
        ("I changed my name from Anna to Hannah.", "name", "Anna", "Hannah"),
        ("I converted from Catholicism to Buddhism.", "religion", "Catholicism", "Buddhism"),
    ],
)
def test_a_switch_says_what_holds_now_and_what_held_before(text: str, attribute: str, former: str, value: str) -> None:
    (seen,) = observe_text(text)
    claim = claim_of(seen)
    assert (claim.attribute, claim.value, claim.polarity) == (attribute, value, "holds")
    assert claim.former.removeprefix("an ") == former
    assert seen.attribute == attribute


@pytest.mark.parametrize(
    "text",
    [
        "I changed the file from CSV to JSON.",
        "I changed from a car to a bike.",
        "I replaced the parser with a regex.",
        "I swapped shifts with Anna for Monday.",
        "Should I switch from Firefox to Brave?",
        "If I switched from Firefox to Brave, would it be faster?",
        "She switched from Firefox to Brave.",
    ],
)
def test_what_is_no_lasting_switch_of_the_speaker_is_none(text: str) -> None:
    assert [seen for seen in observe_text(text) if claim_of(seen).former] == []


@pytest.mark.parametrize(
    ("text", "attribute", "value", "of"),
    [
        ("I weigh 82 kg.", "weight", "82 kg", ""),
        ("My flight leaves at 9:40.", "due", "9:40", "flight"),
        ("My train departs at 10:15.", "due", "10:15", "train"),
        ("The yoga class starts at 7pm.", "due", "7pm", "yoga class"),
        ("I work at Stripe as a manager now.", "role", "manager", "stripe"),
        ("I work at Stripe as an engineer.", "role", "engineer", "stripe"),
        ("I'm a nurse at Charité.", "role", "nurse", "charité"),
    ],
)
def test_a_detail_has_its_value_and_what_it_belongs_to(text: str, attribute: str, value: str, of: str) -> None:
    (seen,) = observe_text(text)
    claim = claim_of(seen)
    assert (claim.attribute, claim.value, claim.of.casefold()) == (attribute, value, of)


@pytest.mark.parametrize(
    ("text", "content", "value"),
    [
        ("I've never liked tea.", "Has never liked tea", "tea"),
        ("I never liked tea.", "Never liked tea", "tea"),
        ("I never really liked tea", "Never really liked tea", "tea"),
        ("I have never really enjoyed running.", "Has never really enjoyed running", "running"),
        ("I've never loved opera.", "Has never loved opera", "opera"),
        ("I never preferred coffee.", "Never preferred coffee", "coffee"),
        ("I've never been into golf.", "Has never been into golf", "golf"),
        ("I've never been a fan of jazz.", "Has never been a fan of jazz", "jazz"),
    ],
)
def test_never_denies_a_liking(text: str, content: str, value: str) -> None:
    (seen,) = observe_text(text)
    assert seen.content == content
    assert claimed(text) == [("user", "likes", value, "denied")]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I have always liked tea.", "Has always liked tea"),
        ("I've never wanted to be a doctor.", "Has never wanted to be a doctor"),
        ("I've never hated anyone.", "Has never hated anyone"),
        ("I never really drink coffee.", "Does not drink coffee"),
        ("I never just sit around at home.", "Never just sits around at home"),
    ],
)
def test_always_and_never_are_kept_apart(text: str, content: str) -> None:
    assert [seen.content for seen in observe_text(text)] == [content]


@pytest.mark.parametrize(
    "text",
    [
        "I think I am allergic to nuts, but the test was negative.",
        "I think I'm allergic to nuts, but the blood tests came back negative.",
        "I'm allergic to nuts, the test was negative though.",
        "I'm allergic to cats, or so I thought.",
        "I think I'm diabetic but the doctor says I'm not.",
        "I believe I'm celiac, but the results were inconclusive.",
        "I have asthma, but it turned out to be a misdiagnosis.",
        "I have asthma. But it turned out to be a misdiagnosis.",
        "I have asthma. Turns out it was a misdiagnosis.",
        "I'm allergic to penicillin, though I'm not certain.",
        "I'm a vegetarian, but it was just a joke.",
        "I work at Google, but I could be wrong.",
    ],
)
def test_what_is_denied_or_doubted_at_once_is_no_fact(text: str) -> None:
    assert observe_text(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I live in Rome and I think I'm allergic to nuts, but the test was negative.", ["Lives in Rome"]),
        ("My wife is vegan but I'm not.", ["Wife is vegan"]),
        ("I like tea but I'm not a fan of coffee.", ["Likes tea", "Is not a fan of coffee"]),
        ("I have asthma. But I like running.", ["Has asthma", "Likes running"]),
        ("I'm allergic to nuts, and the test was positive.", ["Is allergic to nuts"]),
        ("I love tea but it is a joke how expensive it is.", ["Loves tea"]),
    ],
)
def test_a_contrast_that_denies_nothing_takes_nothing_back(text: str, found: list[str]) -> None:
    assert [seen.content for seen in observe_text(text)] == found


def test_kin_without_a_name_stand_in_of() -> None:
    mother, own = observe_text("My mother lives in Rome and I live in Oslo.")
    assert (mother.subject, mother.content, mother.attribute) == ("user", "Mother lives in Rome", "home")
    assert (mother.value, mother.of) == ("Rome", "mother")
    assert claim_of(mother).subject == "mother of user"
    assert (claim_of(own).subject, claim_of(own).attribute, claim_of(own).value) == ("user", "home", "Oslo")


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("My name is Jake.", "name", "Jake"),
        ("I'm Jake Miller.", "name", "Jake Miller"),
        ("I go by Moni.", "nickname", "Moni"),
        ("I'm 34.", "age", "34"),
        ("My pronouns are she/her.", "pronouns", "she/her"),
    ],
)
def test_who_the_speaker_is_is_claimed_by_the_rule(text: str, attribute: str, value: str) -> None:
    (seen,) = observe_text(text)
    assert (seen.attribute, seen.value, seen.polarity) == (attribute, value, "holds")


def test_no_rule_claims_another_attribute_than_the_reader_reads() -> None:
    for row in labelled():
        for seen in observe_text(row["text"]):
            known = read(seen.content, seen.subject)
            if seen.attribute and known is not None:
                assert known.attribute == seen.attribute, seen
