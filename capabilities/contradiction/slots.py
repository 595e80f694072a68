"""Which single-valued place a sentence fills: employer, home, age and the like, read from its wording."""

import re
from dataclasses import dataclass
from functools import lru_cache

from fabric.text import word_set, words

from ..kin.words import FORMS, QUALITIES
from .changes import COMPARED, dates, numbers

_KIN = "|".join("[ -]".join(said) for said in sorted(FORMS["english"], key=lambda said: -len(" ".join(said))))
_WHO = re.compile(
    rf"^(?:(?i:(?:the )?user(?:'s)?|their|his|her|my|our|he|she|they|i)|(?!(?i:{_KIN})\b)"
    r"[A-Z][\w-]+(?= (?:works|lives|was|has|joined|moved)\b))\s+(?:is\s+(?=now\b))?"
)
_OWNER = re.compile(
    rf"(?P<which>(?:{'|'.join(sorted(QUALITIES))}) )?(?P<who>{_KIN}) (?:now |just |recently )?"
    r"(?=(?:works?|worked|lives?|lived|resides?|moved|relocated|joined|joins|started|turned|turns|goes|attends|studies|drives|weighs|earns|became|speaks|"
    r"has (?:moved|lived|been|gone|no|two|three|four|five|\d+)|got (?:married|engaged|divorced|a job|hired|promoted)|"
    r"was (?:born|hired|promoted)|is (?:now )?(?:an?|from|at|in|on|based|living|working|employed|married|single|"
    r"divorced|engaged|vegan|vegetarian|\d+))\b)",
    re.IGNORECASE,
)
"""Who a sentence about the user's kin is about, where it says what they do, and not what they are called."""
_FILLER = re.compile(
    (
        r"(?<!\S)(?:now|currently|actually|just|recently|presently|these days|at the moment|today|the|a|"
        r"an|new|still|instead|finally|already)(?!\S)"
    ),
    re.IGNORECASE,
)
_IS = r"(?:is|are|=|was changed to|changed to|has changed to|is now)"
_ROLE = (
    r"(?:[\w'/&+-]+ ){0,4}?(?:\w{3,}(?:er|or|ist|ian|eer|ant|ect)|nurse|student|chef|coach|ceo|cto|"
    r"cfo|vp|intern|pilot|analyst|lead|scientist)"
)


@dataclass(frozen=True, slots=True)
class Filled:
    """A place that holds one value at a time, and the words of the value in it."""

    slot: str
    value: frozenset[str]


_PAST = re.compile(
    (
        r"\b(?:used to|former(?:ly)?|previously|no longer|not|never|once|ex|has always|has never|wants to|"
        r"would (?:love|like|rather)|plans to|hopes to|left|quit|until)\b"
    ),
    re.IGNORECASE,
)

