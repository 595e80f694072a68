"""The people and animals of the speaker's life: who they are to the speaker, what they are called, what they do."""

import re
from collections.abc import Iterator

from capabilities.vocabulary import Category, Observation

from .belongings import BELONGS, COMPANION, OF_KIN, OF_ONE, OF_THEM, belonging
from .kin import HUMANS, NAME, NOT_NAMES, PETS, RELATION, introduced, subject_of
from .rule import observed, rule
from .voice import trimmed

_KEPT = re.compile(
    r"(?:^|\b)(?:my|our) (?P<who>(?:(?:younger|older|little|big|twin|oldest|youngest|eldest|"
    rf"\d{{1,2}}[- ]year[- ]old) )?(?:wife|husband|fiancée?|fiance|boyfriend|girlfriend|sons?|"
    rf"daughters?|kids|children|sisters?|brothers?|(?:{PETS})s?|grandkids|grandchildren|grandson|"
    r"granddaughter|baby|toddler|twins|boys|girls|roommates?|nieces?|nephews?))\b(?! (?:in law|shop|"
    r"food)\b|'s? (?:name|food)|-)",
    re.IGNORECASE,
)
# What one may say of another person and still know next week.
_LASTING: tuple[tuple[str, Category], ...] = (
    (
        (
            r"(?:works?|worked|is working|go to (?:\w+ )?(?:school|college|university)|started|teaches|"
            r"studies|goes to (?:\w+ )?(?:school|college|"
            r"university)|is studying|studied|graduated|attends|runs|owns|manages|is retired|retired|is "
            r"(?:an? )?(?:\w+ ){0,3}(?:teacher|nurse|doctor|lawyer|engineer|developer|designer|chef|student|"
            r"accountant|artist|writer|musician|manager|director|consultant|scientist|professor|pilot|"
            r"carpenter|plumber|electrician|farmer|dentist|therapist|surgeon|vet|architect|mechanic|cook|"
            r"pastor|journalist|photographer|programmer|veterinarian|\w{3,}(?:ist|eer|ician)|analyst|founder|"
            r"ceo|cto|coach|pharmacist|police officer|firefighter|veterinarian|banker|singer|actor|actress|"
            r"dancer|barber|baker))\b"
        ),
        "profession",
    ),
    (
        r"(?:(?:is no longer|no longer|does not|did not|stopped) (?:works?|working|at|with)\b|joined|quit)",
        "profession",
    ),
    (r"(?:no longer|does not|stopped) (?:likes?|loves?|liking|eats?|eating|drinks?|drinking)\b", "preference"),
    (r"(?:no longer|does not|stopped) (?:lives?|living)\b", "identity"),
    (
        (
            r"(?:likes?|loves?|hates?|enjoys?|prefers?|dislikes?|adores?|can not stand|does not like|does not "
            r"eat|never eats|is (?:a )?(?:vegan|vegetarian)|is (?:really )?into|is (?:a )?(?:big |huge )?fan "
            r"of|is (?:afraid|scared) of|wants (?:a|an|to (?:be|become|study|visit|learn|live|move|go to))|is "
            r"obsessed with)\b"
        ),
        "preference",
    ),
    (
        (
            r"(?:lives?|lived|moved|is moving|is from|are from|was born|were born|grew up|is named|is called|"
            r"is \d{1,3}(?: years? old| months? old| weeks? old)?$|is \d{1,3} (?:years|months|weeks)|turned "
            r"\d|turns \d|are \d{1,2} and \d{1,2}|is (?:an? )?(?:american|british|german|french|italian|"
            r"spanish|mexican|indian|chinese|japanese|korean|irish|canadian|brazilian|russian|polish|swedish)|"
            r"speaks?|comes from)\b"
        ),
        "identity",
    ),
    (
        (
            r"(?:is (?:married|engaged|divorced|single|dating)|got (?:married|engaged|divorced)|has (?:an?|"
            r"two|three|four|five|no|\d+|several|many|lots of|brown|blue|green|black|red|curly)|have (?:an?|"
            r"two|three|four|five|no|\d+|been)|had a|plays?|collects?|drives?|is allergic|are allergic|is "
            r"pregnant|is expecting|died|passed away|was diagnosed|is diagnosed|has been|is learning|is "
            r"autistic|is deaf|is blind|speaks|is a good|is a great|is good at|is great at|is very (?:good|"
            r"shy|smart|religious|strict|supportive|close)|makes|cooks|bakes|paints|sings|collects|raises|is "
            r"an? (?!(?:bit|little|lot|real pain|mess|good (?:question|point|idea))\b)\w+|are (?:an? |both |"
            r"all )?(?!(?:here|fine|good|great|ok|tired|asleep|so|very|really|happy|coming|going|not|doing|"
            r"being|having)\b)\w+|was an? \w+|were \w+ (?:farmers|teachers|immigrants)|is (?:in|at) "
            r"(?:college|university|school|kindergarten|high school|the (?:army|navy|hospital)|med school|"
            r"grade|first grade|second grade)|takes|owns|goes by|snores|barks at|sleeps (?:on|in)|weighs|is "
            r"(?:called|named))\b"
        ),
        "relationship",
    ),
    (
        (
            r"(?:is (?:getting (?:married|divorced|engaged)|graduating|having (?:a baby|twins|surgery)|expecting)\b|"
            r"is (?:visiting|getting married|coming|moving|starting|graduating|turning|having (?:a|"
            r"surgery))\b.{0,80}(?:day|week|month|year|summer|june|july|august|september|may|april|march|"
            r"tomorrow|weekend|\d)|'s birthday is|birthday is)"
        ),
        "event",
    ),
)
_PREDICATES: tuple[tuple[re.Pattern[str], Category], ...] = tuple(
    (re.compile(pattern.replace(" ", r"\s"), re.IGNORECASE), category) for pattern, category in _LASTING
)
_NAMED = (
    re.compile(
        rf"(?:[Mm]y|[Oo]ur) {RELATION}(?:'s name)? (?:is|was) (?:named|called )?[ ]*{NAME}(?P<rest>)(?=$|"
        r"[,.!]| and)"
    ),
    re.compile(
        rf"(?:[Mm]y|[Oo]ur) {RELATION}(?:'s name is|,? named|,? called|, (?:his|her|their) name is,?) "
        rf"{NAME},?(?P<rest>(?: .*)?)$"
    ),
    re.compile(rf"(?:[Mm]y|[Oo]ur) {RELATION},? {NAME},?(?P<rest>(?: .*)?)$"),
    re.compile(
        rf"(?:I|[Ww]e) (?:(?:have|have got|got|adopted|own) )(?:an?|one|my) (?:new )?{RELATION},? "
        rf"(?:named|called|(?:his|her|its|whose) name is) {NAME},?(?P<rest>(?: .*)?)$"
    ),
    re.compile(rf"{NAME} is (?:my|our) {RELATION}(?P<rest>)(?=$|[,.!]| and)"),
)
_MARRIED = re.compile(
    r"I am (?P<how>married to|engaged to|dating|seeing|in a relationship with|divorced from) (?:(?:a|"
    rf"my) [\w ]{{2,30}}? (?:named|called) )?{NAME}\b"
)
_UNNAMED = re.compile(rf"(?:my|our) {RELATION} (?P<rest>.+)$", re.IGNORECASE)
_BY_NAME = re.compile(rf"{NAME} (?P<rest>.+)$")
_ORGANISATION = re.compile(
    r"(?P<name>(?:[A-Z][\w&.-]*(?: [A-Z][\w&.-]*){0,3}? )?(?:Labs|Inc|Corp|Ltd|GmbH|LLC|Technologies|"
    r"Systems|Studios|Software|Bank|University|Foundation|Group|Industries|Airlines|Motors|Energy|"
    r"Health|Robotics|Consulting|Media))\.? (?P<rest>(?:is (?:based|headquartered|located|hiring|a |"
    r"an |owned)|makes|builds|sells|was founded|uses|has (?:\d|offices|about)|acquired|develops|"
    r"offers)\b.{2,100})"
)
_NO_MORE = re.compile(r"^does not (work|live|play|like|eat|drink)\b")
_ANY_MORE = re.compile(r" (?:any ?more|any longer)$")
_LINK = re.compile(r"^\s*(?:,|and|who|that)\s+")
# Of a bare name only what is said of people counts: "Docker runs", "Summer is a joy" are about things.
_ONE_PERSON = re.compile(
    r"(?:works (?:at|for|as|in|with)|worked|lives in|lived in|moved|was born|grew up|likes|loves|"
    r"hates|enjoys|prefers|dislikes|adores|studies|goes to|teaches|plays the|got (?:married|engaged|"
    r"divorced)|is (?:married|engaged|divorced|single|dating|vegan|vegetarian|allergic|pregnant|"
    r"retired|afraid|\d)"
    r"|(?:is no longer|no longer|does not|did not|stopped) (?:works?|working|lives?|living|likes?|loves?|eats?|drinks?|"
    r"plays?|at|with|married|dating)\b|lives with"
    r"|is (?:getting (?:married|divorced|engaged)|graduating|having (?:a baby|twins|surgery)|"
    r"expecting (?:a|an|twins))\b"
    r"|is an? (?:\w+ ){0,2}(?:teacher|nurse|doctor|lawyer|engineer|developer|designer|chef|student|"
    r"accountant|artist|writer|musician|manager|consultant|scientist|professor|pilot|carpenter|"
    r"plumber|electrician|farmer|dentist|therapist|surgeon|vet|vegan|vegetarian|\w{3,}(?:ian|ist|eer|"
    r"yst))\b"
    r"|has (?:two|three|four|\d+) (?:kids|children|dogs|cats|sons|daughters)|has a (?:dog|cat|son|"
    r"daughter|sister|brother|wife|husband|baby)|turned \d|speaks|passed away|died|joined|quit|"
    r"graduated|wants to (?:be|become|study))\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?P<who>he|she) (?P<rest>.+)$", re.IGNORECASE)

