"""What the speaker means to do, has to do, has dated, or has called off."""

from .rule import rule

MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december|jan|feb|mar|"
    "apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
DATE = (
    rf"(?:\b(?:{DAYS}|{MONTHS}|may \d|\d may|in may|today|tonight|tomorrow|yesterday|weekend|christmas|"
    r"easter|thanksgiving|halloween|new year|the holidays|ramadan|hanukkah|diwali)\w*\b"
    r"|\b(?:next|this|coming|in (?:a|an|one|two|three|four|five|six|\d+|a few|a couple(?: of)?)) "
    r"(?:day|week|month|year|summer|winter|spring|fall|autumn|semester|quarter|term|hour|minute|"
    r"season|afternoon|evening|morning)s?\b"
    r"|\b\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m|p\.m|o'clock)\b|"
    r"\b\d{1,2}(?:st|nd|rd|th)\b|\bq[1-4]\b|\b20\d\d\b|\b\d{1,2}:\d\d\b|\bnoon\b|\bmidnight\b)"
)
_ENGAGED = (
    r"(?:appointment|interview|meeting|exam|test|flight|reservation|deadline|presentation|surgery|"
    r"operation|wedding|party|trip|vacation|holiday|date|concert|race|marathon|conference|class|"
    r"lesson|game"
    r"|match|check-?up|demo|call|reunion|show|gig|recital|audition|court date|shift|due date|"
    r"tournament|competition|baby shower|dinner|barbecue|bbq|event|performance|session|hearing|visit|"
    r"delivery|move)"
)
_NOT_TALK = (
    r"(?!(?:chat|vent|discuss|rant|know|ask|understand|see|talk|say|tell|thank|make sure|clarify|"
    r"check|find|get (?:a|an|some|"
    r"it|this|that|the|back|your|help|ready|going)|hear|be (?:able|honest|sure|clear)|have (?:a look|"
    r"it)|think|do (?:it|this|that)"
    r"|figure|go now|agree|admit|use|write|create|generate|convert|calculate|parse|print|fix|add|"
    r"change|implement|call (?:the|this) (?:function|api|method)|debug|translate|compare|come up|look "
    r"(?:it|that|this|into)|try (?:it|that|this|one|those|them|some)|give|let|it|that|you|keep|send "
    r"you|share|remember|remind|take a look|check|bed|sleep|not|be (?:careful|more|super|very|there)|"
    r"stay|get (?:out|outside))\b)"
)

