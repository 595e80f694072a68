"""The memory as a server: the tools it offers to any agent that speaks the Model Context Protocol."""