COUNTED = (
    rule(
        r"(?:I|we) (?:have|have got|got|own|raise) (?P<x>(?:an?|one|two|three|four|five|six|seven|eight|"
        r"nine|ten|\d+|no|some|several|many|twin|a couple of|a few|a lot of|lots of|both)\s(?:[\w'-]+ "
        rf"){{0,4}}?(?:{HUMANS}|(?:{PETS})s?|children|puppies|kittens|chickens|horses|siblings|wolves|"
        rf"ponies|bunnies)\b(?! (?:food|house|appointment|meeting|visit|"
        rf"interview|party|shower|birthday|wedding|class|game))(?:.{{0,90}}))",
        "Has {x}",
        "relationship",
        0.75,
    ),
    rule(
        r"I am (?P<x>(?:now |happily |recently |newly )?(?:married|engaged|single|divorced|widowed|"
        r"separated|a widow|a widower|a newlywed|in a (?:\w+ )?relationship|a (?:single |proud |stay[- "
        r"]at[- ]home |new |working )?(?:mom|mum|mother|father|dad|parent|grandmother|grandfather|grandma|"
        r"grandpa)|the (?:oldest|youngest|eldest|middle) (?:of|child)|an? (?:uncle|aunt|godmother|"
        r"godfather|only child))\b(?! (?:page|file|line)).{0,80})",
        "Is {x}",
        "relationship",
        0.8,
    ),
    rule(r"I am not (?P<x>(?:married|engaged|single|divorced|dating)\b.{0,60})", "Is not {x}", "relationship", 0.75),
    rule(
        r"(?:I|we) (?:just |recently |finally )?(?P<x>got (?:married|engaged|divorced|separated|back "
        r"together)\b.{0,80}|broke up\b.{0,60}|(?:am|are) (?:expecting|getting married|getting "
        r"divorced)\b.{0,60}|split up\b.{0,60})",
        "{x}",
        "relationship",
        0.8,
    ),
    rule(
        r"(?:I|we) have been (?P<x>(?:married|together|engaged|divorced|dating|single)\b.{0,80})",
        "Has been {x}",
        "relationship",
        0.75,
    ),
    rule(
        r"(?:I|we) (?:do not|never) have (?P<x>(?:any |a |an )?(?:kids|children|siblings|brothers|sisters|"
        r"pets|wife|husband|girlfriend|boyfriend|partner|dogs?|cats?|family)\b.{0,60})",
        "Does not have {x}",
        "relationship",
        0.7,
    ),
    rule(
        r"(?:I|we) (?:just |recently |have )*(?P<verb>adopted|got|rescued|bought|lost|are getting|am "
        rf"getting) (?P<x>(?:an?|two|three|my|our|another) (?:[\w'-]+ ){{0,4}}?(?:{PETS}|puppies|kittens|"
        rf"baby|child)s?\b.{{0,80}})",
        "{verb} {x}",
        "relationship",
        0.7,
    ),
    rule(
        r"(?:I|we) (?P<x>(?:live|am living|stay|share (?:a|an) \w+) with (?:my|our|two|three|a|an|some) "
        r".{2,80})",
        "{x}",
        "relationship",
        0.65,
    ),
)