RULES = (
    rule(
        r"(?:I|we) (?:have |had to |just |was forced to |were forced to )*(?P<verb>cancelled|canceled|"
        r"cancel|called off|call off|postponed|postpone|scrapped|rescheduled|delayed|dropped out of|"
        r"backed out of|gave up on|missed) (?P<x>(?!my (?:subscription|order)\b).{3,100})",
        "{verb} {x}",
        "event",
        0.7,
    ),
    rule(
        r"(?:I|we) (?:am|are) (?:no longer|not) (?:going (?:to |on )|flying |travell?ing |moving |"
        r"planning )(?P<x>(?:to |on |the |our |my )?(?!(?:do|try|let|be able|lie|say|pretend|happen|work|"
        r"give)\b).{3,90}?)(?: any ?more| after all| any longer)?$",
        "Is no longer going {x}",
        "event",
        0.65,
    ),
    rule(
        r"(?P<x>(?:my|our|the) .{2,70}?) (?:(?:is|was|are|were|got|has been|have been|had to be|will be) "
        r")(?P<done>(?:now )?(?:cancelled|canceled|called off|postponed|rescheduled|moved|pushed|delayed|"
        r"brought forward)\b.{0,60})",
        "{x} is {done}",
        "event",
        0.7,
    ),
    rule(
        rf"(?P<x>(?:my|our|the) (?:[\w'&-]+ ){{0,5}}?(?:[\w'&-]+)) (?:is|are) (?P<rest>(?:now |actually |"
        r"coming up |scheduled |due |booked |set )*(?:planned |starting )?(?:for |on |at |by |in |from "
        rf")?(?:the )?(?:early |late |mid-?)?{DATE}.{{0,60}})",
        "{x} is {rest}",
        "event",
        0.7,
    ),
    rule(
        rf"(?P<x>(?:my|our|the) (?:[\w'&-]+ ){{0,4}}(?:deadline|due date|flight|appointment|exam|interview|"
        r"wedding|meeting|train)) (?P<verb>is|starts|leaves|begins|takes place) "
        rf"(?P<rest>.{{0,40}}(?:{DATE}|\d).{{0,60}})",
        "{x} {verb} {rest}",
        "event",
        0.7,
    ),
    rule(
        r"I (?:have|have got) (?P<x>(?:an?|my|the|two|three|another|some) (?:[\w'.-]+ "
        rf"){{0,4}}{_ENGAGED}s?\b.{{0,90}})",
        "Has {x}",
        "event",
        0.65,
    ),
    rule(
        r"(?:I|we) (?:am|are) (?P<x>(?:going|flying|travell?ing|driving|heading|leaving|visiting|meeting|"
        r"hosting|having|throwing|taking|getting|starting|attending|running|seeing|presenting|"
        r"expecting)\b(?! to (?:need|say|ask)\b)(?! (?:an? |this |the )?(?:\w*error|issue|problem|trouble|"
        rf"crash|\w*exception|warning))(?:.{{0,100}}{DATE}.{{0,60}}))",
        "Is {x}",
        "event",
        0.65,
    ),
    rule(
        r"(?:I|we) (?:am|are) (?P<x>(?:getting (?:married|divorced|engaged|a (?:dog|puppy|cat|kitten|"
        r"divorce|new \w+))|expecting (?:a|our|my|twins)|having (?:a baby|twins|a boy|a girl|surgery)|"
        r"going on (?:a|an|my|our|holiday|vacation|maternity|paternity).{0,10}|taking (?:a|an) (?:trip|"
        r"vacation|year|gap|sabbatical)|buying (?:a|an|our|my)|adopting|renovating|remodell?ing|saving "
        r"(?:up )?(?:for|to)|training (?:for|to)|preparing for|studying for|applying (?:for|to)|planning "
        r"(?:a|an|my|our|the|on|to)|thinking (?:of|about) (?!it|this|that|you)|looking forward to|"
        r"considering|hoping (?:to|for)|trying to (?:get|become|learn|lose|quit|stop|cut|eat|save|find a|"
        r"have a|improve|build|start|buy|gain|conceive|be)|looking for (?:a|an|my) (?:new )?(?:job|house|"
        r"home|apartment|flat|place|car|roommate|work|partner|internship)|learning|writing (?:a|an|my)|"
        r"building (?:a|an|my|our)|developing (?:a|an|my)|organi[sz]ing (?:a|an|my|our)|job hunting|house "
        r"hunting)\b.{0,110})",
        "Is {x}",
        "task",
        0.65,
    ),
    rule(
        r"(?:I|we) (?:am|are) (?:going|about|aiming|intending|set) to (?!(?:need|be "
        rf"able)\b){_NOT_TALK}(?P<x>\w.{{2,110}})",
        "Is going to {x}",
        "event",
        0.55,
    ),
    rule(
        r"(?:I|we) (?:plan|intend|hope|aim|have decided|decided|resolved|have promised|promised myself) "
        r"(?P<x>(?:to|on) (?!(?:hear|get (?:an|some))\b).{3,110})",
        "Plans {x}",
        "task",
        0.65,
    ),
    rule(
        rf"(?:I|we) (?:really |do |just )*(?P<not>do not )?want to {_NOT_TALK}(?P<x>\w.{{2,110}})",
        "{not} wants to {x}",
        "task",
        0.6,
    ),
    rule(
        r"(?:I|we) (?:really |also )*(?:need|have|have got|got|am supposed|ought) to "
        rf"{_NOT_TALK}(?P<x>\w.{{2,110}})",
        "Needs to {x}",
        "task",
        0.5,
        "session",
    ),
    rule(
        rf"(?:I|we) (?:must) {_NOT_TALK}(?!(?:say|admit|have|be)\b)(?P<x>\w.{{2,110}})",
        "Must {x}",
        "task",
        0.5,
        "session",
    ),
    rule(
        r"(?:I|we) will (?P<x>(?:be )?(?!not\b|try\b|have to\b|need\b|be (?:able|happy|glad|fine|great|"
        rf"honest)\b)\w+(?:ing)? .{{0,100}}{DATE}.{{0,40}})",
        "Will {x}",
        "event",
        0.55,
    ),
    rule(
        r"(?:my|our) (?P<kind>(?:[\w'-]+ )?(?:goal|aim|plan|ambition|target|new year's resolution|"
        r"resolution|deadline|priority|mission|objective)s?)(?: (?:this year|for (?:this|next) \w+|right "
        r"now))? (?P<be>is|are) (?P<x>.{3,120})",
        "Their {kind} {be} {x}",
        "task",
        0.8,
    ),
    rule(
        rf"(?P<x>(?!(?:it|that|this|there|they|he|she|what|today|tomorrow)\b)(?:[\w'&-]+ ){{1,5}}?)(?:is|"
        rf"are) due (?P<rest>.{{0,30}}{DATE}.{{0,40}})",
        "{x} is due {rest}",
        "event",
        0.7,
    ),
    rule(
        r"I (?:have )?(?:booked|scheduled|arranged|reserved|bought tickets (?:for|to)|signed up for|"
        r"enrolled in|registered for|rsvp'd to) (?P<x>.{3,110})",
        "Booked {x}",
        "event",
        0.65,
    ),
)
