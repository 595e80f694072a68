"""The places of a mind: how many active goals and standing rules there may be, and how to free one."""

from collections.abc import Sequence

from fabric.errors import RefusedError

from ..record import MindGoal, MindReflection


def check_room(kind: type[MindGoal | MindReflection], taken: Sequence[str], cap: int) -> None:
    """Raise RefusedError, with the tool that frees a place, when all places of a kind are taken by these ids."""
    if len(taken) < cap:
        return
    what, tool = ("active goals", "mind_complete_goal")
    if kind is MindReflection:
        what, tool = ("pinned reflections", "mind_unpin_reflection")
    raise RefusedError(
        f"all {cap} places for {what} are taken: {', '.join(taken)}",
        do=f"Free a place first with {tool}, which takes one of these ids, or do without.",
    )
