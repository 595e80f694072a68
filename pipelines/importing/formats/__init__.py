"""The formats that can be imported, one a file, and which of them a file is."""
