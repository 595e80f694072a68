"""What was found in a file, and what an import did or would do: how much is new, known, changed, refused, and why."""

from pydantic import BaseModel, ConfigDict

LISTED = 1_000
"""How many refused records are kept with their reasons; the others are counted."""
REASONS = 50
"""How many different reasons are told apart."""


class Counts(BaseModel):
    """What became of the records of one kind."""

    new: int = 0
    known: int = 0
    changed: int = 0
    older: int = 0
    """Versions from before the one that is held."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.new + self.known + self.changed + self.older


class FileReport(BaseModel):
    """What was found in a file."""

    model_config = ConfigDict(validate_assignment=False)

    file: str
    format: str = ""
    users: dict[str, int] = {}
    """Whose records the file holds, by its own ids, and how many; "" for those among them that name nobody."""
    left_out: dict[str, int] = {}
    """What has no place in a memory, by its reason: tool results, links."""
    refused: int = 0
    problems: list[str] = []
    """Where each refused record stands and why it was refused, the first thousand."""

    def refuse(self, problem: object) -> None:
        """Count a refused record, and keep its reason."""
        self.refused += 1
        if len(self.problems) < LISTED:
            self.problems.append(str(problem))

    def leave_out(self, reason: str, count: int = 1) -> None:
        """Count something that has no place in a memory."""
        if reason not in self.left_out and len(self.left_out) >= REASONS:
            reason = "others"
        self.left_out[reason] = self.left_out.get(reason, 0) + count


class ImportReport(FileReport):
    """What became of a file. ``dry_run`` says that nothing was kept."""

    dry_run: bool = False
    messages: Counts = Counts()
    facts: Counts = Counts()
    sessions: int = 0
    """How many conversations the messages belong to."""
    degraded: str = ""
    """Why what is new is found by its words only, or ""."""

    @property
    def total(self) -> int:
        """How much was found that can be kept."""
        return self.messages.total + self.facts.total
