"""Cutting a sentence into clauses, and refusing those that claim nothing: questions, conditions, hearsay, requests."""

import re
from collections.abc import Iterator

from .sentences import HIDDEN, MAX_CLAUSE
from .voice import plain

_SUBJECT = (
    r"(?:I|we|my|our|he|she|they|it|his|her|the|this|that|there|you|[A-Z][a-z]+ (?:is|works|lives|"
    r"likes|loves|has|was))\b"
)
_JOINT = re.compile(
    r"\s*,?\s+(?:and|but|so|because|although|though|while|since|cause|cuz|whereas|which is "
    rf"why)\s+(?:now\s+|then\s+|also\s+)?(?={_SUBJECT})"
    rf"|\s*[,(]\s*(?=(?:I|my|we)\s+(?!say|guess|think|know|suppose|mean|hear|hope|must)\w)"
    r"|\s*,\s*(?:(?:and|but)\s+)?(?:now|nowadays|these days|currently)\s+(?=(?:I|we)\b)"
    r"|\s*,\s*(?=(?:he|she)\s+(?:now\s+)?(?:works|lives|likes|loves|has|is|moved|joined|went)\b)"
    r"|\s*,\s*(?:and|but)\s+(?=(?:love|like|hate|enjoy|prefer|work|live|have|am)\b)",
)
_MARKER = re.compile(
    r"""(?:well|yes|yeah|yep|yup|no|nope|nah|oh|ah|aw+|ok|okay|hi|hello|hey|so|and|but|also|actually
    |honestly|frankly|btw|by\ the\ way|anyway|anyways
    |besides|plus|sure|true|right|exactly|thanks|thank\ you|cool|nice|great|wow|ha(?:ha)*|lol|hmm+
    |um+|uh+|personally|for\ me|to\ be\ honest|tbh|in\ fact
    |as\ for\ me|speaking\ of\ which|sorry|sadly|unfortunately|luckily|fortunately|fyi
    |for\ the\ record|just\ so\ you\ know|just\ fyi|correction|update
    |wait|note|ps|p\.s\.|you\ know|i\ mean|i\ guess|like|then|because|since|though|although
    |as\ i\ said|as\ i\ mentioned|good\ morning|good\ evening|dear\ all
    |first\ of\ all|one\ more\ thing|these\ days|nowadays|at\ the\ moment|currently|right\ now
    |lately|recently|of\ course|absolutely|definitely|indeed
    |same\ here|me\ too|my\ bad|see|look|funny\ enough|believe\ it\ or\ not|that\ said|in\ general
    |generally|overall|after\ all|the\ thing\ is|all\ good)
    (?:\s*[,:!.—–-]+\s*|\s+(?=(?:I|my|we|our|actually|yes|no|well|you\ know)\b))""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKS = re.compile(
    r"""(?:do|does|did|are|is|am|was|were|have|has|had|can|could|would|will|should|shall|may|might|what
    |how|who|whom|whose|where|when|why|which|any|if|whether
    |don't|doesn't|didn't|isn't|aren't|wasn't|haven't|can't|wouldn't)\b(?!\s+(?:love|like)\s+to\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKED_TAIL = re.compile(
    r"[,.–—-]\s+(?:(?:and|but|so|or)\s+)?(?=(?:do|does|did|are|is|have|has|can|could|would|will|"
    r"should|what|how|who|where|when|why|which|don't|any)\b)|\s+(?:and|but|so)\s+(?=(?:do|does|did|"
    r"are|have|can|could|would|will|what|how|who|where|when|why)\b)",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"""\b(?:as\ an?\ [\w-]+,\ i\ (?:want|need)|if|unless|whether|would\ have|could\ have|should\ have
    |i\ wish|as\ if|as\ though|suppos(?:e|ing)|hypothetically|imagine|pretend|what\ if
    |in\ case|maybe|perhaps|might|possibly|not\ sure|i\ doubt|in\ another\ life|in\ theory
    |for\ example|for\ instance|e\.g|say\ i|let's|dreamt|dreamed\ (?:that|about)
    |just\ kidding|joking|jk|sarcasm|my\ (?:character|protagonist|persona|hero|avatar|villain
    |narrator))\b|/s$""",
    re.IGNORECASE | re.VERBOSE,
)
_HEARSAY = re.compile(
    r"""\b(?:(?:he|she|they|people|everyone|everybody|someone|somebody|who|one|it|[a-z]+(?:er|or|ist
    |ster|ther|end|oss|ife|and|om|ad)|(?-i:[A-Z][a-z]+)|(?:my|our|the|his|her|their|a|some)\ [\w-]+)\s+
    (?:also\ |always\ |once\ |just\ |has\ |have\ )?
    (?:said|says|say|told|tells|thinks?|thought|claims?|claimed|believes?|believed|insists?|insisted
    |assumes?|assumed|wrote|writes|mentioned|argues?|suspects?|heard|hears|reckons?|asked|asks
    |wonders?|joked|jokes)
    |according\ to|rumou?r|supposedly|allegedly|apparently|i\ (?:heard|saw\ that|was\ told|hear|told
    |said|asked|thought|assumed|wonder(?:ed)?|forgot|remember|feel\ like|lied|joked)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_REQUEST = re.compile(
    r"""(?:please|pls|kindly|can|could|would|will|write|give|make|show|tell|explain|help|find|list
    |create|generate|draft|translate|summari[sz]e|suggest|recommend
    |compose|rewrite|fix|check|look\ up|search|calculate|convert|compare|describe|define|send|let
    |try|use|add|remove|change|open|run|say|ask|imagine|pretend|act|sing|draw
    |play|read|answer|continue|repeat|stop|consider|assume|name|book|order|buy|schedule|set|do\ not
    |don't|never\ mind|keep\ it|be\ (?:brief|concise|honest|kind))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REMEMBER = re.compile(
    r"""(?:(?:please|pls|kindly|can\ you|could\ you|also|and|just)[\s,]+)*(?:remember|note|make\ a\ note
    |take\ note|keep\ in\ mind|bear\ in\ mind|don't\ forget|do\ not\ forget|never\ forget|save|store
    |memori[sz]e|for\ the\ record|fyi|for\ future\ reference|know|be\ aware|you\ should\ know
    |i\ want\ you\ to\ (?:remember|know)|remember\ this|note\ this|remember\ for\ (?:later|next\ time))
    (?:\s*(?:[:,—–-]+|that\b|this\b\s*:?|for\ me\b|about\ me\b|the\ fact\b|in\ your\ memory\b|down\b
    |to\ self\b))*[\s:,]+""",
    re.IGNORECASE | re.VERBOSE,
)


def remember(sentence: str) -> str:
    """Return what the speaker asks to be remembered in ``sentence``, or ``""``.

    >>> remember("Please remember that my locker code is 4417.")
    'my locker code is 4417.'
    """
    told = _REMEMBER.match(sentence)
    if told is None or (sentence.endswith("?") and not sentence.lower().startswith(("can you", "could you"))):
        return ""
    rest = sentence[told.end() :]
    if told[0].lower().strip(" ,:") in {"know", "save", "store", "note"} and ":" not in told[0]:
        return ""
    if rest.lower().startswith(
        ("when", "how", "what", "who", "where", "why", "me ", "you", "your", "it", "us", "them", "those")
    ):
        return ""
    return rest.rstrip("?")


def clauses(sentence: str) -> Iterator[str]:
    """Yield the plain claims of one sentence, contractions written out and openers such as "Well," cut.

    >>> list(clauses("Well, I'm a nurse and I live in Rome, do you?"))
    ['I am a nurse', 'I live in Rome']
    """
    if sentence.rstrip(" )\"'").endswith(("?", "？")) or "?" in sentence[-4:]:
        asked = _ASKED_TAIL.search(sentence)
        if asked is None:
            return
        sentence = sentence[: asked.start()]
    sentence = unmarked(plain(sentence))
    if HIDDEN in sentence or _ASKS.match(sentence) or _REQUEST.match(sentence) or _unreal(sentence):
        return
    for piece in _JOINT.split(sentence):
        clause = unmarked(piece.strip(" ,.!()"))
        if 3 < len(clause) <= MAX_CLAUSE and not _HEARSAY.search(clause) and not _ASKS.match(clause):
            yield clause


def unmarked(text: str) -> str:
    """Return ``text`` without the discourse markers it opens with.

    >>> unmarked("Oh, well, actually I moved")
    'I moved'
    """
    for _ in range(6):
        marker = _MARKER.match(text)
        if marker is None:
            return text
        text = text[marker.end() :]
    return text


def _unreal(sentence: str) -> bool:
    return _UNREAL.search(sentence) is not None
