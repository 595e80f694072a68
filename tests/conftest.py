"""What holds for every test."""

from hypothesis import settings

# How long an example takes depends on what else the machine does; no test asserts a time.
settings.register_profile("without a deadline", parent=settings(), deadline=None)
settings.load_profile("without a deadline")