def people_in(clause: str, known: str) -> Iterator[Observation | None]:
    """Yield what ``clause`` says of other people; ``known`` is whom "he" or "she" means, ``""`` when nobody.

    >>> [(seen.subject, seen.content) for seen in people_in("My sister Anna lives in Oslo", "") if seen]
    [('user', 'Sister is Anna'), ('anna', 'Lives in Oslo')]
    """
    kin = OF_KIN.match(clause)
    if kin:
        yield observed(f"{kin['kin']}'s {kin['rest']}", "relationship", "permanent", 0.75)
        return
    for pattern in _NAMED:
        found = pattern.match(clause)
        if found and found["name"].split()[0] not in NOT_NAMES:
            yield introduced(found["rel"], found["name"])
            yield _said_of(found["name"], found["rest"])
            return
    married = _MARRIED.match(clause)
    if married:
        yield observed(f"Is {married['how']} {married['name']}", "relationship", "persistent", 0.8)
        return
    unnamed = _UNNAMED.match(clause)
    if unnamed:
        category = _category(unnamed["rest"])
        if category and not clause.lower().startswith(("my family", "my friends")):
            kind: Category = "event" if category == "event" else "relationship"
            yield observed(f"{unnamed['rel']} {unnamed['rest']}", kind, "persistent", 0.6)
        return
    yield from _others(clause, known)


