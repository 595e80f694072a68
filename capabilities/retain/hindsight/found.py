"""Mental models as a server has them, and as a bank begins with them."""

from typing import NamedTuple


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
