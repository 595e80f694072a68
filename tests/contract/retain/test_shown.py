"""How results are shown: previews with their full length, scores, and when it was looked."""

from datetime import datetime

import pytest

from capabilities.retain.record import PREVIEW_CHARS

from .kinds import Desk


def test_a_long_memory_is_shown_as_a_preview(desk: Desk) -> None:
    if not desk.kind.keeps_words:
        pytest.skip("a server keeps facts, not the words")
    backend = desk.open()
    text = "The deployment script " + "checks a step and " * 60 + "ends."
    desk.retain(backend, text)
    found = desk.do(lambda ctx: backend.recall(ctx, "what does the deployment script do?")).found[0]
    assert len(found.content) <= PREVIEW_CHARS
    assert found.content.endswith("…")
    assert text.startswith(found.content[:-1])
    assert (found.truncated, found.full_length) == (True, len(text))


def test_scores_are_shares_best_first_and_the_time_is_told(desk: Desk) -> None:
    backend = desk.open()
    desk.retain(backend, "Deployments happen on Thursdays.", "CI runs on GitHub Actions.", "Anna reviews invoices.")
    recalled = desk.do(lambda ctx: backend.recall(ctx, "when do deployments happen?"))
    scores = [one.score for one in recalled.found if one.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert "Thursdays" in recalled.found[0].content
    assert isinstance(recalled.at, datetime)
    assert recalled.at.tzinfo is not None
