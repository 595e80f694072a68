"""What the speaker has, owns, can do, lives with, and did: the wide net, tried last."""

from .rule import rule

_NOT_OWNED = (
    r"(?!(?:(?:an? |some |any |no |one |two |another |many |several |a few |a couple of |the |my |"
    r"more |other )*(?:[a-z]+ ){0,2}?(?:questions?|ideas?|problems?|issues?|doubts?|feelings?|clues?|"
    r"points?|requests?|errors?|bugs?|suggestions?|thoughts?|choice|time|chance|fun|trouble"
    r"|opinions?|reason|look|seat|minute|moment|second|bit|lot|lots|plenty|nothing|hope|blast|"
    r"headache|bad day|good day|day|night|week|weekend|concerns?|answers?|access|wish|feedback|favor|"
    r"favour|impression|sense|luck|task|file|function|list|dataset|data|table|string|variable|script|"
    r"query|class|array|paragraph|text|sentence|proof|need|desire|preference|options?|examples?|"
    r"steps?|mind|respect|interest|way|ways)\b"
    r"|to\b|been\b|had\b|not\b|never\b|got to\b|just\b|no (?:idea|clue|plans|problem)|enough\b|"
    r"(?:seen|heard|read|tried|thought|used|found|noticed|done|made|gone|looked|come|never|always|"
    r"already|only|also|finally|met|taken|got|gotten|known|decided|considered|asked|written|added|"
    r"created|installed|followed|checked|attached|included|kept|lost|\w+ed)\b))"
)
_DID = (
    "bought|purchased|adopted|got|won|lost|broke|sold|built|painted|wrote|published|visited|"
    "travell?ed|went|flew|drove|met|married|divorced|graduated|finished|completed|passed|failed|"
    "started|stopped|quit"
    "|gave up|learned|learnt|inherited|planted|renovated|had|attended|ran|hiked|climbed|saw|watched|"
    "read|played|studied|lived|spent|served|volunteered|donated|competed|crashed|injured|hurt|"
    "recovered|survived|beat"
    "|earned|received|opened|closed|launched|released|joined|signed up|enrolled|tried out|tried|made|"
    "cooked|baked|caught|found|created|recorded|performed|sang|danced|became|turned down|retired|"
    "dropped"
)
_DOES = (
    "play|run|swim|cook|bake|paint|draw|write|read|watch|collect|garden|knit|crochet|sew|ski|surf|"
    "skate|hike|fish|hunt|sing|dance|volunteer|drink|eat|smoke|exercise|travel|practi[cs]e|meditate|"
    "commute|drive|ride|wear|raise|grow|breed|own|use|follow|listen to|dye"
    "|speak|code|program|train|coach|sell|make|build|fix|repair|restore|design|brew|bike|cycle|camp|"
    "sail|row|box|do|take care of|look after|suffer from|struggle with|rent|foster|shop|study|blog|"
    "vlog|stream|donate|babysit|work out|jog|lift|climb|keep|live for|belong to|weigh|take"
)

