"""Threads and processes: the portal to an event loop, forks, and calls that end before the next. No work of blocks."""
