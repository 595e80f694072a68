"""Tokens and keys in base64 are secrets as they are plainly; whatever else is in base64 stays."""

from base64 import b64encode, encodebytes, urlsafe_b64encode

from fabric.redaction import REDACTED, found, redact

TOKEN = "AKIAABCDEFGHIJKLMNOP"
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow0BAAKC7zX1\n" * 20 + "-----END RSA PRIVATE KEY-----\n"


def wrapped(text: str) -> str:
    return b64encode(text.encode()).decode()


def test_a_token_in_base64_is_taken_out_wherever_it_stands_in_it():
    for inside in (TOKEN, f"aws_access_key_id = {TOKEN}", f"x {TOKEN}", f"the key is {TOKEN}, use it"):
        assert redact(f"echo {wrapped(inside)} | base64 -d") == f"echo {REDACTED} | base64 -d", inside
    assert redact(f"KEY={wrapped(TOKEN)}") == f"KEY={REDACTED}"
    assert [finding.kind for finding in found(f"it is {wrapped('ghp_' + 'a1B2' * 9)}.")] == ["github_token"]
    url_safe = urlsafe_b64encode(f"??>>?? {TOKEN} ~~~".encode()).decode()
    assert "_" in url_safe or "-" in url_safe
    assert redact(f"see {url_safe} there") == f"see {REDACTED} there"


def test_a_private_key_in_base64_is_taken_out_with_all_its_lines():
    assert redact(f'{{"tls.key": "{wrapped(KEY)}"}}') == f'{{"tls.key": "{REDACTED}"}}'
    lines = encodebytes(KEY.encode()).decode()
    assert redact(f"key: |\n  {lines}and so on") == f"key: |\n  {REDACTED}\nand so on"


def test_other_base64_stays():
    innocent = [
        wrapped("hello world, this is a nice day for all of us"),
        wrapped('{"name": "Anna", "city": "Oslo", "id": "5f2b6c1e-9a4d-4f0b-8c3e-2d1a0b9c8d7e"}'),
        "data:image/png;base64," + b64encode(bytes(range(256))).decode(),
        "https://example.org/path/to/internationalization/of/names/and/places",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        wrapped("-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIU\n"),
    ]
    assert [text for text in innocent if redact(text) != text] == []
