"""Secrets are taken out before anything is stored; ordinary sentences about secrets stay."""

import pytest

from fabric.redaction import REDACTED, redact


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password: hunter2", "hunter2"),
        ("My password is hunter2, ok?", "hunter2"),
        ("PASSWORD=hunter2", "hunter2"),
        ('{"api_key": "abc123def"}', "abc123def"),
        ("OPENAI_API_KEY=zk-abcdefghijklmnopqrstuv", "zk-abcdefghijklmnopqrstuv"),
        ("use sk-proj-abcdefghijklmnopqrstuvwx please", "sk-proj-abcdefghijklmnopqrstuvwx"),
        ("AKIAABCDEFGHIJKLMNOP", "AKIAABCDEFGHIJKLMNOP"),
        ("ghp_" + "a1" * 18, "ghp_a1"),
        ("Authorization: Bearer abcdefghijklmnop123", "abcdefghijklmnop123"),
        ("postgres://jake:pa55word@db.example/app", "pa55word"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----", "MIIEabc"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nMIIEabc cut off", "MIIEabc"),
        ("пароль: секрет123", "секрет123"),
        ("mon mot de passe est azerty99", "azerty99"),
        ("我的密码是 abc123", "abc123"),
        ("パスワードは hunter2です", "hunter2"),
        ("My PIN is 4711", "4711"),
        ("the pin for my card is 4 7 1 1", "4 7 1 1"),
        ("my pin is four seven one one", "seven"),
        ("Meine PIN ist vier sieben eins eins", "eins"),
        ("cvv 123 exp 04/27", "123"),
        ("backup codes: 1234-5678, 8765-4321", "8765-4321"),
        ("creds: jake:S3cretPw99", "S3cretPw99"),
        ('variable "db_password" {\n  type = string\n  default = "S3cretPw99"\n}', "S3cretPw99"),
    ],
)
def test_a_secret_is_redacted_and_the_words_around_it_stay(text: str, secret: str):
    cleaned = redact(text)
    assert secret not in cleaned
    assert REDACTED in cleaned
    assert redact(cleaned) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong",
        "I forgot my password again",
        "Secret Santa is on Friday",
        "The token is valid until May",
        "My secret is the sauce",
        "my pincode is 400001",
        "my pin is one of four numbers",
        "Token: CLS-0001 was lost",
        'variable "db_password" {\n  description = "x"\n}\nvariable "region" {\n  default = "us-east-1"\n}',
        "Let's meet at 10:30 in Berlin",
        "https://example.org/a/b?c=d",
        '{"content": "Ask first", "pin": true}',
        '{"call": {"pin": false, "token": null}}',
    ],
)
def test_ordinary_sentences_are_untouched(text: str):
    assert redact(text) == text
