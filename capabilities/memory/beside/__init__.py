"""What stands beside the tiers of a memory in its file, and is recalled with them: traces, and the minds of agents."""
