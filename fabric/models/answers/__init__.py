"""The answers of models: what they are asked to look like, and how what came is read, mended and checked."""
