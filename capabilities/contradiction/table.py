r"""The places that hold one value at a time, and how the sentences that fill them are worded.

A sentence comes without articles and without whose it is. In a pattern the group ``v`` is the value, ``k`` makes the
name of the place finer; a pattern with ``\p{Lu}`` tells capitals from small letters.
"""

import regex

_IS = r"(?:is|are|=|was changed to|changed to|has changed to|is now)"
_BIG = r"[\p{Lu}\p{Lo}]"
"""How a proper name begins, also in scripts that have no capitals."""
_FROM_THERE = r"\w*(?:ish|ese|ian|can|man|tch|eek|iss|ench|elsh)$"
"""Irish, Chinese, German: what somebody or something is, and not what it is called."""
_NAMED = rf"{_BIG}(?!{_FROM_THERE}).*"
_FIRM = (
    r"(?:(?:company|startup|start-up|firm|agency|bank|hospital|school) (?:called|named) )?"
    rf"(?P<v>(?!Christmas\b|Easter\b){_BIG}.*)"
)
_NO_CLUB = (
    r"(?!.*\b(?:Club|Society|Party|Church|Choir|Gym|Association|Union|League|Guild|Orchestra|Band|Forum|Community|Zoom|"
    r"Discord|Slack|Reddit|Facebook|Instagram|Twitter|TikTok|LinkedIn|Duolingo|Strava|Tinder|Bumble|Netflix|Spotify|"
    r"Mastodon|Bluesky|Weight Watchers|Costco|Army|Navy|Rotary)\b)"
)
_IN_PLACE = (
    r"(?:(?:downtown|central|greater|inner|(?:north|south|east|west)(?:ern)?|rural|upstate|"
    r"(?:small )?(?:city|town|village|suburbs?|outskirts|cent(?:er|re)|heart|middle|state) (?:of|in)) )*"
    rf"(?P<v>{_BIG}(?!.*\b(?:is|was|would|seems|office|team|branch|department|project|desk|plan|squad|league)\b).*)"
)
_ROLE = (
    r"(?:[\w'/&+-]+ ){0,4}?(?:\w{3,}(?:er|or|ist|ian|eer|ant|ect)|nurse|student|chef|coach|ceo|cto|"
    r"cfo|vp|intern|pilot|analyst|lead|scientist)"
)
_NO_JOB = (
    r"(?!(?:[\w'-]+ )*?(?:member|customer|speaker|volunteer|visitor|subscriber|user|sucker|regular|donor|sponsor|"
    r"beginner|newcomer|owner|investor|shareholder|supporter|follower|participant|contributor|applicant|player|runner|"
    r"believer|winner|stranger|fan)\b)"
)
_NATIONS = (
    "american|british|german|french|italian|spanish|mexican|indian|chinese|japanese|korean|irish|canadian|brazilian|"
    "russian|polish|swedish|norwegian|danish|dutch|swiss|austrian|turkish|greek"
)
_COUNT = r"(?P<v>no|\d+|one|two|three|four|five|six|seven|eight)"

