"""Where answers come from: the seam to language models, and litellm behind it."""
