"""The commands, a file for those that belong together. What several share stands in the room above."""
