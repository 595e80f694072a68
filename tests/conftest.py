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
    "tests/capabilities/retain/hindsight/test_killed.py",
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
    "tests/stories/",
    "tests/pipelines/",
    "tests/typing/",
    "tests/blocks/readers/test_observe.py",
    "tests/blocks/test_answers.py",
    "tests/blocks/test_reembed.py",
    "tests/blocks/test_retraction.py",
    "tests/blocks/tools/test_abuse.py",
    "tests/blocks/tools/test_add_update_delete.py",
    "tests/blocks/tools/test_concurrency.py",
    "tests/blocks/tools/test_faults.py",
    "tests/blocks/tools/test_isolation.py",
    "tests/blocks/tools/test_memory_reflect.py",
    "tests/blocks/tools/test_merge_search.py",
    "tests/capabilities/claims/test_compare_cases.py",
    "tests/capabilities/claims/test_unrelated.py",
    "tests/capabilities/cognitive/test_consolidation.py",
    "tests/capabilities/cognitive/test_machine.py",
    "tests/capabilities/cognitive/test_mechanisms.py",
    "tests/capabilities/cognitive/test_memory.py",
    "tests/capabilities/formulas/test_salience.py",
    "tests/capabilities/mind/test_flush.py",
    "tests/capabilities/mind/test_mind_recall.py",
    "tests/capabilities/mind/test_mind_tools.py",
    "tests/capabilities/mind/test_together.py",
    "tests/capabilities/retain/hindsight/",
    "tests/capabilities/prospective/test_memory.py",
    "tests/capabilities/semantic/test_reconciliation.py",
    "tests/capabilities/traces/test_consolidation.py",
    "tests/capabilities/traces/test_find.py",
    "tests/capabilities/traces/test_memory.py",
    "tests/capabilities/traces/test_search.py",
    "tests/contract/retain/",
    "tests/contract/test_containing.py",
    "tests/contract/test_definitions.py",
    "tests/contract/test_rows.py",
    "tests/contract/test_scopes.py",
    "tests/contract/test_snapshot.py",
    "tests/contract/test_transactions.py",
    "tests/fabric/embedding/test_light_imports.py",
    "tests/fabric/embedding/test_renewal.py",
    "tests/fabric/embedding/test_static.py",
    "tests/fabric/models/test_asking.py",
    "tests/fabric/models/test_client.py",
    "tests/fabric/models/test_structured.py",
    "tests/fabric/store/test_backup.py",
    "tests/fabric/store/test_duckdb_log.py",
    "tests/fabric/store/test_file.py",
    "tests/fabric/store/test_gone.py",
    "tests/fabric/store/test_index.py",
    "tests/fabric/store/test_index_check.py",
    "tests/fabric/store/test_row_cache_rows.py",
    "tests/fabric/store/test_token_runs.py",
    "tests/fabric/store/test_stores_in_memory.py",
    "tests/blocks/retain/",
    "tests/fabric/test_cancel.py",
    "tests/fabric/test_declared.py",
    "tests/fabric/test_generator.py",
    "tests/fabric/test_generator_tools.py",
    "tests/fabric/test_jobs_deaths.py",
    "tests/fabric/test_jobs_failures.py",
    "tests/fabric/test_once.py",
    "tests/fabric/test_processes.py",
    "tests/fabric/test_redaction_long.py",
    "tests/fabric/test_run.py",
    "tests/fabric/test_session.py",
    "tests/fabric/test_terms.py",
    "tests/fabric/test_tracing_process.py",
    "tests/hindsight/",
    "tests/languages/test_language_recall.py",
    "tests/test_design_uses.py",
    "tests/test_floors.py",
    "tests/test_imports.py",
)
"""Folders, and files, whose tests take more than a few seconds together: all of them are marked ``slow``."""
QUICK = (
    "tests/pipelines/adapters/test_langgraph_own.py",
    "tests/pipelines/importing/test_api.py",
    "tests/pipelines/test_advice.py",
    "tests/pipelines/test_kills_compared.py",
    "tests/pipelines/test_memory_spans.py",
    "tests/pipelines/test_options.py",
    "tests/pipelines/test_recall_passages.py",
    "tests/pipelines/test_recall_unclaimed.py",
    "tests/pipelines/test_steps.py",
    "tests/stories/test_asked_then.py",
    "tests/stories/test_contradiction.py",
    "tests/stories/test_corrected_at_once.py",
    "tests/stories/test_forget_names.py",
    "tests/stories/test_forget_order.py",
    "tests/stories/test_holds_first.py",
    "tests/stories/test_plans.py",
    "tests/stories/test_prompt_sections.py",
    "tests/stories/test_put_right.py",
    "tests/stories/test_reentrant.py",
    "tests/stories/test_why.py",
    "tests/stories/test_working_blocks.py",
)
"""Files of such folders whose tests take less."""


def is_slow(place: str) -> bool:
    """Return whether what is at a place, by its path in the project, is slow as a whole; so is every README."""
    if place.endswith("/") and any(quick.startswith(place) for quick in QUICK):
        return False
    return (place.startswith(SLOW) and not place.startswith(QUICK)) or "README.md" in place


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave slow files alone where nobody asked for them: to collect them takes as long as many tests."""
    place = collection_path.relative_to(config.rootpath).as_posix()
    named = f"{place}/" if collection_path.is_dir() else place
    return True if config.option.markexpr == "not slow" and is_slow(named) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among what is imported and collected, neither meanwhile nor later: all of it stays.

    Tests make much that goes by itself: garbage is looked for less often than by default.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow; put long files first: one begun last leaves all processes but its own with nothing to do."""
    for item in items:
        if is_slow(item.nodeid):
            item.add_marker("slow")
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


# How long an example takes depends on what else the machine does, and which examples are tried must not be chance: what
# was right stays right. `--hypothesis-profile exploring` tries others.
settings.register_profile(
    "soak", parent=settings(), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("repeatable", parent=settings.get_profile("soak"), max_examples=30)
settings.register_profile("exploring", parent=settings.get_profile("soak"), derandomize=False)
settings.load_profile("repeatable")

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as in the background of a shell; processes of tests would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
