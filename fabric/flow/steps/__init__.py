"""The steps of a sequencer: what happens to the value between one block and the next."""

from .background import WaitForWork, Work
from .many import Branch, ForEach, Option, Parallel, limit_of
from .single import DoUntil, ExitIf, Map, Tap, Then, ThenIf
from .step import GUARD, Exit, Single, Step, Test, condition_of, repetitions

__all__ = [
    "GUARD",
    "Branch",
    "DoUntil",
    "Exit",
    "ExitIf",
    "ForEach",
    "Map",
    "Option",
    "Parallel",
    "Single",
    "Step",
    "Tap",
    "Test",
    "Then",
    "ThenIf",
    "WaitForWork",
    "Work",
    "condition_of",
    "limit_of",
    "repetitions",
]
