"""How sure recall is in small memories, of related and unrelated questions: ``python -m tests.bench.recall.small``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pipelines import Memory

from .evaluate import print_table
from .metrics import separation

SIZES = (1, 3, 5, 10, 20)
MARK = 0.5

ANA = (
    ("I joined Stripe last month.", "Where do I work?"),
    ("My sister Lena lives in Lisbon.", "Which city is my sister in?"),
    ("I'm allergic to peanuts.", "Is there any food I must avoid?"),
    ("We adopted a beagle and named him Otto.", "What is my dog called?"),
    ("I play the cello in an amateur orchestra on Tuesdays.", "Which instrument do I play?"),
    ("I drive a blue Volvo that I bought second hand.", "What car do I have?"),
    ("My favourite dish is my grandmother's lasagna.", "What do I like to eat most?"),
    ("I studied marine biology in Hamburg.", "What was my degree in?"),
    ("Our daughter Mia starts school in September.", "How many children do we have?"),
    ("I broke my wrist while skiing in January.", "Which bone did I break?"),
    ("I prefer dark mode in every editor.", "Which theme should my editor have?"),
    ("I moved to Oslo in the spring.", "Where do I live now?"),
    ("My manager is called Henrik.", "Who is my boss?"),
    ("I am training for the Berlin marathon.", "What race am I preparing for?"),
    ("I quit drinking coffee two weeks ago.", "Do I still drink coffee?"),
    ("My flight to Tokyo leaves on the 12th at nine in the morning.", "When does my plane leave?"),
    ("I just finished reading Middlemarch and loved it.", "What book did I read?"),
    ("My passport expires next March.", "Until when is my passport valid?"),
    ("I speak Portuguese and a little Danish.", "What languages do I know?"),
    ("We pay 1,450 euros of rent for the flat.", "How much is our rent?"),
)
BEN = (
    ("The staging server runs on port 8443.", "Which port does staging use?"),
    ("Please always answer me in short bullet points.", "How should answers be formatted?"),
    ("Our deadline for the audit is Friday the 20th.", "When is the audit due?"),
    ("I write most of my code in Rust these days.", "What programming language do I use?"),
    ("My wife Carla is a nurse at the children's hospital.", "What does my wife do for a living?"),
    ("I have been vegetarian since 2015.", "Do I eat meat?"),
    ("The database password rotates every ninety days.", "How often does the password change?"),
    ("I take metformin for my diabetes.", "What medication am I on?"),
    ("My son Theo plays goalkeeper for the under-twelves.", "What position does Theo play?"),
    ("We decided to use Postgres instead of MongoDB.", "Which database did we pick?"),
    ("I grew up on a farm near Salamanca.", "Where did I spend my childhood?"),
    ("I'm afraid of flying, so I take trains.", "How do I like to travel?"),
    ("My birthday is on the 3rd of November.", "When was I born?"),
    ("I bought a Fender guitar for 700 dollars.", "What did I pay for the guitar?"),
    ("The kitchen renovation starts after Easter.", "When will the kitchen be redone?"),
    ("My cat Miso only eats tuna.", "What does the cat eat?"),
    ("I lost my keys at the gym yesterday.", "Where are my keys?"),
    ("I want to learn how to sail this summer.", "What are my plans for summer?"),
    ("My grandfather was a watchmaker from Geneva.", "What was my grandfather's profession?"),
    ("I sleep badly when I work late.", "Why do I sleep badly?"),
)
BESIDE = (
    "What is the capital of Mongolia?",
    "Who painted the ceiling of the chapel?",
    "How do I fix a leaking tap?",
    "Did I ever mention a swimming pool?",
    "Which bank holds my mortgage?",
    "What is my shoe size?",
    "Who won the football world cup?",
    "What is the boiling point of nitrogen?",
    "Which dentist did I go to?",
    "What colour is my umbrella?",
    "Tell me about quantum computing",
    "How tall is my brother?",
)
"""What neither of them ever speaks of."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, how many statements were stored, whether one of them answers it, and the best result's relevance."""

    size: int
    question: str
    related: bool
    relevance: float


def asked(sizes: Sequence[int] = SIZES, memories: int | None = None) -> Iterator[Asked]:
    """Yield the questions put to memories of so many statements, at most ``memories`` of each size and person.

    A memory is asked what its own statements answer, what others of the same person would, and what none would.
    """
    for said in (ANA, BEN):
        for size in sizes:
            for start in islice(range(0, len(said), size), memories):
                held = said[start : start + size]
                if len(held) == size:
                    others = [question for _, question in said if question not in {one for _, one in held}]
                    yield from _of_one(size, held, [*others, *BESIDE])


def _of_one(size: int, held: Sequence[tuple[str, str]], others: Sequence[str]) -> Iterator[Asked]:
    with Memory(user="someone") as memory:
        for at, (text, _) in enumerate(held):
            memory.capture(text, session=f"s{at // 3}")
        memory.wait()
        questions = [(question, True) for _, question in held] + [(question, False) for question in others]
        for question, related in questions:
            found = memory.recall(question)
            yield Asked(size, question, related, found[0].relevance if found else 0.0)


def main() -> None:
    """Print by size how many of each kind reach the mark, and how well relevance tells them apart."""
    everything = list(asked())
    rows = list[tuple[str, ...]]()
    for size in SIZES:
        mine = [one for one in everything if one.size == size]
        yes, no = ([memory.relevance for memory in mine if memory.related is kind] for kind in (True, False))
        middle = [f"{sorted(group)[len(group) // 2]:.2f}" for group in (yes, no)]
        reach = [f"{sum(one >= MARK for one in group)} of {len(group)}" for group in (yes, no)]
        rows.append((str(size), *middle, *reach, f"{separation(yes, no):.3f}"))
    head = ("statements", "median, related", "median, unrelated", "related ≥ .5", "unrelated ≥ .5", "AUC")
    print_table("Relevance of the best result in small memories", head, rows)


if __name__ == "__main__":
    main()
