"""Words of a cue that stand in the memory with accents, or with the stem of another language."""

from datetime import timedelta
from typing import Any

import pytest

from fabric import Fabric
from fabric.testing import START
from pipelines import memory_system

SAID = [
    "Das Wetter war schön und wir haben lange auf dich gewartet.",
    "Die neuen Küchen sind sehr teuer, aber wir haben eine gekauft.",
    "Fui a la panadería y a las farmacias de la plaza.",
    "J'ai vu un cheval dans le jardin de la ferme.",
    "Eu gosto de ouvir a música do meu pai em casa.",
    "École des Beaux-Arts",
    "We met at the Café Central.",
    "Mieszkałem w Łódź przez rok i było mi tam dobrze.",
    "The weather is fine and I walked for an hour.",
    "Vi bor nära Malmö och jag arbetar i en skola.",
    "Moja siostra gra na skrzypcach i jest z tego dumna.",
]
CUES = {
    "École": 5,
    "ecole": 5,
    "Küche": 1,
    "kuche": 1,
    "panadería": 2,
    "panaderia": 2,
    "farmacia": 2,
    "chevaux": 3,
    "músicas": 4,
    "musicas": 4,
    "cafe": 6,
    "Café": 6,
    "Lodz": 7,
    "Łódź": 7,
    "malmo": 9,
    "skolan": 9,
}


def remembering(fabric: Fabric, texts: list[str]) -> Any:
    """Return a session, and the recall of a memory by words alone that was told these texts."""
    mem = memory_system(episodic=True, semantic=True, embedder=None)
    session = fabric.session("now", user="ana")
    session.run(
        mem.import_block,
        [
            {
                "id": f"t{place}",
                "session": f"s{place}",
                "role": "user",
                "text": text,
                "said_at": START + timedelta(days=place),
            }
            for place, text in enumerate(texts)
        ],
    )
    return lambda cue: session.run(mem.recall_block, {"cue": cue, "limit": 3}).output


def test_one_word_finds_its_text_in_every_language_with_and_without_its_accents():
    with Fabric(":memory:") as fabric:
        recall = remembering(fabric, SAID)
        first = {cue: [one.content for one in recall(cue)][:1] for cue in CUES}
    assert first == {cue: [SAID[place]] for cue, place in CUES.items()}


@pytest.mark.parametrize(("cue", "first"), [("resume", 0), ("résumé", 1), ("Resume", 0)])
def test_a_word_as_it_is_spelled_comes_before_one_with_other_accents(cue: str, first: int):
    texts = ["I will resume it.", "I sent my résumé.", "It rained.", "It snowed.", "It was hot."]
    with Fabric(":memory:") as fabric:
        found = [one.content for one in remembering(fabric, texts)(cue)]
    assert found[:2] == [texts[first], texts[1 - first]]


def test_what_is_found_by_its_only_word_is_surely_found():
    with Fabric(":memory:") as fabric:
        recall = remembering(fabric, SAID)
        assert all(recall(cue)[0].relevance > 0.5 for cue in ("École", "cafe", "Lodz", "farmacia"))
        assert not any(one.relevance > 0.1 for one in recall("zebra"))


def test_rows_that_are_added_later_are_found_by_their_other_spelling():
    with Fabric(":memory:") as fabric:
        recall = remembering(fabric, SAID[:3])
        assert not any("Café" in one.content for one in recall("cafe"))
        recall = remembering(fabric, SAID)
        assert recall("cafe")[0].content == SAID[6]
