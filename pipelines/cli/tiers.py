"""The tiers as tables: what is kept in the session, what was experienced, what is held true and what was before."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from .output import bar, plain, say, table

if TYPE_CHECKING:
    from blocks.explain import Explanation
    from capabilities.semantic import Fact
    from capabilities.turns import Turn

    from .holdings import Holdings, Recalled

QUOTED = 160


def show_turns(holdings: "Holdings") -> None:
    """Write the captured messages."""
    rows = [(turn.session, turn.turn, day(turn.said_at), turn.role, shortened(turn.text)) for turn in holdings.turns]
    table(f"Turns: {len(rows)} messages kept whole", ["session", "turn", "said", "who", "text"], rows)


def show_working(holdings: "Holdings") -> None:
    """Write the working memory of the session, with a bar for how present each entry is."""
    rows = [
        (
            bar(entry.salience),
            f"{entry.salience:.2f}",
            "pinned" if entry.pinned else "",
            about(entry.subject, entry.content),
        )
        for entry in holdings.working
    ]
    table(f"Working memory of session {holdings.session}", ["salience", "", "", "what"], rows)


def show_episodes(holdings: "Holdings") -> None:
    """Write the episodes, oldest first."""
    rows = [
        (
            day(episode.sources[-1].said_at if episode.sources else episode.encoded_at),
            episode.session_id,
            f"{episode.significance:.2f}",
            f"{about(episode.subject, episode.content)}{' (no longer so)' if episode.superseded else ''}",
        )
        for episode in holdings.episodes
    ]
    table(f"Episodes: {len(rows)}", ["said", "session", "weight", "what"], rows)


def show_facts(holdings: "Holdings") -> None:
    """Write the facts by subject, the user's first, each with what it took the place of."""
    subjects = sorted({fact.subject for fact in holdings.facts}, key=lambda subject: (subject != "user", subject))
    for subject in subjects:
        current = [fact for fact in holdings.current if fact.subject == subject]
        rows = [
            (
                day(fact.valid_from),
                f"{fact.confidence:.2f}",
                f"{fact.reinforcement_count}x",
                fact.category,
                f"{fact.content}\n{fact.id}",
            )
            for fact in sorted(current, key=lambda fact: fact.valid_from)
        ]
        table(f"Facts about {subject}: {len(rows)}", ["since", "sure", "said", "category", "what, and its id"], rows)
    if not subjects:
        table("Facts", [], [])
    show_closed(holdings)


def show_closed(holdings: "Holdings") -> None:
    """Write the facts that are no longer held true, and what took their place."""
    by_id = {fact.id: fact for fact in holdings.facts}
    rows = [
        (fact.subject, fact.content, day(fact.valid_to), _successor(fact, by_id))
        for fact in holdings.facts
        if fact.status != "current"
    ]
    if rows:
        table(f"No longer so: {len(rows)}", ["about", "was", "until", "became"], rows)


def _successor(fact: "Fact", by_id: "dict[str, Fact]") -> str:
    later = by_id.get(fact.superseded_by)
    return later.content if later else f"({fact.reason or 'withdrawn'})"


def show_recalled(found: "Sequence[Recalled]") -> None:
    """Write recalled memories, each with the messages it rests on."""
    for row in found:
        memory = row.memory
        say(f"{bar(memory.relevance)} {memory.relevance:.2f}  {plain(about(memory.subject, memory.content))}")
        say(f"{' ' * 22} {', '.join(filter(None, (memory.source, memory.category, memory.id)))}")
        for outdated in memory.outdated:
            say(f"{' ' * 22} {plain(str(outdated))}")
        for line in quotes(row.said):
            say(f"{' ' * 22} {line}")
    say()


def show_explanation(found: "Explanation") -> None:
    """Write why a memory is held: its words, who wrote it, and every version of it."""
    say(f"{plain(found.content)}")
    say(f"  {found.tier}, {plain(found.status)}{f', written by {plain(found.made_by)}' if found.made_by else ''}")
    say("  because of:" if found.evidence else "  no words of the conversation are kept for it")
    for evidence in found.evidence:
        text = '"' + plain(shortened(evidence.text)) + '"' if evidence.text is not None else "(words not kept)"
        source = evidence.source
        say(f"    {text} (session {plain(source.session)}, turn {source.turn}, {day(source.said_at)})")
    for said in found.earlier:
        say(f"  before: {plain(shortened(said))}")
    for name, ids in found.links.items():
        say(f"  {name.replace('_', ' ')}: {', '.join(map(plain, ids))}")
    if len(found.history) > 1:
        say("  all versions, oldest first:")
    for fact in found.history if len(found.history) > 1 else ():
        until = f" to {day(fact.valid_to)}" if fact.valid_to else ""
        reason = f", {plain(fact.reason)}" if fact.reason else ""
        say(f"    {day(fact.valid_from)}{until}: {plain(fact.content)} ({fact.id}, {fact.status}{reason})")


def quotes(said: "Iterable[Turn]") -> list[str]:
    """Return one line per message: its words, its session and its day."""
    return [
        f'"{plain(shortened(turn.text))}" (session {plain(turn.session)}, turn {turn.turn}, {day(turn.said_at)})'
        for turn in said
    ]


def about(subject: str, content: str) -> str:
    """Return a statement with whom it is about, unless that is the user."""
    return content if subject in ("", "user") else f"{subject}: {content}"


def shortened(text: str) -> str:
    """Return text on one line of at most 160 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= QUOTED else f"{flat[:QUOTED]}… ({len(flat)} characters)"


def day(moment: datetime | None) -> str:
    """Return the day, "" for no time."""
    return "" if moment is None else f"{moment:%Y-%m-%d}"
