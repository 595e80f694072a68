"""The prompts, as Markdown files, and how one is filled.

Not here: who asks a model with them (the blocks named in the README), and what of the memory the prompt of a chat gets
(``capabilities/memory/sections.py``, ``capabilities/cognitive/prompt``).
"""

from pathlib import Path

from fabric.text.prompt import load_prompt

PROMPTS = Path(__file__).parent


def prompt(name: str, /, **values: object) -> str:
    """Return the prompt of a name with its values filled in; ConfigurationError for one that it lacks."""
    return load_prompt(PROMPTS / f"{name}.md").fill(**values)
