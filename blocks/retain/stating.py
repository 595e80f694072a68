"""What a memory states: facts that rules read, or that a model lists and the text bears out."""

import re
from collections.abc import Sequence

from capabilities.claims import ATTRIBUTES, OTHER, claim_of
from capabilities.retain.local import Read
from capabilities.turns import Exchange, Turn
from capabilities.vocabulary import LASTING, MAX_OBSERVATIONS, Observation
from fabric.errors import OutputError
from fabric.flow.context import Context
from fabric.generation.generator import ModelChoice
from fabric.models.server import ModelServer
from fabric.text.prompt import data_block
from fabric.threads.portal import elsewhere

from ..asking import asking_block
from ..capture.model_answers import is_grounded, plain_text
from ..capture.observe import MODEL_CHARS, shorten
from ..capture.observed import Observations
from ..prompts import prompt
from ..readers.observe import observe_text

_THE_USERS, _THE_USER = re.compile(r"\b[Tt]he user's\b"), re.compile(r"\b[Tt]he user\b")
_AUTHORS = {True: "Written by the agent, which calls whoever works with it the user", False: "Said by the user"}


def stated(text: str, *, by_agent: bool) -> list[Observation]:
    """Return what a text states of the user, as far as rules know what about: what the one judge can settle.

    An agent calls the user so: "the user" is whoever works with it. In the user's own words it is somebody else.

    >>> [one.content for one in stated("The user prefers tabs over spaces. The user is sent to /login.", by_agent=True)]
    ['Prefers tabs over spaces']
    >>> stated("The user prefers tabs over spaces.", by_agent=False)
    []
    """
    if by_agent:
        text = _THE_USER.sub("User", _THE_USERS.sub("My", text))
    return [observation for observation in observe_text(text) if claim_of(observation).attribute != OTHER]


async def read_by_rules(_: Context, text: str, by_agent: bool) -> Sequence[Observation]:
    """Return what rules read, off the event loop."""
    return await elsewhere(lambda: stated(text, by_agent=by_agent))


def read_with(model: ModelChoice, server: ModelServer | None = None) -> Read:
    """Return what has a model list what a text states.

    What the text does not bear out, and what does not last, counts for nothing. Where an answer cannot be used, rules
    read the text; a model that is away is asked again later.
    """
    system = prompt("retain_facts", limit=MAX_OBSERVATIONS, attributes=", ".join(ATTRIBUTES))
    block = asking_block("retain/facts", model, system, _shown, Observations, server=server)

    async def read(ctx: Context, text: str, by_agent: bool) -> Sequence[Observation]:
        try:
            told = await block((text, by_agent), Context(ctx.run))
        except OutputError as error:
            ctx.log.warning("facts by rules", error=str(error))
            return await read_by_rules(ctx, text, by_agent)
        said = Turn(id="", session=ctx.session, turn=ctx.turn, role="user", text=text, said_at=ctx.clock.now())
        plain = [plain_text(observation) for observation in told.observations]
        return [
            observation
            for observation in plain
            if observation.durability in LASTING and is_grounded(observation, Exchange(user=said), [])
        ]

    return read


def _shown(asked: tuple[str, bool]) -> str:
    text, by_agent = asked
    return prompt("retain_facts_text", author=_AUTHORS[by_agent], text=data_block("text", shorten(text, MODEL_CHARS)))
