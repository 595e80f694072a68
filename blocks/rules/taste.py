"""What the speaker likes, dislikes, prefers, believes, and can not have."""

from .rule import rule

_NOT_IDLE = (
    r"(?!(?:to (?:see|know|hear|say|think|ask|help|thank|point out|add|mention|tell|admit|be honest)|"
    r"how|that|when|it|if|the (?:idea|sound|way|look)|a (?:look|word|copy|refund|list|summary))\b)"
)
_LIKE = (
    r"(?P<verb>like|love|enjoy|adore|prefer|hate|dislike|despise|loathe|detest|fancy|appreciate|miss|"
    r"crave|admire|fear|value|favou?r|cherish)"
)

RULES = (
    rule(
        r"(?:I|we) (?:(?:do|did) not|no longer|never) (?:really |particularly |especially |even |much "
        rf")*{_LIKE} {_NOT_IDLE}(?P<x>.{{2,110}}?)(?P<end> any ?more| any longer)?$",
        "Does not {verb} {x}",
        "preference",
        0.65,
    ),
    rule(rf"(?:I|we) {_LIKE} {_NOT_IDLE}(?P<x>.{{2,120}})", "{verb} {x}", "preference", 0.65),
    rule(
        rf"(?:I|we) (?P<verb>loved|enjoyed|hated|liked|preferred|disliked|missed) {_NOT_IDLE}(?!(?:seeing|"
        rf"hearing|talking|chatting)\b)(?P<x>.{{2,110}})",
        "{verb} {x}",
        "preference",
        0.5,
    ),
    rule(
        r"(?:I|we) (?:have )?(?:always|really|absolutely|never|come to|grown to) (?P<verb>loved|liked|"
        r"enjoyed|hated|adored|preferred|disliked|wanted to|been (?:into|fond of|afraid of|fascinated by|"
        rf"interested in|good at|bad at)) {_NOT_IDLE}(?P<x>.{{2,100}})",
        "Has always {verb} {x}",
        "preference",
        0.6,
    ),
    rule(
        r"(?:I|we) (?:have )?(?:just )?switched (?P<x>(?:from .{2,40} )?to (?!(?:it|"
        r"that|this|them|the (?:other|next|old|new|previous)|plan|another|work|sleep|bed|school|my|our|your)\b)"
        r"(?!(?:an?|the|another) (?:different|new|other)\b).{2,60})",
        "Switched {x}",
        "preference",
        0.6,
    ),
    rule(
        r"(?:I|we) (?:can|could) not (?P<verb>stand|bear|tolerate|live without|resist|do without|get "
        r"enough of) (?P<x>.{2,100})",
        "Can not {verb} {x}",
        "preference",
        0.7,
    ),
    rule(
        r"I (?:do not|never|no longer|can not) (?P<verb>eat|drink|smoke|watch|wear|use|own|drive|play|"
        r"read|trust|celebrate|do|cook|have|like|take|speak|get along with|care (?:for|about)|believe in|"
        r"go to|work on|swim|ski|sing|dance) (?P<x>(?!the (?:time|answer|idea)\b|time\b|any (?:idea|"
        r"questions?|clue|plans?|time|problem)\b|idea\b|a (?:clue|problem|question|lot)\b|to\b|if\b|"
        r"about\b|enough\b|have\b|for (?:sure|certain)).{2,100})",
        "Does not {verb} {x}",
        "preference",
        0.6,
    ),
    rule(
        r"I can not (?P<x>(?:swim|drive|cook|sing|dance|ski|ride|eat|drink|have|tolerate)\b(?! (?:it|that|"
        r"this|them|enough|you)\b).{0,60})",
        "Can not {x}",
        "attribute",
        0.65,
    ),
    rule(
        r"I am (?P<neg>not )?(?P<x>(?:severely |deathly |very |mildly |highly )?(?:allergic|intolerant) to .{2,80}?|"
        r"(?:lactose|gluten|fructose)[- ]intolerant.{0,30}?|(?:gluten|dairy|nut|sugar)[- ]free.{0,30}?)"
        r"(?: after all| at all| any ?more| any longer)?$",
        "Is {neg} {x}",
        "attribute",
        0.9,
    ),
    rule(
        r"I am no longer (?P<x>(?:an? )?(?:vegan|vegetarian|pescatarian|allergic to|lactose intolerant|gluten[- ]free|"
        r"married|engaged|single|dating|diabetic|pregnant|smoker|student)\b.{0,60})",
        "Is no longer {x}",
        "attribute",
        0.8,
    ),
    rule(
        r"I am (?P<neg>not )?(?P<x>(?:an? )?(?:strict |mostly |lifelong )?(?:vegan|vegetarian|pescatarian|"
        r"pescetarian|omnivore|teetotall?er|carnivore|flexitarian|keto|paleo|kosher|halal)\b.{0,60})",
        "Is {neg} {x}",
        "preference",
        0.8,
    ),
    rule(
        r"I am (?P<neg>not )?(?:really |much of |exactly )*(?P<x>(?:an? )?(?:(?:more of an? )?(?:big|huge|"
        r"massive|great|lifelong|avid|total|die-?hard|real|long-?time|such a|\w+) )?(?:fan|lover|"
        r"enthusiast|aficionado|buff|fanatic|addict|person|nerd|geek|guy|gal|girl|junkie)s?(?: (?:of|for|"
        r"in) .{2,80}|$))",
        "Is {neg} {x}",
        "preference",
        0.65,
    ),
    rule(
        r"I am (?P<neg>not )?(?:really |very |quite |super |so |pretty |big |still |more )*(?P<x>(?:into|"
        r"interested in|fond of|obsessed with|passionate about|crazy about|partial to|keen on|addicted to|"
        r"in love with|hooked on|sick of|tired of|fascinated by|curious about) (?!(?:how|what|whether|"
        r"getting (?:help|advice)|it|this|that|a (?:summary|list)|hearing|learning more about "
        r"this)\b).{2,90})",
        "Is {neg} {x}",
        "preference",
        0.6,
    ),
    rule(
        r"I am (?P<neg>not )?(?:really |very |quite |so |pretty |super |a (?:little |bit )|still |too "
        r")*(?P<x>(?:afraid of|scared of|terrified of|frightened of|good at|great at|bad at|terrible at|"
        r"awful at|proud of|worried about|nervous about|excited (?:about|for|to)|anxious about) (?!(?:it|"
        r"this|that|them|you|your)\b).{2,90})",
        "Is {neg} {x}",
        "attribute",
        0.5,
    ),
    rule(
        r"(?:my|our) (?P<adj>(?:all[- ]time |new |current |absolute |personal |second |least "
        r")?favou?rite) (?P<kind>.{2,50}?) (?:is|are|was|were|has to be|have to be|would be|would have to "
        r"be|is probably|are probably) (?:probably |definitely |still |now |always |actually "
        r")*(?P<x>(?!(?:when|how|so|very|really)\b).{2,100})",
        "{adj} {kind} is {x}",
        "preference",
        0.7,
    ),
    rule(
        r"(?P<x>(?!(?:it|that|this|they|those|these|she|he|which|there|what)\b).{2,70}?) (?P<be>is|are|"
        r"was|were) (?P<rest>(?:definitely |probably |actually |also )*(?:one of )?(?:my|our) (?:all[- "
        r"]time |absolute |new )?(?:favou?rites?|passions?|hobby|hobbies|guilty pleasure|comfort food|"
        r"go-to|weakness|pet peeve|dream job|dream|least favou?rites?)\b.{0,50})",
        "{x} {be} {rest}",
        "preference",
        0.65,
    ),
    rule(
        r"(?:my|our) (?P<kind>hobbies|hobby|passions?|(?:biggest |worst |main )?(?:fear|phobia|pet peeve|"
        r"weakness|strength|interests?|dream|motto)|guilty pleasure|comfort food|go-to \w+|drink of "
        r"choice|type) (?P<be>is|are|include|includes) (?P<x>.{2,100})",
        "Their {kind} {be} {x}",
        "preference",
        0.65,
    ),
    rule(
        r"I would (?:really |absolutely )?(?:love|like) to (?P<x>(?:visit|travel|learn|become|move|live|"
        r"own|go to|see (?!it|that|if|how|what|the|a list|some|more)|start|adopt|write a|run|have (?:a|"
        r"kids)|retire|meet|get|study|work|open|play|buy|build|teach)\b.{1,90})",
        "Would love to {x}",
        "preference",
        0.45,
    ),
    rule(r"I would (?:much |definitely )?rather (?P<x>.{3,60} than .{2,60})", "Would rather {x}", "preference", 0.55),
    rule(
        r"(?:I (?:strongly |firmly |truly |honestly )?believe|in my opinion,?|my (?:belief|opinion|"
        r"philosophy) is|I am (?:convinced|of the opinion)) (?:that )?(?!(?:you|it is|it was|this|that is|"
        r"so|we|they|he|she|there)\b)(?P<x>.{4,140})",
        "Believes {x}",
        "belief",
        0.55,
    ),
    rule(
        r"I (?:strongly |firmly |really |honestly )?(?:think|feel|find) (?:that )?(?P<x>(?!(?:you|it|this|"
        r"that|so|we|they|he|she|there|about|of|like|I|the (?:best|answer|problem|issue|first|second)|my|"
        r"maybe|your|better|good|bad|free|out|a|an|some|myself|time)\b)[\w'-]+(?: [\w'-]+){0,3} (?:is|are|"
        r"should|makes?|has|have|matters?|beats?|was|were) .{3,90})",
        "Thinks {x}",
        "belief",
        0.45,
    ),
    rule(
        r"I (?:think|find) (?P<x>(?!(?:you|it|this|that|so|we|they|he|she|there|myself|about|"
        r"of)\b)[\w'-]+(?: [\w'-]+){0,2} (?:boring|overrated|underrated|fascinating|relaxing|exciting|too "
        r"\w+|very \w+|annoying|beautiful|cruel|scary|delicious|disgusting|soothing|therapeutic|"
        r"stressful))$",
        "Finds {x}",
        "belief",
        0.45,
    ),
    rule(
        r"I (?P<verb>support|oppose|vote for|voted for|believe in|root for|cheer for|follow|swear by|rely "
        r"on|stand for|care (?:deeply |a lot )?about) (?P<x>.{2,80})",
        "{verb} {x}",
        "belief",
        0.55,
    ),
    rule(r"I hate to (?P<x>(?!see|say|break|ask|admit|bother)\w.{2,60})", "Hates to {x}", "preference", 0.5),
)
