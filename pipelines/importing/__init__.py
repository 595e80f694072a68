"""What was said and what is remembered elsewhere: read from a file of any format, and imported in bulk, once.

Not here: writing the turns and facts to the tiers (``blocks/import_turns.py``, ``blocks/import_facts.py``).
"""

from .file_contents import ChatFile
from .file_import import FileImport, file_import_block, nothing_in
from .formats.registry import FORMATS
from .report import Counts, FileReport, ImportReport
from .source import Source

__all__ = [
    "FORMATS",
    "ChatFile",
    "Counts",
    "FileImport",
    "FileReport",
    "ImportReport",
    "Source",
    "file_import_block",
    "nothing_in",
]
