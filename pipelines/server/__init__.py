"""The memory as a server: the tools it offers to any agent that speaks the Model Context Protocol.

Not here: what a tool does to the memory, which is done by blocks (``blocks``), and the tools that a chat of this
project is given (``blocks/tools``).
"""
