"""Secrets that are written for a reader and for no pattern: other letters, unseen signs, odd groups, bare answers."""

import pytest

from fabric.redaction import answered, found, redact, redact_value

TOKEN = "gh" + "p_" + "Zq81" * 9
CARD = ("4539", "1488", "0343", "6467")
ZERO = "\u200b"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"use {TOKEN[:3]}{ZERO}{TOKEN[3:]} now", f"{TOKEN[:3]}{ZERO}{TOKEN[3:]}"),
        (f"use {ZERO}{ZERO}{TOKEN}, {ZERO}ok", TOKEN),
        (f"use \uff47\uff48\uff50{TOKEN[3:]} now", f"\uff47\uff48\uff50{TOKEN[3:]}"),
        (f"use g\u04bb\u0440{TOKEN[3:]} now", f"g\u04bb\u0440{TOKEN[3:]}"),
        ("p\u0430ss\u00adword: hunter2x9!", "hunter2x9!"),
        ("password → hunter2x9", "hunter2x9"),
        ("wachtwoord - kat_1234", "kat_1234"),
        ("The password for the laptop in the attic is m00nrise.", "m00nrise"),
        ("La contraseña de la oficina es Naranja.45", "Naranja.45"),
        ("Le mot de passe pour la box, c'est neige2029", "neige2029"),
        ("Sommer2024! ist mein WLAN-Passwort", "Sommer2024!"),
        ("Bot: What is your password?\nMe: Saddle!burn6", "Saddle!burn6"),
        (f"pay with {'.'.join(CARD)} please", ".".join(CARD)),
        (f"pay with {CARD[0]} {CARD[1]}-{CARD[2]}\u2009{CARD[3]}", f"{CARD[0]} {CARD[1]}-{CARD[2]}\u2009{CARD[3]}"),
        (f"my visa is {' '.join(''.join(CARD))}", " ".join("".join(CARD))),
        (f"visa: {''.join(CARD)[:5]} {''.join(CARD)[5:]}", f"{''.join(CARD)[:5]} {''.join(CARD)[5:]}"),
    ],
)
def test_a_disguised_secret_is_taken_out_from_end_to_end(text: str, secret: str):
    (one,) = found(text)
    assert text[one.start : one.end] == secret
    assert redact(text) == text.replace(secret, "[redacted]")


@pytest.mark.parametrize(
    "text",
    [
        "order 4539-1488-0343-6468",
        "numbers 45391 4880343 6467",  # grouped as no card is, and no word for one before it
        "the password is too short, my password is on the note",
        "What is the password policy? min8chars",
        "What is your name? Jake99",
        "Пароль от сайта я забыл в 2024 году",
        "We 👨\u200d👩\u200d👧\u200d👦 went to the zoo",
        "ＡＢＣ１２３ is a model",
    ],
)
def test_what_only_looks_like_it_stays(text: str):
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "**Password:** {}",
        "**Password**: **{}**",
        "`password`: `{}`",
        "<b>Password:</b> <code>{}</code>",
        "<td>Password</td><td>{}</td>",
        "“Password”: “{}”",
        "Password 👉 {}",
        "Password ==> {}",
        "Password....... {}",
        "pass-word: {}",
        "password: |\n  {}\n",
        "password: !!str {}",
        "password:\n  value: {}",
        'password="""{}"""',
        'password = SecretStr("{}")',
        '{{"type": "password", "value": "{}"}}',
        "| site | password |\n|---|---|\n| bank | `{}` |\n| club | none |",
        "user,password,since\njake,{},2020",
        "echo {} | sudo -S ls",
        'chpasswd <<< "root:{}"',
        'smtp.login("jake@example.org", "{}")',
        "see https://a.example/?next=%2Fcb%3Faccess_token%3D{}",
    ],
)
def test_a_secret_is_taken_out_of_what_sets_it_off(text: str):
    assert redact(text.format("S3cretPw99Zq81")) == text.format("[redacted]")


@pytest.mark.parametrize(
    "text",
    [
        "**Password:** **required**",
        "**Password policy:** 12 characters",
        "| field | type |\n|---|---|\n| password | text |",
        "| token | count |\n|---|---|\n| hello | 4711 |",
        "Well, the password, I think,\nis old, too, now3",
        "password:\n  - required\n  - min: 8",
        "<b>Token:</b> the smallest unit of a text",
        "The Brenner pass is 1370 m high",
    ],
)
def test_what_is_set_off_and_no_secret_stays(text: str):
    assert redact(text) == text


def test_a_bare_answer_is_a_secret_by_its_question_alone():
    asked = "Wie lautet dein Passwort?"
    assert [str(one) for one in answered(asked, "Es ist Eimer_77, glaube ich")] == ["passwort at 7-15"]
    assert answered(asked, "Das weiß ich nicht mehr") == answered("Wie heißt du?", "Eimer_77") == []
    talk = [{"role": "user", "content": "what is my password?"}, {"role": "assistant", "content": "hunter2-blue"}]
    assert redact_value(talk) == [talk[0], {"role": "assistant", "content": "[redacted]"}]


def test_a_name_may_be_a_secret_too():
    assert redact_value({TOKEN: 1, "kept_as_it_is": 2}) == {"[redacted]": 1, "kept_as_it_is": 2}
    assert sorted(redact_value({TOKEN: 1, f"{TOKEN}b": 2})) == ["[redacted] 1", "[redacted] 2"]
    assert redact(f'{{"{TOKEN}": {{"scope": "repo"}}}}') == '{"[redacted]": {"scope": "repo"}}'


@pytest.mark.parametrize(
    ("asked", "answer", "secret"),
    [
        ("Generate a password for my router.", "Sure! S3cretPw99", "S3cretPw99"),
        (
            "Create a password",
            "Here it is:\n\n```\nS3cretPw99\n```\nKeep it safe, and tell nobody of it.",
            "S3cretPw99",
        ),
        (
            "Make me a password please",
            "Here you go: `kX9#mQ2$vL`, which has letters, digits and some signs.",
            "kX9#mQ2$vL",
        ),
        ("Erstelle ein Passwort", "`Gurke$2231`", "Gurke$2231"),
        ("Create a password field", "`password1` is its name, and it is of the type `type2x` as all of them are.", ""),
        ("Suggest a password manager", "`1Password7` and `KeePassXC2` are good choices for most people.", ""),
    ],
)
def test_a_secret_that_is_made_on_request_is_taken_out_of_the_answer(asked: str, answer: str, secret: str):
    assert [answer[one.start : one.end] for one in answered(asked, answer)] == ([secret] if secret else [])
