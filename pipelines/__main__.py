"""``python -m pipelines``: the same as ``thought-fabric``."""

from .cli import main

if __name__ == "__main__":
    main()
