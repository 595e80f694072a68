"""The rules that let the memory work without a model: observe, contradict, consolidate and prune, all pure."""
