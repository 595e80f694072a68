"""What the speaker does: employer, role, studies, business, and how those change."""

import re

from capabilities.vocabulary import Observation

from .rule import observed, rule

_ROLE = (
    r"(?:[\w'/&+.-]+ ){0,4}?(?:\w{2,}(?:er|or|ist|ian|eer|ant|ect|wright|smith|yst)|nurse|student|"
    r"chef|cook|coach|judge|ceo|cto|cfo|vp|phd|postdoc|dev|pm|professional|major|freshman|sophomore|"
    r"junior|senior"
    r"|intern|clerk|pilot|police officer|cop|guard|mom|dad|housewife|homemaker|grad|undergrad|"
    r"apprentice|entrepreneur|freelance\w*|aide|tutor|nanny|priest|monk|rabbi|imam|vet|welder|analyst|"
    r"rep"
    r"|agent|executive|specialist|head|chief|lead|partner|principal|associate|assistant|architect|"
    r"surgeon|dentist|paralegal|scientist|researcher|fellow|magician|model|poet|influencer|youtuber|"
    r"streamer"
    r"|midwife|salesman|saleswoman|fireman|firefighter|mailman|handyman|businessman|businesswoman|"
    r"policeman|veteran|soldier|marine|athlete)"
)
_NOT_ROLE = (
    r"(?!(?:an? )?(?:(?:big|huge|little|bit|total|complete|better|lot|very|real|bad|good|great|slow|"
    r"fast|quick|heavy|light|picky|fussy|early|late|bigger|former|night|morning|true|proud|long)\b)"
    r"|an? (?:number|matter|winner|loser|sucker|beginner|believer|lover|user|customer|stranger|member|"
    r"owner|fighter|survivor|reader|eater|sleeper|drinker|smoker|hoarder|introvert|person|foodie|"
    r"burden|goner|visitor|subscriber|server|computer))"
)

_LEFT = re.compile(
    r"(?:No longer works|Does not work|Left|Quit|Resigned|Got (?:fired|laid off)|Was (?:fired|laid off))\b"
)
_NOW_AT = re.compile(
    r"I am (?:now |currently )?(?:at|with) (?!(?:Mom|Mum|Dad|Grandma|Grandpa)\b)"
    r"(?P<x>[A-Z][\w&.'-]*(?: [A-Z][\w&.'-]*){0,3})"
    r"(?P<now>,? (?:now|these days|instead))?$"
)


def new_employer(clause: str, before: str) -> Observation | None:
    """Return where the speaker works now, when ``before`` told that they left: else one may be at a shop or an airport.

    >>> new_employer("I am at Initech now", "No longer works at Acme").content
    'Works at Initech'
    """
    found = _NOW_AT.match(clause) if _LEFT.match(before) else None
    return observed(f"Works at {found['x']}", "profession", "persistent", 0.8) if found else None


