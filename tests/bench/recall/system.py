"""What a bench asks of a system under test."""

from dataclasses import dataclass
from typing import Protocol

from .data import Haystack, Question


@dataclass(frozen=True, slots=True)
class Answer:
    """The ids of turns, best first, and how sure the system is that the first one is relevant."""

    ranked: list[str]
    sureness: float


class System(Protocol):
    """A system that finds turns. Questions come haystack by haystack, so an index may be built at the first one."""

    name: str

    def answer(self, haystack: Haystack, question: Question, limit: int) -> Answer:
        """Rank at most ``limit`` turns of the haystack for the question."""
        ...

    def context(self, haystack: Haystack, question: Question, tokens: int) -> str:
        """Return at most ``tokens`` tokens of text to answer the question from."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...
