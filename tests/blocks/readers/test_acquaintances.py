"""What is said of others in German, Spanish and French: by name, by what they are to the speaker, or as he and she."""

import pytest

from blocks.readers.observe import observe_text
from capabilities.claims.read import claim_of


def claimed(text: str) -> list[tuple[str, str, str, str]]:
    """Return subject, attribute, value and polarity of each claim in ``text``."""
    claims = [claim_of(seen) for seen in observe_text(text)]
    return [(claim.subject, claim.attribute, claim.value, claim.polarity) for claim in claims]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Meine Schwester Katrin arbeitet bei Zeiss.",
            [("user", "relation", "Katrin", "holds"), ("katrin", "employer", "Zeiss", "holds")],
        ),
        (
            "Mein Bruder Paul ist nach Ulm gezogen.",
            [("user", "relation", "Paul", "holds"), ("paul", "home", "Ulm", "holds")],
        ),
        (
            "Meine Frau heißt Anna. Sie wohnt in Wien.",
            [("user", "partner", "Anna", "holds"), ("anna", "home", "Wien", "holds")],
        ),
        (
            "Unsere Nachbarin Eva wohnt jetzt in Kiel.",
            [("user", "relation", "Eva", "holds"), ("eva", "home", "Kiel", "holds")],
        ),
        (
            "Mein Mann Felix arbeitet bei Bosch. Er fährt einen Opel.",
            [
                ("user", "partner", "Felix", "holds"),
                ("felix", "employer", "Bosch", "holds"),
                ("felix", "car", "Opel", "holds"),
            ],
        ),
        (
            "Felix arbeitet nicht mehr bei Bosch, er ist jetzt bei Siemens.",
            [("felix", "employer", "Bosch", "ended"), ("felix", "employer", "Siemens", "holds")],
        ),
        (
            "Ich habe bei Bosch gekündigt. Ich bin jetzt bei Siemens.",
            [("user", "employer", "Bosch", "ended"), ("user", "employer", "Siemens", "holds")],
        ),
        ("Mama wohnt jetzt in Kiel.", [("mother of user", "home", "Kiel", "holds")]),
        ("Meine Schwester ist Ärztin.", [("sister of user", "role", "Ärztin", "holds")]),
        ("Valeria se mudó a Lima.", [("valeria", "home", "Lima", "holds")]),
        (
            "Mi novia se llama Valeria. Ella vive en Cusco.",
            [("user", "partner", "Valeria", "holds"), ("valeria", "home", "Cusco", "holds")],
        ),
        (
            "Ma copine s'appelle Julie. Elle travaille chez Orange.",
            [("user", "partner", "Julie", "holds"), ("julie", "employer", "Orange", "holds")],
        ),
    ],
)
def test_who_is_told_of_is_the_subject(text: str, found: list[tuple[str, str, str, str]]) -> None:
    assert claimed(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Docker ist ein Container.",
        "Katrin arbeitet gern.",
        "Er ist müde.",
        "Das arbeitet bei Bosch.",
        "Wer arbeitet bei Bosch?",
        "Wenn Felix bei Bosch arbeitet, freue ich mich.",
        "Max sagt, er wohnt in Rom.",
        "Ich bin bei Anna.",
        "Madrid es grande.",
        "Si Ana vive en Lima, viajo.",
        "Paris est belle.",
    ],
)
def test_what_is_said_of_things_or_of_nobody_known_is_nothing(text: str) -> None:
    assert observe_text(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Ich mag Jazz, aber Schlager mag ich nicht.",
            [("user", "likes", "Jazz", "holds"), ("user", "likes", "schlager", "denied")],
        ),
        (
            "Ich esse Fisch, Fleisch esse ich nicht mehr.",
            [("user", "consumes", "Fisch", "holds"), ("user", "consumes", "fleisch", "ended")],
        ),
        (
            "Ich mag Tee, Kaffee hasse ich.",
            [("user", "likes", "Tee", "holds"), ("user", "likes", "kaffee", "denied")],
        ),
        (
            "Ich bin Miriam, 36 Jahre alt, und Lehrerin in Bremen.",
            [
                ("user", "name", "Miriam", "holds"),
                ("user", "age", "36", "holds"),
                ("user", "role", "Lehrerin", "holds"),
            ],
        ),
        (
            "Hallo, ich bin Tom, 28, und wohne in Kiel.",
            [("user", "name", "Tom", "holds"), ("user", "age", "28", "holds"), ("user", "home", "Kiel", "holds")],
        ),
        (
            "Ich bin Eva und arbeite bei Siemens.",
            [("user", "name", "Eva", "holds"), ("user", "employer", "Siemens", "holds")],
        ),
        (
            "Ich bin Lehrer und wohne in Bonn.",
            [("user", "role", "Lehrer", "holds"), ("user", "home", "Bonn", "holds")],
        ),
        ("Ich studiere Architektur in Porto.", [("user", "major", "Architektur", "holds")]),
    ],
)
def test_two_clauses_are_two_claims(text: str, found: list[tuple[str, str, str, str]]) -> None:
    assert claimed(text) == found
