"""What a server's answers are made into, and the mental models that a bank begins with."""

from typing import NamedTuple


class Memory(NamedTuple):
    """One recalled memory; ``mentioned_at`` is an ISO time, or ""."""

    id: str
    text: str
    kind: str
    mentioned_at: str
    context: str


class Document(NamedTuple):
    """What was given to a bank under one name; ``said_at`` is an ISO time."""

    name: str
    text: str
    said_at: str
    context: str


class MentalModel(NamedTuple):
    """A question that the server keeps answered; ``content`` is "" until it has been."""

    id: str
    name: str
    content: str
    tags: tuple[str, ...]


class Seed(NamedTuple):
    """A mental model that a bank begins with; ``project_tagged`` says whether it reads one project's memories only."""

    id: str
    name: str
    source_query: str
    max_tokens: int
    project_tagged: bool
