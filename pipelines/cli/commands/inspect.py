"""Commands that look: recall, show, graph. They change nothing."""

from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ..options import (
    DEFAULT_FILE,
    ApiBase,
    ApiKey,
    AsOf,
    File,
    Json,
    KnownAt,
    Model,
    Org,
    Project,
    SaidIn,
    Session,
    Since,
    Until,
    User,
    ValidDuring,
)
from ..output import note, nothing_found, plain, say, write_json
from ..target import Opened, Target, opened
from .retain import AnyBank, BackendOption, Kept, recall_from_bank

if TYPE_CHECKING:
    from capabilities.memory.recall.recall import RecallRequest

    from ..holdings import Holdings


class Part(StrEnum):
    """What can be shown."""

    working = "working"
    episodes = "episodes"
    facts = "facts"
    turns = "turns"
    all = "all"


PARTS = "What to show: working, episodes, facts, turns or all."


class RecallTier(StrEnum):
    """Where to look."""

    turn = "turn"
    working = "working"
    episodic = "episodic"
    semantic = "semantic"
    trace = "trace"
    goal = "goal"
    belief = "belief"
    reflection = "reflection"
    note = "note"


class GraphFormat(StrEnum):
    """How the pipeline can be drawn."""

    mermaid = "mermaid"
    text = "text"


def recall(
    cue: Annotated[str, typer.Argument(metavar="CUE", help="A few words on what it is about.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most this many.")] = 10,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Only what is filed under it; repeat it for more.")
    ] = None,
    tier: Annotated[
        list[RecallTier] | None, typer.Option("--tier", help="Only what is kept there; repeat it for more.")
    ] = None,
    subject: Annotated[
        str, typer.Option("--subject", help="Only what is about them; a turn is about nobody.", show_default=False)
    ] = "",
    category: Annotated[
        str, typer.Option("--category", help="Only this kind, such as preference; a turn has none.", show_default=False)
    ] = "",
    since: Since = None,
    until: Until = None,
    tokens: Annotated[
        int | None,
        typer.Option("--tokens", min=1, help="At most this much text, in estimated tokens.", show_default=False),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print why each result stands above the next.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    valid_during: ValidDuring = None,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: SaidIn = "",
    project: Project = "",
    org: Org = "",
    bank: AnyBank = None,
    backend: BackendOption = Kept.local,
    as_json: Json = False,
) -> None:
    """Recall what is remembered about CUE, most relevant first, with the words it rests on.

    With --bank, what a coding agent kept of that project; of the other options only --file, --user and --org count.
    """
    from capabilities.memory.recall.recall import RecallRequest

    if not cue.strip():
        raise typer.BadParameter("CUE is blank; expected a few words, or use show for everything")
    if bank is not None:
        recall_from_bank(Target(file, user, org=org), cue, bank, backend, as_json=as_json)
        return
    with opened(Target(file, user, project, org, session)) as at:
        times = {"since": since, "until": _to_its_end(until), "as_of": as_of, "known_at": known_at}
        filed = {"subject": subject or None, "category": _category(category), "session": session or None}
        wanted = {"tiers": [name.value for name in tier]} if tier else {}
        most = {"limit": limit, "tokens": tokens, "valid_during": valid_during}
        asked = RecallRequest.of({"cue": cue, "tags": tag or (), **most, **times, **filed, **wanted})
        recall_about(at, asked, explain=explain, as_json=as_json)


def _category(given: str) -> str | None:
    from capabilities.vocabulary import Category

    known = get_args(Category)
    if given and given not in known:
        raise typer.BadParameter(f"--category is {plain(given)}; expected one of {', '.join(known)}")
    return given or None


def _to_its_end(until: datetime | None) -> datetime | None:
    """Return the last moment of a day that was given without a time."""
    return until + timedelta(days=1, microseconds=-1) if until is not None and until.time() == time() else until


