"""The formats that can be imported, one a file, and which of them a file is.

Not here: opening the file, its JSON and archives, and what becomes of the records (``pipelines/importing``).
"""
