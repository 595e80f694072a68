"""Telling a repetition from a change: texts that differ in a number, date, name or negation say different things."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

import regex

from fabric.text import normalise, word_set, words

from .owners import USER, spoken_of
from .small import says_otherwise

COMPARED = 4_096
"""How many texts' numbers, dates and names are kept in memory: the same facts are compared over and over."""
_TOKEN = regex.compile(r"\p{Nd}+(?:[.,:/]\p{Nd}+)*|\p{L}+")
_SMALL_NUMBERS = {
    word: str(value)
    for value, listed in enumerate(
        (
            "zero",
            "one eins un uno une",
            "two zwei deux dos due dois",
            "three drei trois tres tre três",
            "four vier quatre cuatro quattro quatro",
            "five fünf cinq cinco cinque",
            "six sechs seis sei",
            "seven sieben sept siete sette sete",
            "eight acht huit ocho otto oito",
            "nine neun neuf nueve nove",
            "ten zehn dix diez dieci dez",
            "eleven elf onze once undici",
            "twelve zwölf douze doce dodici",
        )
    )
    for word in listed.split()
}
_MORE_NUMBERS = {
    "first": "1",
    "second": "2",
    "third": "3",
    "both": "2",
    "once": "1",
    "twice": "2",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
}
_NUMBER_WORDS = _SMALL_NUMBERS | _MORE_NUMBERS
_CJK_NUMBERS = {char: str(value) for value, char in enumerate("〇一二三四五六七八九十")} | {"两": "2", "兩": "2"}
_COUNTED = regex.compile(r"([〇一二三四五六七八九十两兩])(?=[个個只隻匹条條年月日歳岁歲人本台回次時点點週周つ才])")
_NAMING = word_set(
    "number no nr nummer numéro numero número invoice rechnung facture factura fattura room zimmer version chapter "
    "kapitel chapitre capítulo capitolo ticket order bestellung commande pedido issue bug case fact flight flug bus "
    "train locker box volume episode contract parcel"
)
_VALUED = word_set(
    "phone telephone mobile cell fax contact passport licence license account security tax id pin favorite favourite "
    "lucky jersey house shoe"
)
_SIGN = regex.compile(r"(?:#|№|[nN][°º])\s*(?=\p{Nd})|(?<![\p{L}\p{N}])\p{Lu}{2,}-(?=\p{Nd})")
_MONTHS = (
    "january januar janvier enero gennaio janeiro января jan",
    "february februar février febrero febbraio fevereiro февраля feb",
    "march märz mars marzo março марта mar",
    "april avril abril aprile апреля apr",
    "may mai mayo maggio maio мая",
    "june juni juin junio giugno junho июня jun",
    "july juli juillet julio luglio julho июля jul",
    "august août agosto августа aug",
    "september septembre septiembre settembre setembro сентября sep sept",
    "october oktober octobre octubre ottobre outubro октября oct okt",
    "november novembre noviembre novembro ноября nov",
    "december dezember décembre diciembre dicembre dezembro декабря dec dez",
)
_MONTH = {word: f"m{index}" for index, listed in enumerate(_MONTHS, 1) for word in listed.split()} | {"mars": "m3"}
_DAYS = (
    "monday mon montag lundi lunes lunedì segunda понедельник mondays 月曜 月曜日 星期一 周一",
    "tuesday tue tues dienstag mardi martes martedì terça вторник tuesdays 火曜 星期二 周二",
    "wednesday wed mittwoch mercredi miércoles mercoledì quarta среда wednesdays 水曜 星期三 周三",
    "thursday thu thurs donnerstag jeudi jueves giovedì quinta четверг thursdays 木曜 星期四 周四",
    "friday fri freitag vendredi viernes venerdì sexta пятница fridays 金曜 星期五 周五",
    "saturday sat samstag samedi sábado sabato суббота saturdays 土曜 星期六 周六",
    "sunday sun sonntag dimanche domingo domenica воскресенье sundays 日曜 星期日 周日",
)
_DAY_WORDS = {
    word: f"d{index}"
    for index, listed in enumerate(_DAYS)
    for word in listed.split()
    if word.isalpha() and not regex.search(r"\p{Han}", word)
}
_DATE_WORDS = _DAY_WORDS | {
    word: word
    for word in word_set(
        "today tomorrow yesterday tonight heute gestern hier demain aujourd'hui ayer mañana oggi domani "
        "ieri hoje ontem amanhã morning afternoon evening noon midnight am pm weekly daily monthly "
        "yearly spring summer autumn fall winter"
    )
}
_CJK_DAYS = regex.compile(
    r"([月火水木金土日])曜|(?:星期|周|週)([一二三四五六日天])|(今日|明日|昨日|今天|明天|昨天|오늘|내일|어제)"
)
_NEGATIONS = word_set(
    "not no never none nobody without neither nor cannot n't longer stopped quit former formerly ex "
    "unable refuses avoids dislikes dislike hates hate detests cancelled canceled lacks isn't aren't "
    "wasn't don't doesn't didn't won't can't couldn't wouldn't hasn't haven't"
    " nicht kein keine keinen keiner keinem nie niemals ohne mehr ne pas jamais sans aucun aucune "
    "plus nunca jamás sin ningún ninguna tampoco non mai senza nessuno nessuna não nem nunca sem "
    "niet geen nooit zonder inte aldrig ingen utan ikke aldri nie bez не нет никогда без ні لا ليس "
    "لم لن нiколи değil yok hiç asla नहीं मत"
)
_QUIET_NEGATIONS = word_set("mehr plus longer ne mai sin bez no nem nie")
_CJK_NEGATION = regex.compile(
    r"不(?!错|錯)|没|沒|未|无|無|ない|なく|ません|なかっ|ぬ(?!い)|않|못|(?<!\p{Hangul})안 |아니|없"
)
_NAME = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}]*(?:['’-]\p{L}+)*")
_OPENING = regex.compile(r"(\p{Lu}[\p{L}\p{M}\p{N}]*+)(?!\s*(?:,|&|and\b|or\b))")
_BETWEEN = word_set("than over to from before after instead rather")
_SPACED = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_SAID_BY_NAME = word_set(
    "is has was works lives likes loves hates wants prefers owns plays studies moved joined had goes does speaks drives"
)
_OPENERS = word_set("user the a an my their his her he she they i we")
_COMMON_CAPITALS = word_set("i user the mr mrs ms dr")


def changes_value(a: str, b: str, subject: str = USER) -> bool:
    """Return whether ``a`` and ``b`` differ in a number, date, proper name or negation, in any of the larger languages.

    Both are said of ``subject``, unless one opens with somebody else: that is another thing too, and so is another
    letter ("Has blood type A", "Has blood type B").

    Texts that differ only in that one says more ("Works at Stripe", "Works at Stripe in Dublin") do not change a value;
    a negation on one side always does, and so does who does it to whom ("Ana pays Ben", "Ben pays Ana").

    >>> changes_value("5 years at Google", "6 years at Google"), changes_value("Likes coffee", "Likes coffee a lot")
    (True, False)
    """
    if words(a) == words(b):
        return False
    if negated(a) != negated(b) or spoken_of(a, subject).owner != spoken_of(b, subject).owner:
        return True
    return (
        says_otherwise(a, b, subject)
        or _rival(numbers(a), numbers(b))
        or _reordered(a, b)
        or _recounted(a, b)
        or _rival(dates(a), dates(b))
        or rival_names(a, b)
        or _changed_places(a, b)
    )


def numbers(text: str) -> list[str]:
    """Return the numbers in ``text`` in order, digits of any script and small number words as plain digits.

    >>> numbers("two cats, ٣ dogs, 1,000 fish")
    ['2', '3', '1000']
    """
    return list(_numbers(text))


@lru_cache(maxsize=COMPARED)
def _numbers(text: str) -> tuple[str, ...]:
    return tuple(token for token in _tokens(text) if token[0].isdecimal())


@lru_cache(maxsize=COMPARED)
def designated(text: str) -> tuple[str, ...]:
    """Return the numbers in ``text`` that say which thing is meant, as plain digits: another one is another thing.

    A number that somebody has, such as a phone number, is a value and no such name.

    >>> designated("Invoice #17 has 3 pages"), designated("Has phone number 555")
    (('17',), ())
    """
    listed = ("", *_tokens(_SIGN.sub(" number ", text)))
    return tuple(
        number
        for owner, word, number in zip(listed, listed[1:], listed[2:], strict=False)
        if number[0].isdecimal() and word in _NAMING and owner not in _VALUED
    )


@lru_cache(maxsize=COMPARED)
def _tokens(text: str) -> tuple[str, ...]:
    """Return the runs of letters, folded, and the numbers as plain digits, in order."""
    folded = _COUNTED.sub(lambda found: f" {_CJK_NUMBERS[found[1]]} ", unicodedata.normalize("NFKC", text))
    found: list[str] = []
    for token in _TOKEN.findall(folded):
        if token[0].isdecimal():
            found.extend(_plain_number(token))
        else:
            found.append(_NUMBER_WORDS.get(word := normalise(token), word))
    return tuple(found)


def dates(text: str) -> list[str]:
    """Return the days, months and times of day that ``text`` names, one spelling each.

    >>> dates("On Monday in März"), dates("She may come")
    (['d0', 'm3'], [])
    """
    return list(_dates(text))


@lru_cache(maxsize=COMPARED)
def _dates(text: str) -> tuple[str, ...]:
    found = [match[0] for match in _CJK_DAYS.finditer(text)]
    listed = words(text)
    for index, word in enumerate(listed):
        if word in _MONTH and (len(word) > 4 or _dated(listed, index)):
            found.append(_MONTH[word])
        elif (
            word in _DATE_WORDS
            and (len(word) > 3 or word in {"am", "pm"} or f"{word.capitalize()}" in text)
            and (word != "am" or "I am" not in text)
        ):
            found.append(_DATE_WORDS[word])
    return tuple(found)


@lru_cache(maxsize=COMPARED)
def negated(text: str) -> bool:
    """Return whether ``text`` denies, ends or dislikes something.

    >>> negated("Does not like tea"), negated("コーヒーは飲まない"), negated("Whenever it rains")
    (True, True, False)
    """
    listed = words(text)
    count = sum(1 for word in listed if word in _NEGATIONS and word not in _QUIET_NEGATIONS)
    quiet = {word for word in listed if word in _QUIET_NEGATIONS}
    return (
        count > 0 or bool(quiet & {"no", "nie", "sin", "bez", "nem", "mai"}) or _CJK_NEGATION.search(text) is not None
    )


def _plain_number(token: str) -> list[str]:
    digits = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in token)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return [digits.replace(",", "")]
    if re.fullmatch(r"\d+[.,]\d+", digits):
        return [digits.replace(",", ".")]
    return [part.lstrip("0") or "0" for part in re.split(r"[.,:/]", digits)]


def _dated(listed: list[str], index: int) -> bool:
    near = listed[max(0, index - 1) : index] + listed[index + 1 : index + 2]
    return any(
        word[:1].isdigit()
        or word in {"in", "of", "on", "since", "until", "by", "last", "next", "im", "en", "de", "early", "late"}
        for word in near
    )


def _rival(a: list[str], b: list[str]) -> bool:
    if not a or not b:
        return False
    more, fewer = Counter(a), Counter(b)
    return bool(more - fewer) and bool(fewer - more)


def _recounted(a: str, b: str) -> bool:
    """Return whether one thing has two numbers, as in "2 cats" and "2 dogs, 3 cats"."""
    first, second = _counted_things(a), _counted_things(b)
    return any(first[thing] != second[thing] for thing in first.keys() & second.keys())


@lru_cache(maxsize=COMPARED)
def _counted_things(text: str) -> Mapping[str, str]:
    listed = _tokens(text)
    pairs = pairwise(listed)
    return {thing: count for count, thing in pairs if count[0].isdecimal() and not thing[0].isdecimal()}


def _reordered(a: str, b: str) -> bool:
    """Return whether the same words hold the same numbers elsewhere: "3 cats, 2 dogs" and "2 cats, 3 dogs"."""
    first, second = numbers(a), numbers(b)
    if first == second or sorted(first) != sorted(second):
        return False
    return [word for word in _tokens(a) if not word[0].isdecimal()] == [
        word for word in _tokens(b) if not word[0].isdecimal()
    ]


def _changed_places(a: str, b: str) -> bool:
    """Return whether two change places: "Ana pays Ben", "Ben pays Ana", or "tea over coffee", "coffee over tea"."""
    said_a, said_b = words(a), words(b)
    if said_a != said_b and sorted(said_a) == sorted(said_b) and _BETWEEN.intersection(said_a):
        return True
    first, second = _OPENING.match(a), _OPENING.match(b)
    if first is None or second is None or first[1] == second[1]:
        return False
    return first[1] in _SPACED.split(b[second.end() :]) or second[1] in _SPACED.split(a[first.end() :])


def rival_names(a: str, b: str) -> bool:
    """Return whether each of two texts names somebody or something that the other does not.

    >>> rival_names("Meets Alice on Monday", "Meets Bob on Monday"), rival_names("Meets Alice", "Meets her friend")
    (True, False)
    """
    said_a, said_b = set(words(a)), set(words(b))
    only_a = _names(a) - said_b - _initials(b)
    only_b = _names(b) - said_a - _initials(a)
    return bool(only_a) and bool(only_b)


@lru_cache(maxsize=COMPARED)
def _names(text: str) -> frozenset[str]:
    found: set[str] = set()
    listed = words(text)
    for match in _NAME.finditer(text):
        parts = words(match[0].removesuffix("'s").removesuffix("’s"))
        opening = not any(char.isalnum() for char in text[: match.start()])
        if not parts or parts[0] in _COMMON_CAPITALS or (opening and not _named_opening(listed)):
            continue
        found.update(
            part for part in parts if part not in _MONTH and part not in _DATE_WORDS and part not in _NUMBER_WORDS
        )
    return frozenset(found)


def _named_opening(listed: list[str]) -> bool:
    return len(listed) > 1 and listed[0] not in _OPENERS and listed[1] in _SAID_BY_NAME


@lru_cache(maxsize=COMPARED)
def _initials(text: str) -> frozenset[str]:
    """Return the abbreviations of capitals, as NYC for New York City: no rivals of what they shorten."""
    joined = "".join(match[0][0] for match in _NAME.finditer(text)).lower()[:40]
    return frozenset(
        joined[start:end] for start in range(len(joined)) for end in range(start + 2, min(start + 6, len(joined)) + 1)
    )
