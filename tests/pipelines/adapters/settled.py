"""What litellm has still to report when a test begins."""

import asyncio

from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER


def settle() -> None:
    """Let litellm report what earlier tests called: else it does so on the loop of the next one that calls it."""

    async def report() -> None:
        await GLOBAL_LOGGING_WORKER.flush()
        await GLOBAL_LOGGING_WORKER.stop()

    loop = asyncio.new_event_loop()  # asyncio.run would take the loop of the test away
    try:
        loop.run_until_complete(report())
    finally:
        loop.close()
