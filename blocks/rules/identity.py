"""Who the speaker is: name, age, birth, origin, languages, home, and how to reach them."""

from .rule import rule

_NAME = r"(?P<x>[A-Z][\w'’-]+(?: (?:van|von|de|da|del|der|bin|al)?[ ]?[A-Z][\w'’.-]+){0,3})"
NATIONS = (
    "american|british|english|scottish|irish|welsh|french|german|italian|spanish|portuguese|dutch|"
    "belgian|swiss|austrian|swedish|norwegian|danish|finnish"
    "|polish|czech|slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|indian|"
    "pakistani|bangladeshi|chinese|japanese|korean|vietnamese"
    "|thai|filipino|filipina|indonesian|malaysian|australian|canadian|mexican|brazilian|argentinian|"
    "chilean|colombian|peruvian|cuban|egyptian|nigerian|kenyan"
    "|ethiopian|ghanaian|moroccan|israeli|iranian|persian|iraqi|lebanese|syrian|saudi|african[ "
    "-]american|latino|latina|hispanic|asian|european|jewish"
    "|muslim|christian|catholic|buddhist|hindu|sikh|atheist|agnostic|mormon|protestant|gay|lesbian|"
    "bisexual|queer|trans|transgender|non-?binary|republican|democrat|liberal|conservative"
)
_NUMBER = (
    r"(?:\d{1,3}|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|eighteen|nineteen)(?:-(?:one|"
    r"two|three|four|five|six|seven|eight|nine))?"
)

