"""The engine: blocks that snap together, and what they run on. It knows blocks, not memory."""
