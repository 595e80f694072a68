"""What holds for every test."""

import signal

import pytest
from hypothesis import HealthCheck, settings

LONG = (
    "tests/pipelines/server/",
    "tests/pipelines/cli/test_chat_terminal.py",
    "tests/fabric/models/test_exit.py",
    "tests/stories/test_killed_processes.py",
    "tests/fabric/test_crash.py",
    "tests/fabric/store/test_whole_transactions.py",
    "tests/contract/test_model.py",
    "tests/test_notebooks.py",
    "pipelines/cli/README.md",
    "fabric/models/README.md",
)
"""Files whose tests are long, most of it waiting for programs that they start."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first: one that is begun last leaves all processes but its own with nothing to do."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


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
