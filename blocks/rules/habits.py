"""What the speaker does again and again."""

from .rule import rule

_OFTEN = (
    r"(?:every|each) (?:other |single |second )?(?:\w+day|day|morning|evening|night|afternoon|week|"
    r"weekend|month|year|summer|winter|spring|fall|autumn|season|christmas|couple|few|two|three|"
    r"\d+)\w*\b"
    r"|\b(?:on|at) (?:\w+days|weekends|weekdays|the weekends?|my days? off)\b|\b(?:daily|weekly|"
    r"monthly|regularly|religiously|nightly)\b|\b(?:once|twice|three times|four times|five times|\d+ "
    r"times|several times|a few times) (?:a|an|per|every) \w+"
    r"|\bin the (?:mornings?|evenings?|afternoons?|summers?|winters?)\b|\bat (?:night|dawn|bedtime)\b|"
    r"\b(?:before|after|during) (?:work|bed|breakfast|lunch|dinner|school)\b|\ball the time\b|\ba "
    r"lot\b|\bfor a living\b|\bin my (?:free|spare) time\b|\bfor fun\b|\bas a hobby\b"
)
_VERB = (
    r"(?!(?:say|said|think|thought|wonder|ask|want|know|hear|heard|get (?:it|that|this)|mean|see|saw|"
    r"knew|agree|need|am|was|would|will|can|could|will|understand|have to)\b)[a-z]+"
)

RULES = (
    rule(
        r"(?:I|we) (?P<how>always|usually|often|sometimes|rarely|seldom|regularly|typically|normally|"
        rf"generally|frequently|occasionally|mostly|hardly ever|never) (?P<again>{_VERB}) (?P<x>(?!(?:said|"
        rf"it|that|this|to say|you|your)\b).{{2,110}})",
        "{how} {again} {x}",
        "pattern",
        0.55,
    ),
    rule(
        r"I (?P<verb>sleep|eat|work|run|walk|travel|study|learn|think|focus|concentrate|write|read|cry|sneeze|snore|"
        r"drive|feel|breathe|relax) (?P<x>(?:(?:very |really |so |much |a lot )?(?:badly|poorly|well|better|best|worse|"
        r"worst|little|less|more|slowly|alone) )?(?:when|whenever|after|before|without|while|during)\b.{3,90})",
        "{verb} {x}",
        "pattern",
        0.55,
    ),
    rule(r"I tend to (?P<x>.{3,100})", "Tends to {x}", "pattern", 0.55),
    rule(
        rf"I (?P<verb>{_VERB})(?P<x>(?: (?!(?:it|this|that|you|your)\b)[^ ]+){{0,10}}? "
        rf"?(?:{_OFTEN}).{{0,60}})",
        "{verb} {x}",
        "pattern",
        0.55,
    ),
    rule(rf"(?P<when>{_OFTEN}),? (?:I|we) (?P<verb>{_VERB}) (?P<x>.{{2,100}})", "{verb} {x} {when}", "pattern", 0.55),
    rule(
        r"I (?P<verb>wake|get|go|work|stay|sleep) (?P<x>(?:up (?:at|early|late)|to bed|to sleep|to the "
        r"gym|for (?:a )?(?:walks?|runs?|swims?)|out (?:at|in|with)|up late|in late|to church|(?:hiking|"
        r"fishing|camping|running|jogging|swimming|skiing|climbing|cycling|bowling|dancing|hunting|"
        r"surfing|biking|shopping))\b.{0,80})",
        "{verb} {x}",
        "pattern",
        0.55,
    ),
    rule(
        r"I have been (?P<x>(?!thinking about (?:it|that|you)|meaning|wondering|asked|told|to (?:the|that|"
        r"there)\b|there|busy|good|well|ok|so|very|really|a bit|having (?:a|an|some) (?:problem|issue|"
        r"error|trouble))(?:\w+ing|married|vegan|vegetarian|sober|single|divorced|a \w+|an \w+|in (?!that|"
        r"this|touch)\w+|with \w+)\b.{2,100})",
        "Has been {x}",
        "attribute",
        0.55,
    ),
)
