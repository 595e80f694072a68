"""What holds of the judge whatever is said: its symmetries, its eye for a single symbol, and the last word."""

import re
import unicodedata

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from capabilities.claims import ATTRIBUTES, Claim, Polarity, compare
from tests.soak import examples

from .judged import Pair, claim, pairs, says_the_same, verdict

LABELLED = st.sampled_from(pairs())
TEXTS = LABELLED.map(lambda pair: pair.a) | LABELLED.map(lambda pair: pair.b)
SINGLE = sorted(name for name, attribute in ATTRIBUTES.items() if attribute.single)
SYMBOLS = "abkz0179+-#$€."
CLOSING = ".!?,;:…。！？、，；： "
VALUES = st.sampled_from(
    [
        *("Stripe", "Oslo", "C", "Formula 1", "BMW X3", "A", "-5 degrees", "$40", "vitamin B6", "Anna", "r2d2"),
        *("node.js", "New York", "T-Mobile", "O'Brien", "AT&T", "82 kg", "50%", "a@b.io", "9:40", "A/B"),
    ]
)
POLARITIES: st.SearchStrategy[Polarity] = st.sampled_from(["holds", "denied", "ended"])
FRAMES = st.sampled_from(
    [
        "Likes {}",
        "Uses {}",
        "Works at {}",
        "Lives in {}",
        "Is allergic to {}",
        "Owns {}",
        "Speaks {}",
        "Favorite thing is {}",
        "Blood type is {}",
        "Name is {}",
        "Email is {}",
        "The port is {}",
        "The label on the third shelf says {}",
        "{} stands on the label of the third shelf",
        "Mag {}",
        "Arbeitet bei {}",
        "Le gusta {}",
        "Aime {}",
        "喜欢{}",
        "{}が好き",
    ]
)


def plain(value: str) -> str:
    """Return what is left where case, width, spacing, closing punctuation and leading zeros do not count."""
    text = "".join(unicodedata.normalize("NFKC", value).casefold().split()).strip(CLOSING)
    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


@given(TEXTS)
def test_a_text_says_the_same_as_itself(text: str):
    assert verdict(text, text) == "same"


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_any_text_says_the_same_as_itself(text: str):
    assert verdict(text, text) == "same"


@settings(max_examples=examples(100))
@given(TEXTS, TEXTS)
def test_same_refines_and_unrelated_do_not_ask_who_came_first(a: str, b: str):
    there, back = verdict(a, b), verdict(b, a)
    if there in ("same", "refines", "unrelated"):
        assert back == there


@given(LABELLED)
def test_the_labelled_pairs_too_do_not_ask_who_came_first(pair: Pair):
    there, back = verdict(pair.a, pair.b, pair.subject), verdict(pair.b, pair.a, pair.subject)
    if there in ("same", "refines", "unrelated"):
        assert back == there


@settings(max_examples=examples(100))
@given(st.sampled_from(SINGLE), VALUES, VALUES, st.sampled_from(["user", "anna", "mother of user"]))
def test_two_values_of_a_one_value_attribute_replace_each_other(name: str, one: str, other: str, subject: str):
    assume(plain(one) != plain(other))
    first, second = (Claim(subject, name, value, "holds", f"{name} {value}") for value in (one, other))
    assert (compare(first, second) == "replaces") == (compare(second, first) == "replaces")
    assert compare(first, second) not in ("same", "ends")


@given(st.sampled_from(sorted(ATTRIBUTES)), VALUES, VALUES, POLARITIES)
def test_what_is_said_of_one_is_unrelated_to_what_is_said_of_another(
    name: str, one: str, other: str, polarity: Polarity
):
    first = Claim("user", name, one, "holds", f"{name} {one}")
    for who in ("anna", "mother of user", "userland"):
        second = Claim(who, name, other, polarity, f"{name} {other}")
        assert compare(first, second) == compare(second, first) == "unrelated"


