"""Others by name, clauses that leave out whom they are about, workplaces by kind, moved appointments: by language."""

import pytest

from blocks.readers.observe import observe_text
from capabilities.claims import claim_of, compare, read_as

TOLD = [
    ("Mi hermana Inés vive en Vigo y es enfermera.", {("inés", "home", "Vigo"), ("inés", "role", "enfermera")}),
    ("Ma cousine Zoé travaille à la clinique de Metz.", {("zoé", "employer", "la clinique de Metz")}),
    ("Mia zia Carla abita a Lecce.", {("carla", "home", "Lecce")}),
    ("A minha irmã Rita trabalha na EDP.", {("rita", "employer", "EDP")}),
    ("Mijn broer Daan woont in Delft.", {("daan", "home", "Delft")}),
    ("Моя сестра Анна живёт в Туле.", {("анна", "home", "Туле")}),
    ("兄の健二は福岡に住んでいます。", {("健二", "home", "福岡")}),
    ("我弟弟王强在腾讯工作。", {("王强", "employer", "腾讯")}),
    ("王强跳槽了，搬到广州了。", {("王强", "home", "广州")}),
    ("你好，我叫张敏，住在武汉，在美团工作。", {("user", "name", "张敏"), ("user", "employer", "美团")}),
    ("Trabajo en una panadería.", {("user", "employer", "una panadería")}),
    ("Ich arbeite in einer Bäckerei.", {("user", "employer", "einer Bäckerei")}),
    ("Tenemos un gato, se llama Nube.", {("user", "relation", "Nube")}),
    ("On a adopté un chat, il s'appelle Moka.", {("user", "relation", "Moka")}),
    ("我家养了一只猫，叫毛毛。", {("user", "relation", "毛毛")}),
]
NOT_TOLD = [
    ("我妹妹很忙，住在广州。", ("user", "home")),
    ("马上搬到上海。", ("马上", "home")),
    ("Me gusta mi jefe y es abogado.", ("user", "role")),
    ("Ahora es tarde y trabaja mucho en Siemens.", ("user", "employer")),
]
MOVED = [
    ("Tengo cita con el fisio el lunes", "Me han pasado la cita del fisio al jueves"),
    ("La reunión de padres es el lunes", "Han aplazado la reunión de padres al viernes"),
    ("J'ai rendez-vous chez le coiffeur mardi", "Le rendez-vous chez le coiffeur est repoussé à vendredi"),
    ("Ho l'esame di guida martedì", "Hanno spostato l'esame di guida a giovedì"),
    ("Tenho consulta no dentista na segunda-feira", "Mudaram a consulta do dentista para quinta-feira"),
    ("Am Dienstag habe ich einen Termin beim Zahnarzt", "Der Zahnarzttermin wurde auf Freitag verschoben"),
    ("Приём у стоматолога во вторник", "Приём у стоматолога перенесли на пятницу"),
    ("面试安排在下周一", "他们把面试推迟到下周四了"),
    ("歯医者の予約は火曜日です", "歯医者の予約は金曜日に変わりました"),
    ("My driving lesson is on Tuesday", "They had to move the driving lesson to Saturday"),
]


def told(text: str) -> set[tuple[str, str, str]]:
    """Return whose attributes have which values."""
    claims = [claim_of(seen) for seen in observe_text(text)]
    return {(claim.subject, claim.attribute, claim.value) for claim in claims}


@pytest.mark.parametrize(("text", "wanted"), TOLD)
def test_what_is_told_of_whom(text: str, wanted: set[tuple[str, str, str]]):
    assert wanted <= told(text)


@pytest.mark.parametrize(("text", "wrong"), NOT_TOLD)
def test_a_clause_without_a_subject_is_nobody_elses(text: str, wrong: tuple[str, str]):
    assert wrong not in {(subject, attribute) for subject, attribute, _ in told(text)}


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_a_moved_appointment_takes_the_place_of_the_former(before: str, after: str):
    assert compare(read_as(before), read_as(after)) == "replaces"


@pytest.mark.parametrize("day", ["martes", "viernes"])
def test_two_appointments_that_are_had_both_stand(day: str):
    assert (
        compare(read_as("Tengo cita con el fisio el lunes"), read_as(f"Tengo cita con el fisio el {day}"))
        == "unrelated"
    )


def test_a_pet_that_is_told_of_as_dead_is_not_told_of_as_there():
    (there,) = observe_text("I have a dog named Rex.")
    for text in ("My dog Rex died last week.", "my dog rex passed away"):
        (gone,) = observe_text(text)
        assert compare(claim_of(there), claim_of(gone)) == "ends"
