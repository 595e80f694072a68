"""Forgetting somebody by name: who is named goes, in any form of the name, and a word that is a word stays."""

import pytest

from capabilities.relations.mentions import mention
from fabric import Fabric
from pipelines import memory_system

MEM = memory_system(model=None, episodic=True, semantic=True, embedder=None)

NAMED = [
    ("anna", "Anna's office is in Oslo"),
    ("anna", "Annas Büro ist in Oslo"),
    ("anna", "anna called"),
    ("анна", "Я видел Анну в парке"),
    ("анна", "Был у Анны дома"),
    ("иван", "Я говорил с Иваном"),
    ("josé", "Jose called yesterday"),
    ("jose", "José called yesterday"),
    ("محمد", "رأيت محمدًا أمس"),
    ("محمد", "تكلمت مع محمد"),
    ("γιώργος", "Είδα τον Γιώργο"),
    ("민수", "민수가 왔다"),
    ("美咲", "昨日美咲に会った"),
    ("ayşe", "Ayşe'nin evi"),
    ("may", "Yesterday May moved out"),
    ("will", "I met Will in Rome"),
    ("mark", "Mark's bike is red"),
    ("acme-corp", "He left Acme Corp in May"),
]
NOT_NAMED = [
    ("may", "I may move to Rome"),
    ("may", "I moved to Rome in May"),
    ("will", "I will move to Rome"),
    ("mark", "Please mark the page"),
    ("art", "I love modern art in Paris"),
    ("hope", "I hope it rains in Rome"),
    ("me", "He saw me there"),
    ("i", "I live in Rome"),
    ("the", "The cat is in the house"),
    ("user", "The user lives in Rome"),
    ("tom", "Tomorrow I fly to Rome"),
    ("anna", "Hanna and Joanna called"),
]


@pytest.mark.parametrize(("name", "text"), NAMED, ids=ascii)
def test_a_name_is_found_in_every_form(name: str, text: str):
    assert mention(text, name) == "yes"


@pytest.mark.parametrize(("name", "text"), NOT_NAMED, ids=ascii)
def test_a_word_is_no_name(name: str, text: str):
    assert mention(text, name) == "no"


@pytest.mark.parametrize(
    ("name", "text"), [("may", "i met may in rome"), ("jan", "Widziałem Janka"), ("anna", "Spotkałem Annę i Annami")]
)
def test_what_may_be_the_name_is_said_to_be_left(name: str, text: str):
    assert mention(text, name) == "perhaps"


def test_a_name_that_is_a_word_takes_what_names_the_person_only():
    with Fabric() as fabric:
        session = fabric.session("monday", user="jake")
        for said in ("I may move to Rome.", "My sister May lives in Oslo.", "Art is long and I love art."):
            session.run(MEM.capture, said)
        receipt = session.run(MEM.forget_block, {"subject": "may"}).output
        assert receipt.found
        kept = [record["text"] for record in session.run(MEM.export_block).output if record["kind"] == "turn"]
        assert kept == ["I may move to Rome.", "Art is long and I love art."]
        for subject in ("the", "art"):
            assert not session.run(MEM.forget_block, {"subject": subject, "preview": True}).output.removed
        asker, me = (session.run(MEM.forget_block, {"subject": one, "preview": True}).output for one in ("user", "me"))
        assert me.removed == asker.removed  # "me" is whoever says so


def test_what_may_still_name_them_is_left_and_told():
    with Fabric() as fabric:
        session = fabric.session("monday", user="jake")
        session.run(MEM.remember_block, {"content": "Lives in Gdynia", "subject": "jan"})
        session.run(MEM.capture, "Widziałem wczoraj Janka.")
        preview = session.run(MEM.forget_block, {"subject": "jan", "preview": True}).output
        receipt = session.run(MEM.forget_block, {"subject": "jan"}).output
        assert (preview.removed, preview.left) == (receipt.removed, receipt.left)
        assert receipt.removed["facts"] == 1
        assert len(receipt.left["turn"]) == 1
        assert session.run(MEM.forget_block, {"id": receipt.left["turn"][0]}).output.found