def _others(clause: str, known: str) -> Iterator[Observation | None]:
    organisation = _ORGANISATION.match(clause)
    if organisation:
        subject = "-".join(organisation["name"].lower().replace(".", "").split())
        yield observed(organisation["rest"], "attribute", "persistent", 0.5, subject)
        return
    owner = OF_ONE.match(clause)
    if owner and not set(owner["name"].split()) & NOT_NAMES:
        yield belonging(owner["name"], owner["rest"])
        return
    named = _BY_NAME.match(clause)
    if named and not set(named["name"].split()) & NOT_NAMES:
        yield _said_of(named["name"], named["rest"], strict=True)
        return
    theirs = OF_THEM.match(clause)
    if theirs and known:
        yield belonging(known, theirs["rest"])
        return
    pronoun = _PRONOUN.match(clause)
    if pronoun and known:
        yield _said_of(known, pronoun["rest"])


def implied(clause: str) -> Iterator[Observation | None]:
    """Yield the people and animals that ``clause`` shows the speaker to have, said in passing.

    >>> [seen.content for seen in implied("I am cooking for my kids tonight") if seen]
    ['Has kids']
    """
    for found in _KEPT.finditer(clause):
        who = found["who"].lower()
        counted = "" if who.endswith(("s", "children")) else ("an " if who[0] in "aeiou" else "a ")
        yield observed(f"Has {counted}{who}", "relationship", "persistent", 0.5)


def named_person(clause: str) -> str:
    """Return the person whom ``clause`` introduces by name, or ``""``.

    >>> named_person("my sister Anna is visiting")
    'Anna'
    """
    for pattern in _NAMED:
        found = pattern.match(clause)
        if found and found["name"].split()[0] not in NOT_NAMES:
            return found["name"]
    for found in (OF_ONE.match(clause), _BY_NAME.match(clause), COMPANION.search(clause)):
        if found is None or set(found["name"].split()) & NOT_NAMES:
            continue
        if found.re is COMPANION or (BELONGS.match(found["rest"]) or _category(found["rest"])):
            return found["name"]
    return ""


def _said_of(name: str, rest: str, *, strict: bool = False) -> Observation | None:
    rest = trimmed(rest if strict else _LINK.sub("", rest.strip()))
    rest = _NO_MORE.sub(r"no longer \1s", rest) if _ANY_MORE.search(rest) else rest
    rest = _ANY_MORE.sub("", rest)
    category = _category(rest)
    if not category or (strict and not _ONE_PERSON.match(rest)):
        return None
    return observed(rest, category, "persistent", 0.6, subject_of(name))


def _category(rest: str) -> Category | None:
    for pattern, category in _PREDICATES:
        if pattern.match(rest):
            return category
    return None
