"""What holds for every test."""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

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


SLOW = (
    *LONG,
    "pipelines/",
    "blocks/tools/README.md",
    "README.md",
    "tests/pipelines/cli/",
    "tests/pipelines/adapters/test_litellm.py",
    "tests/pipelines/importing/test_broken.py",
    "tests/pipelines/test_faults_",
    "tests/pipelines/test_kills_compared.py",
    "tests/pipelines/test_recall_",
    "tests/pipelines/test_replay.py",
    "tests/stories/test_capture.py",
    "tests/stories/test_profile.py",
    "tests/stories/test_said_and_changed.py",
    "tests/stories/test_whose.py",
    "tests/blocks/readers/test_observe.py",
    "tests/capabilities/claims/test_compare_cases.py",
    "tests/capabilities/claims/test_unrelated.py",
    "tests/capabilities/semantic/test_reconciliation.py",
    "tests/capabilities/traces/test_memory.py",
    "tests/capabilities/traces/test_search.py",
    "tests/fabric/models/test_structured.py",
    "tests/fabric/store/test_file.py",
    "tests/fabric/test_redact",
    "tests/contract/test_rows.py",
    "tests/languages/",
    "tests/test_floors.py",
)
"""Files whose tests take more than a few seconds together: all of them are marked ``slow``."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave slow files alone where nobody asked for them: to collect them takes as long as many tests."""
    place = collection_path.relative_to(config.rootpath).as_posix()
    named = f"{place}/" if collection_path.is_dir() else place
    return True if config.option.markexpr == "not slow" and named.startswith(SLOW) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among what is imported and collected, neither meanwhile nor later: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow; put long files first: one begun last leaves all processes but its own with nothing to do."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker("slow")
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
