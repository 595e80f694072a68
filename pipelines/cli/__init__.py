"""The command line: what the memory system offers, for people and for scripts.

Not here: what a command does to a memory, which are blocks and pipelines that Python code has, too.
"""


def main() -> None:
    """Run ``thought-fabric``. Exit codes: 0 done, 1 error, 2 wrong usage, 3 nothing found."""
    from .app import app

    app(prog_name="thought-fabric")
