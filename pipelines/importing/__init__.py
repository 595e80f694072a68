"""What was said and what is remembered elsewhere: read from a file of any format, and imported in bulk, once."""

from .formats.registry import FORMATS
from .reading import ChatFile
from .report import Counts, FileReport, ImportReport
from .run import FileImport, file_import_block, nothing_in
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
