"""What in a message is the speaker's own plain statement: quoted, pasted and asked-for text is set aside here."""

import re
from collections.abc import Iterator

SCAN_CHARS = 16_000
"""A longer message is read at its head and its tail, this many characters each."""

MAX_CLAUSE = 320
"""A clause longer than this is not a plain statement."""

HIDDEN = "\ufffc"
"""Stands where quoted text or an address was cut out; no statement is read across it."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CODE = re.compile(r"`[^`\n]{1,300}`")
_ADDRESS = re.compile(r"\b(?:https?://|www\.|file:|ftp://)\S+|(?<![\w@])(?:~|\.{1,2})?/(?:[\w.-]+/)+[\w.-]*")
_TAGGED = re.compile(r"<(\w{1,30})\b[^<>\n]{0,200}>.{0,4000}?</\1>", re.DOTALL)
_QUOTED = re.compile(r"[\"“„«「]([^\"“”„«»「」\n]{1,600})[\"”“»」]|(?<![\w'])'([^'\n]{12,300})'(?!\w)")
_SPEECH = re.compile(r"\b(?:i|i'm|i've|i'll|we|my|me|you|your|he|she|they)\b", re.IGNORECASE)
_PASTED_LINE = re.compile(
    r"""\s*(?:>|\||[+*-]{0,2}\s*\[?\d{4}-\d\d-\d\d|\[?\d{1,2}:\d\d(?::\d\d)?\]?[\s-]+\S
    |\d{1,2}/\d{1,2}/\d{2,4},?\s
    |(?:\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\]?[:\s])|Traceback|File\ "
    |at\ [\w.$<>]+\(|[$#%]\s|>>>
    |[{}\[\]<]|(?:def|class|import|from|return|const|let|var|function|public|SELECT|INSERT)\s.*[({;=:]
    |(?:From|To|Cc|Subject|Date|Sent|Re|Fwd):\s|[A-Z][\w.-]{0,20}(?:\s[A-Z][\w.-]{0,20})?:\s+(?:I
    |I'm|I’m|My|We|Hi|Hey|Yes|No)\b
    |"[\w-]+"\s*:|\w+\s*=\s*\S+\s*;?$|\d+\s+bytes\s|(?:system|assistant|user|human|ai):\s)""",
    re.VERBOSE,
)
_KEPT_LABEL = re.compile(
    r"\s*(?:Remember|Note|Reminder|Fact|FYI|PS|P\.S\.|Correction|Update|Edit|Me|TIL)\b", re.IGNORECASE
)
_INDENTED = re.compile(r"(?:\t|\ {4,})\S")
_TABLE = re.compile(r"[^|\n]*\|[^|\n]*\||[^\t\n]+\t[^\t\n]+\t")
# After one of these the rest of the message is material to work on, not about the speaker.
_MATERIAL = re.compile(
    r"""\b(?:(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|correct|edit|fix|check
    |review|improve|shorten|polish
    |analy[sz]e|explain|classify|convert|format|reword|complete|continue|answer)\b[^.!?\n:]{0,120}:
    |(?:here(?:'s|\ is|\ are|\ was)|below\ is|following|this\ is|see)\b[^.!?\n:]{0,80}\b(?:email
    |e-mail|mail|letter|message|text|log|logs
    |output|article|review|post|tweet|transcript|conversation|chat|essay|paragraph|story|poem|lyrics
    |code|error|draft|bio|resume|cv
    |quote|passage|excerpt|sentence|sentences|document|notes|profile|example|paste)\b[^.!?\n:]{0,60}:
    |\b(?:says|said|wrote|writes|replied|reads|goes)(?:\ to\ me)?:)\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_PRETEND = re.compile(
    r"""\s*(?:let's\ (?:pretend|role-?play|imagine|say|play)|pretend|imagine|suppose|act\ as|act\ like
    |role-?play|you\ are\ (?:a|an|now|the)\b
    |you're\ (?:a|an)\b|from\ now\ on,?\ you|in\ (?:my|this|the|our)\ (?:story|novel|game|book
    |campaign|screenplay|dream|scenario)\b
    |(?:write|compose|draft|create|generate|make|give|tell|sing)\s+(?:me\s+|us\s+)?(?:a|an|some|the
    |another)\s
    .{0,60}\b(?:from\ the\ (?:view|perspective)|in\ the\ voice|as\ if|where|in\ which
    |that\ (?:starts|begins|goes)|about\ (?:a|an|someone)\b))""",
    re.IGNORECASE | re.VERBOSE,
)
_ABBREVIATION = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Mt|Jr|Sr|vs|etc|e\.g|i\.e|a\.m|p\.m|No|approx|[A-Z]|U\.S|U\.K|Ph\.D)\.$"
)
_END = re.compile(
    r"[.!?…]+[)\"”']*(?=\s|$)|[。！？]+|\s(?:[-–—]{1,2}|;)\s|;\s|\n+|[:;]-?[)D(]+(?=\s|$)|"
    r"[\U0001f300-\U0001faff]"
)
_RUN = re.compile(r"[^\S\n]{9,}|\n{3,}")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")


def own_sentences(text: str) -> Iterator[str]:
    r"""Yield the sentences the speaker says in their own voice, each with its end mark, quotations cut out.

    >>> list(own_sentences("I live in Rome.\n> I live in Oslo")) == ["I live in Rome.", HIDDEN]
    True
    """
    if len(text) > 2 * SCAN_CHARS:
        text = f"{text[:SCAN_CHARS]}\n{HIDDEN}\n{text[-SCAN_CHARS:]}"
    text = text.replace("\x00", " ").replace("’", "'").replace("\u02bc", "'").replace("\r", "\n")
    text = _RUN.sub(lambda run: run[0][:8], text)
    text = _TAGGED.sub(HIDDEN, _FENCE.sub(f"\n{HIDDEN}\n", text)) if "<" in text or "`" in text or "~" in text else text
    text = _ADDRESS.sub(HIDDEN, _CODE.sub(HIDDEN, text))
    if _PRETEND.match(text):
        return
    material = _MATERIAL.search(text)
    if material:
        text = text[: material.start()]
    yield from _split(_QUOTED.sub(_hide_speech, "\n".join(_own_lines(text))))


def _own_lines(text: str) -> Iterator[str]:
    lines = text.split("\n")
    for line in lines:
        pasted = (
            _INDENTED.match(line) or _TABLE.match(line) or (_PASTED_LINE.match(line) and not _KEPT_LABEL.match(line))
        )
        yield HIDDEN if pasted or len(line) > 20_000 else _BULLET.sub("", line, count=1)


def _hide_speech(quoted: re.Match[str]) -> str:
    """Keep a short title, without its quotation marks; hide anything that speaks."""
    inside = quoted[1] or quoted[2]
    if len(inside.split()) > 5 or _SPEECH.search(inside):
        return HIDDEN
    return inside


def _split(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        piece = text[start : end.end()]
        if end[0] == "." and _ABBREVIATION.search(piece[-8:]) and end.end() < len(text):
            continue
        start = end.end()
        if piece.strip() and len(piece) <= 4 * MAX_CLAUSE:
            yield piece.strip()
    if text[start:].strip() and len(text) - start <= 4 * MAX_CLAUSE:
        yield text[start:].strip()