@given(st.sampled_from(sorted(ATTRIBUTES)), VALUES)
def test_a_value_that_is_denied_ends_and_one_that_returns_replaces(name: str, value: str):
    holds = Claim("user", name, value, "holds", f"{name} {value}")
    polarities: tuple[Polarity, ...] = ("denied", "ended")
    for polarity in polarities:
        over = Claim("user", name, value, polarity, f"not {name} {value}")
        assert compare(holds, over) == "ends"
        assert compare(over, holds) == "replaces"


def edited(value: str, kind: str, place: int, symbol: str) -> str:
    """Return the value with a symbol put in, taken out, or put in the place of another."""
    at = place % (len(value) + (kind == "insert"))
    if kind == "insert":
        return value[:at] + symbol + value[at:]
    return value[:at] + (symbol if kind == "replace" else "") + value[at + 1 :]


@settings(max_examples=examples(200))
@given(
    FRAMES,
    VALUES,
    st.sampled_from(["insert", "delete", "replace"]),
    st.integers(0, 40),
    st.sampled_from(list(SYMBOLS)),
)
@example("Blood type is {}", "A", "insert", 1, "-")
@example("Likes {}", "C", "insert", 1, "#")
@example("Owns {}", "$40", "replace", 0, "€")
@example("The label on the third shelf says {}", "-5 degrees", "delete", 0, "a")
@example("Uses {}", "node.js", "delete", 4, "a")
def test_a_value_with_one_other_symbol_is_never_the_same(frame: str, value: str, kind: str, place: int, symbol: str):
    other = edited(value, kind, place, symbol)
    assume(other.strip() and plain(other) != plain(value))
    a, b = frame.format(value), frame.format(other)
    assume(plain(a) != plain(b))
    assert verdict(a, b) != "same", (a, b)
    assert verdict(b, a) != "same", (b, a)


NAMES = VALUES.filter(lambda value: " " not in value or value == "New York")


@settings(max_examples=examples(150))
@given(
    FRAMES, NAMES, st.sampled_from(["insert", "delete", "replace"]), st.integers(0, 40), st.sampled_from(list(SYMBOLS))
)
@example("Lives in {}", "r2d2", "replace", 1, "b")
@example("喜欢{}", "Anna", "insert", 2, "k")
@example("The label on the third shelf says {}", "$40", "replace", 0, "€")
def test_what_something_else_says_to_be_alike_is_not_the_same_for_it(
    frame: str, value: str, kind: str, place: int, symbol: str
):
    other = edited(value, kind, place, symbol)
    assume(other.strip() and plain(other) != plain(value))
    a, b = frame.format(value), frame.format(other)
    assume(plain(a) != plain(b))
    assert verdict(a, b, alike=True) != "same", (a, b)
    assert verdict(b, a, alike=True) != "same", (b, a)


@given(LABELLED.filter(lambda pair: pair.verdict in ("replaces", "ends", "unrelated")))
def test_what_is_alike_and_differs_is_never_melted(pair: Pair):
    assert verdict(pair.a, pair.b, pair.subject, alike=True) not in ("same", "refines")


@settings(max_examples=examples(100))
@given(LABELLED.filter(lambda pair: pair.verdict == "same"), st.sampled_from(["up", "space", "close", "wide"]))
def test_case_width_spacing_and_closing_punctuation_do_not_count(pair: Pair, kind: str):
    text = pair.a
    changed = {
        "up": text.upper() if text.isascii() else text,
        "space": text.replace(" ", "  ") + " ",
        "close": text.rstrip(CLOSING) + ".",
        "wide": "".join(chr(ord(char) + 0xFEE0) if char.isascii() and char.isdigit() else char for char in text),
    }[kind]
    assert says_the_same(text, changed)


@given(
    st.sampled_from([("Likes", "like"), ("Uses", "use"), ("Owns", "own")]),
    st.sampled_from(["Oslo", "Formula 1", "a BMW X3", "node.js", "C++", "green tea", "vitamin B6"]),
)
def test_a_denial_ends_and_is_ended(verb: tuple[str, str], value: str):
    told, denied = claim(f"{verb[0]} {value}"), claim(f"Does not {verb[1]} {value}")
    assert compare(told, denied) == "ends"
    assert compare(denied, told) == "replaces"
