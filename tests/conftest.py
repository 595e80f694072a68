"""What holds for every test."""

import signal

from hypothesis import HealthCheck, settings

# How long an example takes depends on what else the machine does, and which examples are tried must not be chance: what
# was right stays right. `--hypothesis-profile exploring` tries others.
settings.register_profile(
    "repeatable", parent=settings(), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("exploring", parent=settings.get_profile("repeatable"), derandomize=False)
settings.load_profile("repeatable")

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as in the background of a shell; processes of tests would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
