"""Importing: what was said and what is remembered elsewhere comes in from a file, in bulk and only once."""

from .formats import FORMATS
from .report import Counts, ImportReport
from .run import FileImport, file_import_block, nothing_in
from .source import Source

__all__ = ["FORMATS", "Counts", "FileImport", "ImportReport", "Source", "file_import_block", "nothing_in"]