def _left_out(at: Opened, asked: "RecallRequest") -> str:
    """Return what to say when only the options left everything out, "" when they did not."""
    from capabilities.memory.recall.recall import RecallRequest

    from ..holdings import recalled_block

    bare = RecallRequest(cue=asked.cue, limit=1)
    names = sorted(asked.model_fields_set - {"cue", "limit", "explain"})
    given = [name for name in names if getattr(asked, name) != getattr(bare, name)]
    if not given or not at.run(recalled_block(at.mem), bare):
        return ""
    options = {"tiers": "tier", "tags": "tag"}
    advice = "give fewer of them" if len(given) > 1 else "leave it out, or give another"
    told = ", ".join(f"--{options.get(name, name).replace('_', '-')}" for name in given)
    return f"something is remembered of {at.target.whose}, but nothing that {told} leaves in; {advice}"


def recall_about(at: Opened, asked: "RecallRequest", *, explain: bool = False, as_json: bool = False) -> None:
    """Write what is remembered about a cue, with the words it rests on."""
    from capabilities.memory.recall.ranked import RELEVANT
    from capabilities.memory.recall.ranked import explain as explained

    from ..holdings import recalled_block
    from ..tiers import show_recalled

    found = at.run(recalled_block(at.mem), asked)
    if as_json:
        write_json(found)
    if not found:
        raise nothing_found(_left_out(at, asked) or _nothing_of(at))
    best = found[0].memory
    if best.relevance < RELEVANT and not any(memory.memory.overlap for memory in found):
        note(f'nothing remembered shares a word with "{plain(asked.cue)}"; this is what is most relevant without it')
    if as_json:
        return
    show_recalled(found)
    if explain:
        say(explained([memory.memory for memory in found]))


def show(
    part: Annotated[Part, typer.Argument(metavar="[PART]", help=PARTS)] = Part.all,
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Session = "",
    project: Project = "",
    org: Org = "",
    as_json: Json = False,
) -> None:
    """Show what the memory holds: working memory of one session, episodes, facts and what they replaced, turns."""
    with opened(Target(file, user, project, org, session)) as at:
        show_part(at, part, as_json=as_json)


def show_part(at: Opened, part: Part, *, as_json: bool = False, empty: str = "") -> None:
    """Write what the memory holds, or a part of it; ``empty`` is said when that is nothing."""
    holdings = at.holdings()
    shown = [part] if part is not Part.all else [section for section in Part if section is not Part.all]
    if as_json:
        write_json(
            {
                "session": holdings.session,
                "counts": holdings.counts(),
                **{part.value: _part(holdings, part) for part in shown},
            }
        )
    if not any(_part(holdings, part) for part in shown):
        raise nothing_found(empty or _nothing_of(at))
    if not as_json:
        for section in shown:
            _draw(holdings, section)


def _nothing_of(at: Opened) -> str:
    waiting = [job for job in at.fabric.jobs() if job.ids.user == at.target.owner["user"]]
    if waiting:
        unread = f"nothing is remembered yet of {at.target.whose}: {len(waiting)} of what was said is not read"
        why = next((job.error for job in waiting if job.error), "")
        return f"{unread}{f' ({why})' if why else ''}; see thought-fabric jobs, and jobs --retry all"
    return f"nothing is remembered of {at.target.whose}; name another with --user or --project"


def _part(holdings: "Holdings", part: Part) -> list[object]:
    found: list[object] = list(getattr(holdings, part.value))
    return found


def _draw(holdings: "Holdings", part: Part) -> None:
    from .. import tiers

    {
        Part.working: tiers.show_working,
        Part.episodes: tiers.show_episodes,
        Part.facts: tiers.show_facts,
        Part.turns: tiers.show_turns,
    }[part](holdings)


def graph(
    form: Annotated[GraphFormat, typer.Option("--format", help="A Mermaid flowchart, or lines of text.")] = (
        GraphFormat.mermaid
    ),
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
) -> None:
    """Draw the chat pipeline with its memory. Needs no file."""
    from pipelines.chat import chat_pipeline

    mem = Target(DEFAULT_FILE, model=model, api_base=api_base, api_key=api_key).memory()
    pipeline = chat_pipeline(mem, model or None)
    if form is GraphFormat.mermaid:
        say(pipeline.to_mermaid().rstrip())
        return
    import networkx as nx

    drawn = pipeline.graph()
    for line in nx.generate_network_text(drawn, with_labels=True):
        say(line)