RULES = (
    rule(
        rf"[Mm]y (?:full |first |real |own )?name(?: is|'s) (?:actually )?{_NAME}(?= |[.,!]|$)",
        "Name is {x}",
        "identity",
        0.95,
        "permanent",
        cased=True,
    ),
    rule(
        rf"[Mm]y (?P<kind>last name|middle name|surname|nickname|username|maiden name)(?: is|'s) {_NAME}",
        "Their {kind} is {x}",
        "identity",
        0.9,
        "permanent",
        cased=True,
    ),
    rule(
        r"(?:[Cc]all me|I go by|(?:[Mm]y )?(?:[Pp]eople|[Ff]riends|[Ee]veryone|[Ff]amily) calls? me|"
        rf"[Yy]ou can call me|[Jj]ust call me) {_NAME}(?=$|[,.!])",
        "Goes by {x}",
        "identity",
        0.9,
        "permanent",
        cased=True,
    ),
    rule(
        rf"(?:I am|[Tt]his is) (?!(?:{NATIONS})\b)(?!(?i:{NATIONS})\b)(?!(?:God|OK|Ok|Sorry|Not|In|At|From|"
        rf"A|An|The|So|Very)\b){_NAME}(?:$|[,.!])",
        "Name is {x}",
        "identity",
        0.95,
        "permanent",
        cased=True,
    ),
    rule(rf"I am (?P<x>{_NUMBER})(?: years? old| years of age| y/?o)?$", "Is {x} years old", "identity", 0.8),
    rule(rf"I am (?P<x>{_NUMBER}) (?:years? old|years of age|y/?o)\b", "Is {x} years old", "identity", 0.8),
    rule(
        rf"I (?:just |will )?(?P<verb>turned|turn|am turning|be turning) (?P<x>{_NUMBER})\b(?! (?:it|the|"
        r"down|off))(?P<rest>.*)",
        "Turned {x} {rest}",
        "identity",
        0.7,
    ),
    rule(
        r"I am in my (?P<x>(?:early |mid |late |mid-)?(?:twenties|thirties|forties|fifties|sixties|"
        r"seventies|eighties|\d0s))",
        "Is in their {x}",
        "identity",
        0.7,
    ),
    rule(r"I was born (?P<x>(?:and raised )?(?:in|on|at|near)\b.{2,80})", "Was born {x}", "identity", 0.9, "permanent"),
    rule(
        r"my (?P<kind>birthday|birth date|birthdate|date of birth|birthplace|place of birth) (?:is|'s) "
        r"(?P<x>.{2,60})",
        "Their {kind} is {x}",
        "identity",
        0.9,
        "permanent",
    ),
    rule(
        r"I (?:am|come) (?:originally )?from (?P<x>(?!the future|work\b).{2,60})",
        "Is from {x}",
        "identity",
        0.8,
        "permanent",
    ),
    rule(r"I grew up (?P<x>.{3,100})", "Grew up {x}", "identity", 0.7, "permanent"),
    rule(
        r"I am (?P<neg>not )?(?P<x>(?:an? )?(?:half[ -]|part |originally |ethnically |devout "
        rf")?(?:{NATIONS})(?: citizen| national| by birth)?)(?:$|[,.])",
        "Is {neg} {x}",
        "identity",
        0.8,
    ),
    rule(r"my pronouns are (?P<p>[\w/ ]{2,30})", "Pronouns are {p}", "identity", 0.9),
    rule(r"I use (?P<p>(?:she|he|they|ze)/\w+) pronouns", "Pronouns are {p}", "identity", 0.9),
    rule(
        r"my (?P<kind>native language|mother tongue|first language|nationality|religion|ethnicity|zodiac "
        r"sign|star sign|blood type|blood group) is (?P<x>.{2,50})",
        "Their {kind} is {x}",
        "identity",
        0.8,
        "permanent",
    ),
    rule(
        r"I (?:can )?speak (?P<x>(?!to\b|with\b|for\b|at\b|about\b|up\b|out\b|as\b|on\b|of\b).{3,80})",
        "Speaks {x}",
        "attribute",
        0.7,
    ),
    rule(r"I am (?:fluent in|bilingual in|a native speaker of) (?P<x>.{3,60})", "Is fluent in {x}", "attribute", 0.7),
    rule(
        r"(?:I|we) (?:live|reside|am living|are living) (?P<x>(?:in|at|near|on|by|outside|next|close|"
        r"alone|with|between|across|just|about|here in|up in|down in|out in|out of town)\b(?! (?:it|this|"
        r"that|you|the way|hope|fear|my (?:head|own world))\b).{0,100})",
        "Lives {x}",
        "identity",
        0.8,
    ),
    rule(
        r"(?:I|we) (?:no longer|do not|did not) live (?P<x>(?:in|at|near|on|with|here|"
        r"there)\b.{0,80}?)(?P<end> any ?more| any longer)?$",
        "No longer lives {x}",
        "identity",
        0.75,
    ),
    rule(r"(?:I|we) (?:am|are) (?:now )?based (?P<x>(?:in|out of|near)\b.{2,60})", "Lives {x}", "identity", 0.8),
    rule(
        r"(?:I|we) have (?:lived|been living) (?P<x>(?:in|at|near|on|here|with|abroad)\b.{2,100})",
        "Has lived {x}",
        "identity",
        0.7,
    ),
    rule(
        r"(?:I|we) (?:have )?(?:moved|relocated) (?P<x>(?:from .{2,40} )?(?:to|into|back|here|out|in with|"
        r"away|abroad)\b.{0,100})",
        "Moved {x}",
        "identity",
        0.8,
    ),
    rule(
        r"(?:I|we) (?:am|are|will be) (?:moving|relocating) (?P<x>(?:to|from|into|back|in with|out|away|"
        r"abroad|next|this|in)\b.{0,100})",
        "Is moving {x}",
        "event",
        0.75,
    ),
    rule(
        r"my (?P<kind>(?:home|work|office|mailing|postal|new|old|current|street)? ?address|home ?town|"
        r"home city|time ?zone|zip ?code|postcode|(?:new |work |mobile |cell )?(?:phone|telephone|number|"
        r"mobile|cell)(?: number)?|(?:new |work )?e-?mail(?: address)?|locale|preferred language|passport "
        r"number|license plate|locker code|badge number|employee id|door code) (?:is|was|has changed to|"
        r"changed to) (?:now |actually )?(?P<x>\S.{1,100})",
        "Their {kind} is {x}",
        "identity",
        0.8,
    ),
    rule(r"(?:you can )?reach me (?P<x>(?:at|on|under) .{3,60})", "Can be reached {x}", "identity", 0.8),
)
