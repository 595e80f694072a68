"""The steps of retain: its four tools, what is kept of a conversation by itself, and what a first turn recalls.

Not here: the banks and their two backends (``capabilities/retain``), and the wiring (``pipelines/retain.py``).
"""