# name, pattern; a group "k" makes the slot's name finer, a group "v" is the value.
_TABLE: tuple[tuple[str, str], ...] = (
    (
        "diet",
        (
            r"(?:is|became|went|has gone|turned|has become|eats) (?P<v>(?:strict(?:ly)? )?(?:vegan|vegetarian|"
            r"pescatarian|omnivore|keto|paleo|carnivore|meat|everything|flexitarian|gluten-free)\b.*)|diet is "
            r"(?P<v2>.+)|follows (?P<v3>[\w -]+ diet)"
        ),
    ),
    (
        "religion",
        (
            rf"(?:religion {_IS}|is|converted to|became) (?P<v>(?:christian|catholic|protestant|muslim|islam|"
            r"buddhist|buddhism|hindu|hinduism|jewish|judaism|sikh|atheist|agnostic|mormon)\w*)"
        ),
    ),
    (
        "nationality",
        (
            r"(?:is|nationality is|citizenship is) (?P<v>(?:american|british|german|french|italian|spanish|"
            r"mexican|indian|chinese|japanese|korean|irish|canadian|brazilian|russian|polish|swedish|"
            r"norwegian|danish|dutch|swiss|austrian|turkish|greek)(?: citizen)?)$"
        ),
    ),
    (
        "team",
        (
            r"(?:is on|joined|works on|moved to|is in|transferred to|is part of) (?P<v>[\w -]+?) team\b|team "
            rf"{_IS} (?P<v2>.+)|(?:(?:was |is |got )?(?:re)?assigned to|works on|is working on|moved to) "
            rf"project (?P<v3>.+)|project {_IS} (?P<v4>.+)"
        ),
    ),
    (
        "employer",
        (
            r"(?:works?|working|employed|is working|is employed|has job|started(?: working| job)?|starts|"
            r"is starting) (?:at|for|with)(?: a company called)? (?P<v>(?!home\b|night\b|least\b|weekend).+)"
        ),
    ),
    (
        "employer",
        (
            r"(?:joined|is joining|was hired by|got hired by|got hired at|hired by|hired at|got (?:a )?job at|"
            r"moved to work at|switched to) (?P<v>[A-Z].*)"
        ),
    ),
    ("employer", rf"(?:is|works as|started as)(?: an?)? {_ROLE} (?:at|for|with) (?P<v>[A-Z].*)"),
    ("employer", rf"employer {_IS} (?P<v>.+)"),
    ("employer", rf"company {_IS} (?P<v>(?:called |named )?[A-Z].*)"),
    (
        "home",
        (
            r"(?:lives?|living|resides?|is based|based|is living|has (?:been living|lived)|is settled) (?:in|"
            r"at|near|out of) (?P<v>.+)"
        ),
    ),
    ("home", r"(?:has )?(?:re?located|moved|relocated)(?: from .+?)?(?: back)? to (?P<v>.+)"),
    ("home", rf"(?:home ?town|home city|city|home|residence|location) {_IS} (?:in )?(?P<v>.+)"),
    ("address", rf"(?:home |street |mailing |postal )?address {_IS} (?P<v>.+)"),
    ("name", rf"(?:full |first )?name {_IS} (?P<v>.+)"),
    ("name", r"(?:is called|is named) (?P<v>.+)"),
    ("last name", rf"(?:last name|surname) {_IS} (?P<v>.+)"),
    ("nickname", rf"(?:goes by|nickname {_IS}|prefers to be called) (?P<v>.+)"),
    (
        "age",
        (
            r"(?:is|turned|age is|aged|turns) (?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?: years? old| years of age| "
            r"y/?o)"
        ),
    ),
    ("age", r"(?:turned|age is|aged|turns) (?P<v>\d{1,3})\b"),
    ("birth date", rf"(?:was born|born) on (?P<v>.+)|(?:birthday|birth ?date|date of birth) {_IS} (?:on )?(?P<v2>.+)"),
    (
        "birthplace",
        (
            r"(?:was born|born) in (?P<v>(?!\d|January|February|March|April|May\b|June|July|August|September|"
            rf"October|November|December).+)|(?:birthplace|place of birth) {_IS} (?P<v2>.+)"
        ),
    ),
    (
        "relationship status",
        (
            r"(?:is|got|has been|is now) (?P<v>(?:happily |newly |recently )?(?:married|single|divorced|"
            r"engaged|widowed|separated|dating|in relationship)\b.*)"
        ),
    ),
    (
        "relationship status",
        r"(?P<v>broke up|split up)\b.*|relationship status is (?P<v2>.+)|marital status is (?P<v3>.+)",
    ),
    (
        "partner",
        (
            r"(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiancée?|fiance)(?:'s name)? (?:is|is named|"
            r"is called) (?P<v>[A-Z].*)"
        ),
    ),
    ("partner", r"(?:is married to|is dating|is engaged to|married) (?P<v>[A-Z].*)"),
    (
        "job title",
        (
            r"(?:works as|is|promoted to|got promoted to|was promoted to|started as|became|is now)(?: an?)? "
            rf"(?P<v>{_ROLE})$"
        ),
    ),
    (
        "job title",
        (
            r"(?:works as|promoted to|got promoted to|was promoted to|became) (?P<v>.+)|(?:job title|title|"
            rf"job|role|position|profession|occupation) {_IS} (?P<v2>.+)"
        ),
    ),
    (
        "favorite",
        (
            rf"(?:all[- ]time |absolute )?favou?rite (?P<k>[\w -]+?) {_IS} (?P<v>.+)|(?P<v2>.+?) is (?:their |"
            r"his |her |user's )?(?:all[- ]time )?favou?rite (?P<k2>[\w -]+)"
        ),
    ),
    ("phone", rf"(?:phone|mobile|cell|telephone)(?: phone)?(?: number)? {_IS} (?P<v>.+)"),
    ("email", rf"e-?mail(?: address)? {_IS} (?P<v>.+)"),
    (
        "boss",
        (
            r"(?:boss|manager|supervisor|team ?lead)(?:'s name)? (?:is|is named|is called|changed to) "
            r"(?P<v>.+)|reports to (?P<v2>.+)"
        ),
    ),
    (
        "language setting",
        (
            rf"(?:preferred language|language setting|interface language|locale|language) {_IS} (?P<v>.+)|"
            r"prefers (?:answers|replies|responses) in (?P<v2>.+)|prefers (?P<v3>[A-Z]\w+) (?:answers|replies|"
            r"responses)"
        ),
    ),
    ("timezone", rf"time ?zone {_IS} (?P<v>.+)|is in (?P<v2>\S+) time ?zone"),
    (
        "school",
        (
            r"(?:attends|studies at|is studying at|goes to|enrolled at|transferred to|is enrolled at) "
            r"(?P<v>(?:[\w'-]+ )*(?:University|College|School|Institute|Academy|MIT|Stanford|Harvard|Oxford|"
            r"Cambridge)\b.*)|(?:attends|enrolled at|is enrolled at|transferred to) (?P<v3>[A-Z].+)|(?:school|"
            r"university|college) (?:is|is called) "
            r"(?P<v2>.+)"
        ),
    ),
    (
        "major",
        (
            r"(?:majors? in|is majoring in|switched major to) (?P<v>.+)"
            r"|major is (?P<v2>.+)"
        ),
    ),
    ("car", r"(?:drives|car is|main car is) (?P<v>(?!to\b|from\b|for\b|every\b|around\b|kids\b).+)"),
    ("height", r"(?:height is|is) (?P<v>\d(?:'|\.| ?(?:feet|foot|ft|m\b))[\w\s.'\"]*|\d\d\d ?cm)(?: tall)?"),
    ("weight", r"(?:weighs|weight is) (?P<v>.+)"),
    ("salary", rf"(?:salary {_IS}|earns|makes) (?P<v>[$€£]?\d.+)"),
    ("pronouns", rf"pronouns {_IS} (?P<v>.+)"),
    ("children", r"has (?P<v>no|\d+|one|two|three|four|five|six|seven|eight) (?:kids?|children|child)\b"),
    ("siblings", r"has (?P<v>no|\d+|one|two|three|four|five|six|seven|eight) (?:siblings?)\b"),
    (
        "doctor",
        (
            rf"(?P<k>doctor|dentist|therapist|landlord|lawyer|accountant|mentor|coach)(?:'s name)? {_IS} "
            r"(?P<v>.+)"
        ),
    ),
    ("budget", rf"(?P<k>budget|rent|mortgage|goal weight|daily goal|goal) {_IS} (?P<v>.+)"),
    (
        "device",
        (
            r"(?:main |primary |preferred |default )?"
            r"(?P<k>laptop|phone model|computer|operating system|os|editor|ide|main language|bike|gym|bank|"
            rf"insurance|shoe size|hair colou?r|blood type|password manager|browser) {_IS} (?P<v>.+)|uses "
            r"(?P<v2>.+?) as (?:their |his |her )?(?P<k2>main editor|editor|ide|browser|main language|"
            r"operating system|phone|laptop)"
        ),
    ),
    (
        "due",
        (
            r"(?P<k>[\w' -]{2,40}?) (?:is|was) (?:due|on|at|scheduled for|moved to|rescheduled to|postponed "
            r"to|pushed to|set for) (?P<v>.+)|(?P<k2>[\w' -]*deadline) is (?P<v2>.+)"
        ),
    ),
)
_SLOTS = tuple(
    (
        name,
        re.compile(
            pattern.replace("(?: an?)?", "").replace(" ?", r"\s?").replace(" ", r"\s+"),
            0 if "[A-Z]" in pattern else re.IGNORECASE,
        ),
    )
    for name, pattern in _TABLE
)
_STOP = word_set("in at on of to for with and as since from by is")
_TRAILING = re.compile(
    (
        r"\s*(?:,|;|\b(?:since|as|for \d|because|and|with|where|who|after|before|last|this|next|in (?:19|"
        r"20)\d\d|full[- ]time|part[- ]time|years?)\b).*$"
    ),
    re.IGNORECASE,
)


