"""What differs by a symbol, number, opposite or denial is never the same; what takes whose place, and what does not."""

import pytest

from blocks.readers.observe import observe_text
from capabilities.claims import claim_of, read

from .judged import claim, verdict

SAME = ("same", "refines")
OVER = ("replaces", "ends")

APART = [
    ("I have a meeting with Anna on Monday.", "I have a meeting with Anna on Friday."),
    ("Review pull request 815", "Review pull request 812"),
    ("Meeting with Bob on Friday", "Meeting with Anna on Friday"),
    ("Dinner with Omar at 7", "Dinner with Omar at 9"),
    ("Call the plumber about the bath", "Call the plumber about the sink"),
    ("Besprechung mit Anna am Montag", "Besprechung mit Anna am Freitag"),
    ("Réunion avec Anna lundi", "Réunion avec Anna vendredi"),
    ("与安娜星期一开会", "与安娜星期五开会"),
    ("Knows C", "Knows C++"),
    ("Knows C++", "Knows C#"),
    ("Writes F", "Writes F#"),
    ("Owns a Galaxy S21", "Owns a Galaxy S21+"),
    ("Measured -5 degrees at dawn", "Measured 5 degrees at dawn"),
    ("Paid $20 for the lamp", "Paid €20 for the lamp"),
    ("Posts in #general", "Posts in general"),
    ("Grade is B+", "Grade is B-"),
    ("Subscribed to Paramount+", "Subscribed to Paramount"),
    ("Likes Formula 1", "Likes Formula 2"),
    ("Likes the BMW X5", "Likes the BMW X3"),
    ("Likes Python 2", "Likes Python 3"),
    ("Is allergic to E621", "Is allergic to E110"),
    ("Is allergic to peanuts", "Is allergic to penicillin"),
    ("Takes vitamin B12", "Takes vitamin B6"),
    ("Owns an Audi A4", "Owns an Audi A8"),
    ("Is allergic to Yellow 5", "Is allergic to Yellow 6"),
    ("Ist allergisch gegen E621", "Ist allergisch gegen E110"),
    ("Service A depends on service B", "Service B depends on service A"),
    ("rm -rf build is safe", "rm -rf / build is safe"),
    ("git reset --hard is fine", "git reset -hard is fine"),
    ("The primary database is in Frankfurt", "The secondary database is in Frankfurt"),
    ("Enable the cache for staging", "Disable the cache for staging"),
    ("Open the valve before noon", "Close the valve before noon"),
    ("Take the left door", "Take the right door"),
    ("Lock the eastern gate", "Lock the western gate"),
    ("Always use tabs in this repository", "Never use tabs in this repository"),
    ("Increase the limit by ten", "Decrease the limit by ten"),
    ("Ventil links schließen", "Ventil rechts schließen"),
    ("Activar la caché", "Desactivar la caché"),
    ("Ouvrir la vanne", "Fermer la vanne"),
    ("打开阀门", "关闭阀门"),
]
"""Two things that are both so, however alike they are worded."""


@pytest.mark.parametrize(("a", "b"), APART)
def test_two_things_that_are_worded_alike_are_two_things(a: str, b: str):
    assert verdict(a, b) == verdict(b, a) == "unrelated"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Blood type is A+", "Blood type is A-"),
        ("Blood type is AB+", "Blood type is AB-"),
        ("Blutgruppe ist 0+", "Blutgruppe ist 0-"),
        ("Favorite number is 5", "Favorite number is -5"),
        ("The probe shows -5", "The probe shows 5"),
        ("The fee is $20", "The fee is €20"),
        ("Favourite language is C", "Favourite language is C++"),
        ("Favourite language is F#", "Favourite language is F"),
    ],
)
def test_a_symbol_is_part_of_a_value(a: str, b: str):
    assert verdict(a, b) not in SAME
    assert verdict(b, a) not in SAME


DENIED = [
    ("Romanian", "Nu sunt alergic la arahide", "Sunt alergic la arahide"),
    ("Vietnamese", "Tôi không thích cà phê", "Tôi thích cà phê"),
    ("Indonesian", "Saya tidak suka kopi", "Saya suka kopi"),
    ("Malay", "Saya bukan doktor", "Saya doktor"),
    ("Hebrew", "אני לא אוהב קפה", "אני אוהב קפה"),
    ("Greek", "Δεν μου αρέσει ο καφές", "Μου αρέσει ο καφές"),
    ("Bengali", "আমি কফি পছন্দ করি না", "আমি কফি পছন্দ করি"),
    ("Croatian", "Ne volim kavu", "Volim kavu"),
    ("Tagalog", "Hindi ako mahilig sa kape", "Mahilig ako sa kape"),
    ("French", "Je ne fume plus", "Je fume"),
    ("French, dropped", "Je fume plus", "Je fume"),
    ("Hungarian", "Nem szeretem a kávét", "Szeretem a kávét"),
    ("Czech", "Nemám rád kávu", "Mám rád kávu"),
    ("Slovene", "Ne pijem kave", "Pijem kave"),
    ("Ukrainian", "Не люблю каву", "Люблю каву"),
    ("Bulgarian", "Не обичам кафе", "Обичам кафе"),
    ("Korean", "커피를 좋아하지 않는다", "커피를 좋아한다"),
    ("Hindi", "मुझे कॉफ़ी पसंद नहीं है", "मुझे कॉफ़ी पसंद है"),
    ("Persian", "من دکتر نیستم", "من دکتر هستم"),
    ("Thai", "ฉันไม่ชอบกาแฟ", "ฉันชอบกาแฟ"),
    ("Swahili", "Mimi si daktari", "Mimi daktari"),
    ("Welsh", "Dydw i ddim yn hoffi te", "Dw i yn hoffi te"),
    ("Irish", "Ní maith liom tae", "Is maith liom tae"),
    ("Catalan", "No m'agrada el cafè", "M'agrada el cafè"),
    ("Finnish", "En ole lääkäri", "Olen lääkäri"),
    ("Basque", "Ez naiz medikua", "Naiz medikua"),
    ("Albanian", "Nuk jam mjek", "Jam mjek"),
    ("Lithuanian", "Aš nesu gydytojas", "Aš esu gydytojas"),
    ("Afrikaans", "Ek hou nie van koffie nie", "Ek hou van koffie"),
    ("Amharic", "ቡና አልወድም", "ቡና እወዳለሁ"),
]


