"""The prompts, as Markdown files, and where they are."""

from pathlib import Path

PROMPTS = Path(__file__).parent
