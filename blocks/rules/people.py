"""The people and animals of the speaker's life: who they are to the speaker, what they are called, what they do."""

import re
from collections.abc import Iterator

from capabilities.vocabulary import Category, Observation
from fabric.text import word_set

from .rule import observed, rule
from .voice import trimmed

PETS = (
    "dog|cat|puppy|kitten|hamster|parrot|rabbit|bunny|goldfish|horse|pony|turtle|tortoise|snake|"
    "lizard|iguana|gecko|ferret|bird|guinea pig|fish|rat|hedgehog|chicken|goat|pet"
)
_HUMANS = (
    "wife|husband|spouse|partner|fiancée|fiancee|fiancé|fiance|boyfriend|girlfriend|mother|mom|mum|"
    "mommy|dad|daddy|father|parents?|stepmom|stepdad|stepmother|stepfather|sister|brother|siblings?|"
    "twin|son|daughter|kids?|child|children|baby|toddler|stepson|stepdaughter"
    "|grandma|grandpa|grandmother|grandfather|granny|nana|grandparents?|grandson|granddaughter|"
    "grandkids?|grandchild|grandchildren|uncle|aunt|auntie|cousins?|nephews?|nieces?|boss|manager|"
    "supervisor|co-?workers?|colleagues?|roommates?|flatmates?|housemates?"
    "|neighbou?rs?|best friend|bestie|friends?|doctor|dentist|therapist|teacher|professor|coach|"
    "trainer|landlord|landlady|lawyer|accountant|mentor|assistant|sister-in-law|brother-in-law|"
    "mother-in-law|father-in-law|in-laws|mother in law|father in law|sister in law|brother in law|"
    "family|husband's family|team ?lead|sons|daughters|sisters|brothers|boys|girls|twins"
)
_RELATION = (
    r"(?P<rel>(?:(?:younger|older|little|big|twin|best|oldest|youngest|eldest|middle|new|first|second|"
    rf"third|half|step|great|old|adopted|late|\d{{1,2}}[- ]year[- ]old|ex) )?(?:ex-?)?(?:{_HUMANS}|"
    rf"(?:\w+ )?(?:{PETS})s?))"
)
_NAME = r"(?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)"
_KEPT = re.compile(
    r"(?:^|\b)(?:my|our) (?P<who>(?:(?:younger|older|little|big|twin|oldest|youngest|eldest|"
    rf"\d{{1,2}}[- ]year[- ]old) )?(?:wife|husband|fiancée?|fiance|boyfriend|girlfriend|sons?|"
    rf"daughters?|kids|children|sisters?|brothers?|(?:{PETS})s?|grandkids|grandchildren|grandson|"
    r"granddaughter|baby|toddler|twins|boys|girls|roommates?|nieces?|nephews?))\b(?! (?:in law|shop|"
    r"food)\b|'s? (?:name|food)|-)",
    re.IGNORECASE,
)
_NOT_NAMES = word_set(
    "I It This That These Those There Here He She We They You What Who When Where Why How The A An "
    "My Our Your His Her Their And But So If Then Yes No Not Also Just Well Maybe Today Tomorrow "
    "Yesterday Everyone Everybody"
    " Someone Nobody Something Nothing Everything Thanks Please Hi Hello Hey God Python Java Docker "
    "Linux Windows Google Amazon Apple Microsoft English Spanish French German Monday Tuesday "
    "Wednesday Thursday Friday Saturday Sunday"
    " January February March April May June July August September October November December "
    "Christmas Work Life Food Music Coffee Tea Love Most Some Many All Both Each Every One Two Three "
    "Only Even Still Sometimes Never Always Actually"
    " People Kids Dogs Cats Mom Dad Mum Grandma Grandpa In On At For With From As By To Of Or Anyone "
    "Anybody Must Should Could Would May Might Can Will Sounds Looks Seems Feels Which Whoever "
    "Because Since While When After Before Being Having Going Been Everyone's Thing Things Stuff "
    "Nature Summer Winter"
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
            r"(?:is (?:visiting|getting married|coming|moving|starting|graduating|turning|having (?:a|"
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
        rf"(?:[Mm]y|[Oo]ur) {_RELATION}(?:'s name)? (?:is|was) (?:named|called )?[ ]*{_NAME}(?P<rest>)(?=$|"
        r"[,.!]| and)"
    ),
    re.compile(
        rf"(?:[Mm]y|[Oo]ur) {_RELATION}(?:'s name is|,? named|,? called|, (?:his|her|their) name is,?) "
        rf"{_NAME},?(?P<rest>(?: .*)?)$"
    ),
    re.compile(rf"(?:[Mm]y|[Oo]ur) {_RELATION},? {_NAME},?(?P<rest>(?: .*)?)$"),
    re.compile(
        rf"(?:I|[Ww]e) (?:(?:have|have got|got|adopted|own) )(?:an?|one|my) (?:new )?{_RELATION},? "
        rf"(?:named|called|(?:his|her|its|whose) name is) {_NAME},?(?P<rest>(?: .*)?)$"
    ),
    re.compile(rf"{_NAME} is (?:my|our) {_RELATION}(?P<rest>)(?=$|[,.!]| and)"),
)
_MARRIED = re.compile(
    r"I am (?P<how>married to|engaged to|dating|seeing|in a relationship with|divorced from) (?:(?:a|"
    rf"my) [\w ]{{2,30}}? (?:named|called) )?{_NAME}\b"
)
_UNNAMED = re.compile(rf"(?:my|our) {_RELATION} (?P<rest>.+)$", re.IGNORECASE)
_BY_NAME = re.compile(rf"{_NAME} (?P<rest>.+)$")
_ORGANISATION = re.compile(
    r"(?P<name>(?:[A-Z][\w&.-]*(?: [A-Z][\w&.-]*){0,3}? )?(?:Labs|Inc|Corp|Ltd|GmbH|LLC|Technologies|"
    r"Systems|Studios|Software|Bank|University|Foundation|Group|Industries|Airlines|Motors|Energy|"
    r"Health|Robotics|Consulting|Media))\.? (?P<rest>(?:is (?:based|headquartered|located|hiring|a |"
    r"an |owned)|makes|builds|sells|was founded|uses|has (?:\d|offices|about)|acquired|develops|"
    r"offers)\b.{2,100})"
)
_LINK = re.compile(r"^\s*(?:,|and|who|that)\s+")
# Of a bare name only what is said of people counts: "Docker runs", "Summer is a joy" are about things.
_ONE_PERSON = re.compile(
    r"(?:works (?:at|for|as|in|with)|worked|lives in|lived in|moved|was born|grew up|likes|loves|"
    r"hates|enjoys|prefers|dislikes|adores|studies|goes to|teaches|plays the|got (?:married|engaged|"
    r"divorced)|is (?:married|engaged|divorced|single|dating|vegan|vegetarian|allergic|pregnant|"
    r"retired|afraid|\d)"
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
        rf"){{0,4}}?(?:{_HUMANS}|(?:{PETS})s?|children|puppies|kittens|chickens|horses|siblings|wolves|"
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
    for pattern in _NAMED:
        found = pattern.match(clause)
        if found and found["name"].split()[0] not in _NOT_NAMES:
            yield _introduced(found["rel"], found["name"])
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
    named = _BY_NAME.match(clause)
    if named and not set(named["name"].split()) & _NOT_NAMES:
        yield _said_of(named["name"], named["rest"], strict=True)
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
        if found and found["name"].split()[0] not in _NOT_NAMES:
            return found["name"]
    named = _BY_NAME.match(clause)
    if named and not set(named["name"].split()) & _NOT_NAMES and _category(named["rest"]):
        return named["name"]
    return ""


def _introduced(relation: str, name: str) -> Observation | None:
    low = relation.lower()
    kind = low.split()[-1]
    if kind.rstrip("s") in PETS.split("|") or kind in PETS.split("|"):
        content = f"Has {'an' if low[0] in 'aeiou' else 'a'} {low} named {name}"
    else:
        content = f"{relation} is {name}"
    return observed(content, "relationship", "persistent", 0.75)


def _said_of(name: str, rest: str, *, strict: bool = False) -> Observation | None:
    rest = trimmed(rest if strict else _LINK.sub("", rest.strip()))
    category = _category(rest)
    if not category or (strict and not _ONE_PERSON.match(rest)):
        return None
    first = name.split(maxsplit=1)[0]
    titled = first.rstrip(".") in {"Mr", "Mrs", "Ms", "Dr", "Prof"}
    subject = (name.rsplit(maxsplit=1)[-1] if titled else first).lower().removesuffix("'s")
    return observed(rest, category, "persistent", 0.6, subject)


def _category(rest: str) -> Category | None:
    for pattern, category in _PREDICATES:
        if pattern.match(rest):
            return category
    return None
