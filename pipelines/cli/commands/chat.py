"""The chat: an answer as it comes, and beside it what was recalled for it and what was learned from it."""

from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..notices import Seen, learned_lines, left_line, reason, recalled_lines, usage_line
from ..options import DEFAULT_FILE, ApiBase, ApiKey, File, Model, Org, Project, User
from ..output import aside, note, plain, printable, progress, say
from ..slash import command_of, completions, message_of, obey
from ..target import Opened, Target, opened
from ..terminal import asking

if TYPE_CHECKING:
    from asyncio import Runner

    from fabric import Item, WorkFinished


def chat(
    file: File = DEFAULT_FILE,
    user: User = "",
    session: Annotated[
        str, typer.Option("--session", "-s", help="The conversation. Default: today's date.", show_default=False)
    ] = "",
    project: Project = "",
    org: Org = "",
    model: Model = "",
    api_base: ApiBase = "",
    api_key: ApiKey = "",
) -> None:
    """Chat with an agent that remembers, and see what it recalls and learns; /help lists what can be asked about it."""
    from fabric.clock import SystemClock

    target = Target(
        file,
        user,
        project,
        org,
        session or f"{SystemClock().now():%Y-%m-%d}",
        model,
        api_base=api_base,
        api_key=api_key,
    )
    with opened(target, create=True, log="error") as at:  # what failed is told
        Chat(at).run()


class Chat:
    """One conversation on the command line."""

    def __init__(self, at: Opened) -> None:
        from pipelines.chat import chat_pipeline

        from ..holdings import statements_block

        self._at = at
        self._pipeline = chat_pipeline(at.mem, at.target.model or None)
        self._answers = f"{self._pipeline.name} > chat"
        self._statements = statements_block(at.mem)
        self._session = at.session()
        self._seen = Seen()
        self._finished: SimpleQueue[WorkFinished] = SimpleQueue()
        self._put_off: set[str] = set()
        self._line_begun = False
        self._failed = False
        self._asking = asking(completions(), self._tell)
        at.fabric.listen(self._hear)
        at.fabric.register(self._pipeline)

    def run(self) -> None:
        """Take lines until there is none any more, then wait for what is left to be learned.

        Over a pipe a last answer that failed is an error.
        """
        from asyncio import Runner

        if self._asking.interactive:
            note(f"Session {plain(self._at.target.session)}, memory in {plain(self._at.target.file)}.")
            note("/help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves.")
        self._tell_model()
        with Runner() as runner:
            while True:
                try:
                    self._tell()
                    self._take(self._asking.ask(), runner)
                except EOFError:
                    break
                except KeyboardInterrupt:
                    if not self._asking.interactive:
                        break
        self._leave()
        if self._failed and not self._asking.interactive:
            raise typer.Exit(1)

    def _tell_model(self) -> None:
        """Write what keeps the model from answering, if anything does."""
        from pipelines.checkup import model_finding

        if self._at.target.model:
            finding = model_finding(self._at.target.model, api_base=self._at.target.api_base)
            if finding.state == "problem":
                note(f"model: {plain(finding.found)}; to mend it: {plain(finding.mend)}")

    def _take(self, line: str, runner: "Runner") -> None:
        command = command_of(line)
        if command is not None:
            obey(*command, self._at, self._seen)
        elif line.strip():
            self._send(message_of(line), runner)

    def _send(self, message: str, runner: "Runner") -> None:
        """Write the answer to a message; Ctrl-C stops it, and what the model cannot do is one line."""
        from fabric.errors import ModelError, ModelUnavailableError

        before = len(self._session.items)
        self._seen.recalled = ()
        self._failed = False
        try:
            runner.run(self._answer(message))
            if not self._at.target.model:
                self._at.fabric.drain()  # rules take no time, and the next answer is made of what they found
        except KeyboardInterrupt:
            self._line_begun |= self._asking.interactive  # the terminal wrote ^C
            self._end_line()
            note(f"(stopped: {_kept(self._session.items[before:])})")
        except ModelError as error:
            self._end_line()
            later = "; try again later, or with another --model" if isinstance(error, ModelUnavailableError) else ""
            note(f"error: {reason(str(error))}{later}")
            note(f"({_kept(self._session.items[before:])})")
            self._failed = True

    async def _answer(self, message: str) -> None:
        from fabric.record.events import Recalled, RunFinished, TextDelta

        async for event in self._session.stream(self._pipeline, message):
            if isinstance(event, Recalled) and event.path == self._answers:
                self._seen.recalled = event.records
                for line in recalled_lines(self._seen):
                    aside(line)
            elif isinstance(event, TextDelta) and event.path == self._answers:
                typer.echo(printable(event.text), nl=False)
                self._line_begun = True
            elif isinstance(event, RunFinished):
                say("" if self._line_begun else printable(event.result.output))
                self._line_begun = False
                if event.result.usage.calls:
                    aside(usage_line("answer", event.result.usage))

    def _end_line(self) -> None:
        if self._line_begun:
            say()
        self._line_begun = False

    def _hear(self, event: "WorkFinished") -> None:
        self._finished.put(event)
        self._asking.wake()

    def _tell(self) -> None:
        """Write what came of background work since the last time."""
        while True:
            try:
                event = self._finished.get_nowait()
            except Empty:
                return
            if event.ids.scope("session") == self._session.ids.scope("session"):
                for line in self._outcome(event):
                    aside(line)

    def _outcome(self, event: "WorkFinished") -> list[str]:
        from capabilities.sources import Outcome
        from fabric.narrowing import is_mapping
        from fabric.usage import Usage

        if not event.job_id:  # no job, but what waits for a server
            return [f"  {reason(event.error)}"]
        if event.status == "failed":
            return [f"  not learned: {reason(event.error)}; see thought-fabric jobs"]
        if event.status == "pending":
            first, self._put_off = event.job_id not in self._put_off, self._put_off | {event.job_id}
            return [f"  not learned yet, tried again later: {reason(event.error)}"] if first else []
        item = next((item for item in reversed(self._session.items) if item.data.get("job") == event.job_id), None)
        if item is None:  # forgotten meanwhile
            return []
        result: Any = item.data["result"]
        found = result.get("outcomes", ()) if is_mapping(result) else ()
        outcomes = [Outcome.model_validate(outcome) for outcome in found]
        ids = [record_id for outcome in outcomes for record_id in (outcome.id, outcome.replaced) if record_id]
        lines = learned_lines(outcomes, self._seen, self._at.run(self._statements, ids) if ids else {})
        usage = Usage(**item.data["usage"])
        return [*lines, usage_line("memory", usage)] if usage.calls else lines

    def _leave(self) -> None:
        """Wait for background work; Ctrl-C leaves it in the file for the next chat."""
        fabric = self._at.fabric
        try:
            running = [job for job in fabric.jobs() if job.status != "failed" and not job.not_before and not job.hint]
            if self._asking.interactive and running:
                note("Learning from what was said. Ctrl-C leaves that for the next chat.")
            with progress("remembering", None):
                left = fabric.drain()
            self._tell()
        except KeyboardInterrupt:
            left = fabric.jobs()
            fabric.close(timeout=0)
        if left:
            note(left_line(left))


def _kept(items: "list[Item]") -> str:
    """Return what is kept of a turn that was stopped or failed."""
    roles = [item.role for item in items if item.kind == "message"]
    if "assistant" in roles:
        return "the answer was complete, and is kept"
    if "user" in roles:
        return "what you said is kept, the answer is not"
    return "nothing of this turn is kept"
