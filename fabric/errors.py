"""Every error the engine raises, in one tree.

::

    FabricError
    ├── WiringError              found while a pipeline is built
    │   ├── SchemaMismatchError  neighbouring blocks cannot fit
    │   ├── DuplicateNameError   two different blocks share a name
    │   ├── ResourceConflictError  one key, two definitions
    │   └── CapabilityError      clash, cycle or unknown preset
    ├── ConfigurationError       a limit or option that cannot work
    ├── RunError                 found while a block runs
    │   ├── SchemaError          a value does not fit a block's schema
    │   ├── GuardError           a loop passed its guard
    │   ├── NoBranchError        no branch took the value
    │   ├── WorkError            background work failed (only when asked to raise)
    │   │   └── ForgottenWorkError  its job was forgotten while it ran: nothing of it is stored
    │   └── NestedRunError       a sync call from inside a running block
    ├── RefusedError             what was asked cannot be done; says what to do instead
    ├── ScopeError               a scope is missing or has the wrong type
    ├── StoreError               the file cannot do what was asked
    │   ├── StoreLockedError     the file is open already, in another process or in this one
    │   ├── NotOurFileError      not a thought-fabric file
    │   ├── NewerFileError       written by a newer version
    │   └── ConflictError        a write-once key was written twice
    └── ModelError               a model call did not give a usable answer
        ├── ModelUnavailableError  down, slow, rate limited: try again later
        ├── BudgetExceededError  over the run's or the day's budget: deferred
        ├── OutputError          the answer cannot be read as the schema
        └── EmbedderError        no vectors: recall goes on by words, reembed mends
"""

from datetime import datetime

from .usage import Usage


class FabricError(Exception):
    """Base of every error here: catch it to catch them all."""


class WiringError(FabricError):
    """A pipeline was put together wrongly."""


class SchemaMismatchError(WiringError):
    """The output of one block can never be the input of the next."""


class DuplicateNameError(WiringError):
    """Two different blocks carry one name."""


class ResourceConflictError(WiringError):
    """One resource key has two different definitions."""


class CapabilityError(WiringError):
    """Two capabilities clash, form a cycle, or a preset is unknown."""


class ConfigurationError(FabricError, ValueError):
    """An option has a value that cannot work."""


class RunError(FabricError):
    """Something went wrong inside a running block; the message starts with the block's path."""


class SchemaError(RunError):
    """A value does not fit a block's input or output schema."""


class GuardError(RunError):
    """A loop ran more often than its guard allows."""


class NoBranchError(RunError):
    """No branch of a ``branch`` step or route of a router took the value."""


class WorkError(RunError):
    """Background work failed and the caller asked to be told."""


class ForgottenWorkError(WorkError):
    """What background work was about was forgotten while it ran, so that nothing of it is stored."""


class NestedRunError(RunError):
    """A synchronous call was made from inside a running block, where it would wait for itself."""


class RefusedError(FabricError, ValueError):
    """What was asked cannot be done: ``reason`` says why, ``do`` what to do instead, to a model or to a person.

    >>> str(RefusedError("there is no goal 'x'", do="Look the id up."))
    "there is no goal 'x'. Look the id up."
    """

    def __init__(self, reason: str, *, do: str) -> None:
        super().__init__(f"{reason}. {do}")
        self.reason = reason
        self.do = do


class ScopeError(FabricError, ValueError):
    """A scope is missing, unknown or of the wrong type."""


class StoreError(FabricError):
    """The store cannot do what was asked."""


class StoreLockedError(StoreError):
    """Another process, or this one, has the file open; ``pid`` and ``program`` say which, where the system tells."""

    def __init__(self, message: str, *, pid: int | None = None, program: str = "") -> None:
        super().__init__(message)
        self.pid = pid
        self.program = program


class NotOurFileError(StoreError):
    """The path is not a thought-fabric file."""


class NewerFileError(StoreError):
    """The file was written by a newer version of thought-fabric."""


class ConflictError(StoreError):
    """A key that may be written once was written twice."""


class ModelError(FabricError):
    """A model call did not give a usable answer; ``usage`` is what was paid for nevertheless."""

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class ModelUnavailableError(ModelError):
    """The provider is down, slow or rate limiting: the same call may succeed later.

    ``retry_after`` is the number of seconds the provider asks to wait; ``partial`` is the text that came before a
    stream was cut.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, partial: str = "", usage: Usage | None = None
    ) -> None:
        super().__init__(message, usage=usage)
        self.retry_after = retry_after
        self.partial = partial


class BudgetExceededError(ModelError):
    """A budget is used up; ``until`` is when it is free again, if it ever is."""

    def __init__(self, message: str, *, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class OutputError(ModelError):
    """A model's answer cannot be read as its schema; ``raw`` is the answer, ``truncated`` says it was cut off."""

    def __init__(self, message: str, *, raw: str = "", truncated: bool = False, usage: Usage | None = None) -> None:
        super().__init__(message, usage=usage)
        self.raw = raw
        self.truncated = truncated


class EmbedderError(ModelError):
    """An embedder gave no usable vectors: what was said is kept, recall goes on by words, re-embedding mends it."""
