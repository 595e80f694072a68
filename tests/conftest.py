"""What holds for every test."""

import signal

from hypothesis import settings

# How long an example takes depends on what else the machine does; no test asserts a time.
settings.register_profile("without a deadline", parent=settings(), deadline=None)
settings.load_profile("without a deadline")

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as in the background of a shell; processes of tests would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
