"""A finding: which kind of secret stands where."""

from collections.abc import Iterable
from dataclasses import dataclass

REDACTED = "[redacted]"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A secret in a text, from the character ``start`` up to the one before ``end``, counted from 0.

    It prints as its kind and place, never with the secret itself.

    >>> print(Finding(12, 52, "github_token"))
    github_token at 12-52
    """

    start: int
    end: int
    kind: str
    instead: str = REDACTED
    """What is put there: in JSON, where a number stood, the mark in quotes."""

    def __str__(self) -> str:
        return f"{self.kind} at {self.start}-{self.end}"


def apart(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by place, those that overlap joined to one of the first one's kind.

    >>> [str(one) for one in apart([Finding(4, 9, "b"), Finding(0, 6, "a"), Finding(12, 13, "c")])]
    ['a at 0-9', 'c at 12-13']
    """
    joined: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: (finding.start, -finding.end)):
        last = joined[-1] if joined else None
        if last is None or finding.start >= last.end:
            joined.append(finding)
        elif finding.end > last.end:
            joined[-1] = Finding(last.start, finding.end, last.kind, last.instead)
    return joined


def without(text: str, findings: Iterable[Finding]) -> str:
    """Return a text with a mark in the place of each finding; they must not overlap.

    >>> without("my key", [Finding(3, 6, "key")])
    'my [redacted]'
    """
    kept: list[str] = []
    done = 0
    for finding in findings:
        kept += [text[done : finding.start], finding.instead]
        done = finding.end
    return "".join([*kept, text[done:]])
