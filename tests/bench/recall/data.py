"""Reads the evaluation sets as conversations with questions, or says why they are not there."""

import gzip
import json
import lzma
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[3] / ".." / "shared" / "data"
LOCOMO = FOLDER / "locomo_a.json"
QUESTIONS = FOLDER / "longmemeval_s_a.questions.json.gz"
SESSIONS = FOLDER / "longmemeval_s_a.sessions.jsonl.xz"
_EVIDENCE = re.compile(r"D(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation. ``evidence`` tells whether it answers the question it was made for, where known."""

    id: str
    session: str
    role: str
    speaker: str
    text: str
    said_at: datetime
    evidence: bool = False

    @property
    def line(self) -> str:
        """The turn as a search index without conversation fields gets it."""
        return f"[{self.said_at:%d %B %Y}] {self.speaker}: {self.text}"

    @property
    def record(self) -> dict[str, Any]:
        """The turn as `import_block` takes it."""
        spoken = {} if self.speaker == self.role else {"speaker": self.speaker}
        return {
            "id": self.id,
            "session": self.session,
            "role": self.role,
            "text": self.text,
            "said_at": self.said_at,
            **spoken,
        }


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the turns or sessions that answer it, and the time at which it is asked."""

    id: str
    text: str
    kind: str
    gold: tuple[str, ...]
    asked_at: datetime
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Haystack:
    """Everything one user said, oldest first, and the questions about it."""

    name: str
    turns: list[Said]
    questions: list[Question]
    sessions: list[str] = field(default_factory=list)

    def only(self, role: str) -> "Haystack":
        """Return the haystack with one side's turns alone."""
        return Haystack(self.name, [turn for turn in self.turns if turn.role == role], self.questions, self.sessions)


def need(*files: Path) -> None:
    """End the program with a reason when a file is missing."""
    missing = [file.name for file in files if not file.exists()]
    if missing:
        print(f"skipped: {', '.join(missing)} not found in {FOLDER}")
        sys.exit(0)


def locomo(limit: int | None = None) -> list[Haystack]:
    """Return the LoCoMo conversations; a question whose evidence names no turn is left out."""
    return [_conversation(record) for record in json.loads(LOCOMO.read_text(encoding="utf-8"))[:limit]]


def _conversation(record: dict[str, Any]) -> Haystack:
    talk: dict[str, Any] = record["conversation"]
    sessions = sorted((key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:]))
    turns = list[Said]()
    for session in sessions:
        when = datetime.strptime(talk[f"{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        turns += [_said(session, turn, when) for turn in talk[session]]
    known = {turn.id for turn in turns}
    questions = list[Question]()
    for number, asked in enumerate(record["qa"]):
        gold = tuple(one for one in evidence_ids(asked.get("evidence", [])) if one in known)
        if gold:
            name = f"{record['sample_id']}-{number}"
            questions.append(Question(name, asked["question"], str(asked["category"]), gold, turns[-1].said_at))
    return Haystack(record["sample_id"], turns, questions, sessions)


def _said(session: str, turn: dict[str, Any], when: datetime) -> Said:
    caption = turn.get("blip_caption")
    text = f"{turn['text']} [shares a photo: {caption}]" if caption else turn["text"]
    return Said(turn["dia_id"], session, "user", turn["speaker"], text, when)


def evidence_ids(written: Iterable[str]) -> list[str]:
    """Return the turn ids in evidence strings, some of which name several turns or pad a number.

    >>> evidence_ids(["D8:6; D9:17", "D9:1 D4:4", "D30:05", "D", "D:11:26"])
    ['D8:6', 'D9:17', 'D9:1', 'D4:4', 'D30:5']
    """
    found = (match for one in written for match in _EVIDENCE.finditer(one))
    return list(dict.fromkeys(f"D{match[1]}:{match[2]}" for match in found))


def longmemeval(limit: int | None = None) -> Iterator[Haystack]:
    """Yield the LongMemEval-S questions, each with its haystack; ``limit`` takes an even spread of them."""
    asked: list[dict[str, Any]] = json.loads(gzip.decompress(QUESTIONS.read_bytes()))
    step = max(1, len(asked) // limit) if limit else 1
    for one in asked[::step][:limit]:
        yield _haystack(one)


@cache
def _sessions() -> dict[str, list[tuple[str, str, bool]]]:
    with lzma.open(SESSIONS, "rt", encoding="utf-8") as lines:
        return dict(json.loads(line) for line in lines)


def _haystack(asked: dict[str, Any]) -> Haystack:
    dated = sorted(zip(asked["haystack_dates"], asked["haystack_session_ids"], strict=True), key=lambda one: one[0])
    turns = [
        Said(f"{session}:{place}", session, role, role, text, moment(date), bool(evidence))
        for date, session in dated
        for place, (role, text, evidence) in enumerate(_sessions()[session])
    ]
    wanted = set(asked["answer_session_ids"])
    gold = tuple(session for _date, session in dated if session in wanted)
    question = Question(
        asked["question_id"],
        asked["question"],
        asked["question_type"],
        gold,
        moment(asked["question_date"]),
        answerable=not asked["question_id"].endswith("_abs"),
    )
    return Haystack(asked["question_id"], turns, [question], [session for _date, session in dated])


def moment(written: str) -> datetime:
    """Return a LongMemEval date in UTC.

    >>> moment("2023/06/23 (Fri) 06:57").isoformat()
    '2023-06-23T06:57:00+00:00'
    """
    return datetime.strptime(written, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