TABLE: tuple[tuple[str, str], ...] = (
    (
        "diet",
        (
            r"(?:is|became|went|has gone|turned|has become|eats) (?P<v>(?:strict(?:ly)? "
            r")?(?:vegan|vegetarian|pescatarian|"
            r"omnivore|keto|paleo|carnivore|meat|everything|flexitarian|gluten-free)\b.*)|diet is (?P<v2>.+)|"
            r"follows (?P<v3>[\w -]+ diet)"
        ),
    ),
    (
        "religion",
        (
            rf"(?:religion {_IS}|is|converted to|became) (?P<v>(?:christian|catholic|protestant|muslim|islam|buddhist|"
            r"buddhism|hindu|hinduism|jewish|judaism|sikh|atheist|agnostic|mormon)\w*)(?=$|[,;.]| (?:now|since|by)\b)"
        ),
    ),
    ("nationality", rf"(?:is|nationality is|citizenship is) (?P<v>(?:{_NATIONS})(?: citizen)?)$"),
    (
        "team",
        (
            r"(?:is on|joined|works on|moved to|is in|transferred to|is part of) (?P<v>(?!(?:[\w-]+ "
            r")*(?:soccer|football|"
            r"basketball|volleyball|baseball|hockey|rugby|cricket|swim|swimming|tennis|debate|chess|quiz|school|"
            r"national)\b)[\w -]+?) team\b|(?:(?:was |is |got )?(?:re)?assigned to|works on|is working on|moved to) "
            r"project (?P<v3>.+)"
        ),
    ),
    (
        "employer",
        (
            r"(?:works?|working|employed|is working|is employed|has job|started(?: working| job)?|starts|is starting) "
            rf"(?:at|for|by) {_FIRM}"
        ),
    ),
    (
        "employer",
        (
            r"(?:joined|is joining|was hired by|got hired by|got hired at|hired by|hired at|got job at|moved to "
            r"work at|"
            rf"switched to) {_NO_CLUB}{_FIRM}"
        ),
    ),
    ("employer", rf"(?:is|works as|started as) {_NO_JOB}{_ROLE} (?:at|for) {_FIRM}"),
    ("employer", rf"employer {_IS} {_FIRM}"),
    ("employer", rf"company (?:name )?{_IS} (?:called |named )?(?P<v>{_NAMED})"),
    (
        "home",
        (
            r"(?:lives?|living|resides?|is based|based|is living|has been living|is settled) (?:in|at|out of) "
            rf"{_IN_PLACE}"
        ),
    ),
    ("home", rf"(?:has )?(?:re?located|moved)(?: from .+?)?(?: back)? to {_IN_PLACE}"),
    ("home", rf"(?:home ?town|home city|city|home|residence|location) {_IS} (?:in )?{_IN_PLACE}"),
    ("address", rf"(?:home |street |mailing |postal )?address {_IS} (?P<v>(?=.*\d).+)"),
    ("name", rf"(?:full |first )?name {_IS} (?P<v>{_BIG}.*)"),
    ("name", rf"(?:is called|is named) (?P<v>{_BIG}.*)"),
    ("last name", rf"(?:last name|surname) {_IS} (?P<v>{_BIG}.*)"),
    ("nickname", rf"(?:goes by|nickname {_IS}|prefers to be called) (?P<v>{_BIG}.*)"),
    (
        "age",
        r"(?:is|turned|age is|aged|turns) (?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?: years? old| years of age| y/?o)\b",
    ),
    (
        "age",
        (
            r"(?:turned|age is|aged|turns) (?P<v>\d{1,3})"
            r"(?=$|,| (?:yesterday|today|last|this|in|on|recently|now|years?)\b)"
        ),
    ),
    ("birth date", rf"(?:was born|born) on (?P<v>.+)|(?:birthday|birth ?date|date of birth) {_IS} (?:on )?(?P<v2>.+)"),
    ("birthplace", rf"(?:was born|born) in (?P<v>{_BIG}.*)|(?:birthplace|place of birth) {_IS} (?P<v2>{_BIG}.*)"),
    (
        "relationship status",
        (
            r"(?:(?:is|got|is now|has been(?=.* (?:for|since)\b)) )?(?P<v>(?:happily |newly |recently )?(?:married|"
            r"single(?![\w-])|divorced|engaged(?! in| with)|widowed|separated(?! by)|in (?:\w+ )?relationship)\b.*)"
        ),
    ),
    (
        "relationship status",
        (
            r"(?P<v>broke up|split up)\b.*|(?:is|is now) (?P<v2>(?:happily |newly )?dating)$|"
            r"(?:relationship|marital) status is (?P<v3>.+)"
        ),
    ),
    (
        "partner",
        (
            r"(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiancée?|fiance)(?:'s name)? (?:is|is named|is "
            r"called) "
            rf"(?P<v>{_NAMED})"
        ),
    ),
    ("partner", rf"(?:is )?dating (?P<v>{_BIG}.*)"),
    (
        "job title",
        (
            r"(?:works as|is|promoted to|got promoted to|was promoted to|started as|became|is now) "
            rf"(?P<v>{_NO_JOB}{_ROLE})$"
        ),
    ),
    (
        "job title",
        (
            r"(?:works as|promoted to|got promoted to|was promoted to) (?P<v>.+)|(?:job title|title|job|role|position|"
            rf"profession|occupation) {_IS} (?P<v2>.+)"
        ),
    ),
    (
        "favorite",
        (
            rf"(?:all[- ]time |absolute )?favou?rite (?P<k>[\w -]+?) {_IS} (?P<v>(?!(?:in|on|at|near|from|by|with|next|"
            r"closed|open|gone|broken|good|great|nice|bad|too|not|also|expensive|cheap|one)\b).+)"
        ),
    ),
    ("phone", rf"(?:phone|mobile|cell|telephone)(?: phone)?(?: number)? {_IS} (?P<v>[+(]?\d.*)"),
    ("email", rf"e-?mail(?: address)? {_IS} (?P<v>\S+@\S+)"),
    (
        "boss",
        (
            r"(?:boss|manager|supervisor|team ?lead)(?:'s name)? (?:is|is named|is called|changed to) "
            rf"(?P<v>{_NAMED})|reports to (?P<v2>{_BIG}.*)"
        ),
    ),
    (
        "language setting",
        (
            rf"(?:preferred language|language setting|interface language|locale|language) {_IS} "
            rf"(?P<v>{_BIG}.*|\w+-\w+)|"
            r"prefers (?:answers|replies|responses) in (?P<v2>\p{Lu}.*)|prefers (?P<v3>\p{Lu}\w+) (?:answers|replies|"
            r"responses)"
        ),
    ),
    ("timezone", rf"time ?zone {_IS} (?P<v>.+)|is in (?P<v2>\S+) time ?zone"),
    (
        "school",
        (
            r"(?:attends|studies at|is studying at|goes to|enrolled at|transferred to|is enrolled at) "
            r"(?P<v>(?:[\w'-]+ )*(?:University|College|School|Institute|Academy|MIT|Stanford|Harvard)\b.*)|"
            r"(?:studies at|is studying at|enrolled at|is enrolled at|transferred to) (?P<v3>\p{Lu}.+)|"
            r"(?:school|university|college) (?:is|is called) (?P<v2>\p{Lu}.+)"
        ),
    ),
    ("major", r"(?:majors? in|is majoring in|switched major to) (?P<v>.+)|major is (?P<v2>.+)"),
    (
        "car",
        (
            r"(?:drives|car is|main car is) (?:(?!(?:to|from|for|in|on|at|with|around|across|through|past|by|kids|"
            rf"children)\b)[\w-]+ ){{0,2}}(?P<v>(?!{_FROM_THERE})\p{{Lu}}(?!.* "
            r"(?:to|for|home|crazy|mad|nuts|around)\b).*)"
        ),
    ),
    ("height", r"(?:height is|is) (?P<v>\d(?:'|\.| ?(?:feet|foot|ft|m\b))[\w\s.'\"]*|\d\d\d ?cm)(?: tall)?"),
    ("weight", r"(?:weighs|weight is) (?P<v>\d.*)"),
    (
        "salary",
        (
            rf"salary {_IS} (?P<v>[$€£]?\d.+)|(?:earns|makes) (?P<v2>[$€£]\d.+|"
            r"\d.*\b(?:dollars|euros|pounds|(?:a|per) (?:year|hour|month))\b.*)"
        ),
    ),
    ("pronouns", rf"pronouns {_IS} (?P<v>.+)"),
    ("children", rf"has {_COUNT} (?:kids?|children|child)\b"),
    ("siblings", rf"has {_COUNT} (?:siblings?)\b"),
    (
        "doctor",
        (
            r"(?P<k>doctor|dentist|therapist|landlord|lawyer|accountant|mentor|coach)(?:'s name)? "
            rf"{_IS} (?P<v>{_NAMED})"
        ),
    ),
    (
        "budget",
        rf"(?P<k>budget|rent|mortgage|goal weight|daily goal|goal) {_IS} (?P<v>(?:about |around )?[$€£]?\d.*)",
    ),
    (
        "device",
        (
            r"(?:main |primary |preferred |default )?(?P<k>laptop|phone model|computer|operating system|os|editor|ide|"
            rf"main language|bike|gym|bank|insurance|password manager|browser) {_IS} "
            rf"(?P<v>{_NAMED}|n?vim?|neovim|emacs|nano|vscode)"
        ),
    ),
    (
        "device",
        (
            r"(?P<k>shoe size) (?:is|=) (?P<v>\d.*)|(?P<k3>hair colou?r) (?:is|=) (?P<v3>[\w -]+)|"
            r"uses (?P<v2>.+?) as (?:their )?(?P<k2>main editor|editor|ide|browser|main language|operating "
            r"system|phone|"
            r"laptop)$"
        ),
    ),
    (
        "blood type",
        (
            r"(?:blood (?:type|group) (?:is|=)|has blood (?:type|group)(?: of)?|is blood type) "
            r"(?P<v>(?:A|B|AB|O)(?!\p{Lu}).*)"
        ),
    ),
)

LOOSE_TABLE: tuple[tuple[str, str], ...] = (
    (
        "due",
        (
            r"(?P<k>[\w' -]{2,40}?) (?:is (?:on|at)|(?:is|was) (?:due|scheduled for|moved to|rescheduled "
            r"to|postponed to|"
            r"pushed to|set for)) (?P<v>.+)|(?P<k2>[\w' -]*deadline) is (?P<v2>.+)"
        ),
    ),
    ("favorite", r"(?P<v2>.+?) is (?:their |user's )?(?:all[- ]time )?favou?rite (?P<k2>[\w -]+)"),
)
"""Places whose name or value the sentence opens with, so that anything may stand there."""


def _compiled(table: tuple[tuple[str, str], ...]) -> "tuple[tuple[str, regex.Pattern[str]], ...]":
    return tuple(
        (
            name,
            regex.compile(
                pattern.replace(" ?", r"\s?").replace(" ", r"\s+"),
                0 if r"\p{Lu}" in pattern else regex.IGNORECASE,
            ),
        )
        for name, pattern in table
    )


SLOTS = _compiled(TABLE)
LOOSE_SLOTS = _compiled(LOOSE_TABLE)