RULES = (
    rule(
        rf"I was (?P<neg>not )?{_NOT_ROLE}(?P<x>(?:an? |the ){_ROLE}\b(?: (?:at|for|in|with|of|from|by|on|"
        r"until|when|before)\b"
        r".{0,80}|$))",
        "Was {neg} {x}",
        "profession",
        0.45,
    ),
    rule(
        r"(?:I|we) (?:no longer|do not|did not|never) work(?:ed)? (?P<x>(?:at|for|as|in|with|"
        r"on)\b.{2,100}?)(?: any ?more| any longer)?$",
        "No longer works {x}",
        "profession",
        0.8,
    ),
    rule(
        r"I am no longer (?P<x>(?:at|with|working|employed|an?|the|in|on)\b.{2,80})",
        "Is no longer {x}",
        "attribute",
        0.8,
    ),
    rule(
        r"I used to (?P<x>(?:work|be|live|own|run|have|play|teach|study|smoke|drink|do|drive|go|love|like|"
        r"hate|collect|make|sing|dance|write|coach)\b.{0,100})",
        "Used to {x}",
        "attribute",
        0.4,
    ),
    rule(
        r"I (?:work|am working|am employed) (?P<x>(?:at|for|as|with|from home|remotely|part[- ]time|"
        r"full[- ]time|nights|weekends|night shifts?|in)\b(?! (?:now|it|all|once|least|the "
        r"moment)\b).{0,110})",
        "Works {x}",
        "profession",
        0.8,
    ),
    rule(
        r"I (?:will be|am) (?:starting|joining) (?P<x>(?!to\b|with\b|by\b|a (?:new )?(?:chat|"
        r"conversation)).{3,100})",
        "Is starting {x}",
        "profession",
        0.7,
    ),
    rule(
        r"I (?:have )?(?:just )?(?P<verb>joined|quit|left|resigned from|transferred to|"
        r"retired from|interned at|founded|co-?founded|got hired (?:at|by|as)|was hired (?:at|by|as)|got "
        r"promoted to|was promoted to|got fired from|was fired from|got laid off from|was laid off from) "
        r"(?P<x>(?!(?:the|an?|my|our|this|that|some|your) "
        r"(?!(?:\w+ )?job\b|company|firm|agency|startup|bank|team)).{2,100})",
        "{verb} {x}",
        "profession",
        0.8,
    ),
    rule(
        r"I (?:have )?(?:just )?switched to (?P<x>(?:(?:a|an|the|my|another) )?(?:[\w'&-]+ ){0,4}(?:job|role|position|"
        r"company|firm|agency|startup|team|department|shifts?|part[- ]time|full[- ]time|consulting|freelancing|"
        r"contracting|management|teaching|nursing)\b.{0,60})",
        "Switched to {x}",
        "profession",
        0.8,
    ),
    rule(
        r"I (?:have |just )*(?P<x>(?:got|was|been|am|were) (?:just |recently )?(?:hired|fired|laid off|"
        r"promoted|made redundant|furloughed)\b.{0,80}|lost my job.{0,60}|retired.{0,60}|got (?:a|the|my) "
        r"(?:new )?(?:job|promotion|position|raise)\b.{0,80}|(?:took|accepted|started) (?:a|the|my) "
        r"(?:new )?(?:job|position|role|offer|business|company)\b.{0,80})",
        "{x}",
        "profession",
        0.75,
    ),
    rule(
        r"I (?:have )?(?:just )?started (?P<x>(?:at|as|working (?:at|for|as)) .{2,80})",
        "Started {x}",
        "profession",
        0.8,
    ),
    rule(r"I have worked (?P<x>(?:at|for|as|in|with)\b.{2,100})", "Has worked {x}", "profession", 0.7),
    rule(
        r"I (?:have been|was) working (?P<x>(?:at|for|as|in|with)\b.{2,100})", "Has been working {x}", "profession", 0.7
    ),
    rule(r"I worked (?P<x>(?:at|for|as|in|with)\b.{2,100})", "Worked {x}", "profession", 0.5),
    rule(
        rf"I am (?P<neg>not )?{_NOT_ROLE}(?P<x>(?:an? |the ){_ROLE}\b(?: (?:at|for|in|with|of|from|by|on|"
        rf"and|who|specializing|working|major|student|here|now)\b.{{0,80}}|$|,.{{0,60}}))",
        "Is {neg} {x}",
        "profession",
        0.8,
    ),
    rule(
        rf"I am {_NOT_ROLE}(?P<x>(?:an? |the ){_ROLE})(?: (?:there|here|now|already))+$",
        "Is {x}",
        "profession",
        0.8,
    ),
    rule(
        r"I am (?P<x>(?:currently )?(?:unemployed|self[- ]employed|retired|between jobs|out of work|"
        r"freelancing|on (?:maternity|paternity|parental|medical|sick) leave|working from home|in (?:the "
        r"(?:army|navy|air force|military|marines)|it|hr|sales|marketing|tech|finance|retail|real estate|"
        r"construction|healthcare|education|banking|insurance|consulting)\b|in (?:college|university|grad "
        r"school|graduate school|med school|medical school|law school|high school|middle school|school|"
        r"nursing school|my (?:first|second|third|final|last|senior|junior|freshman) year)|head of|"
        r"director of|vp of|the (?:head|director|ceo|cto|owner|founder|manager|captain|president|lead)\b|"
        r"studying|majoring|doing (?:a|my) (?:phd|ph\.d|master'?s|degree|internship|residency)|getting my|"
        r"taking (?:a |an |my |some )?(?:\w+ )?(?:class|course|lessons))\b.{0,100})",
        "Is {x}",
        "profession",
        0.75,
    ),
    rule(
        r"I (?P<verb>study|major in|majored in|minored in|graduated|attend|attended|studied|dropped out|"
        r"teach|taught|coach|tutor) (?P<x>.{2,100})",
        "{verb} {x}",
        "profession",
        0.7,
    ),
    rule(
        r"I (?P<verb>went|go|am going) (?P<x>to (?:[\w']+ ){0,4}(?:university|college|school|uni|academy|"
        r"institute)\b.{0,60})",
        "{verb} {x}",
        "profession",
        0.6,
    ),
    rule(
        r"I have (?P<x>(?:a|an|my|two|three) (?:[\w'.-]+ ){0,3}(?:degree|phd|ph\.d|doctorate|master'?s|"
        r"mba|bachelor'?s|diploma|certificate|certification|license|major|minor)\b.{0,60})",
        "Has {x}",
        "profession",
        0.7,
    ),
    rule(
        r"I (?P<verb>run|own|manage|operate|lead|supervise|direct) (?P<x>(?:a|an|my|our|the|two|three|"
        r"several)\b (?:own )?.{2,80})",
        "{verb} {x}",
        "profession",
        0.75,
    ),
    rule(r"I report to (?P<x>.{2,60})", "Reports to {x}", "profession", 0.6),
    rule(
        r"my (?P<kind>(?:new |current |day |dream |first |last |old |full[- ]time |part[- ]time )?job(?: "
        r"title)?|title|role|position|profession|occupation|employer|salary|company|boss|manager|team "
        r"?lead|supervisor|department|team|startup|firm|workplace|school|university|college|major|grade|"
        r"gpa|commute|shift|business|office) (?P<verb>is|was|are|has|have|involves|requires|pays|starts|"
        r"makes|sells|builds|does) (?P<x>(?!(?:really |so |very |too |also |not |being |getting |just |"
        r"such )*(?:good|great|fine|bad|slow|busy|tired|annoying|late|down|ok|okay|here|ready|open|closed|"
        r"boring|stressful|going|happy|sad|mad|angry|nice|hard|crazy|long|short|killing|awful|"
        r"terrible)\b).{2,100})",
        "Their {kind} {verb} {x}",
        "profession",
        0.7,
    ),
    rule(
        r"(?:at (?:work|my job),? )?(?:we|our (?:team|company|startup|firm)) (?P<verb>use|uses|deploy|"
        r"deploys|run|runs|ship|ships|build|builds|host|hosts|release|releases|sell|sells) "
        r"(?P<x>.{2,100})",
        "Their team {verb} {x}",
        "attribute",
        0.6,
    ),
)