@lru_cache(maxsize=COMPARED)
def slot_of(content: str) -> Filled | None:
    """Return the single-valued slot that ``content`` fills, or None for a sentence about the past or of another kind.

    >>> slot_of("Works at Stripe") == slot_of("User joined Stripe")
    True
    >>> slot_of("Used to work at Google") is None
    True
    >>> slot_of("Sister lives in Rome")
    Filled(slot='home of sister', value=frozenset({'rome'}))
    """
    text = bare(content)
    if _PAST.search(text):
        return None
    owner = _OWNER.match(text)
    if owner is not None:
        own = slot_of(text[owner.end() :])
        which = QUALITIES[owner["which"].strip().lower()] + " " if owner["which"] else ""
        who = FORMS["english"][tuple(owner["who"].lower().replace("-", " ").split())]
        return None if own is None else Filled(f"{own.slot} of {which}{who}", own.value)
    for name, pattern in _SLOTS:
        found = pattern.match(text)
        if found is None:
            continue
        groups = {key: value for key, value in found.groupdict().items() if value}
        value = next((text for key, text in groups.items() if key[0] == "v"), "")
        kind = next((text for key, text in groups.items() if key[0] == "k"), "")
        if name == "due" and not (dates(value) or numbers(value)):
            continue
        told = frozenset(words(_TRAILING.sub("", value) or value)) - _STOP
        if told:
            return Filled(f"{name}:{' '.join(_spelled(kind))}" if kind else name, told)
    return None


@lru_cache(maxsize=COMPARED)
def bare(content: str) -> str:
    """Return ``content`` without the person it opens with, filler words and end marks; its first letter lowered."""
    text = _WHO.sub("", content.strip().rstrip(".!"))
    text = " ".join(_FILLER.sub(" ", _WHO.sub("", text)).split())
    return text[:1].lower() + text[1:]


def _spelled(kind: str) -> list[str]:
    return [
        word.replace("colour", "color").replace("favour", "favor")
        for word in words(kind)
        if word not in {"their", "my", "is", "s"}
    ]