@pytest.mark.parametrize(("denied", "told"), [pair[1:] for pair in DENIED], ids=[pair[0] for pair in DENIED])
def test_a_denial_in_any_language_is_not_what_it_denies(denied: str, told: str):
    assert verdict(denied, told) not in SAME
    assert verdict(told, denied) not in SAME


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Works at Stripe as an engineer", "Works at Stripe as a manager"),
        ("Works at Stripe as an engineer", "Works at Stripe as a manager now"),
        ("Is an engineer at Stripe", "Is a manager at Stripe"),
        ("Arbeitet bei Stripe als Entwickler", "Arbeitet bei Stripe als Leiter"),
        ("Arbeitet bei Bosch", "Arbeitet bei Siemens"),
        ("Ich wohne in Berlin", "Ich wohne jetzt in Hamburg"),
        ("I weigh 82 kg", "I weigh 79 kg"),
        ("Ich wiege 82 kg", "Ich wiege 79 kg"),
        ("Travaille chez Orange", "Travaille chez Bouygues"),
        ("Vivo en Madrid", "Ahora vivo en Sevilla"),
        ("Abito a Torino", "Adesso abito a Milano"),
        ("Moro em Lisboa", "Agora moro no Porto"),
        ("Ik woon in Utrecht", "Ik woon nu in Breda"),
        ("Я живу в Москве", "Теперь я живу в Туле"),
        ("我住在上海", "我现在住在北京"),
        ("大阪に住んでいます", "今は京都に住んでいます"),
        ("My flight leaves at 9:40", "My flight leaves at 10:15"),
        ("My train leaves at 8:05", "My train leaves at 8:50"),
    ],
)
def test_another_value_where_one_holds_at_a_time_replaces(a: str, b: str):
    assert verdict(a, b) == "replaces"


@pytest.mark.parametrize(
    ("before", "switch"),
    [
        ("Uses Firefox", "Switched from Firefox to Brave"),
        ("I use Firefox.", "I switched from Firefox to Brave."),
        ("Switched from Firefox to Brave", "Switched from Brave to Safari"),
        ("Banks with Chase", "Switched from Chase to Ally"),
        ("Uses a Pixel", "Switched from a Pixel to an iPhone"),
        ("Uses Spotify", "Moved from Spotify to Tidal"),
        ("Uses Notion", "Replaced Notion with Obsidian"),
        ("Benutzt Firefox", "Ist von Firefox zu Brave gewechselt"),
    ],
)
def test_a_switch_ends_what_it_names_as_the_former(before: str, switch: str):
    assert verdict(before, switch) in OVER


@pytest.mark.parametrize("other", ["Uses Thunderbird", "Uses Chrome", "Likes Firefox", "Works at Brave"])
def test_a_switch_ends_nothing_else(other: str):
    assert verdict(other, "Switched from Firefox to Brave") == "unrelated"


@pytest.mark.parametrize("verb", ["liked", "enjoyed", "loved", "preferred"])
@pytest.mark.parametrize(
    "before", ["I've never", "I never", "I have never really", "I never really", "I've never much"]
)
def test_who_never_liked_a_thing_does_not_like_it(before: str, verb: str):
    for observation in observe_text(f"{before} {verb} tea."):
        said = claim_of(observation)
        assert said.polarity != "holds", observation.content
        assert "always" not in observation.content.lower()
        assert "reallies" not in observation.content
        assert verdict("Likes tea", observation.content) in (*OVER, "unrelated")


@pytest.mark.parametrize(
    "text",
    [
        "I think I am allergic to nuts, but the test was negative.",
        "I thought I was allergic to cats, but the test came back negative.",
        "They suspected I am allergic to bees, but it turned out I'm not.",
        "I believed I was allergic to milk, but I'm not.",
        "I might be allergic to latex, but the doctor ruled it out.",
    ],
)
def test_what_is_denied_in_the_same_sentence_is_no_fact(text: str):
    for observation in observe_text(text):
        said = claim_of(observation)
        assert said.polarity != "holds" or "allergic" not in observation.content, observation.content


@pytest.mark.parametrize("text", ["- likes tea", ". x", "... x", "' x", "* likes tea", "— tea", "?", "+", "🙂 tea"])
def test_a_token_without_letters_is_read_like_any_other(text: str):
    read(text)
    assert verdict(text, text) == "same"
    assert verdict(text, "Works at Stripe") == verdict("Works at Stripe", text) == "unrelated"


@pytest.mark.parametrize("subject", ["fixpoint labs", "fixpoint-labs", "fixpoint_labs", "Fixpoint Labs"])
def test_a_subject_has_one_spelling(subject: str):
    assert claim("Is in Oslo", subject).subject == claim("Is in Oslo", "fixpoint-labs").subject
