"""Processes that end, or fork, with a file open: ``python -m tests.fabric.exit_child HOW PATH``."""

import atexit
import multiprocessing
import os
import sys
from collections.abc import Callable
from functools import partial

from fabric import Fabric
from fabric.embedding.choose import EmbedderChoice
from fabric.errors import FabricError
from pipelines import Memory, cognitive_memory


def tried(call: Callable[[], object]) -> str:
    """Return what a call returns, or its error, in a line."""
    try:
        return f"gave {call()}"
    except FabricError as error:
        return f"{type(error).__name__}: {error}"


def lengths(texts: list[str]) -> list[list[float]]:
    """Stand for an embedder that needs a thread."""
    return [[float(len(text)), 1.0] for text in texts]


def at_exit(path: str, *, is_used: bool = False, embedder: EmbedderChoice = "default") -> None:
    """Capture, recall and close when the interpreter ends, in a memory that was used before or not."""
    memory = Memory(path, user="u", embedder=embedder)
    if is_used:
        memory.capture("I like tea.")
        memory.wait()

    def end() -> None:
        print(tried(lambda: memory.capture("I live in Oslo.").turns))
        memory.wait(60)
        found = memory.recall("where do I live?", tiers=["semantic"])
        print(tried(lambda: [(recalled.content, recalled.degraded) for recalled in found[:1]]))
        print(tried(memory.close))

    atexit.register(end)


def minded_at_exit(path: str) -> None:
    """Do with a cognitive memory what needs threads, when the interpreter ends."""
    fabric, mem = Fabric(path), cognitive_memory()
    session = fabric.session("s", user="u")

    def end() -> None:
        print(tried(lambda: session.run(mem.remind, {"content": "call Anna", "at": "tomorrow at 9"}).output.content))
        session.run(mem.encode, "I prefer tea.")
        print(tried(lambda: session.run(mem.retrieve, "tea").output.results[0].trace.content))
        print(tried(fabric.close))

    atexit.register(end)


def too_late(path: str) -> None:
    """Do the same in a handler that runs after the file's own end."""
    memory = [Memory(path, user="u")]
    atexit._clear()
    from fabric.store import worker

    atexit.register(lambda: print(tried(lambda: memory[0].capture("I live in Oslo."))))
    atexit.register(worker._finish)


def forked(path: str) -> None:
    """Use the memory in a child that was forked, and go on in the parent."""
    memory = Memory(path, user="u")
    memory.capture("I live in Oslo.")
    memory.wait()

    def child() -> None:
        print(tried(lambda: memory.recall("where do I live?")))
        print(tried(lambda: memory.capture("I live in Rome.")))
        print(tried(memory.fabric.jobs))
        print(tried(lambda: memory.fabric.store.transact_sync(lambda _: 1)))
        print(tried(lambda: Memory(path, user="u")))
        print(tried(memory.close), flush=True)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    sys.stdout.flush()
    if not (pid := os.fork()):
        del memory, process
        sys.exit(0)
    os.waitpid(pid, 0)
    print(tried(lambda: memory.capture("I work at Stripe.").turns), flush=True)
    memory.wait()
    os._exit(9)  # the log of writes is all that is left of them


if __name__ == "__main__":
    children: dict[str, Callable[[str], None]] = {
        "at_exit": at_exit,
        "used_at_exit": partial(at_exit, is_used=True),
        "own_at_exit": partial(at_exit, embedder=lengths),
        "used_own_at_exit": partial(at_exit, is_used=True, embedder=lengths),
        "minded_at_exit": minded_at_exit,
        "too_late": too_late,
        "forked": forked,
    }
    children[sys.argv[1]](sys.argv[2])
