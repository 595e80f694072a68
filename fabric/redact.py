"""Secrets: recognised by their form or by the word before them, and taken out before anything is stored."""

from collections.abc import Mapping

import regex

REDACTED = "[redacted]"

FORMS: Mapping[tuple[str, ...], str] = {
    ("-----BEGIN",): (
        r"-----BEGIN (?:[A-Z ]{0,30})PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END).){0,20000}"
        r"(?:-----END [A-Z ]{0,40}-----)?"
    ),
    ("AKIA", "ASIA"): r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"): r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,255}\b",
    ("github_pat_",): r"\bgithub_pat_[A-Za-z0-9_]{20,255}\b",
    ("glpat-",): r"\bglpat-[A-Za-z0-9_-]{16,255}",
    ("xox",): r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}",
    ("sk-", "pk-", "rk-"): r"\b(?:sk|pk|rk)-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{16,255}",
    ("sk_", "rk_"): r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,255}\b",
    ("AIza",): r"\bAIza[0-9A-Za-z_-]{30,60}",
    ("ya29.",): r"\bya29\.[0-9A-Za-z_-]{20,255}",
    ("hf_",): r"\bhf_[A-Za-z0-9]{20,255}\b",
    ("npm_",): r"\bnpm_[A-Za-z0-9]{30,255}\b",
    ("pypi-",): r"\bpypi-[A-Za-z0-9_-]{30,255}",
    ("eyJ",): r"\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{5,2000}",
}
"""Tokens that are secrets by their form alone, each with its signs: every token of the form has one of them in it.

A text without any sign needs no closer look, which takes twenty times as long.
"""
_SIGNS = tuple(sign for signs in FORMS for sign in signs)
_BY_FORM = regex.compile("|".join(FORMS.values()), regex.DOTALL)

_LABELS = (
    r"pass(?:word|wd|phrase|code)s?|pwd|passwort|kennwort|contraseña|clave\ de\ acceso|mot\ de\ passe|senha|parola|"
    r"wachtwoord|hasło|lösenord|пароль|كلمة\ المرور|كلمة\ السر|סיסמה|şifre|mật\ khẩu|"
    r"(?:api|access|secret|private|auth|client|encryption)[\ _-]?(?:key|token|secret)|secret|token|bearer|"
    r"pin(?:\ code)?|otp|cvv|cvc"
)
# Each of the labels in ASCII has one of these in it.
_ASCII_LABELS = (
    *("pass", "pwd", "kennwort", "clave", "senha", "parola", "wachtwoord"),
    *("key", "token", "secret", "bearer", "pin", "otp", "cvv", "cvc"),
)
_UNSPACED_LABELS = "口令|密码|密碼|パスワード|暗証番号|비밀번호"
# "password: x", "password = x", "my password is x", "PASSWORD=x", "密码：x".
_BY_LABEL = regex.compile(
    rf"""(?P<label>(?:(?<![\p{{L}}\p{{N}}])(?:{_LABELS})|{_UNSPACED_LABELS})["']?
    (?:\s{{0,3}}[:=：＝]\s{{0,3}}|\s{{1,3}}(?:is|ist|es|est|é)\s{{0,2}}[:：]?\s{{1,3}}|は\s?|是\s?))
    (?P<secret>"[^"\n]{{1,200}}"|'[^'\n]{{1,200}}'|[^\s"',;。、]{{3,400}})""".replace("\n", " "),
    regex.VERBOSE | regex.IGNORECASE,
)
_BEARER = regex.compile(r"(?P<label>\b(?:Bearer|Basic)\s{1,3})(?P<secret>[A-Za-z0-9._~+/=-]{12,4000})")
_IN_URL = regex.compile(r"(?P<label>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:)(?P<secret>[^\s/@]{1,200})(?=@)")
_WORDS_AFTER_IS = regex.compile(
    r"(?:not|the|a|an|my|your|very|too|so|in|on|at|wrong|right|correct|incorrect|invalid|valid|expired|required|missing|"
    r"weak|strong|safe|secure|long|short|lost|gone|broken|empty|blank|stored|saved|hard|easy|old|new|what|for|to)\b",
    regex.IGNORECASE,
)

# A switch in JSON, such as "pin": true, is no secret; what closes the objects around it stands right behind.
_JSON_WORD = regex.compile(r"(?:true|false|null)[}\]]*")


def redact(text: str) -> str:
    """Return ``text`` with every recognised secret replaced by ``[redacted]``; the rest is untouched.

    Recognised are private key blocks, the key and token formats of common services, JSON web tokens, bearer tokens,
    passwords in addresses, and what follows a word such as "password:" in the larger languages.

    >>> redact("my password: hunter2, and the key is AKIAABCDEFGHIJKLMNOP")
    'my password: [redacted], and the key is [redacted]'
    """
    found = _BY_FORM.sub(REDACTED, text) if any(sign in text for sign in _SIGNS) else text
    found = _BEARER.sub(_keep_label, found)
    found = _IN_URL.sub(_keep_label, found)
    return _BY_LABEL.sub(_keep_label_if_secret, found) if _may_have_label(found) else found


def _may_have_label(text: str) -> bool:
    if not text.isascii():
        return True
    lower = text.lower()
    return any(part in lower for part in _ASCII_LABELS)


def _keep_label(match: "regex.Match[str]") -> str:
    return f"{match['label']}{REDACTED}"


def _keep_label_if_secret(match: "regex.Match[str]") -> str:
    secret = match["secret"]
    spoken = match["label"].rstrip()[-1:] not in ":=：＝"
    if secret.startswith(REDACTED) or _JSON_WORD.fullmatch(secret) or (spoken and _WORDS_AFTER_IS.match(secret)):
        return match.group()
    if spoken and secret.isalpha() and secret.islower() and len(secret) < 5:
        return match.group()
    return f"{match['label']}{REDACTED}"
