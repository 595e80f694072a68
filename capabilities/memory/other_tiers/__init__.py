"""What stands beside the tiers of a memory in its file, and is recalled with them: traces, and the minds of agents.

Not here: how these are written and searched by themselves (``capabilities/traces``, ``capabilities/mind``).
"""
