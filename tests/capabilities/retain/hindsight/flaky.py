"""Retains through a server that fails a third of the time: what reached it, and how often."""

from collections import Counter
from pathlib import Path

from fabric import Fabric
from tests.hindsight import Fault, HindsightDouble

from .steps import Steps, facts, sent, until

FAULTS = (
    Fault(status=500, done=True),
    Fault(cut=True),
    Fault(status=503, retry_after=0.01),
    Fault(cut=True, done=True),
    Fault(torn=True),
    Fault(status=500),
)


def retain_and_check(server: HindsightDouble, path: Path, number: int) -> tuple[int, int]:
    """Retain so many memories, one by one; return how many requests were sent and how many of them failed."""
    for place, fault in enumerate(FAULTS):
        # of every 18 requests 6 fail, one in each way
        server.misbehave(fault, every=3 * len(FAULTS) - place, path="/memories")
    texts = [f"Decision {place} stands." for place in range(number)]
    with Fabric(path) as fabric:
        here = Steps(fabric, server.url, flush_batch_size=4, flush_interval=0.05, retain_attempts=100)
        for text in texts:
            here.retain(text)
        until(lambda: not here.flush().waiting, seconds=1200)  # else the last may wait for the longest pause
    reached = Counter(facts(server))
    assert [text for text in texts if reached[text] != 1] == []
    assert len(reached) == number
    requests = sent(server)
    return len(requests), sum(request.status != 200 for request in requests)
