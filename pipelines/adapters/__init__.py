"""Adapters: the memory in the shape that another library expects. Import the one you need; each needs its extra.

Not here: the facade for an agent of no library (``pipelines/facade.py``), and the MCP server (``pipelines/server``).
"""