RULES = (
    rule(
        r"(?:I|we) have never (?P<x>(?!(?:really )?(?:thought|heard|considered|understood|said|noticed|"
        r"realized|seen (?:it|that|this|them))\b)\w.{2,100})",
        "Has never {x}",
        "attribute",
        0.5,
    ),
    rule(r"(?:I|we) have been to (?P<x>(?!(?:it|that|this|there)\b).{2,80})", "Has been to {x}", "attribute", 0.45),
    rule(r"I have (?P<x>(?:always|never) (?:been|had|lived|worked|played) .{2,80})", "Has {x}", "attribute", 0.5),
    rule(
        rf"(?:I|we) (?:have|have got|own) (?P<x>{_NOT_OWNED}(?:an?|my|our|two|three|four|five|six|seven|"
        r"eight|nine|ten|\d+|several|some|many|no|lots of|a lot of|both|twin|multiple|naturally|really|"
        r"very|long|short|brown|blond\w*|black|red|blue|green|curly|straight|dark|type|chronic|high|low|"
        r"severe|asthma|diabetes|adhd|autism|ocd|epilepsy|arthritis|anxiety|depression|insomnia|"
        rf"migraines?|celiac|cancer|ptsd|dyslexia|tinnitus|eczema)\b.{{2,110}})",
        "Has {x}",
        "attribute",
        0.55,
    ),
    rule(
        r"(?:I|we) have (?P<x>asthma|diabetes|adhd|autism|ocd|epilepsy|arthritis|anxiety|depression|"
        r"insomnia|migraines?|celiac\b.*|cancer|ptsd|dyslexia|tinnitus|eczema|kids|children|pets|dogs|"
        r"cats|chickens|horses|grandkids|grandchildren|siblings|allergies)(?: .{0,60})?$",
        "Has {x}",
        "attribute",
        0.75,
    ),
    rule(
        r"(?:I|we) (?:do not|never) (?:have|own) (?P<x>(?:any |a |an )?(?!(?:time|idea|clue|problem|"
        r"question|access|plan|enough|much|anything|it|that|to|one)\w*\b)(?:any |a |an )?.{2,60})",
        "Does not have {x}",
        "attribute",
        0.55,
    ),
    rule(
        r"I can (?P<x>(?:play|cook|bake|sing|dance|swim|drive|ride|juggle|code|program|read|write|draw|"
        r"paint|ski|surf|knit|sew|type|run|lift|bench|touch[- ]type|solve a)\b(?! (?:it|this|that|you|"
        r"them|one)\b).{2,80})",
        "Can {x}",
        "attribute",
        0.55,
    ),
    rule(r"I know (?:how to (?P<x>(?!do (?:it|this|that)\b).{3,80}))", "Knows how to {x}", "attribute", 0.55),
    rule(
        r"I am (?P<x>(?:left|right)[- ]handed|colou?r[- ]?blind|deaf|blind|dyslexic|diabetic|autistic|"
        r"asthmatic|epileptic|pregnant|disabled|an? (?:slow learner|early bird|night owl|morning person|"
        r"introvert|extrovert|ambivert|perfectionist|insomniac|only child|twin|middle child|orphan|"
        r"vegetarian|smoker|non-?smoker|foodie|bookworm|homebody|workaholic|couch potato|picky eater|fast "
        r"learner|beginner|veteran|survivor|cancer survivor|citizen|homeowner|twitcher|hoarder|minimalist|"
        r"collector|light sleeper|heavy sleeper|good cook|bad cook|slow reader|fast reader|member of "
        r".{2,60}))(?:$|[, ])(?P<rest>.{0,60})",
        "Is {x} {rest}",
        "attribute",
        0.65,
    ),
    rule(
        r"I am (?P<x>(?:very |pretty |quite |rather |fairly |extremely |a bit |an? )?(?:shy|introverted|"
        r"extroverted|outgoing|religious|spiritual|tall|short|bald|blond|blonde|brunette|redheaded|"
        r"competitive|lazy|disorganized|organized|clumsy|athletic|ambitious|stubborn|impatient|patient|"
        r"adventurous|artistic|creative|frugal|sober|homeless|overweight|messy|sensitive|claustrophobic|"
        r"superstitious|sarcastic|old[- ]fashioned|close (?:to|with) .{2,40}|used to .{2,60}|not "
        r"religious))$",
        "Is {x}",
        "attribute",
        0.55,
    ),
    rule(
        r"I am (?P<x>(?:about |around |almost )?\d(?:'|\.| ?(?:feet|foot|ft|m\b|cm\b|meters|metres)|\d\d "
        r"?cm|\d+ ?(?:lbs|pounds|kg|kilos)).{0,30})",
        "Is {x}",
        "attribute",
        0.65,
    ),
    rule(r"I weigh (?P<x>.{2,40})", "Weighs {x}", "attribute", 0.6),
    rule(
        r"(?:I|we) (?:have )?(?:just )?(?P<verb>stopped|quit|gave up|given up|started|began|took up|taken "
        r"up|have started|have stopped) (?P<x>(?!(?:it|this|that|working on|to (?:think|wonder|feel)|"
        r"thinking|laughing|crying|reading this)\b).{3,100})",
        "{verb} {x}",
        "attribute",
        0.6,
    ),
    rule(
        r"my (?P<kind>(?:[\w'-]+ ){0,2}(?:car|truck|bike|bicycle|motorcycle|laptop|computer|phone|pc|os|"
        r"operating system|editor|ide|house|apartment|flat|condo|home|garden|yard|blood pressure|hair|"
        r"eyes|eye colou?r|hair colou?r|height|weight|shoe size|size|diet|allergy|allergies|budget|income|"
        r"rent|mortgage|commute|major|language|background|education|religion|faith|culture|heritage|"
        r"ancestry|family|condition|disability|medication|insurance|doctor|dentist|gym|church|band|"
        r"podcast|blog|channel|website|novel|book|instrument|sport|stack|setup|lucky number|credit score|"
        r"handle|number)) (?P<be>is|are|has|have|was|needs|comes|runs|plays|meets) (?P<x>(?!(?:really |so "
        r"|very |too |also |not |being |getting |just |such |a bit |a little )*(?:good|great|fine|bad|"
        r"slow|busy|tired|annoying|late|down|ok|okay|here|ready|open|closed|broken|stuck|frozen|crashing|"
        r"loading|dead|ringing|full|empty|wet|dirty|hot|cold|nice|awesome|beautiful|on fire|not working|"
        r"working|acting)\b).{1,100})",
        "Their {kind} {be} {x}",
        "attribute",
        0.6,
    ),
    rule(
        rf"(?:I|we) (?P<verb>{_DOES}) (?P<x>(?!(?:and|but|or|for it|with it|up|out of|not|no|too|well|so|"
        r"better|as|if|to (?:it|that)|by|time|care of (?:it|that|this)|(?:a|another) (?:look|break|minute|"
        r"moment|guess|seat)|work on|this|sense|me|sure|do|the (?:code|function|following|"
        rf"api))\b).{{2,100}})",
        "{verb} {x}",
        "attribute",
        0.5,
    ),
    rule(
        rf"(?:I|we) (?:have )?(?:just )?(?P<verb>{_DID}) (?P<x>(?!(?:it|that|this|to (?:thinking|say|know|"
        r"the point)|an? (?:error|issue|question|bug|problem|warning|exception|message)|the (?:error|same|"
        r"following|idea|code|newer|last part|one|point|answer|link)|up|out|confused|lost|stuck|nothing|"
        r"no\b|really|very|so|lucky|better|used to|too|sick|tired|back to|by|on to|fun|a (?:great|good|"
        r"nice|bad|wonderful|lovely) (?:time|day|weekend)|rid|your|you|some (?:of|time|more)|bored|so|really|"
        rf"about)\b).{{3,110}})",
        "{verb} {x}",
        "event",
        0.45,
    ),
    rule(
        r"(?:I|we) am (?:a )?(?P<x>(?:reading|watching|playing|using|taking|raising|dating|seeing|working "
        r"on|living with|rooming with|teaching myself|recovering from|dealing with|suffering from|"
        r"struggling with|fighting|growing|restoring|fostering|paying off|taking care of) (?!(?:it|this|"
        r"that|an? (?:error|issue)|the (?:following|code|same))\b).{3,100})",
        "Is {x}",
        "task",
        0.55,
    ),
)
