"""What model calls cost, below the errors because a failed call is paid for too."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost: tokens in and out, money in US dollars, and how many calls. Usages add.

    >>> Usage(input_tokens=3, calls=1) + Usage(input_tokens=4, calls=1)
    Usage(input_tokens=7, output_tokens=0, cost=0.0, calls=2)
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    calls: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One paid model call of a run: which block made it, which model answered, and what it cost."""

    block: str
    model: str
    usage: Usage
